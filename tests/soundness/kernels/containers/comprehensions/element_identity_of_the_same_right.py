# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    rows = [[] for i in range(n)]
    if n > 1:
        assert rows[0] is rows[0]
