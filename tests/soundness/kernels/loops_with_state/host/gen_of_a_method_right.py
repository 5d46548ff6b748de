# expect: 1 SUCCESSFUL
# dims: 0..
"""A generator that is a method and counts."""
class Box:
    def __init__(self):
        self.k = 0

    def run(self, n):
        for i in range(n):
            self.k += 1
            yield i


def kernel(n):
    o = Box()
    for x in o.run(n):
        assert o.k == x + 1
    assert o.k == n
