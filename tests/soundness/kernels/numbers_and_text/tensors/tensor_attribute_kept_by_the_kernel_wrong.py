# expect: 1 FAILED|UNKNOWN
# dims: 0..

import nki.language as nl

def kernel(n):
    tile = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
    widths = {id(tile): 4}
    for i in range(n):
        widths[id(tile)] = widths[id(tile)] - 1
        part = tile[0:128, 0:widths[id(tile)]]
