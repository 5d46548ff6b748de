# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    a = n + 1000
    b = 1000 + n
    assert [a] == [b]
    import operator
    assert operator.is_(a, b)
