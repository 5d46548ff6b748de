# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# shapes: none
# args: ::kernel --arg 'x=bf16[rows:2..256,columns:1..2048]' --grid 2
"""Core 0 has one row more, if their number is odd."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    assert rows >= 2 and rows <= 256 and columns <= 2048 and nl.num_programs(0) == 2
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    share = (rows + 1) // 2
    first = core * share
    mine = min(share, rows - first)
    t = nl.ndarray((mine, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x[first:first + mine])
    nisa.dma_copy(dst=out[first:first + mine], src=t)
    return out
