# expect: 1 FAILED
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, tile, use

def kernel(n):
    x, r, tiles = table(n), nisa.register_alloc(0), []
    for i in range(n):
        nisa.register_move(r, i + 1)
        made = tile()
        nisa.register_store(made, r)
        tiles.append(made)
    for k in range(n):
        use(x, tiles[k])
