# expect: 1 FAILED|UNKNOWN
# dims: 0..

import sys

count = 0

def kernel(n):
    for i in range(n):
        assert count < 3
        setattr(sys.modules[__name__], "count", count + 1)
