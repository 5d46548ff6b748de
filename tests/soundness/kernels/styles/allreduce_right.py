# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::allreduce --arg 'x=f32[256,2*c]' --grid 2 --where 'c <= 4096'
"""Allreduce as independent authors write it, current API."""

import nki
import nki.isa as nisa
import nki.language as nl


P = 128


def load(src, dtype=None):
    t = nl.ndarray(src.shape, dtype=dtype or src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    return t


@nki.jit
def allreduce(x):
    R, C = x.shape
    out = nl.ndarray((P, C), dtype=x.dtype, buffer=nl.shared_hbm)
    me = nl.program_id(0)
    n = nl.num_programs(0)
    t = load(x[me * P : (me + 1) * P, :])
    other = nl.ndarray((P, C), dtype=x.dtype, buffer=nl.sbuf)
    nisa.sendrecv(src=t, dst=other, send_to_rank=1 - me, recv_from_rank=1 - me, pipe_id=0)
    nisa.tensor_tensor(dst=t, data1=t, data2=other, op=nl.add)
    h = C // n
    nisa.dma_copy(dst=out[:, me * h : (me + 1) * h], src=t[:, me * h : (me + 1) * h])
    return out
