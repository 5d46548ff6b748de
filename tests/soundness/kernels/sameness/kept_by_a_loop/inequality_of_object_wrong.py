# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value


def kernel(n):
    kept = []
    for i in range(n):
        kept.append(Box(i))
    if n > 3:
        assert object.__ne__(kept[0], kept[0]) is not False
