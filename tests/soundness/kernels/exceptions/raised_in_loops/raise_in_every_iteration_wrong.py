# expect: 1 FAILED kernel.exception:6
# dims: 0..

def kernel(n):
    for i in range(n):
        raise ValueError("always")
