# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    assert int(n / 2 + 0.5) == (n + 1) // 2
