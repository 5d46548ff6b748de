"""Softmax over rows, 128 of them at a time; a last block of fewer rows is left out."""

# legal: rows % 128 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def softmax_blocks(logits):
    rows, classes = logits.shape
    probs = nl.ndarray(logits.shape, dtype=logits.dtype, buffer=nl.shared_hbm)
    for block in range(rows // 128):
        first = block * 128
        x = nl.ndarray((128, classes), dtype=nl.float32, buffer=nl.sbuf)
        # bug: nisa.dma_copy(dst=x, src=logits[first : first + 127, :])
        nisa.dma_copy(dst=x, src=logits[first : first + 128, :])
        highest = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=highest, op=nl.maximum, data=x, axis=1)
        nisa.tensor_scalar(dst=x, data=x, op0=nl.subtract, operand0=highest)
        sums = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(dst=x, op=nl.exp, data=x, reduce_op=nl.add, reduce_res=sums)
        nisa.reciprocal(dst=sums, data=sums)
        nisa.tensor_scalar(dst=x, data=x, op0=nl.multiply, operand0=sums)
        nisa.dma_copy(dst=probs[first : first + 128, :], src=x)
    return probs
