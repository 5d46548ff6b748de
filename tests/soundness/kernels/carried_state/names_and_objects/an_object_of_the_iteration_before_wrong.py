# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value


def kernel(n):
    """Two places keep the box of the iteration before: it is the same in both."""
    holder = Box(Box(0))
    last = holder.value
    for i in range(n):
        assert last is holder.value
        assert i < 2 or last != holder.value
        last = Box(i)
        holder.value = last
