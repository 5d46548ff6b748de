# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --grid 2 --arg 'x=f32[N:2..,128,128]'
"""What a program keeps in a dictionary and a class of its own, no other one finds."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    core = nl.program_id(0)
    out = nl.ndarray((2, 128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    class Places:
        row = 0

    kept = {}
    for i in range(2):
        kept[i] = i
        Places.row += i
    nisa.dma_copy(dst=tile, src=x[Places.row - kept[1]])
    nisa.dma_copy(dst=out[core], src=tile)
    return out
