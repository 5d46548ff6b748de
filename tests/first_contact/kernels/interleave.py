"""Columns of two tensors, by turns."""

# legal: R == b0, W == b1

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def interleave(a, b):
    assert b.shape == a.shape
    R, W = a.shape
    out = nl.ndarray((R, 2 * W), dtype=a.dtype, buffer=nl.shared_hbm)
    for first in range(0, R, 128):
        count = min(128, R - first)
        pairs = nl.ndarray((count, W, 2), dtype=a.dtype, buffer=nl.sbuf)
        for place, source in enumerate((a, b)):
            plain = nl.ndarray((count, W), dtype=a.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=plain, src=source[first : first + count, :])
            # bug: nisa.tensor_copy(dst=pairs[:, :, 0], src=plain)
            nisa.tensor_copy(dst=pairs[:, :, place], src=plain)
        nisa.dma_copy(dst=out[first : first + count, :], src=pairs.reshape((count, 2 * W)))  # here
    return out
