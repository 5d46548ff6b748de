# expect: 1 FAILED|UNKNOWN
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, tile, use

def kernel(n):
    x, tiles = table(1), []
    for i in range(n):
        made = tile()
        nisa.memset(made, 1)
        tiles.append(made)
    for k in range(n):
        if k == 0:
            nisa.memset(tiles[k], 0)
        if k > 0:
            use(x, tiles[k])
