# expect: 1 SUCCESSFUL
# dims: 0..

import nki.language as nl

def kernel(n):
    tiles = []
    for i in range(n):
        tiles.append(nl.ndarray((128, i + 1), dtype=nl.float32, buffer=nl.sbuf))
    for i in range(n):
        part = tiles[i][0:128, 0:i + 1]
