# expect: 1 FAILED|UNKNOWN
# dims: 0..

import sys, types
def kernel(n):
    sys.modules["trap_mod"] = types.SimpleNamespace(count=0)
    for i in range(n):
        assert sys.modules["trap_mod"].count < 3
        sys.modules["trap_mod"].count += 1
