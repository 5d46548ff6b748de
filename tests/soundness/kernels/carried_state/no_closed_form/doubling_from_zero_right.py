# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    size = 0
    for i in range(n):
        assert size == 0
        size *= 2
