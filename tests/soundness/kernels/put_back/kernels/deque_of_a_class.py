# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import collections
class Held(collections.deque): pass
held = Held()

def kernel(n):
    before = len(held)
    for i in range(n):
        held.append(i)
        if i > 2: break
    assert before == 1
