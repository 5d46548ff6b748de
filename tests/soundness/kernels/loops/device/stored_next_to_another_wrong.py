# expect: 1 SUCCESSFUL|UNKNOWN
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 FAILED df.output_written
# args: ::kernel --arg 'x=f32[n:1..64,d:1..8]'
"""The number of a round is stored next to the one that is used."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    n, d = x.shape
    out = nl.ndarray((n, d), dtype=x.dtype, buffer=nl.shared_hbm)
    at = nl.ndarray((1, 2), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=at, value=0)

    def body(i):
        nisa.register_store(at[0:1, 1:2], i)
        row = nl.ndarray((1, d), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=row, src=x[0:1, :])
        nisa.dma_copy(dst=out.ap(pattern=[[d, 1], [1, d]], scalar_offset=at[0:1, 0:1], indirect_dim=0), src=row)

    nl.fori_loop(0, n, body)
    return out
