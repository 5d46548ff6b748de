# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import sys
first = sys.getrecursionlimit()

def kernel(n):
    before = sys.getrecursionlimit() - first
    for i in range(n):
        sys.setrecursionlimit(first + 7)
        if i > 2: break
    assert before == 1
