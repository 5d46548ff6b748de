# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The target of the loop is an attribute."""
class Box:
    x = 0


def g(n):
    for i in range(n):
        yield i


def kernel(n):
    o = Box()
    for o.x in g(n):
        pass
    assert o.x < 4
