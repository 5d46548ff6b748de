"""Phase 3: what is live fits its memory, and what is placed does not overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nkiverify.phases.phase import Claimed, Explored, Phase

if TYPE_CHECKING:
    from nkiverify.foundation.records import MemoryPeak
    from nkiverify.frontend.concrete import BrokenContract, ConcreteExecution
    from nkiverify.ir.program import Program
    from nkiverify.model.hardware import Hardware


class MemoryPhase(Phase):
    """Claims follow from the lifetimes of tensors; what legacy allocators place is followed shape by shape."""

    __slots__ = ()

    def claims(self, kernel: Explored, seconds: float, operations: int | None = None) -> Claimed:
        """State that what is live fits, and that placed tensors do not overlap."""
        from nkiverify.frontend.concrete_launch import ConcreteLaunch

        run = kernel.run
        if isinstance(run, ConcreteLaunch):
            from nkiverify.phases.memory.played import state_played

            return state_played(run, kernel.hardware)
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
        return peaks(claimed, program) if claimed.peaks is None else tuple(claimed.peaks)

    def broken_at_end(self, run: ConcreteExecution, hardware: Hardware) -> list[BrokenContract]:
        """The tensors that do not fit, or overlap, at some operation of the run."""
        from nkiverify.phases.memory.concrete import broken

        return broken(run.recorded, hardware, run.no_spills)
