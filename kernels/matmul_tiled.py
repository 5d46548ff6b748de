"""A matmul in tiles: both operand tiles of a step are loaded for each step of each tile of the result."""

import nki
import nki.isa as nisa
import nki.language as nl

STEP = 128  # rows of both operands that one step contracts
HEIGHT, WIDTH = 128, 512  # of a tile of the result


@nki.jit
def matmul_tiled(lhsT, rhs):
    """lhsT.T @ rhs for lhsT (K, M) and rhs (K, N), K and M multiples of 128, N of 512."""
    return _tiled(lhsT, rhs, weight_rows=STEP)


@nki.jit
def matmul_tiled_buggy(lhsT, rhs):
    """Control: each tile of lhsT is loaded with the rows of the tile below it as well."""
    return _tiled(lhsT, rhs, weight_rows=2 * STEP)


@nki.jit
def matmul_tiled_swapped(lhsT, rhs):
    """Control: the operands are exchanged, which only inputs with M != N show."""
    return _tiled(rhs, lhsT, weight_rows=STEP)


def _tiled(weights, data, weight_rows):
    """The matmul; `weight_rows` is how many rows of the stationary operand one tile is loaded from."""
    contracted, height = weights.shape
    width = data.shape[1]
    assert data.shape[0] == contracted, "both operands must have as many rows"
    for extent, tile in ((contracted, STEP), (height, HEIGHT), (width, WIDTH)):
        assert extent % tile == 0, f"{extent} is no multiple of {tile}"

    out = nl.ndarray((height, width), dtype=weights.dtype, buffer=nl.shared_hbm)
    for i in range(height // HEIGHT):
        for j in range(width // WIDTH):
            top, left = i * HEIGHT, j * WIDTH
            sums = nl.ndarray((HEIGHT, WIDTH), dtype=nl.float32, buffer=nl.psum)
            for step in range(contracted // STEP):
                first = step * STEP
                stationary = nl.ndarray((STEP, HEIGHT), dtype=weights.dtype, buffer=nl.sbuf)
                moving = nl.ndarray((STEP, WIDTH), dtype=data.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=stationary, src=weights[first : first + weight_rows, top : top + HEIGHT])
                nisa.dma_copy(dst=moving, src=data[first : first + STEP, left : left + WIDTH])
                nisa.nc_matmul(dst=sums, stationary=stationary, moving=moving)
            _store(out, top, left, sums)
    return out


def _store(out, top, left, sums):
    """Put a tile of sums where it belongs in the result, in the result's dtype."""
    rounded = nl.ndarray((HEIGHT, WIDTH), dtype=out.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=rounded, src=sums)
    nisa.dma_copy(dst=out[top : top + HEIGHT, left : left + WIDTH], src=rounded)
