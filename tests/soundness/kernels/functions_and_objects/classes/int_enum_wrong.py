# expect: 1 FAILED
# dims: 0..

import enum

class Size(enum.IntEnum):
    SMALL = 2
    LARGE = 4

def kernel(n):
    assert n != Size.LARGE
    assert n + Size.SMALL < 5
