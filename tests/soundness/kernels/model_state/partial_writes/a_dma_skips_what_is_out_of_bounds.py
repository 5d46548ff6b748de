# expect: 1 UNKNOWN
# dims: 1..
# args: --timeout 5
# shapes: none

import nki.isa as nisa
from _tables import table, tile, use, tile_in_hbm

def kernel(n):
    x, index, source, far = table(1), tile(), tile_in_hbm(0), nisa.register_alloc(5)
    nisa.memset(index, 5)
    skipped = source.ap([[1, 1], [1, 1]], scalar_offset=far, indirect_dim=0)
    nisa.dma_copy(dst=index, src=skipped, oob_mode=nisa.oob_mode.skip)
    use(x, index)
