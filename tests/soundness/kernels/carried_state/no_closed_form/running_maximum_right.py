# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    best = 0
    for i in range(n):
        best = max(best, i)
    assert best <= n
