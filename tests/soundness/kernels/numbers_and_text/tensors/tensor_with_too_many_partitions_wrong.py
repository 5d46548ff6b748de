# expect: 1 FAILED mem.partitions_128:7
# dims: 0..

import nki.language as nl

def kernel(n):
    tile = nl.ndarray((126 + n, 4), dtype=nl.float32, buffer=nl.sbuf)
