"""Evidence about a phase, and the verdict that it amounts to: that of the evidence whose basis comes first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeVar

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Basis, Run, Verdict, Violation
from nkiverify.foundation.source import Site
from nkiverify.frontend.target import Target
from nkiverify.verify.options import Options, phases_to_run

_Known = TypeVar("_Known")
#: Hears the runs of a target of which some phases have their verdicts: those that there are.
Told = Callable[["list[Run]"], None]

_ORDER = {basis: number for number, basis in enumerate(Basis)}


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of evidence about a phase: its basis, the qualifier of the verdict that it gives, and the reason; where
    it arises, and what can be done about it.

    It is about this many `claims`, `closed_by` what closed them, and about `violations`.
    """

    basis: Basis
    qualifier: str = ""
    reason: str = ""
    place: Site | None = None
    advice: str = ""
    claims: int = 0
    closed_by: Mapping[str, int] = field(default_factory=dict)
    violations: Sequence[Violation] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict, if no other evidence comes before this."""
        return self.basis.verdict


def concluded(rules: Sequence[Callable[[_Known], Evidence | None]], known: _Known) -> Evidence:
    """The evidence that decides, of all that `rules` find in what is known: the first of those whose basis comes first.
    Without any, nothing is concluded."""
    evidence = filter(None, (rule(known) for rule in rules))
    found = min(evidence, key=lambda one: _ORDER[one.basis], default=None)
    return found or Evidence(Basis.FAULT, reason="no evidence was found: please report this")


def recorded(target: Target, phase: int, engine: str, found: Evidence) -> Run:
    """The verdict that evidence gives about a phase of `target`, by `engine`, as the record of results."""
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
        basis=found.basis,
    )


def replacement(
    target: Target,
    options: Options,
    basis: Basis,
    reason: str,
    qualifier: str = "",
    seconds: float = 0.0,
    so_far: Sequence[Run] = (),
) -> list[Run]:
    """The runs of a target that could not report its own, or those of the phases in which it has none `so_far`."""
    found = Evidence(basis, qualifier, reason)
    runs = []
    for phase in phases_to_run(target, options):
        own = [run for run in so_far if run.phase == phase]
        runs += own or [replace(recorded(target, phase, "embedded", found), milliseconds=seconds * 1000)]
    return runs
