# expect: 1 FAILED idx.oob:11
# dims: 0..

import nki.language as nl

def kernel(n):
    tiles = []
    for i in range(n):
        tiles.append(nl.ndarray((128, i + 1), dtype=nl.float32, buffer=nl.sbuf))
    for i in range(1, n):
        part = tiles[i - 1][0:128, 0:i + 1]
