# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    for i in range(n)[1:]:
        assert i >= 1
