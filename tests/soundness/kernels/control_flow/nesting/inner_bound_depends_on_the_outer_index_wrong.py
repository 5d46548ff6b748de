# expect: 1 FAILED kernel.assert:7
# dims: 0..

def kernel(n):
    for i in range(n):
        for j in range(i + 1):
            assert j < n - 1
