# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[128,256]'
"""Slots of one tile, at the register of the loop."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    result = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    ring = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)

    def slot(i):
        return ring.ap(pattern=[[256, 128], [1, 64]], scalar_offset=i, indirect_dim=1)

    def fill(i):
        nisa.dma_copy(dst=slot(i), src=x.ap(pattern=[[256, 128], [1, 64]], scalar_offset=i, indirect_dim=1))

    nl.fori_loop(0, 256, fill, 64)
    nisa.dma_copy(dst=result, src=ring)
    return result
