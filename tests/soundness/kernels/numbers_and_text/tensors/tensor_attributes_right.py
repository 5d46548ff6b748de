# expect: 1 SUCCESSFUL
# dims: 0..

import nki.language as nl

def kernel(n):
    tile = nl.ndarray((128, n + 1), dtype=nl.float32, buffer=nl.sbuf)
    assert tile.shape[1] == n + 1
    assert len(tile.shape) == 2
    assert tile.dtype == nl.float32
    rows, columns = tile.shape
    assert columns == n + 1
