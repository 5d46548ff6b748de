# expect: 1 FAILED
# dims: 0..

import nki.language as nl

def kernel(n):
    tensor = nl.ndarray((128, 5), dtype=nl.float32, buffer=nl.hbm)
    most = 0
    for i in range((n + 127) // 128):
        size = min(128, n - i * 128)
        if size > most:
            most = size
    part = tensor[0:128, 0:most + 1]
