"""The phases, in the one list there is of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nkiverify.phases.phase import Claimed, Explored, Phase, by_number

if TYPE_CHECKING:
    from nkiverify.foundation.records import MemoryPeak
    from nkiverify.foundation.source import Site
    from nkiverify.frontend.concrete import BrokenContract, ConcreteExecution
    from nkiverify.frontend.target import Target
    from nkiverify.ir.program import Program
    from nkiverify.model.hardware import Hardware
    from nkiverify.phases.witness_replay import Replay


class MemoryPhase(Phase):
    """Claims follow from the lifetimes of tensors; what legacy allocators place is followed shape by shape."""

    __slots__ = ()

    def claims(self, kernel: Explored, seconds: float, operations: int | None = None) -> Claimed:
        """State that what is live fits, and that placed tensors do not overlap."""
        from nkiverify.frontend.concrete import ConcreteExecution

        run = kernel.run
        if isinstance(run, ConcreteExecution):
            from nkiverify.phases.memory.played import state_played

            return state_played(kernel)
        from nkiverify.phases.memory.claims import state_claims

        stated = state_claims(run.program, kernel.hardware, run.no_spills)
        if stated.by_allocator and run.unsupported_construct is None:
            from nkiverify.phases.memory.enumerated import state_placed

            state_placed(self, kernel, stated, seconds)
        return stated

    def peaks(self, claimed: Claimed, program: Program) -> tuple[MemoryPeak, ...]:
        """The most that each memory needs."""
        from nkiverify.phases.memory.claims import MemoryClaims
        from nkiverify.phases.memory.peaks import peaks

        if not isinstance(claimed, MemoryClaims):
            return ()
        return peaks(claimed, program) if claimed.peaks is None else tuple(claimed.peaks())


class DataflowPhase(Phase):
    """Claims are about sets of elements, which a walk over the program decides; marks of elements confirm."""

    __slots__ = ()

    def claims(self, kernel: Explored, seconds: float, operations: int | None = None) -> Claimed:
        """State what is read, written, returned and accumulated, with what is shown of it for all shapes."""
        from nkiverify.phases.dataflow.claims import state_claims  # as late as this: islpy is slow to load

        return state_claims(kernel, seconds, operations)

    def broken_at_end(self, run: ConcreteExecution, hardware: Hardware) -> list[BrokenContract]:
        """Nothing: elements are followed while a run continues."""
        return []

    def confirm(
        self,
        target: Target,
        values: Mapping[str, int],
        hardware: Hardware,
        *,
        seconds: float = 20.0,
        contracts: float = float("inf"),
        awaited: Sequence[tuple[str, Site | None]] = (),
        decisive: tuple[str, Site | None] | None = None,
        first: int = 0,
        starts: Mapping[Site, Sequence[int]] | None = None,
    ) -> Replay:
        """Run `target` concretely on `values` with a mark for each element, and again up to what is at fault.

        Its work, counted in elements of operands, is bounded instead of the `contracts`.
        """
        from nkiverify.phases.dataflow.trial import confirmed

        return confirmed(target, values, hardware, seconds)


SHAPES = Phase(1, "shape and bounds")
ARITHMETIC = Phase(2, "host arithmetic", checks_arithmetic=True)
MEMORY = MemoryPhase(3, "memory")
DATAFLOW = DataflowPhase(4, "dataflow", for_engines=False)
#: No computation gives an infinity or NaN, and integers stay within their dtype, for all inputs of a range.
NUMERICS = Phase(
    5, "numerics", for_engines=False, by_default=False, decided_by="nkiverify.products.numerics.numeric_verdict"
)

PHASES: dict[int, Phase] = by_number((SHAPES, ARITHMETIC, MEMORY, DATAFLOW, NUMERICS))
