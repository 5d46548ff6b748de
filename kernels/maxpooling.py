"""Two-dimensional max pooling of nki-samples/contributed, in the legacy API: stride 1, no padding."""

import math

import neuronxcc.nki.language as nl
from neuronxcc import nki

TILE_H = 128


@nki.jit
def maxpooling(x, pool_size):
    """out[i, j] = maximum of x[i : i + pool_size, j : j + pool_size] for x of shape (H, W)."""
    return _maxpooling(x, pool_size, loaded_rows=x.shape[0] - (pool_size - 1))


@nki.jit
def maxpooling_buggy(x, pool_size):
    """Control: the mask of the load lets one base row too many through."""
    return _maxpooling(x, pool_size, loaded_rows=x.shape[0] - (pool_size - 2))


def _maxpooling(x, pool_size, loaded_rows):
    """The pooling; a window is loaded for each of the first `loaded_rows` base rows."""
    H, W = x.shape
    out_h = H - pool_size + 1
    out_w = W - pool_size + 1
    assert pool_size > 0, "the window must hold at least one element"
    assert out_h > 0 and out_w > 0, "the window must fit into the image"

    out = nl.ndarray((out_h, out_w), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in nl.affine_range(math.ceil(H / TILE_H)):
        base = t * TILE_H

        # Partition p holds the pool_size rows of the image that output row base + p needs.
        i_p, i_r, i_w = nl.mgrid[0:TILE_H, 0:pool_size, 0:W]
        rows = nl.load(x[base + i_p + i_r, i_w], mask=(base + i_p < loaded_rows))

        i_p, i_r, i_w, i_c = nl.mgrid[0:TILE_H, 0:pool_size, 0:out_w, 0:pool_size]
        pooled = nl.max(rows[i_p, i_r, i_w + i_c], axis=[1, 3], mask=(base + i_p < H))

        i_p, i_w = nl.mgrid[0:TILE_H, 0:out_w]
        nl.store(out[base + i_p, i_w], value=pooled[i_p, i_w], mask=(base + i_p < out_h))
    return out
