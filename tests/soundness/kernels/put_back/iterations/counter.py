# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import collections
held = collections.Counter()

def kernel(n):
    for i in range(n):
        assert held['k'] == 0
        held['k'] += 1
