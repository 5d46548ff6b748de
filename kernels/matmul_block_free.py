"""Matmul of the tutorial that blocks the free dimensions: two tiles of lhsT and two of rhs are held at a time."""

import nki
import nki.isa as nisa
import nki.language as nl

TILE_K = 128
TILE_M = 128
TILE_N = 512
TILES_IN_BLOCK_M = 2
TILES_IN_BLOCK_N = 2
BLOCK_M = TILE_M * TILES_IN_BLOCK_M
BLOCK_N = TILE_N * TILES_IN_BLOCK_N


@nki.jit
def matmul_block_free(lhsT, rhs):
    """lhsT.T @ rhs for lhsT (K, M) and rhs (K, N), K a multiple of 128, M of 256, N of 1024."""
    assert lhsT.shape[0] % TILE_K == 0, f"K must be a multiple of {TILE_K}"
    return _matmul_block_free(lhsT, rhs, lhsT_columns=TILE_M)


@nki.jit
def matmul_block_free_unguarded(lhsT, rhs):
    """As published, without a precondition on K: rows after the last multiple of 128 never enter the product."""
    return _matmul_block_free(lhsT, rhs, lhsT_columns=TILE_M)


@nki.jit
def matmul_block_free_buggy(lhsT, rhs):
    """Control: each tile of lhsT is loaded with the columns of the tile beside it as well."""
    assert lhsT.shape[0] % TILE_K == 0, f"K must be a multiple of {TILE_K}"
    return _matmul_block_free(lhsT, rhs, lhsT_columns=2 * TILE_M)


@nki.jit
def matmul_block_free_swapped(lhsT, rhs):
    """Control: the operands are exchanged, which only inputs with M != N show."""
    return _matmul_block_free(rhs, lhsT, lhsT_columns=TILE_M)


def _matmul_block_free(lhsT, rhs, lhsT_columns):
    """The matmul; `lhsT_columns` is how many columns of lhsT one tile is loaded from."""
    K, M = lhsT.shape
    K_rhs, N = rhs.shape
    assert K_rhs == K, "both operands must have the same contraction dimension"
    assert M % BLOCK_M == 0, f"M must be a multiple of {BLOCK_M}"
    assert N % BLOCK_N == 0, f"N must be a multiple of {BLOCK_N}"

    result = nl.ndarray((M, N), dtype=lhsT.dtype, buffer=nl.shared_hbm)
    for m in range(M // BLOCK_M):
        lhsT_tiles = []
        for bm in range(TILES_IN_BLOCK_M):
            row = (TILES_IN_BLOCK_M * m + bm) * TILE_M
            lhsT_tiles.append(_load_tiles(lhsT, row, TILE_M, lhsT_columns))

        for n in range(N // BLOCK_N):
            rhs_tiles = []
            for bn in range(TILES_IN_BLOCK_N):
                column = (TILES_IN_BLOCK_N * n + bn) * TILE_N
                rhs_tiles.append(_load_tiles(rhs, column, TILE_N, TILE_N))

            for bm in range(TILES_IN_BLOCK_M):
                row = (TILES_IN_BLOCK_M * m + bm) * TILE_M
                for bn in range(TILES_IN_BLOCK_N):
                    column = (TILES_IN_BLOCK_N * n + bn) * TILE_N
                    product = nl.ndarray((TILE_M, TILE_N), dtype=nl.float32, buffer=nl.psum)
                    for k in range(K // TILE_K):
                        nisa.nc_matmul(dst=product, stationary=lhsT_tiles[bm][k], moving=rhs_tiles[bn][k])

                    result_tile = nl.ndarray((TILE_M, TILE_N), dtype=result.dtype, buffer=nl.sbuf)
                    nisa.tensor_copy(dst=result_tile, src=product)
                    nisa.dma_copy(dst=result[row : row + TILE_M, column : column + TILE_N], src=result_tile)
    return result


def _load_tiles(operand, start, width, columns):
    """Load `columns` columns of `operand` from column `start` on as one tile of `width` columns per 128 rows."""
    tiles = []
    for k in range(operand.shape[0] // TILE_K):
        tile = nl.ndarray((TILE_K, width), dtype=operand.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=operand[k * TILE_K : (k + 1) * TILE_K, start : start + columns])
        tiles.append(tile)
    return tiles
