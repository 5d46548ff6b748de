# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value


def kernel(n):
    chosen = None
    kept = []
    for i in range(n):
        first = Box(i)
        if i == 0:
            chosen = first
        kept.append(first)
    if n > 3:
        assert chosen not in (kept[0],)
