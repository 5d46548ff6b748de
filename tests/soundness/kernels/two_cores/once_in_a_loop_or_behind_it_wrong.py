# expect: 4 FAILED sendrecv.pipe
# args: ::kernel --grid 2 --arg 'x=f32[P:2..128,N:1..1024]'
"""Core 1 comes to its exchange in a loop that is empty for one column."""

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
        nisa.sendrecv(src=mine, dst=theirs, send_to_rank=other, recv_from_rank=other, pipe_id=0)
    else:
        for at in range(min(x.shape[1] - 1, 1)):
            nisa.sendrecv(src=mine, dst=theirs, send_to_rank=other, recv_from_rank=other, pipe_id=0)
    nisa.dma_copy(dst=out[core], src=theirs)
    return out
