"""Element-wise addition of two matrices in tiles of 128 by 512 elements."""

import nki
import nki.isa as nisa
import nki.language as nl

TILE_M = 128
TILE_N = 512


@nki.jit
def tensor_add(a, b):
    """c = a + b for a, b of shape (M, N) with M a multiple of 128 and N of 512."""
    return _tensor_add(a, b, a_rows=TILE_M)


@nki.jit
def tensor_add_buggy(a, b):
    """Control: each tile of `a` is loaded with the rows of the tile below it as well."""
    return _tensor_add(a, b, a_rows=2 * TILE_M)


def _tensor_add(a, b, a_rows):
    """The addition; `a_rows` is how many rows of `a` one tile is loaded from."""
    assert a.shape == b.shape, "the operands must have the same shape"
    assert a.dtype == b.dtype, "the operands must have the same dtype"
    M, N = a.shape
    assert M % TILE_M == 0, f"M must be a multiple of {TILE_M}"
    assert N % TILE_N == 0, f"N must be a multiple of {TILE_N}"

    c = nl.ndarray((M, N), dtype=a.dtype, buffer=nl.shared_hbm)
    for m in range(M // TILE_M):
        row = m * TILE_M
        for n in range(N // TILE_N):
            column = n * TILE_N
            a_tile = nl.ndarray((TILE_M, TILE_N), dtype=a.dtype, buffer=nl.sbuf)
            b_tile = nl.ndarray((TILE_M, TILE_N), dtype=b.dtype, buffer=nl.sbuf)
            c_tile = nl.ndarray((TILE_M, TILE_N), dtype=c.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=a_tile, src=a[row : row + a_rows, column : column + TILE_N])
            nisa.dma_copy(dst=b_tile, src=b[row : row + TILE_M, column : column + TILE_N])
            nisa.tensor_tensor(dst=c_tile, data1=a_tile, data2=b_tile, op=nl.add)
            nisa.dma_copy(dst=c[row : row + TILE_M, column : column + TILE_N], src=c_tile)
    return c
