# expect: 1 FAILED|UNKNOWN
# dims: 0..

import sys
def kernel(n):
    start = len(sys.path)
    for i in range(n):
        assert len(sys.path) < start + 3
        sys.path.append("x")
    del sys.path[start:]
