# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value


def kernel(n):
    kept = []
    for i in range(n):
        kept.append(Box(i))
    if n > 3:
        kept[0].value = 5
        assert kept[0].value == 5
