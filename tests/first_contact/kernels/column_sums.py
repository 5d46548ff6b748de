"""Sums of the columns by a matmul with ones: rows in blocks of 128, columns 512 at a time with a short last chunk."""

# legal: R % 128 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def column_sums(x):
    R, C = x.shape
    out = nl.ndarray((1, C), dtype=nl.float32, buffer=nl.shared_hbm)
    ones = nl.ndarray((128, 1), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.memset(dst=ones, value=1.0)
    for c in range((C + 511) // 512):
        width = min(512, C - c * 512)
        sums = nl.ndarray((1, 512), dtype=nl.float32, buffer=nl.psum)
        for r in range(R // 128):
            block = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.sbuf)
            nisa.dma_copy(dst=block[:, 0:width], src=x[r * 128 : (r + 1) * 128, c * 512 : c * 512 + width])
            # bug: nisa.nc_matmul(dst=sums[:, 0:width], stationary=ones, moving=block)
            nisa.nc_matmul(dst=sums[:, 0:width], stationary=ones, moving=block[:, 0:width])
        result = nl.ndarray((1, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=result[:, 0:width], src=sums[:, 0:width])
        nisa.dma_copy(dst=out[:, c * 512 : c * 512 + width], src=result[:, 0:width])
    return out
