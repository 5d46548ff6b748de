"""Softmax over the rows of one tile; nothing says how many rows it may have."""

# legal: R <= 128

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def softmax_rows(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    row = nl.ndarray((R, C), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=row, src=x)
    top = nl.ndarray((R, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=top, op=nl.maximum, data=row, axis=1, negate=True)
    total = nl.ndarray((R, 1), dtype=nl.float32, buffer=nl.sbuf)
    exps = nl.ndarray((R, C), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst=exps, op=nl.exp, data=row, bias=top)
    # bug: nisa.tensor_reduce(dst=total, op=nl.add, data=exps, axis=0)
    nisa.tensor_reduce(dst=total, op=nl.add, data=exps, axis=1)
    nisa.reciprocal(dst=total, data=total)
    nisa.tensor_scalar(dst=exps, data=exps, op0=nl.multiply, operand0=total)
    nisa.dma_copy(dst=out, src=exps)
    return out
