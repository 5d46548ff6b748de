# expect: 1 SUCCESSFUL|BOUNDED
# dims: 0..
"""What is handed on is the object of before the loop, which has the index."""
class Box:
    k = 0


def kernel(n):
    o = Box()
    prev = o
    for i in range(n):
        o.k = i
        assert prev.k == i
        prev = o
