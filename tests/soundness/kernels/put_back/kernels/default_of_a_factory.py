# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import collections
held = collections.defaultdict(int)

def kernel(n):
    before = 0 if held.default_factory is int else 1
    for i in range(n):
        held.default_factory = lambda: 1
        if i > 2: break
    assert before == 1
