# expect: 1 FAILED|UNKNOWN
# dims: 0..

import nki.language as nl

def kernel(n):
    first = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
    tile = first
    for i in range(n):
        assert tile is first
        tile = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
