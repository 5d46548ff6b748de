"""Phase 5: no computation gives an infinity or NaN, and integers stay within their dtype, for all inputs of a range."""

from __future__ import annotations

from nkiverify.phases.phase import Phase


class NumericsPhase(Phase):
    """Claims are about numbers: a run on ranges decides them, and runs in the simulator refute them."""

    __slots__ = ()
