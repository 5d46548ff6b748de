# expect: 4 FAILED sendrecv.pipe
# args: ::kernel --grid 2 --arg 'x=f32[P:1..128,F:1..4096]' --arg rounds=r:1..64
"""Each core takes the pipe that the other one does not."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, rounds):
    core = nl.program_id(0)
    out = nl.ndarray((2, *x.shape), dtype=x.dtype, buffer=nl.shared_hbm)
    sent = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    found = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=sent, src=x)
    for k in range(rounds):
        nisa.sendrecv(src=sent, dst=found, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=(k + core) % 2)
        nisa.tensor_tensor(dst=sent, data1=sent, data2=found, op=nl.add)
    nisa.dma_copy(dst=out[core], src=sent)
    return out
