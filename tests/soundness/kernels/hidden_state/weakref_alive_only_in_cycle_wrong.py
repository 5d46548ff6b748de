# expect: 1 FAILED|UNKNOWN
# dims: 0..

import weakref
class A:
    pass
def kernel(n):
    box = [A()]
    ref = weakref.ref(box[0])
    for i in range(n):
        box.append(1)
    box.clear()
    assert ref() is not None
