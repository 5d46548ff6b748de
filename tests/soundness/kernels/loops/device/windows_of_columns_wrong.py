# expect: 1 FAILED ap.dynamic_oob
# shapes: none
# args: ::kernel --arg 'x=f32[rows:1..128,columns:64..512]'
"""There is one window more than fits."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    window = 64
    assert rows <= 128 and columns >= window and columns <= 8192
    out = nl.ndarray((rows, columns - window + 1), dtype=nl.float32, buffer=nl.shared_hbm)
    data = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=data, src=x)

    def body(i):
        s = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=s, op=nl.add, data=data.ap(pattern=[[columns, rows], [1, window]], offset=0, scalar_offset=i, indirect_dim=1), axis=1)
        nisa.dma_copy(dst=out.ap(pattern=[[columns - window + 1, rows], [1, 1]], offset=0, scalar_offset=i, indirect_dim=1), src=s)

    nl.fori_loop(0, columns - window + 2, body)
    return out
