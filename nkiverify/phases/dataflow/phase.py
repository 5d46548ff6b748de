"""Phase 4: what is read was written, what is returned is written, and nothing unordered touches the same element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nkiverify.phases.phase import Claimed, Explored, Phase

if TYPE_CHECKING:
    from nkiverify.foundation.source import Site
    from nkiverify.frontend.target import Target
    from nkiverify.model.hardware import Hardware
    from nkiverify.phases.replay import Replay


class DataflowPhase(Phase):
    """Claims are about sets of elements, which a walk over the program decides; marks of elements confirm."""

    __slots__ = ()

    def claims(self, kernel: Explored, seconds: float, operations: int | None = None) -> Claimed:
        """State what is read, written, returned and accumulated, with what is shown of it for all shapes."""
        from nkiverify.phases.dataflow.claims import state_claims  # as late as this: islpy is slow to load

        return state_claims(kernel, seconds, operations)

    def confirm(
        self,
        target: Target,
        values: Mapping[str, int],
        hardware: Hardware,
        *,
        seconds: float = 20.0,
        awaited: Sequence[tuple[str, Site | None]] = (),
        decisive: tuple[str, Site | None] | None = None,
    ) -> Replay:
        """Run `target` concretely on `values` with a mark for each element, and again up to what is at fault."""
        from nkiverify.phases.dataflow.trial import confirmed

        return confirmed(target, values, hardware, seconds)
