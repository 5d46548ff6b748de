"""The phases, in the one list there is of them."""

from __future__ import annotations

from nkiverify.phases.dataflow.phase import DataflowPhase
from nkiverify.phases.memory.phase import MemoryPhase
from nkiverify.phases.numerics.phase import NumericsPhase
from nkiverify.phases.phase import Phase, by_number

SHAPES = Phase(1, "shape and bounds")
ARITHMETIC = Phase(2, "host arithmetic", checks_arithmetic=True)
MEMORY = MemoryPhase(3, "memory")
DATAFLOW = DataflowPhase(4, "dataflow", for_engines=False)
NUMERICS = NumericsPhase(5, "numerics", for_engines=False, by_default=False)

PHASES: dict[int, Phase] = by_number((SHAPES, ARITHMETIC, MEMORY, DATAFLOW, NUMERICS))
