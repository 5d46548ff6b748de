# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import weakref
class Key: pass
key = Key()
held = weakref.WeakKeyDictionary()

def kernel(n):
    before = len(held)
    for i in range(n):
        held[key] = 1
        if i > 2: break
    assert before == 1
