# expect: 1 FAILED|UNKNOWN
# dims: 0..

import nki.language as nl

def kernel(n):
    tile = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
    for i in range(n):
        tile = tile[0:128, 0:tile.shape[1] - 1]
        part = tile[0:128, 0:1]
