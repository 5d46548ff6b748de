# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# shapes: none
# args: ::kernel --arg 'x=bf16[rows:1..64,columns:1..1024]' --arg 'bounds=i32[1,2] in 0..rows'
"""Rows from one number of a table to another."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, bounds):
    rows, columns = x.shape
    assert columns <= 1024 and bounds.shape[0] == 1 and bounds.shape[1] == 2
    out = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    lo, hi = nisa.register_alloc(), nisa.register_alloc()
    nisa.register_load(lo, bounds[0:1, 0:1])
    nisa.register_load(hi, bounds[0:1, 1:2])

    def body(i):
        row = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=row, src=x.ap(pattern=[[columns, 1], [1, columns]], offset=0, scalar_offset=i, indirect_dim=0))
        nisa.tensor_tensor(dst=total, data1=total, data2=row, op=nl.add)

    nl.fori_loop(lo, hi, body)
    nisa.dma_copy(dst=out, src=total)
    return out
