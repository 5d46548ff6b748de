# expect: 1 FAILED kernel.assert:8
# dims: 0..

def kernel(n):
    for i in range(n):
        assert i < n
    else:
        assert n < 3
