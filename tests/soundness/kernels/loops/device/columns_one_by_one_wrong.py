# expect: 4 FAILED df.output_written
# shapes: none
# args: ::kernel --arg 'x=f32[rows:1..128,steps:1..512]'
"""The first column is left out."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, steps = x.shape
    assert rows <= 128 and steps <= 8192
    out = nl.ndarray((rows, steps), dtype=nl.float32, buffer=nl.shared_hbm)
    data = nl.ndarray((rows, steps), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=data, src=x)
    state = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=state, value=0.0)

    def body(i):
        column = data.ap(pattern=[[steps, rows], [1, 1]], offset=0, scalar_offset=i, indirect_dim=1)
        nisa.tensor_scalar(dst=state, data=state, op0=nl.multiply, operand0=0.9)
        nisa.tensor_tensor(dst=state, data1=state, data2=column, op=nl.add)
        nisa.dma_copy(dst=out.ap(pattern=[[steps, rows], [1, 1]], offset=0, scalar_offset=i, indirect_dim=1), src=state)

    nl.fori_loop(1, steps, body)
    return out
