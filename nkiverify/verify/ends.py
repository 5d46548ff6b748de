"""Launches run with the integers of arguments at the ends of their declared ranges.

What is computed on the device from a range is followed as an interval, and an interval that may have lost something
decides nothing. Nearly every index that leaves its tensor does so where all indices are the least, or the greatest,
that was declared: such a run either breaks the contract, which refutes it, or shows nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from nkiverify.engines.embedded import EmbeddedEngine
from nkiverify.foundation.budget import SearchingBudget
from nkiverify.foundation.errors import InternalError, UnsupportedConstruct
from nkiverify.foundation.records import Run, Verdict, Violation
from nkiverify.verify.exploration import Exploration
from nkiverify.verify.shape_search import OracleAnswer, Search
from nkiverify.verify.verdicts import PhaseVerdict


def ends(ranged: Mapping[str, tuple[int, int]]) -> Iterator[dict[str, int]]:
    """The values of all elements of these arguments, run by run: all at the same end, then each alone at the other."""
    names = frozenset(ranged)
    if not names:
        return
    greatest = [frozenset[str](), names]
    greatest += [frozenset({name}) for name in sorted(names)] + [names - {name} for name in sorted(names)]
    for chosen in greatest:
        yield {f"{name}[:]": high if name in chosen else low for name, (low, high) in ranged.items()}


def refuted_at_ends(
    shape: Exploration,
    play: Callable[[Mapping[str, int], float], Exploration | None],
    phase: int,
    values: Mapping[str, int],
    seconds: float,
    every: bool,
) -> Run | None:
    """The verdict of a phase about `shape`, a run on `values`, with arguments at the ends of their ranges, where that
    refutes a claim; `play` runs the target on other values, in this many seconds."""
    refuted: Run | None = None

    def about(given: dict[str, int], left: float) -> OracleAnswer:
        nonlocal refuted
        # What goes wrong besides what is known already refutes nothing.
        with suppress(InternalError, UnsupportedConstruct, RecursionError):
            found = play({**values, **given}, left)
            if found is not None:
                engine = EmbeddedEngine(found.run.program)
                run = PhaseVerdict(found.target, found, engine, found.hardware, phase, left, every, values).run()
                violations = [one for one in run.violations if one.replayed]
                if run.verdict is Verdict.FAILED and violations:
                    refuted = replace(run, violations=tuple(_with(one, given) for one in violations))
        return OracleAnswer(work=1, continues=refuted is None)

    Search(about, seconds, SearchingBudget.RUNS_AT_ENDS).through(ends(shape.ranged))
    return refuted


def _with(violation: Violation, given: Mapping[str, int]) -> Violation:
    """A violation whose witness has the values of arguments as well."""
    shown = {**violation.witness, **given}
    return replace(violation, witness=shown, values={**violation.values, **given}, smallest=False)
