# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return super().__eq__(other)


def kernel(n):
    kept = []
    for i in range(n):
        kept.append(Box(i))
    if n > 3:
        assert kept[0] != kept[0]
