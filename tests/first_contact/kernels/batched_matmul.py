"""A batch of small matmuls, each in one tile."""

# legal: K <= 128, M <= 128, N <= 512, B == B2, K == K2

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def batched_matmul(a, b):
    B, K, M = a.shape
    B2, K2, N = b.shape
    assert (B, K) == (B2, K2)
    assert K <= 128
    assert M <= 128
    assert N <= 512
    out = nl.ndarray((B, M, N), dtype=a.dtype, buffer=nl.shared_hbm)
    for i in range(B):
        left = nl.ndarray((K, M), dtype=a.dtype, buffer=nl.sbuf)
        right = nl.ndarray((K, N), dtype=b.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=left, src=a[i])
        nisa.dma_copy(dst=right, src=b[i])
        acc = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=acc, stationary=left, moving=right)
        result = nl.ndarray((M, N), dtype=a.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=result, src=acc)
        # bug: nisa.dma_copy(dst=out[0], src=result)
        nisa.dma_copy(dst=out[i], src=result)
    return out
