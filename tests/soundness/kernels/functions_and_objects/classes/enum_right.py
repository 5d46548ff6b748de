# expect: 1 SUCCESSFUL
# dims: 0..

import enum

class Mode(enum.Enum):
    SMALL = 0
    LARGE = 1

def mode(n):
    return Mode.SMALL if n < 3 else Mode.LARGE

def kernel(n):
    if mode(n) is Mode.SMALL:
        assert n < 3
    else:
        assert mode(n) == Mode.LARGE
