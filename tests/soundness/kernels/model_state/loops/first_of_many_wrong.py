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
    nisa.memset(tiles[0], 0)
    use(x, tiles[n - 1])
