# expect: 4 FAILED|UNKNOWN
# args: ::kernel --grid 2 --arg 'x=bf16[128,C:2..65536:2]'
"""What is tested depends on the program: there are columns that neither writes."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    columns, core = x.shape[1], nl.program_id(0)
    limit = 4 - 2 * core
    width = columns // 2
    while columns % width or width > limit:
        width -= 1
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    if core == 0:
        nisa.dma_copy(dst=out[:, 0 : columns - width], src=tile[:, 0 : columns - width])
    else:
        nisa.dma_copy(dst=out[:, columns - width : columns], src=tile[:, columns - width : columns])
    return out
