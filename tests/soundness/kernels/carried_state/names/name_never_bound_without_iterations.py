# expect: 1 FAILED|UNKNOWN
# dims: 0..

import nki.language as nl

def kernel(n):
    for i in range(n):
        width = 4
    tile = nl.ndarray((128, width), dtype=nl.float32, buffer=nl.sbuf)
