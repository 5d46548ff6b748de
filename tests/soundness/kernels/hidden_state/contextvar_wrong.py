# expect: 1 FAILED|UNKNOWN
# dims: 0..

import contextvars
VAR = contextvars.ContextVar("v", default=0)
def kernel(n):
    VAR.set(0)
    for i in range(n):
        assert VAR.get() < 3
        VAR.set(VAR.get() + 1)
