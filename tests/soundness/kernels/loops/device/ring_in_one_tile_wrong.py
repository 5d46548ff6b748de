# expect: 4 FAILED df.read_unwritten:22
# args: ::kernel --arg 'x=f32[128,256]'
"""The last slot is never filled."""

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

    nl.fori_loop(0, 192, fill, 64)
    nisa.dma_copy(dst=result, src=ring)
    return result
