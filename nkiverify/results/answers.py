"""Answers about kernels that are checked without being told for which shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nkiverify.foundation.records import Run, Violation

if TYPE_CHECKING:
    from nkiverify.frontend.language_rules import Finding
    from nkiverify.results.session import ExitStatus
    from nkiverify.verify.derive import Derived


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer about one kernel.

    `arguments` are what it was given, as after `--arg`, and `grid` as after `--grid`; `inferred` are those that nobody
    typed, `inferred_grid` the grid if nobody did, `instead` what fails with the dtype that is assumed first. `runs` are
    its verdicts, `derived` the domain, where one was looked for; `problem` says what has to be told before anything can
    be said, or how its process ended, with the `status` that asks for.
    """

    reference: str
    arguments: tuple[str, ...]
    grid: str
    inferred: tuple[str, ...] = ()
    inferred_grid: str = ""
    instead: Violation | None = None
    runs: tuple[Run, ...] = ()
    derived: Derived | None = None
    problem: str = ""
    status: ExitStatus | None = None
    seconds: float = 0.0
    #: What it uses outside the documented language.
    language: tuple[Finding, ...] = ()
