# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 FAILED df.output_written
# args: ::kernel --arg 'x=f32[n:2..64,d:1..8]' --where 'n % 2 == 0'
"""The number of a round goes through a tile, where it is doubled twice: no odd row is written."""

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
        even = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        odd = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=even, data=at, op0=nl.multiply, operand0=2)
        nisa.tensor_tensor(dst=odd, data1=at, data2=at, op=nl.add)
        for place in (even, odd):
            row = nl.ndarray((1, d), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=row, src=x.ap(pattern=[[d, 1], [1, d]], scalar_offset=place, indirect_dim=0))
            nisa.dma_copy(dst=out.ap(pattern=[[d, 1], [1, d]], scalar_offset=place, indirect_dim=0), src=row)

    nl.fori_loop(0, n // 2, body)
    return out
