# expect: 4 UNKNOWN|FAILED
# args: ::kernel --arg 'x=f32[256,C]' --where 'C <= 2048' --grid 2
"""The second core stores over what the first one has stored before both exchanged tiles. No document says whether that
is done by then: nothing else is wrong here."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    core, columns = nl.program_id(0), x.shape[1]
    out = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    other = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[nl.ds(core * 128, 128)])
    if core == 0:
        nisa.dma_copy(dst=out, src=tile)
    nisa.sendrecv(src=tile, dst=other, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)
    if core == 1:
        nisa.dma_copy(dst=out, src=other)
    return out
