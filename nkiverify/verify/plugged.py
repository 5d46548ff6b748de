"""Plug-ins of the core, which names their modules and imports none: products that decide a phase, and the
second engine."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from nkiverify.engines.table import SECOND

if TYPE_CHECKING:
    from pathlib import Path

    from nkiverify.engines.embedded import EmbeddedEngine
    from nkiverify.execute.runner import Source
    from nkiverify.foundation.records import Run
    from nkiverify.frontend.target import Target, Verification
    from nkiverify.model.hardware import Hardware
    from nkiverify.phases.phase import Phase
    from nkiverify.verify.exploration import Exploration
    from nkiverify.verify.options import Options
    from nkiverify.verify.verdicts import PhaseVerdict


class Product(Protocol):
    """A module that decides a phase."""

    def verdict_of(self, exploration: Exploration, engine: EmbeddedEngine, seconds: float, largest: bool) -> Run:
        """The verdict of the phase within this many `seconds`; `largest`: also how far it holds is searched for."""

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


class SecondEngine(Protocol):
    """The module that speaks for the second engine."""

    def entries(
        self,
        target: Target,
        verdicts: Mapping[int, PhaseVerdict],
        explored: Exploration | None,
        runs: Mapping[int, Run],
        options: Options,
        seconds: float,
    ) -> dict[int, Run]:
        """Its runs, by phase, where the embedded engine has its `verdicts` and `runs`; some may be missing."""

    def prepare(self, names: Sequence[str], lowering: str | None) -> str:
        """Do once what it needs before it is asked about targets of these names; the reason that it cannot be used,
        empty where it can."""

    def facts(self) -> list[object]:
        """The facts about this machine that its answers depend on."""

    def programs(self, root: Path, names: Sequence[str]) -> dict[str, dict[str, str]]:
        """By target, then by what it is, the program that it is given."""

    def examined(self) -> bool:
        """Print what there is of it, and how it does on what is known; whether it can be used, if it is there."""


def second_engine() -> SecondEngine:
    """The second engine of `engines.table`, loaded now."""
    return cast("SecondEngine", importlib.import_module(SECOND.module))
