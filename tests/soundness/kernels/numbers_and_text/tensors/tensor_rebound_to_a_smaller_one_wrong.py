# expect: 1 FAILED|UNKNOWN
# dims: 0..

import nki.language as nl

def kernel(n):
    tile = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)
    for i in range(n):
        part = tile[0:128, 0:8]
        tile = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
