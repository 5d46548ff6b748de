# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return super().__hash__()


def kernel(n):
    kept = []
    for i in range(n):
        kept.append(Box(i))
    if n > 3:
        assert hash(kept[0]) != hash(kept[0])
