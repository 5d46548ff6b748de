# expect: 1 FAILED kernel.assert:8
# dims: 0..

import nki.language as nl

def kernel(n):
    tile = nl.ndarray((128, n + 1), dtype=nl.float32, buffer=nl.sbuf)
    assert tile.shape != (128, 4)
