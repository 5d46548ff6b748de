# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'a=bf16[128*m,128]' --arg 'b=bf16[128,512]'
"""Each round allocates the tile that it multiplies into: what another round has read out was a tile of its own."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import rows_at


@nki.jit
def kernel(a, b):
    rows = a.shape[0]
    result = nl.ndarray((rows, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    left = nl.ndarray((128, 128), dtype=a.dtype, buffer=nl.sbuf)
    right = nl.ndarray((128, 512), dtype=b.dtype, buffer=nl.sbuf)
    copied = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=right, src=b)

    def body(i):
        nisa.dma_copy(dst=left, src=rows_at(a, i, 128))
        total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=total, stationary=left, moving=right)
        nisa.tensor_copy(dst=copied, src=total)
        nisa.dma_copy(dst=rows_at(result, i, 128), src=copied)

    nl.fori_loop(0, rows, body, 128)
    return result
