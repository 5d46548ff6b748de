"""Average pooling over windows of pool_size by pool_size that do not overlap."""

import nki
import nki.isa as nisa
import nki.language as nl

MAX_PARTITIONS = 128


@nki.jit
def avgpool(x, pool_size):
    """Mean of each whole window of x (C, H, W); the result is (C, H // pool_size, W // pool_size)."""
    assert pool_size >= 1, "the window must hold at least one element"
    assert x.shape[0] <= MAX_PARTITIONS, f"at most {MAX_PARTITIONS} channels"
    return _avgpool(x, pool_size, window_step=pool_size * x.shape[2])


@nki.jit
def avgpool_unguarded(x, pool_size):
    """As published before nki-samples PR #128: the pooling size is not checked."""
    return _avgpool(x, pool_size, window_step=pool_size * x.shape[2])


@nki.jit
def avgpool_buggy(x, pool_size):
    """Control: two windows below each other lie one element too far apart."""
    assert pool_size >= 1, "the window must hold at least one element"
    assert x.shape[0] <= MAX_PARTITIONS, f"at most {MAX_PARTITIONS} channels"
    return _avgpool(x, pool_size, window_step=pool_size * x.shape[2] + 1)


def _avgpool(x, pool_size, window_step):
    """The pooling; `window_step` is the distance in elements of two windows below each other."""
    C, H, W = x.shape
    out_h = H // pool_size
    out_w = W // pool_size

    out = nl.ndarray((C, out_h, out_w), dtype=x.dtype, buffer=nl.shared_hbm)
    x_tile = nl.ndarray((C, H, W), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=x_tile, src=x)

    # (channel, row of windows, column of windows, row in the window, column in the window)
    windows = x_tile.ap([[H * W, C], [window_step, out_h], [pool_size, out_w], [W, pool_size], [1, pool_size]])
    sums = nl.ndarray((C, out_h, out_w), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=sums, op=nl.add, data=windows, axis=(3, 4))

    means = nl.ndarray((C, out_h, out_w), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=means, data=sums, op0=nl.multiply, operand0=1.0 / (pool_size * pool_size))
    nisa.dma_copy(dst=out, src=means)
    return out
