# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    x = (n > 3) + (n > 5)
    assert 0 <= x <= 2
    if n == 5:
        assert x == 1
