# expect: 1 FAILED|UNKNOWN
# dims: 0..

import collections

Point = collections.namedtuple("Point", "x")

def kernel(n):
    assert repr(Point(n)) != "Point(x=3)"
