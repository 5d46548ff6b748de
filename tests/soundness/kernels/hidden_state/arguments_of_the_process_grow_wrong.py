# expect: 1 FAILED|UNKNOWN
# dims: 0..

import sys
def kernel(n):
    start = len(sys.argv)
    for i in range(n):
        assert len(sys.argv) < start + 3
        sys.argv.append("x")
    del sys.argv[start:]
