# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


import operator


class Box:
    def __init__(self, value):
        self.value = value


def kernel(n):
    kept = []
    for i in range(n):
        kept.append(Box(i))
    if n > 3:
        assert not operator.is_(kept[0], kept[0])
