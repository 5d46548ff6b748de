# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    state = ValueError()
    for i in range(n):
        deep = state.__cause__
        assert deep is None or deep.__cause__ is None
        new = ValueError()
        new.__cause__ = state.__cause__
        state.__cause__ = new
