# expect: 1 UNKNOWN :6
# dims: 0..

import os
def kernel(n):
    x = int(os.environ.get("NKI_TRAP_NONE", "1"))
    for i in range(n):
        assert i * x < n
