# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import enum
class Held(enum.Enum):
    ONE = 1

def kernel(n):
    before = int(hasattr(Held.ONE, 'seen'))
    for i in range(n):
        Held.ONE.seen = i
        if i > 2: break
    assert before == 1
