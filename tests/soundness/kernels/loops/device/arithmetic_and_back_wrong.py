# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 FAILED df.output_written
# args: ::kernel --arg 'x=f32[n:128..4096,d:1..8]' --where 'n % 128 == 0'
"""The number of a round goes through a tile, times 64, and into another register: later rows are not written."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    n, d = x.shape
    out = nl.ndarray((n, d), dtype=x.dtype, buffer=nl.shared_hbm)
    at = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    rows = nisa.register_alloc(0)

    def body(i):
        nisa.register_store(at, i)
        nisa.tensor_scalar(dst=at, data=at, op0=nl.multiply, operand0=64)
        nisa.register_load(rows, at)
        t = nl.ndarray((128, d), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x.ap(pattern=[[d, 128], [1, d]], scalar_offset=rows, indirect_dim=0))
        nisa.dma_copy(dst=out.ap(pattern=[[d, 128], [1, d]], scalar_offset=rows, indirect_dim=0), src=t)

    nl.fori_loop(0, n // 128, body)
    return out
