"""A matmul that begins its sum by a flag."""

# legal: K % 128 == 0, M == 128, N <= 512, K2 == K

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def mm_acc(aT, b):
    K, M = aT.shape
    K2, N = b.shape
    assert K == K2, f"contraction mismatch: {K} != {K2}"
    assert K % 128 == 0 and M == 128 and N <= 512
    c = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.psum)
    steps = K // 128
    for k in range(steps):
        a_t = nl.ndarray((128, M), dtype=aT.dtype, buffer=nl.sbuf)
        b_t = nl.ndarray((128, N), dtype=b.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=a_t, src=aT[k * 128 : (k + 1) * 128, :])
        nisa.dma_copy(dst=b_t, src=b[k * 128 : (k + 1) * 128, :])
        # bug: nisa.nc_matmul(dst=acc, stationary=a_t, moving=b_t, accumulate=True)
        nisa.nc_matmul(dst=acc, stationary=a_t, moving=b_t, accumulate=k > 0)
    res = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=res, src=acc)
    nisa.dma_copy(dst=c, src=res)
    return c
