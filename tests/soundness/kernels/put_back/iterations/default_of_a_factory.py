# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import collections
held = collections.defaultdict(int)

def kernel(n):
    for i in range(n):
        assert 0 if held.default_factory is int else 1 == 0
        held.default_factory = lambda: 1
