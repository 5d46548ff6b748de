# expect: 1 FAILED
# dims: 1..

import nki.language as nl

def kernel(n, m):
    """What comes after the loop fits for m = 1 only."""
    tensor = nl.ndarray((128, n), dtype=nl.float32, buffer=nl.hbm)
    step, at = min(m, 3), 0
    for i in range(n):
        if m <= 3:
            part = tensor[0:128, 0:1]
        at += step
    part = tensor[0:128, 0:at]
