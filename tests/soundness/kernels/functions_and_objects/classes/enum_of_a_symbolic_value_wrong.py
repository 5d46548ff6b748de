# expect: 1 FAILED|UNKNOWN
# dims: 0..

import enum

class Mode(enum.Enum):
    SMALL = 0
    LARGE = 1

def kernel(n):
    if n < 2:
        assert Mode(n) is Mode.SMALL
