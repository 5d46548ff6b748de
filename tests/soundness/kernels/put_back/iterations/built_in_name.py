# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import builtins

def kernel(n):
    for i in range(n):
        assert int(hasattr(builtins, 'seen')) == 0
        builtins.seen = i
