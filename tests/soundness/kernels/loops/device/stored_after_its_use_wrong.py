# expect: 1 SUCCESSFUL|UNKNOWN
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 FAILED df.output_written
# args: ::kernel --arg 'x=f32[n:1..64,d:1..8]'
"""A tile has the number of the round before where it is used: the last row is never written."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    n, d = x.shape
    out = nl.ndarray((n, d), dtype=x.dtype, buffer=nl.shared_hbm)
    at = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    zero = nisa.register_alloc(0)
    nisa.register_store(at, zero)

    def body(i):
        row = nl.ndarray((1, d), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=row, src=x[0:1, :])
        nisa.dma_copy(dst=out.ap(pattern=[[d, 1], [1, d]], scalar_offset=at, indirect_dim=0), src=row)
        nisa.register_store(at, i)

    nl.fori_loop(0, n, body)
    return out
