"""A matmul of one tile that checks nothing at all."""

# legal: K <= 128, M <= 128, N <= 512, K == K2

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def matmul_one_tile(a, b):
    K, M = a.shape
    K2, N = b.shape
    out = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    left = nl.ndarray((K, M), dtype=a.dtype, buffer=nl.sbuf)
    right = nl.ndarray((K2, N), dtype=b.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=left, src=a)
    nisa.dma_copy(dst=right, src=b)
    acc = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.psum)
    # bug: nisa.nc_matmul(dst=acc, stationary=right, moving=left)
    nisa.nc_matmul(dst=acc, stationary=left, moving=right)
    result = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=acc)
    nisa.dma_copy(dst=out, src=result)
    return out
