# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value

    def get(self):
        return self.value


def kernel(n):
    kept = []
    for i in range(n):
        kept.append(Box(1).get)
    if n > 3:
        assert kept[0] == kept[1]
