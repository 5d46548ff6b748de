# expect: 1 FAILED|UNKNOWN
# dims: 0..

import enum
class E(enum.Enum):
    A = 1
    B = 2
    __eq__ = lambda self, o: True
    __hash__ = lambda self: 0
class Box:
    pass
def kernel(n):
    box = [E.A]
    for i in range(n):
        x = box[0]
        assert x.value == 1
        box[0] = E.B
