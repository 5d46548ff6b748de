"""From what is known of a phase to its verdict: a table of rules in order, of which the first that applies decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeVar

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Run, Verdict, Violation
from nkiverify.foundation.source import Site
from nkiverify.frontend.target import Target
from nkiverify.verify.options import Options, phases_to_run

_Known = TypeVar("_Known")
#: Hears the runs of a target of which some phases have their verdicts: those that there are.
Told = Callable[["list[Run]"], None]


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A verdict with its qualifier and reason; where an UNKNOWN arises, and what can be done about it.

    It rests on so many `claims`, `closed_by` what closed them, and on `violations`.
    """

    verdict: Verdict
    qualifier: str = ""
    reason: str = ""
    place: Site | None = None
    advice: str = ""
    claims: int = 0
    closed_by: Mapping[str, int] = field(default_factory=dict)
    violations: Sequence[Violation] = ()


def concluded(rules: Sequence[Callable[[_Known], Conclusion | None]], known: _Known) -> Conclusion:
    """The verdict by the first rule that applies. Where none does, nothing is concluded."""
    for rule in rules:
        found = rule(known)
        if found is not None:
            return found
    return Conclusion(Verdict.ERROR, reason="no rule gives a verdict: please report this")


def recorded(target: Target, phase: int, engine: str, found: Conclusion) -> Run:
    """The conclusion about a phase of `target`, by `engine`, as the record of results."""
    return Run(
        target=target.name,
        kernel=target.kernel,
        family=target.family,
        kind=target.kind,
        phase=phase,
        engine=engine,
        expected=target.expect.get(phase),
        verdict=found.verdict,
        qualifier=found.qualifier,
        claims=found.claims,
        closed_by=dict(found.closed_by),
        violations=tuple(found.violations),
        reason=found.reason,
        flags=target.flags,
        tags=target.tags,
        place=found.place,
        advice=found.advice,
    )


def replacement(
    target: Target,
    options: Options,
    verdict: Verdict,
    reason: str,
    qualifier: str = "",
    seconds: float = 0.0,
    so_far: Sequence[Run] = (),
) -> list[Run]:
    """The runs of a target that could not report its own, or those of the phases in which it has none `so_far`."""
    found = Conclusion(verdict, qualifier, reason)
    runs = []
    for phase in phases_to_run(target, options):
        own = [run for run in so_far if run.phase == phase]
        runs += own or [replace(recorded(target, phase, "embedded", found), milliseconds=seconds * 1000)]
    return runs
