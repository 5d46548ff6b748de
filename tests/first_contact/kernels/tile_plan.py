"""Scale and shift: a plan of tiles, made by a class method, of which the last one is shorter."""

# legal: all

from dataclasses import dataclass

import nki
import nki.isa as nisa
import nki.language as nl


@dataclass(frozen=True)
class TilePlan:
    """Whole tiles of `size`, and what is left."""

    size: int
    full: int
    rest: int

    @classmethod
    def of(cls, total, size):
        full, rest = divmod(total, size)
        return cls(size, full, rest)

    @property
    def count(self):
        # bug: return self.full
        return self.full + (1 if self.rest > 0 else 0)

    def extent(self, index):
        return min(self.size, self.full * self.size + self.rest - index * self.size)


@nki.jit
def scale_shift(x, scale=2.0, shift=1.0):
    """x: [tokens, hidden]"""
    tokens, hidden = x.shape
    plan = TilePlan.of(tokens, nl.tile_size.pmax)
    out = nl.ndarray((tokens, hidden), dtype=x.dtype, buffer=nl.shared_hbm)
    for index in range(plan.count):
        start, height = index * plan.size, plan.extent(index)
        tile = nl.ndarray((plan.size, hidden), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[:height, :], src=x[start : start + height, :])
        part = tile[:height, :]
        nisa.tensor_scalar(dst=part, data=part, op0=nl.multiply, operand0=scale, op1=nl.add, operand1=shift)
        nisa.dma_copy(dst=out[start : start + height, :], src=tile[:height, :])  # here
    return out
