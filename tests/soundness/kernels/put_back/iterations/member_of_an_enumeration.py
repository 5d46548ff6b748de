# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import enum
class Held(enum.Enum):
    ONE = 1

def kernel(n):
    for i in range(n):
        assert int(hasattr(Held.ONE, 'seen')) == 0
        Held.ONE.seen = i
