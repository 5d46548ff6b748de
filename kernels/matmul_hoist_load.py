"""A matmul in tiles that keeps a strip of each operand in SBUF, so that no tile of lhsT is loaded twice."""

import nki
import nki.isa as nisa
import nki.language as nl

STEP = 128  # rows of both operands that one step contracts
HEIGHT, WIDTH = 128, 512  # of a tile of the result


@nki.jit
def matmul_hoist_load(lhsT, rhs):
    """lhsT.T @ rhs for lhsT (K, M) and rhs (K, N), K and M multiples of 128, N of 512."""
    return _by_strips(lhsT, rhs, read=HEIGHT, kept=HEIGHT)


@nki.jit
def matmul_hoist_load_buggy(lhsT, rhs):
    """Control: each tile of lhsT is loaded with the columns of the tile beside it as well."""
    return _by_strips(lhsT, rhs, read=2 * HEIGHT, kept=HEIGHT)


@nki.jit
def matmul_hoist_load_historical(lhsT, rhs):
    """Control: the tiles of lhsT are as wide as those of rhs, as they were before nki-samples PR #74."""
    return _by_strips(lhsT, rhs, read=HEIGHT, kept=WIDTH)


@nki.jit
def matmul_hoist_load_swapped(lhsT, rhs):
    """Control: the operands are exchanged, which only inputs with M != N show."""
    return _by_strips(rhs, lhsT, read=HEIGHT, kept=HEIGHT)


def _by_strips(weights, data, read, kept):
    """The matmul; a tile of the stationary operand is `kept` wide, and loaded from `read` columns."""
    contracted, height = weights.shape
    width = data.shape[1]
    assert data.shape[0] == contracted, "both operands must have as many rows"
    for extent, tile in ((contracted, STEP), (height, HEIGHT), (width, WIDTH)):
        assert extent % tile == 0, f"{extent} is no multiple of {tile}"

    out = nl.ndarray((height, width), dtype=weights.dtype, buffer=nl.shared_hbm)
    for i in range(height // HEIGHT):
        stationary = _strip(weights, i * HEIGHT, read, kept)
        for j in range(width // WIDTH):
            moving = _strip(data, j * WIDTH, WIDTH, WIDTH)
            sums = nl.ndarray((HEIGHT, WIDTH), dtype=nl.float32, buffer=nl.psum)
            for step in range(contracted // STEP):
                nisa.nc_matmul(dst=sums, stationary=stationary[step], moving=moving[step])
            rounded = nl.ndarray((HEIGHT, WIDTH), dtype=out.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=rounded, src=sums)
            top, left = i * HEIGHT, j * WIDTH
            nisa.dma_copy(dst=out[top : top + HEIGHT, left : left + WIDTH], src=rounded)
    return out


def _strip(operand, left, read, kept):
    """All rows of `read` columns from `left` on, in tiles that are `kept` wide."""
    tiles = []
    for step in range(operand.shape[0] // STEP):
        tile = nl.ndarray((STEP, kept), dtype=operand.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=operand[step * STEP : (step + 1) * STEP, left : left + read])
        tiles.append(tile)
    return tiles
