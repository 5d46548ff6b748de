# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value


def kernel(n):
    kept = []
    for i in range(n):
        pass
    kept = list(map(Box, range(n)))
    if n > 3:
        assert kept[0] != kept[0]
