# expect: 1 SUCCESSFUL
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value


def kernel(n):
    """Each iteration makes a box that the next one reads."""
    last = Box(-1)
    for i in range(n):
        assert last.value == i - 1
        last = Box(i)
    assert last.value == n - 1
