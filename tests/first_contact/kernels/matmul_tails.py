"""A matmul for any M and N: short tiles at both edges; K in whole tiles, as its assert says."""

# legal: K == K2, K % 128 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def matmul_tails(a, b):
    K, M = a.shape
    K2, N = b.shape
    assert K == K2
    assert K % 128 == 0
    out = nl.ndarray((M, N), dtype=a.dtype, buffer=nl.shared_hbm)
    for i in range((M + 127) // 128):
        rows = min(128, M - i * 128)
        for j in range((N + 511) // 512):
            cols = min(512, N - j * 512)
            acc = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
            for k in range(K // 128):
                left = nl.ndarray((128, 128), dtype=a.dtype, buffer=nl.sbuf)
                right = nl.ndarray((128, 512), dtype=b.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=left[:, 0:rows], src=a[k * 128 : (k + 1) * 128, i * 128 : i * 128 + rows])
                # bug: nisa.dma_copy(dst=right, src=b[k * 128 : (k + 1) * 128, j * 512 : (j + 1) * 512])
                nisa.dma_copy(dst=right[:, 0:cols], src=b[k * 128 : (k + 1) * 128, j * 512 : j * 512 + cols])
                nisa.nc_matmul(dst=acc[0:rows, 0:cols], stationary=left[:, 0:rows], moving=right[:, 0:cols])
            tile = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=tile[0:rows, 0:cols], src=acc[0:rows, 0:cols])
            nisa.dma_copy(dst=out[i * 128 : i * 128 + rows, j * 512 : j * 512 + cols], src=tile[0:rows, 0:cols])
    return out
