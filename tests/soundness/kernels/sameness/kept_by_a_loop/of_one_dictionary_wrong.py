# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value


def kernel(n):
    table = {}
    kept = []
    for i in range(n):
        table[i] = Box(i)
        kept.append(table[i])
    if n > 3:
        assert kept[0] != table[0]
