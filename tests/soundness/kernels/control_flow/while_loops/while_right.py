# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    i = 0
    while i < n:
        assert i < n
        i += 1
    assert i == n
