# expect: 1 FAILED|UNKNOWN
# dims: 0..

import sys
def kernel(n):
    sys.trap = 0
    for i in range(n):
        assert sys.trap < 3
        sys.trap += 1
