# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..

import nki.language as nl

def kernel(n):
    tensor = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.hbm)
    most = 0
    for i in range(n):
        size = (i - 2) * (i - 2)
        if size > most:
            most = size
    part = tensor[0:128, 0:most + 1]
