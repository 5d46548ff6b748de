"""Rows divided by their length, with sizes from a configuration."""

# legal: all

from dataclasses import dataclass

import nki
import nki.isa as nisa
import nki.language as nl


@dataclass(frozen=True)
class Config:
    rows: int = 128
    columns: int = 1024


def tiles(extent, size):
    for start in range(0, extent, size):
        yield start, min(size, extent - start)


@nki.jit
def l2_normalise(x, config=Config()):
    N, D = x.shape
    out = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    for r, h in tiles(N, config.rows):
        total = nl.zeros((h, 1), dtype=nl.float32, buffer=nl.sbuf)
        for c, w in tiles(D, config.columns):
            part = nl.ndarray((h, w), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=part, src=x[r : r + h, c : c + w])
            square = nl.ndarray((h, w), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_tensor(dst=square, data1=part, data2=part, op=nl.multiply)
            sums = nl.ndarray((h, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_reduce(dst=sums, op=nl.add, data=square, axis=1)
            nisa.tensor_tensor(dst=total, data1=total, data2=sums, op=nl.add)
        nisa.activation(dst=total, op=nl.rsqrt, data=total)
        for c, w in tiles(D, config.columns):
            part = nl.ndarray((h, w), dtype=x.dtype, buffer=nl.sbuf)
            # bug: nisa.dma_copy(dst=part, src=x[r : r + h, c : c + config.columns])
            nisa.dma_copy(dst=part, src=x[r : r + h, c : c + w])
            nisa.tensor_scalar(dst=part, data=part, op0=nl.multiply, operand0=total)
            nisa.dma_copy(dst=out[r : r + h, c : c + w], src=part)
    return out
