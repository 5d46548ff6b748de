"""Phases that a product decides: the core names its module, and imports none."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from nkiverify.engines.embedded import EmbeddedEngine
    from nkiverify.execute.runner import Source
    from nkiverify.foundation.records import Run
    from nkiverify.frontend.target import Verification
    from nkiverify.model.hardware import Hardware
    from nkiverify.phases.phase import Phase
    from nkiverify.verify.exploration import Exploration


class Product(Protocol):
    """A module that decides a phase."""

    def verdict_of(self, exploration: Exploration, engine: EmbeddedEngine, seconds: float, largest: bool) -> Run:
        """The verdict of the phase within so many `seconds`; `largest`: also how far it holds is searched for."""

    def again(
        self,
        source: Source,
        call: Callable[[Verification], None],
        values: Mapping[str, int],
        hardware: Hardware,
        stop: tuple[str, str, int],
    ) -> None:
        """Do again what breaks a contract, `stop` its id, file and line."""


def product_of(phase: Phase) -> Product:
    """The product that `phase.decided_by` names, loaded now."""
    return cast("Product", importlib.import_module(phase.decided_by))
