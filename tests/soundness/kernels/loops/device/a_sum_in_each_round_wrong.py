# expect: 4 FAILED df.read_unwritten:22
# args: ::kernel --arg 'a=bf16[128*m,128]' --arg 'b=bf16[128,512]'
"""The moving operand is never loaded."""

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

    def body(i):
        total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
        nisa.dma_copy(dst=left, src=rows_at(a, i, 128))
        nisa.nc_matmul(dst=total, stationary=left, moving=right, accumulate=False)
        nisa.tensor_copy(dst=copied, src=total)
        nisa.dma_copy(dst=rows_at(result, i, 128), src=copied)

    nl.fori_loop(0, rows, body, 128)
    return result
