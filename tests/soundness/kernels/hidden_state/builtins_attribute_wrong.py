# expect: 1 FAILED|UNKNOWN
# dims: 0..

import builtins
def kernel(n):
    builtins.trap = 0
    for i in range(n):
        assert builtins.trap < 3
        builtins.trap += 1
