# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 FAILED df.output_written
# args: ::kernel --arg 'x=f32[n:1..64,d:1..8]'
"""The number of a round is overwritten by 0 before it is used."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    n, d = x.shape
    out = nl.ndarray((n, d), dtype=x.dtype, buffer=nl.shared_hbm)
    at = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    zero = nisa.register_alloc(0)

    def body(i):
        nisa.register_store(at, i)
        nisa.register_store(at, zero)
        row = nl.ndarray((1, d), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=row, src=x.ap(pattern=[[d, 1], [1, d]], scalar_offset=at, indirect_dim=0))
        nisa.dma_copy(dst=out.ap(pattern=[[d, 1], [1, d]], scalar_offset=at, indirect_dim=0), src=row)

    nl.fori_loop(0, n, body)
    return out
