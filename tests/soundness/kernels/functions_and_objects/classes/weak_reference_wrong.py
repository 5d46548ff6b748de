# expect: 1 FAILED|UNKNOWN
# dims: 0..

import weakref

class Box:
    pass

def kernel(n):
    box = Box()
    box.count = 0
    reference = weakref.ref(box)
    for i in range(n):
        assert reference().count < 3
        reference().count += 1
