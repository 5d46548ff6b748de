# expect: 1 FAILED|UNKNOWN
# dims: 0..

import collections

Point = collections.namedtuple("Point", "x y")

def kernel(n):
    point = Point(0, 0)
    for i in range(n):
        assert point.x < 3
        point = point._replace(x=point.x + 1)
