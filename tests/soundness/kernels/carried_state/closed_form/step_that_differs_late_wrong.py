# expect: 1 FAILED
# dims: 1..
# shapes: n=38..41 m=1..3

import nki.language as nl

def kernel(n, m):
    """From the fortieth iteration on the step is another one."""
    tensor = nl.ndarray((128, n * 3), dtype=nl.float32, buffer=nl.hbm)
    at = 0
    for i in range(n):
        if i < 40:
            at += min(m, 3)
        else:
            at += 4 * m
    part = tensor[0:128, 0:at]
