# expect: 1 FAILED idx.oob:9
# dims: 0..

import nki.language as nl

def kernel(n):
    tensor = nl.ndarray((128, 4 * n + 4), dtype=nl.float32, buffer=nl.hbm)
    for i in range(n):
        part = tensor[0:128, 4 * i + 4:4 * i + 9]
