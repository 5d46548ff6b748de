# expect: 4 FAILED df.programs
# shapes: none
# args: ::kernel --arg 'x=f32[rows:1..128,2*half]' --where 'half <= 2048' --grid 2
"""Both cores write the first half."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    assert rows <= 128 and columns % 2 == 0 and columns <= 4096 and nl.num_programs(0) == 2
    out = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    half = columns // 2
    mine = nl.ndarray((rows, half), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=mine, src=x[:, core * half:core * half + half])
    m = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    other = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=m, op=nl.maximum, data=mine, axis=1)
    nisa.sendrecv(src=m, dst=other, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)
    nisa.tensor_tensor(dst=m, data1=m, data2=other, op=nl.maximum)
    nisa.tensor_scalar(dst=mine, data=mine, op0=nl.subtract, operand0=m)
    nisa.activation(dst=mine, op=nl.exp, data=mine)
    s = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=s, op=nl.add, data=mine, axis=1)
    nisa.sendrecv(src=s, dst=other, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)
    nisa.tensor_tensor(dst=s, data1=s, data2=other, op=nl.add)
    nisa.reciprocal(dst=s, data=s)
    nisa.tensor_scalar(dst=mine, data=mine, op0=nl.multiply, operand0=s)
    nisa.dma_copy(dst=out[:, 0:half], src=mine)
    return out
