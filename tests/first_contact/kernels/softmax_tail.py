"""Softmax over rows, 128 of them at a time, with a short last block: legal for any number of rows."""

# legal: all

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def softmax_tail(x):
    rows, cols = x.shape
    out = nl.ndarray((rows, cols), dtype=x.dtype, buffer=nl.shared_hbm)
    # bug: for block in range(rows // 128):
    for block in range((rows + 127) // 128):
        start = block * 128
        size = min(128, rows - start)
        tile = nl.ndarray((128, cols), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:size, :], src=x[start : start + size, :])
        high = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=high[0:size, :], op=nl.maximum, data=tile[0:size, :], axis=1, negate=True)
        nisa.activation(dst=tile[0:size, :], op=nl.exp, data=tile[0:size, :], bias=high[0:size, :])
        total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=total[0:size, :], op=nl.add, data=tile[0:size, :], axis=1)
        nisa.reciprocal(dst=total[0:size, :], data=total[0:size, :])
        nisa.tensor_scalar(dst=tile[0:size, :], data=tile[0:size, :], op0=nl.multiply, operand0=total[0:size, :])
        nisa.dma_copy(dst=out[start : start + size, :], src=tile[0:size, :])  # here
    return out
