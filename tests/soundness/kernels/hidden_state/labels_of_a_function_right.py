# expect: 1 SUCCESSFUL
# dims: 0..

def make(n):
    def inner():
        return n
    inner.__name__ = "x"
    inner.limit = 3
    return inner
def kernel(n):
    f = make(n)
    assert f() == n
    assert f.limit == 3
