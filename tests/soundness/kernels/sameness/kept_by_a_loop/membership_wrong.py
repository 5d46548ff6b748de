# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value


def kernel(n):
    last = Box(0)
    kept = []
    for i in range(n):
        last = Box(i)
        kept.append(last)
    assert n < 4 or kept[0] not in [kept[0]]
