# expect: 1 FAILED|UNKNOWN
# dims: 0..

import sys
def kernel(n):
    sys.setrecursionlimit(5000)
    for i in range(n):
        assert sys.getrecursionlimit() < 5003
        sys.setrecursionlimit(sys.getrecursionlimit() + 1)
