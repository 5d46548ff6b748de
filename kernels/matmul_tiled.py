"""Tiled matmul of the tutorial: every operand tile is loaded for each product it enters."""

import nki
import nki.isa as nisa
import nki.language as nl

TILE_K = 128
TILE_M = 128
TILE_N = 512


@nki.jit
def matmul_tiled(lhsT, rhs):
    """lhsT.T @ rhs for lhsT (K, M) and rhs (K, N), K and M multiples of 128, N of 512."""
    return _matmul_tiled(lhsT, rhs, lhsT_rows=TILE_K)


@nki.jit
def matmul_tiled_buggy(lhsT, rhs):
    """Control: each tile of lhsT is loaded with the rows of the tile below it as well."""
    return _matmul_tiled(lhsT, rhs, lhsT_rows=2 * TILE_K)


@nki.jit
def matmul_tiled_swapped(lhsT, rhs):
    """Control: the operands are exchanged, which only inputs with M != N show."""
    return _matmul_tiled(rhs, lhsT, lhsT_rows=TILE_K)


def _matmul_tiled(lhsT, rhs, lhsT_rows):
    """The matmul; `lhsT_rows` is how many rows of lhsT one tile is loaded from."""
    K, M = lhsT.shape
    K_rhs, N = rhs.shape
    assert K_rhs == K, "both operands must have the same contraction dimension"
    assert K % TILE_K == 0, f"K must be a multiple of {TILE_K}"
    assert M % TILE_M == 0, f"M must be a multiple of {TILE_M}"
    assert N % TILE_N == 0, f"N must be a multiple of {TILE_N}"

    result = nl.ndarray((M, N), dtype=lhsT.dtype, buffer=nl.shared_hbm)
    for m in range(M // TILE_M):
        row = m * TILE_M
        for n in range(N // TILE_N):
            column = n * TILE_N
            product = nl.ndarray((TILE_M, TILE_N), dtype=nl.float32, buffer=nl.psum)

            for k in range(K // TILE_K):
                depth = k * TILE_K
                lhsT_tile = nl.ndarray((TILE_K, TILE_M), dtype=lhsT.dtype, buffer=nl.sbuf)
                rhs_tile = nl.ndarray((TILE_K, TILE_N), dtype=rhs.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=lhsT_tile, src=lhsT[depth : depth + lhsT_rows, row : row + TILE_M])
                nisa.dma_copy(dst=rhs_tile, src=rhs[depth : depth + TILE_K, column : column + TILE_N])
                nisa.nc_matmul(dst=product, stationary=lhsT_tile, moving=rhs_tile)

            result_tile = nl.ndarray((TILE_M, TILE_N), dtype=result.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=result_tile, src=product)
            nisa.dma_copy(dst=result[row : row + TILE_M, column : column + TILE_N], src=result_tile)
    return result
