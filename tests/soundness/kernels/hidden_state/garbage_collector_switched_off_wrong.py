# expect: 1 FAILED|UNKNOWN
# dims: 0..

import gc
def kernel(n):
    gc.enable()
    for i in range(n):
        assert gc.isenabled()
        gc.disable()
