# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[128*m,64*t]'
"""A loop of the host in the body of one on the device."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)

    def body(i):
        for part in range(columns // 64):
            tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
            place = [[columns, 128], [1, 64]]
            nisa.dma_copy(dst=tile, src=x.ap(pattern=place, offset=part * 64, scalar_offset=i, indirect_dim=0))
            nisa.dma_copy(dst=result.ap(pattern=place, offset=part * 64, scalar_offset=i, indirect_dim=0), src=tile)

    nl.fori_loop(0, rows, body, 128)
    return result
