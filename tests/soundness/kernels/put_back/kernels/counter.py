# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import collections
held = collections.Counter()

def kernel(n):
    before = held['k']
    for i in range(n):
        held['k'] += 1
        if i > 2: break
    assert before == 1
