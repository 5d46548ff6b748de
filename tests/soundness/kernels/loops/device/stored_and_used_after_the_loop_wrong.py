# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 FAILED df.output_written
# args: ::kernel --arg 'x=f32[n:2..64,d:1..8]'
"""The number of the last round is in a tile after the loop: one row is written."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    n, d = x.shape
    out = nl.ndarray((n, d), dtype=x.dtype, buffer=nl.shared_hbm)
    at = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)

    def body(i):
        nisa.register_store(at, i)

    nl.fori_loop(0, n, body)
    row = nl.ndarray((1, d), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=row, src=x[0:1, :])
    nisa.dma_copy(dst=out.ap(pattern=[[d, 1], [1, d]], scalar_offset=at, indirect_dim=0), src=row)
    return out
