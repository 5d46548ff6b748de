"""Softmax with a scale and a flag for the logarithm; the tile size is a parameter with a default."""

# legal: R % 64 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def softmax_flag(x, scale, log: bool, tile=64):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(R // tile):
        rows = nl.ndarray((tile, C), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=rows, src=x[r * tile : (r + 1) * tile, :])
        nisa.tensor_scalar(dst=rows, data=rows, op0=nl.multiply, operand0=scale)
        high = nl.ndarray((tile, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=high, op=nl.maximum, data=rows, axis=1)
        nisa.tensor_scalar(dst=rows, data=rows, op0=nl.subtract, operand0=high)
        exps = nl.ndarray((tile, C), dtype=nl.float32, buffer=nl.sbuf)
        total = nl.ndarray((tile, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(dst=exps, op=nl.exp, data=rows, reduce_op=nl.add, reduce_res=total)
        if log:
            nisa.activation(dst=total, op=nl.log, data=total)
            nisa.tensor_scalar(dst=exps, data=rows, op0=nl.subtract, operand0=total)
        else:
            # bug: nisa.reciprocal(dst=total[0:32, :], data=total)
            nisa.reciprocal(dst=total, data=total)
            nisa.tensor_scalar(dst=exps, data=exps, op0=nl.multiply, operand0=total)
        nisa.dma_copy(dst=out[r * tile : (r + 1) * tile, :], src=exps)
    return out
