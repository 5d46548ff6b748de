# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""A record that a list keeps is changed by its name one round later."""
class Box:
    def __init__(self, k):
        self.k = k


def kernel(n):
    kept = []
    b = Box(0)
    for i in range(n):
        b.k += 1
        b = Box(i)
        kept.append(b)
    if n > 2:
        assert kept[0].k == 0
