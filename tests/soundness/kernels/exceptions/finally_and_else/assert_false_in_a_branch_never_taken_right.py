# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for i in range(n):
        if i * i < 0:
            assert False
        assert i < n
