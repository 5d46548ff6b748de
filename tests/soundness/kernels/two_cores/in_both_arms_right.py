# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --grid 2 --arg 'x=f32[P:2..128,N:1..1024]'
"""Each core comes to the exchange on a path of its own."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    core, other = nl.program_id(0), 1 - nl.program_id(0)
    out = nl.ndarray((2, *x.shape), dtype=x.dtype, buffer=nl.shared_hbm)
    mine = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    theirs = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=mine, src=x)
    nisa.memset(theirs, 0.0)
    if core == 0:
        nisa.tensor_scalar(dst=mine, data=mine, op0=nl.add, operand0=1.0)
        nisa.sendrecv(src=mine, dst=theirs, send_to_rank=1, recv_from_rank=1, pipe_id=0)
    else:
        nisa.sendrecv(src=mine, dst=theirs, send_to_rank=0, recv_from_rank=0, pipe_id=0)
    nisa.dma_copy(dst=out[core], src=theirs)
    return out
