"""Lower bounds of time, by engine, from documented rates.

No kernel runs faster than these on one core: each byte of HBM is moved once at least, through the DMA engines; each
instruction takes its elements at the fastest rate that is documented. They are no prediction: nothing is said of
waiting, of latencies, of what the compiler adds. What each instruction is documented to take, as it is written, is
reported besides them (`as_written`), which the compiler may undercut."""

from __future__ import annotations

from collections.abc import Mapping

from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.hardware import Hardware
from nkiverify.products.cost.counting import Amount, CostFigures
from nkiverify.products.cost.formulas import Cost
from nkiverify.symbolic.atoms import Atom
from nkiverify.symbolic.evaluation import Valuation

#: Elements of a byte that GpSimd takes for one of four bytes ("GpSimd: 512 bits a core", A2).
_GPSIMD_ELEMENTS = 4


@dataclass(frozen=True, slots=True)
class EngineSeconds:
    """Seconds by engine, for one core; "vector, scalar, gpsimd" is what they share."""

    least: Mapping[str, float]
    as_written: Mapping[str, float]

    @property
    def bound(self) -> tuple[str, float]:
        """The engine that bounds the time from below, and its seconds."""
        return max(self.least.items(), key=lambda item: item[1])

    @property
    def busiest(self) -> tuple[str, float]:
        """The engine that takes longest as it is written, and its seconds."""
        return max(self.as_written.items(), key=lambda item: item[1])


def times(cost: Cost, moved_once: Amount, hardware: Hardware, values: Mapping[Atom, int]) -> EngineSeconds:
    """The seconds for values of the dimensions; `moved_once` are the bytes of HBM that are read and written at all.

    Raises `NoNumber` and `Undefined`. Programs of a launch run on as many cores at best.
    """
    rates = hardware.rates
    here = Valuation(values)
    cores = max(1, cost.programs_at(values))

    def least(figure: CostFigures) -> float:
        return cost.at(figure, values)[0] / cores

    def most(figure: CostFigures) -> float:
        return cost.at(figure, values)[1] / cores

    vector = rates.vector_hertz * rates.vector_elements
    scalar = rates.scalar_hertz * rates.scalar_elements
    gpsimd = rates.gpsimd_hertz * _GPSIMD_ELEMENTS
    elementwise = (CostFigures.OPEN_LEAST, CostFigures.VECTOR_LEAST, CostFigures.SCALAR_LEAST, CostFigures.GPSIMD_LEAST)
    bounds = {
        "dma": here.term(moved_once.low) / cores / rates.dma_bytes,
        "tensor": least(CostFigures.TENSOR_LEAST) / rates.columns,
        "vector": least(CostFigures.VECTOR_LEAST) / vector,
        "scalar": least(CostFigures.SCALAR_LEAST) / scalar,
        "gpsimd": least(CostFigures.GPSIMD_LEAST) / gpsimd,
        "vector, scalar, gpsimd": sum(map(least, elementwise)) / (vector + scalar + gpsimd),
    }
    on_vector = most(CostFigures.VECTOR_CYCLES) + most(CostFigures.OPEN_CYCLES)
    on_scalar, shared = most(CostFigures.SCALAR_CYCLES), most(CostFigures.SHARED_CYCLES)
    written = {
        "dma": (most(CostFigures.HBM_READ) + most(CostFigures.HBM_WRITTEN)) / rates.dma_bytes,
        "tensor": most(CostFigures.TENSOR_COLUMNS) / rates.columns,
        "vector": on_vector / rates.vector_hertz,
        "scalar": on_scalar / rates.scalar_hertz,
        "gpsimd": most(CostFigures.GPSIMD_CYCLES) / rates.gpsimd_hertz,
        "vector, scalar": (on_vector + on_scalar + shared) / (rates.vector_hertz + rates.scalar_hertz),
    }
    return EngineSeconds(bounds, written)
