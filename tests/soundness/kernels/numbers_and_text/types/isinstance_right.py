# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    assert isinstance(n, int)
    assert not isinstance(n, float)
    assert not isinstance(n, (str, list))
    assert isinstance([n], list)
    assert isinstance(n > 3, bool)
    assert isinstance(n / 2, float)
    assert isinstance(range(n), range)
