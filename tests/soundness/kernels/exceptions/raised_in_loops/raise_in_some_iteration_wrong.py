# expect: 1 FAILED kernel.exception:7
# dims: 0..

def kernel(n):
    for i in range(n):
        if i == 3:
            raise ValueError("three")
