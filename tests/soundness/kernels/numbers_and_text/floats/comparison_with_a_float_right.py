# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    if n < 2.5:
        assert n <= 2
    if n >= 2.5:
        assert n >= 3
    assert n < float("inf")
    assert n > -float("inf")
