# expect: 4 SUCCESSFUL
# args: ::kernel --grid 2 --arg 'x=f32[P:2..128,N:1..1024]'
"""What the cores do before they exchange differs: they come to the exchange on several paths."""

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
    rows = (x.shape[0] + 1) // 2 if core == 0 else x.shape[0] // 2
    begin = 0 if core == 0 else (x.shape[0] + 1) // 2
    if x.shape[1] > 100:
        nisa.tensor_scalar(dst=mine[:, 0:100], data=mine[:, 0:100], op0=nl.add, operand0=1.0)
    nisa.dma_copy(dst=mine[0:rows], src=x[begin : begin + rows])
    nisa.sendrecv(src=mine, dst=theirs, send_to_rank=other, recv_from_rank=other, pipe_id=0)
    nisa.dma_copy(dst=out[core], src=theirs)
    return out
