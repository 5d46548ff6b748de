# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value


def kernel(n):
    kept = []
    for i in range(n):
        kept.append(Box(i))
    seen = {}
    if n > 3:
        seen[kept[0]] = 1
        assert seen.get(kept[0]) is None
