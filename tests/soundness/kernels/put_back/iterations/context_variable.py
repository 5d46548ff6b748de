# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import contextvars
held = contextvars.ContextVar('held', default=0)

def kernel(n):
    for i in range(n):
        assert held.get() == 0
        held.set(1)
