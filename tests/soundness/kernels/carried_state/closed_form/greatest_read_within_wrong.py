# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..

import nki.language as nl

def kernel(n):
    tensor = nl.ndarray((128, 2), dtype=nl.float32, buffer=nl.hbm)
    most = 0
    for i in range(n):
        part = tensor[0:128, 0:most + 1]
        size = i - i // 4
        if most <= size:
            most = size
