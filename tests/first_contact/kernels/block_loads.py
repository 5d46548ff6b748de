"""A matmul whose left operand is loaded once for a row of blocks, a tile for each step of the sum."""

# legal: K % 128 == 0, K == K_, M % 128 == 0, N % 512 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def matmul_block_loads(lhsT, rhs):
    K, M = lhsT.shape
    K_, N = rhs.shape
    assert K == K_, "contraction dimensions must match"
    TILE_K, TILE_M, TILE_N = nl.tile_size.pmax, nl.tile_size.gemm_stationary_fmax, nl.tile_size.gemm_moving_fmax
    assert K % TILE_K == 0 and M % TILE_M == 0 and N % TILE_N == 0
    num_k, num_m, num_n = K // TILE_K, M // TILE_M, N // TILE_N
    result = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    for m in range(num_m):
        stationary = nl.ndarray((TILE_K, num_k, TILE_M), dtype=lhsT.dtype, buffer=nl.sbuf)
        for k in range(num_k):
            rows = slice(k * TILE_K, (k + 1) * TILE_K)
            # bug: nisa.dma_copy(dst=stationary[:, k, :], src=lhsT[rows, k * TILE_M : (k + 1) * TILE_M])
            nisa.dma_copy(dst=stationary[:, k, :], src=lhsT[rows, m * TILE_M : (m + 1) * TILE_M])
        for n in range(num_n):
            acc = nl.ndarray((TILE_M, TILE_N), dtype=nl.float32, buffer=nl.psum)
            for k in range(num_k):
                moving = nl.ndarray((TILE_K, TILE_N), dtype=rhs.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=moving, src=rhs[k * TILE_K : (k + 1) * TILE_K, n * TILE_N : (n + 1) * TILE_N])
                nisa.nc_matmul(dst=acc, stationary=stationary[:, k, :], moving=moving)
            copied = nl.ndarray((TILE_M, TILE_N), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=copied, src=acc)
            nisa.dma_copy(dst=result[m * TILE_M : (m + 1) * TILE_M, n * TILE_N : (n + 1) * TILE_N], src=copied)
    return result
