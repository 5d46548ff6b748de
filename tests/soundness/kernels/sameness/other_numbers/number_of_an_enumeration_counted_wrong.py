# expect: 1 FAILED|UNKNOWN
# dims: 0..

import enum
class Step(enum.IntEnum):
    FIRST = 0
def kernel(n):
    step = Step.FIRST
    for i in range(n):
        assert isinstance(step, Step)
        step = step + 1
