# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert [0, 3, n].count(n) == 1
