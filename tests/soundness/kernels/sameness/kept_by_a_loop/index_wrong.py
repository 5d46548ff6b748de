# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value


def kernel(n):
    kept = []
    for i in range(n):
        kept.append(Box(i))
    found = False
    if n > 3:
        try:
            [kept[0], kept[1]].index(kept[0])
        except ValueError:
            found = True
    assert n < 4 or found
