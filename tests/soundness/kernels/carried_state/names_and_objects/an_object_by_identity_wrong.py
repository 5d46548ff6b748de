# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value


def kernel(n):
    """The last box and the last element of the list are one object."""
    last = Box(0)
    kept = []
    for i in range(n):
        last = Box(i)
        kept.append(last)
    assert n == 0 or last != kept[-1]
