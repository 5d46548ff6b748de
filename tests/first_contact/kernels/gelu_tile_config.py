"""GELU by its tanh: tile sizes from a frozen dataclass, bounds of tiles from a helper."""

# legal: all

import math
from dataclasses import dataclass

import nki
import nki.isa as nisa
import nki.language as nl


@dataclass(frozen=True)
class TileConfig:
    rows: int = 128
    cols: int = 2048


CFG = TileConfig()


def tile_bounds(index, step, total):
    start = index * step
    return start, min(step, total - start)


@nki.jit
def gelu_tanh_approx(x):
    """0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), element by element; any (rows, cols)."""
    n_rows, n_cols = x.shape
    y = nl.ndarray((n_rows, n_cols), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(math.ceil(n_rows / CFG.rows)):
        r0, h = tile_bounds(i, CFG.rows, n_rows)
        # bug: for j in range(n_cols // CFG.cols):
        for j in range(math.ceil(n_cols / CFG.cols)):
            c0, w = tile_bounds(j, CFG.cols, n_cols)
            t = nl.ndarray((h, w), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=t, src=x[r0 : r0 + h, c0 : c0 + w])
            cube = nl.ndarray((h, w), dtype=nl.float32, buffer=nl.sbuf)
            nisa.activation(dst=cube, op=nl.square, data=t)
            nisa.tensor_scalar(dst=cube, data=cube, op0=nl.multiply, operand0=0.044715, op1=nl.add, operand1=1.0)
            nisa.tensor_tensor(dst=cube, data1=cube, data2=t, op=nl.multiply)
            nisa.activation(dst=cube, op=nl.tanh, data=cube, scale=0.7978845608)
            nisa.scalar_tensor_tensor(dst=t, data=cube, op0=nl.add, operand0=1.0, op1=nl.multiply, operand1=t)
            nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=0.5)
            nisa.dma_copy(dst=y[r0 : r0 + h, c0 : c0 + w], src=t)  # here
    return y
