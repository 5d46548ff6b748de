"""Answers about kernels that are checked without being given for which shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Run, Violation
from nkiverify.verify.options import DEFAULT_HARDWARE

if TYPE_CHECKING:
    from nkiverify.frontend.language_rules import Finding
    from nkiverify.products.derive.statements import Derived
    from nkiverify.results.session import ExitStatus


@dataclass(frozen=True, slots=True)
class Instead:
    """The first failure with other assumptions: `assumed` says which, as `on trn2`."""

    assumed: str
    violation: Violation


@dataclass(frozen=True, slots=True)
class DomainAnswer:
    """The answer about one kernel.

    `arguments` are what it was given, as after `--arg`, and `grid` as after `--grid`; `inferred` are those that nobody
    typed, `inferred_grid` the grid if nobody did. `hardware` is what it is checked for, `inferred_hardware` the same
    where nobody named it and it is not the usual one. `instead` is what fails with what is assumed first. `runs` are
    its verdicts, `derived` the domain, where one was searched for; `problem` says what has to be given before anything
    can be said, or how its process ended, with the `status` that asks for."""

    reference: str
    arguments: tuple[str, ...]
    grid: str
    inferred: tuple[str, ...] = ()
    inferred_grid: str = ""
    hardware: str = DEFAULT_HARDWARE
    inferred_hardware: str = ""
    instead: Instead | None = None
    runs: tuple[Run, ...] = ()
    derived: Derived | None = None
    problem: str = ""
    status: ExitStatus | None = None
    seconds: float = 0.0
    #: What it uses outside the documented language.
    language: tuple[Finding, ...] = ()
