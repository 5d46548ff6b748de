# expect: 1 FAILED kernel.assert:7
# dims: 0..

def kernel(n):
    for i in range(n):
        i = i + 1
        assert i < n
