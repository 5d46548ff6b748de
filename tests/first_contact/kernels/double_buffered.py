"""Rows scaled through two tiles that are used in turn."""

# legal: N % 128 == 0

import nki
import nki.isa as nisa
import nki.language as nl

TILE = 128


@nki.jit
def scale_double_buffered(x, alpha=2.0):
    """y = alpha * x, x: [N, D]"""
    N, D = x.shape
    y = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    buffers = [nl.ndarray((TILE, D), dtype=x.dtype, buffer=nl.sbuf) for _ in range(2)]
    for i in range(N // TILE):
        current = buffers[i % 2]
        # bug: nisa.dma_copy(dst=current, src=x[i * TILE + 1 : (i + 1) * TILE + 1, :])
        nisa.dma_copy(dst=current, src=x[i * TILE : (i + 1) * TILE, :])
        nisa.tensor_scalar(dst=current, data=current, op0=nl.multiply, operand0=alpha)
        nisa.dma_copy(dst=y[i * TILE : (i + 1) * TILE, :], src=current)
    return y
