# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""Whether the record of the round before is the one of before the loop."""
class Box:
    pass


def kernel(n):
    first = b = Box()
    c = 0
    for i in range(n):
        if b is first:
            c += 1
        b = Box()
    assert c == 0
