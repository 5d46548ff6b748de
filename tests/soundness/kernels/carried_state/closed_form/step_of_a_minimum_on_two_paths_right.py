# expect: 1 SUCCESSFUL
# dims: 1..

import nki.language as nl

def kernel(n, m):
    """On one way the step is seen to be m, and on the other one 3; it is the least of them on both."""
    tensor = nl.ndarray((128, n * 3), dtype=nl.float32, buffer=nl.hbm)
    step, at = min(m, 3), 0
    for i in range(n):
        if m <= 3:
            part = tensor[0:128, at:at + m]
        else:
            part = tensor[0:128, at:at + 3]
        at += step
    part = tensor[0:128, 0:at]
