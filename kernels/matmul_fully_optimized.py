"""Fully optimised matmul of the tutorial: all three dimensions blocked, a row of output blocks accumulated in SBUF."""

import nki
import nki.isa as nisa
import nki.language as nl

TILE_K = 128
TILE_M = 128
TILE_N = 512


@nki.jit
def matmul_fully_optimized(lhsT, rhs, TILES_IN_BLOCK_M=16, TILES_IN_BLOCK_N=2, TILES_IN_BLOCK_K=8):
    """lhsT.T @ rhs for lhsT (K, M) and rhs (K, N), each extent a multiple of its block size.

    A block is TILES_IN_BLOCK_K tiles of 128 in K, TILES_IN_BLOCK_M of 128 in M and TILES_IN_BLOCK_N of 512 in N.
    """
    blocks = (TILES_IN_BLOCK_M, TILES_IN_BLOCK_N, TILES_IN_BLOCK_K)
    return _matmul(lhsT, rhs, blocks, TILE_M, packed_rows=TILE_M, rhs_rows=TILE_K)


@nki.jit
def matmul_fully_optimized_buggy(lhsT, rhs, TILES_IN_BLOCK_M=16, TILES_IN_BLOCK_N=2, TILES_IN_BLOCK_K=8):
    """Control: each tile of rhs is loaded with the rows of the tile below it as well."""
    blocks = (TILES_IN_BLOCK_M, TILES_IN_BLOCK_N, TILES_IN_BLOCK_K)
    return _matmul(lhsT, rhs, blocks, TILE_M, packed_rows=TILE_M, rhs_rows=2 * TILE_K)


@nki.jit
def matmul_fully_optimized_swapped(lhsT, rhs, TILES_IN_BLOCK_M=16, TILES_IN_BLOCK_N=2, TILES_IN_BLOCK_K=8):
    """Control: the operands are exchanged, which only inputs with M != N show."""
    blocks = (TILES_IN_BLOCK_M, TILES_IN_BLOCK_N, TILES_IN_BLOCK_K)
    return _matmul(rhs, lhsT, blocks, TILE_M, packed_rows=TILE_M, rhs_rows=TILE_K)


@nki.jit
def matmul_fully_optimized_tile_m(lhsT, rhs, tile_m, TILES_IN_BLOCK_M=16, TILES_IN_BLOCK_N=2, TILES_IN_BLOCK_K=8):
    """The kernel with the tile size of M as a parameter, which keeps it apart from that of K."""
    blocks = (TILES_IN_BLOCK_M, TILES_IN_BLOCK_N, TILES_IN_BLOCK_K)
    return _matmul(lhsT, rhs, blocks, tile_m, packed_rows=tile_m, rhs_rows=TILE_K)


@nki.jit
def matmul_fully_optimized_pr89(lhsT, rhs, tile_m, TILES_IN_BLOCK_M=16, TILES_IN_BLOCK_N=2, TILES_IN_BLOCK_K=8):
    """As before nki-samples PR #89: the write-back counts rows of M in tiles of K."""
    blocks = (TILES_IN_BLOCK_M, TILES_IN_BLOCK_N, TILES_IN_BLOCK_K)
    return _matmul(lhsT, rhs, blocks, tile_m, packed_rows=TILE_K, rhs_rows=TILE_K)


def _matmul(lhsT, rhs, tiles_in_block, tile_m, packed_rows, rhs_rows):
    """The matmul, in blocks of `tiles_in_block` tiles of M, N and K.

    `tile_m` is the tile size of M, `packed_rows` the same where the result is written back, and `rhs_rows` how many
    rows of rhs one tile is loaded from.
    """
    tiles_m, tiles_n, tiles_k = tiles_in_block
    K, M = lhsT.shape
    K_rhs, N = rhs.shape
    block_m = tile_m * tiles_m
    block_n = TILE_N * tiles_n
    block_k = TILE_K * tiles_k
    assert K_rhs == K, "both operands must have the same contraction dimension"
    assert M % block_m == 0, "M must be a multiple of its block size"
    assert N % block_n == 0, "N must be a multiple of its block size"
    assert K % block_k == 0, "K must be a multiple of its block size"

    result = nl.ndarray((M, N), dtype=lhsT.dtype, buffer=nl.shared_hbm)
    for n in range(N // block_n):
        column = n * block_n
        sums = _zeroed_tiles(M // block_m, tiles_m, tiles_n, tile_m, lhsT.dtype)

        for k in range(K // block_k):
            rhs_tiles = []
            for bk in range(tiles_k):
                depth = (tiles_k * k + bk) * TILE_K
                rhs_tile = nl.ndarray((TILE_K, block_n), dtype=rhs.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=rhs_tile, src=rhs[depth : depth + rhs_rows, column : column + block_n])
                rhs_tiles.append(rhs_tile)

            for m in range(M // block_m):
                lhsT_tiles = []
                for bk in range(tiles_k):
                    depth = (tiles_k * k + bk) * TILE_K
                    lhsT_tile = nl.ndarray((TILE_K, block_m), dtype=lhsT.dtype, buffer=nl.sbuf)
                    nisa.dma_copy(dst=lhsT_tile, src=lhsT[depth : depth + TILE_K, m * block_m : (m + 1) * block_m])
                    lhsT_tiles.append(lhsT_tile)

                for bn in range(tiles_n):
                    for bm in range(tiles_m):
                        product = nl.ndarray((tile_m, TILE_N), dtype=nl.float32, buffer=nl.psum)
                        for bk in range(tiles_k):
                            nisa.nc_matmul(
                                dst=product,
                                stationary=lhsT_tiles[bk][:, bm * tile_m : (bm + 1) * tile_m],
                                moving=rhs_tiles[bk][:, bn * TILE_N : (bn + 1) * TILE_N],
                            )
                        nisa.tensor_tensor(dst=sums[m][bm][bn], data1=sums[m][bm][bn], data2=product, op=nl.add)

        for m in range(M // block_m):
            for bm in range(tiles_m):
                row = (tiles_m * m + bm) * packed_rows
                packed = nl.ndarray((packed_rows, block_n), dtype=nl.float32, buffer=nl.sbuf)
                for bn in range(tiles_n):
                    nisa.tensor_copy(dst=packed[:, bn * TILE_N : (bn + 1) * TILE_N], src=sums[m][bm][bn])
                nisa.dma_copy(dst=result[row : row + packed_rows, column : column + block_n], src=packed)
    return result


def _zeroed_tiles(blocks_m, tiles_m, tiles_n, tile_m, dtype):
    """Zeroed SBUF tiles of `tile_m` by 512, indexed by block of M, tile of M in it and tile of N in its block."""
    blocks = []
    for _ in range(blocks_m):
        rows = []
        for _ in range(tiles_m):
            row = []
            for _ in range(tiles_n):
                tile = nl.ndarray((tile_m, TILE_N), dtype=dtype, buffer=nl.sbuf)
                nisa.memset(dst=tile, value=0.0)
                row.append(tile)
            rows.append(row)
        blocks.append(rows)
    return blocks
