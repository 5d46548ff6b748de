# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value


def kernel(n):
    """Two names have one box of the iteration before."""
    last, same = Box(-1), Box(-2)
    for i in range(n):
        assert i < 3 or last != same
        last = Box(i)
        same = last
    assert n < 3 or last != same
