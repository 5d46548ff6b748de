"""Scaled rows, by a mode that is an enumeration, with a scale that has a default."""

# legal: P <= 128

from enum import Enum

import nki
import nki.isa as nisa
import nki.language as nl


class Mode(Enum):
    """What becomes of the rows."""

    SCALE = 1
    EXP = 2


@nki.jit
def attention_mode(x, mode: Mode, scale=0.125):
    P, F = x.shape
    out = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=rows, src=x)
    if mode == Mode.SCALE:
        # bug: nisa.tensor_scalar(dst=rows, data=rows[:, 0 : F - 1], op0=nl.multiply, operand0=scale)
        nisa.tensor_scalar(dst=rows, data=rows, op0=nl.multiply, operand0=scale)
    elif mode == Mode.EXP:
        nisa.activation(dst=rows, op=nl.exp, data=rows, scale=scale)
    nisa.dma_copy(dst=out, src=rows)
    return out
