# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


class Box:
    def __init__(self, value):
        self.value = value


def kernel(n):
    before = Box(0)
    kept = []
    for i in range(n):
        if i > 2:
            assert before != kept[-1]
        last = Box(i)
        before = last
        kept.append(last)
    assert n >= 0
