# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..2

import sys
first = sys.getrecursionlimit()

def kernel(n, m):
    before = sys.getrecursionlimit() - first
    i = 1
    if n > m:
        sys.setrecursionlimit(first + 7)
        assert before == 0
    else:
        assert sys.getrecursionlimit() - first == before
        assert sys.getrecursionlimit() - first == 0
