# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import builtins

def kernel(n):
    before = int(hasattr(builtins, 'seen'))
    for i in range(n):
        builtins.seen = i
        if i > 2: break
    assert before == 1
