# expect: 4 SUCCESSFUL
# args: ::kernel --grid 2 --arg 'x=f32[P:2..128,N:1..1024]'
"""Each core exchanges in a loop of its own, as often; the last exchange is a smaller one on some shapes."""

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
        for at in range(x.shape[1]):
            nisa.sendrecv(
                src=mine[:, at : at + 1], dst=theirs[:, at : at + 1], send_to_rank=other, recv_from_rank=other, pipe_id=0
            )
    else:
        for at in range(x.shape[1]):
            nisa.sendrecv(
                src=mine[:, at : at + 1], dst=theirs[:, at : at + 1], send_to_rank=other, recv_from_rank=other, pipe_id=0
            )
    if x.shape[0] % 2 == 0 or core < 2:
        nisa.sendrecv(src=mine, dst=theirs, send_to_rank=other, recv_from_rank=other, pipe_id=1)
    nisa.dma_copy(dst=out[core], src=theirs)
    return out
