# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import sys
first = sys.getrecursionlimit()

def kernel(n):
    for i in range(n):
        assert sys.getrecursionlimit() - first == 0
        sys.setrecursionlimit(first + 7)
