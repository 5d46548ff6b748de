# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import collections
held = collections.defaultdict(int)

def kernel(n):
    before = len(held)
    for i in range(n):
        held[i] += 1
        if i > 2: break
    assert before == 1
