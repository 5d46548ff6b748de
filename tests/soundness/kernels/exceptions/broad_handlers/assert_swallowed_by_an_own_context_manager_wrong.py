# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Swallow:
    def __enter__(self):
        return self
    def __exit__(self, *details):
        return True

def kernel(n):
    x = 0
    with Swallow():
        assert n < 3
        x = 1
    assert x == 1
