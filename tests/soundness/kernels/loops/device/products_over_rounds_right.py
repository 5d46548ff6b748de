# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'a=bf16[128,128]' --arg 'b=bf16[128,512]' --arg 'count=i32[1,1] in 1..8'
"""A sum of products begins before the loop, and each round adds one."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import loaded


@nki.jit
def kernel(a, b, count):
    result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    left = nl.ndarray((128, 128), dtype=a.dtype, buffer=nl.sbuf)
    right = nl.ndarray((128, 512), dtype=b.dtype, buffer=nl.sbuf)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    copied = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=left, src=a)
    nisa.dma_copy(dst=right, src=b)
    nisa.memset(copied, 0.0)
    nisa.nc_matmul(dst=total, stationary=left, moving=right, accumulate=False)

    def body(i):
        nisa.nc_matmul(dst=total, stationary=left, moving=right, accumulate=True)

    nl.fori_loop(0, loaded(count), body)
    nisa.tensor_copy(dst=copied, src=total)
    nisa.dma_copy(dst=result, src=copied)
    return result
