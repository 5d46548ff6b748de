# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert (n > 3).__class__ is not bool or [n].__class__ is not list or (n / 2).__class__ is not float
