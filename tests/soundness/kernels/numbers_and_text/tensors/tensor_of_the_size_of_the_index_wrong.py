# expect: 1 FAILED|UNKNOWN
# dims: 0..

import nki.language as nl

def kernel(n):
    for i in range(n):
        tile = nl.ndarray((128, i), dtype=nl.float32, buffer=nl.sbuf)
        part = tile[0:128, 0:i]
