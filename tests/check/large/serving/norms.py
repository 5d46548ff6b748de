"""Normalisation and softmax of tiles in SBUF."""

from __future__ import annotations

import nki.isa as nisa
import nki.language as nl

from .config import Norm


def rms_norm(tile, epsilon, allocator):
    """Divide every row by the root of its mean square."""
    rows, columns = tile.shape
    squares = allocator.tile((rows, columns), nl.float32)
    total = allocator.tile((rows, 1), nl.float32)
    nisa.tensor_tensor(dst=squares, data1=tile, data2=tile, op=nl.multiply)
    nisa.tensor_reduce(dst=total, op=nl.add, data=squares, axis=1)
    nisa.tensor_scalar(dst=total, data=total, op0=nl.multiply, operand0=1.0 / columns, op1=nl.add, operand1=epsilon)
    nisa.activation(dst=total, op=nl.rsqrt, data=total)
    result = allocator.tile((rows, columns), tile.dtype)
    nisa.tensor_scalar(dst=result, data=tile, op0=nl.multiply, operand0=total)
    return result


NORMS = {Norm.RMS: rms_norm, Norm.NONE: lambda tile, epsilon, allocator: tile}


def normalised(tile, config, allocator):
    """`tile` by the norm of the configuration."""
    return NORMS[config.norm](tile, config.epsilon, allocator)


def softmax_rows(scores, scale, allocator):
    """Softmax of each row, scaled before; the exponentials and the reciprocal of their sum."""
    rows, columns = scores.shape
    largest = allocator.tile((rows, 1), nl.float32)
    nisa.tensor_reduce(dst=largest, op=nl.maximum, data=scores, axis=1)
    nisa.tensor_scalar(dst=largest, data=largest, op0=nl.multiply, operand0=-1.0)
    shifted = allocator.tile((rows, columns), nl.float32)
    nisa.tensor_scalar(dst=shifted, data=scores, op0=nl.add, operand0=largest, op1=nl.multiply, operand1=scale)
    weights = allocator.tile((rows, columns), nl.bfloat16)
    total = allocator.tile((rows, 1), nl.float32)
    nisa.activation(dst=weights, op=nl.exp, data=shifted)
    nisa.tensor_reduce(dst=total, op=nl.add, data=weights, axis=1)
    nisa.reciprocal(dst=total, data=total)
    return weights, total
