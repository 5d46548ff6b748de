# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for i in range(n):
        if i >= n:
            raise ValueError("never")
        assert i < n
