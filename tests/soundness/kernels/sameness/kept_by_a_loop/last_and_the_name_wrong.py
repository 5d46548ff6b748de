# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value


def kernel(n):
    """The last element and the name are one object, which compares by identity."""
    last = Box(0)
    kept = []
    for i in range(n):
        last = Box(i)
        kept.append(last)
    assert n < 4 or last != kept[-1]
