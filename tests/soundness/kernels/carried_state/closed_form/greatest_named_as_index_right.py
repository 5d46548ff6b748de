# expect: 1 SUCCESSFUL
# dims: 0..

import nki.language as nl

def kernel(n):
    tensor = nl.ndarray((128, n + 18), dtype=nl.float32, buffer=nl.hbm)
    most = 7
    if most <= n:
        most = n
    least = 9
    if n < least:
        least = n
    part = tensor[0:128, least:most + 10]
    assert least <= most
