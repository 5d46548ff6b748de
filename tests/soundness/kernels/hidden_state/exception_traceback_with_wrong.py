# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    state = ValueError()
    for i in range(n):
        assert state.__traceback__ is None
        try:
            raise state
        except ValueError:
            pass
