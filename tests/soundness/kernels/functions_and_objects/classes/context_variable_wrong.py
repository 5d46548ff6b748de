# expect: 1 FAILED|UNKNOWN
# dims: 0..

import contextvars

depth = contextvars.ContextVar("depth", default=0)

def kernel(n):
    depth.set(0)
    for i in range(n):
        assert depth.get() < 3
        depth.set(depth.get() + 1)
