# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value


def kernel(n):
    kept = []
    for i in range(n):
        kept.append(Box(i))
    assert n < 4 or [kept[0], kept[1]].count(kept[0]) == 0
