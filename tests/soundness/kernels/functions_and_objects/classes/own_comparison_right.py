# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

import functools

@functools.total_ordering
class Size:
    def __init__(self, n):
        self.n = n
    def __eq__(self, other):
        return self.n == other.n
    def __lt__(self, other):
        return self.n < other.n
    __hash__ = None

def kernel(n, m):
    if Size(n) <= Size(m):
        assert n <= m
    assert max(Size(n), Size(m)).n == max(n, m)
