"""Average pooling in the legacy API: windows of pool_size by pool_size that do not overlap, by index tensors."""

import neuronxcc.nki.language as nl
from neuronxcc import nki


@nki.jit
def avgpool_legacy(x, pool_size):
    """Mean of each whole window of x (C, H, W); the result is (C, H // pool_size, W // pool_size)."""
    assert pool_size >= 1, "the window must hold at least one element"
    C, H, W = x.shape
    out_h = H // pool_size
    out_w = W // pool_size

    out = nl.ndarray((C, out_h, out_w), dtype=x.dtype, buffer=nl.shared_hbm)
    x_tile = nl.load(x)
    i_c, i_h, i_r, i_w, i_k = nl.mgrid[0:C, 0:out_h, 0:pool_size, 0:out_w, 0:pool_size]
    windows = x_tile[i_c, pool_size * i_h + i_r, pool_size * i_w + i_k]
    means = nl.sum(windows, axis=[2, 4]) / (pool_size * pool_size)
    nl.store(out, value=means)
    return out
