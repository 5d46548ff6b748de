"""Matmul of the tutorial that loads each operand tile once per row, or column, of output tiles."""

import nki
import nki.isa as nisa
import nki.language as nl

TILE_K = 128
TILE_M = 128
TILE_N = 512


@nki.jit
def matmul_hoist_load(lhsT, rhs):
    """lhsT.T @ rhs for lhsT (K, M) and rhs (K, N), K and M multiples of 128, N of 512."""
    return _matmul_hoist_load(lhsT, rhs, lhsT_columns=TILE_M, slot_columns=TILE_M)


@nki.jit
def matmul_hoist_load_buggy(lhsT, rhs):
    """Control: each tile of lhsT is loaded with the columns of the tile beside it as well."""
    return _matmul_hoist_load(lhsT, rhs, lhsT_columns=2 * TILE_M, slot_columns=TILE_M)


@nki.jit
def matmul_hoist_load_historical(lhsT, rhs):
    """Control: the tiles of lhsT are as wide as those of rhs, as they were before nki-samples PR #74."""
    return _matmul_hoist_load(lhsT, rhs, lhsT_columns=TILE_M, slot_columns=TILE_N)


@nki.jit
def matmul_hoist_load_swapped(lhsT, rhs):
    """Control: the operands are exchanged, which only inputs with M != N show."""
    return _matmul_hoist_load(rhs, lhsT, lhsT_columns=TILE_M, slot_columns=TILE_M)


def _matmul_hoist_load(lhsT, rhs, lhsT_columns, slot_columns):
    """The matmul; a tile of lhsT is `slot_columns` wide, and is loaded from `lhsT_columns` columns."""
    K, M = lhsT.shape
    K_rhs, N = rhs.shape
    assert K_rhs == K, "both operands must have the same contraction dimension"
    assert K % TILE_K == 0, f"K must be a multiple of {TILE_K}"
    assert M % TILE_M == 0, f"M must be a multiple of {TILE_M}"
    assert N % TILE_N == 0, f"N must be a multiple of {TILE_N}"

    result = nl.ndarray((M, N), dtype=lhsT.dtype, buffer=nl.shared_hbm)
    for m in range(M // TILE_M):
        row = m * TILE_M
        lhsT_tiles = []
        for k in range(K // TILE_K):
            lhsT_tile = nl.ndarray((TILE_K, slot_columns), dtype=lhsT.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=lhsT_tile, src=lhsT[k * TILE_K : (k + 1) * TILE_K, row : row + lhsT_columns])
            lhsT_tiles.append(lhsT_tile)

        for n in range(N // TILE_N):
            column = n * TILE_N
            rhs_tiles = []
            for k in range(K // TILE_K):
                rhs_tile = nl.ndarray((TILE_K, TILE_N), dtype=rhs.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=rhs_tile, src=rhs[k * TILE_K : (k + 1) * TILE_K, column : column + TILE_N])
                rhs_tiles.append(rhs_tile)

            product = nl.ndarray((TILE_M, TILE_N), dtype=nl.float32, buffer=nl.psum)
            for k in range(K // TILE_K):
                nisa.nc_matmul(dst=product, stationary=lhsT_tiles[k], moving=rhs_tiles[k])

            result_tile = nl.ndarray((TILE_M, TILE_N), dtype=result.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=result_tile, src=product)
            nisa.dma_copy(dst=result[row : row + TILE_M, column : column + TILE_N], src=result_tile)
    return result
