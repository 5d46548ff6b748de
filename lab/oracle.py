"""Comparing verdicts with concrete runs."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lab import integers, unwinding
from lab.subject import PHASES, Bench, Subject, concrete, fails, verdicts
from nkiverify.foundation.records import Run, Verdict
from nkiverify.frontend.target import Target
from nkiverify.phases.witness_replay import Replay


class Defect(enum.Enum):
    """The defects of a verdict, worst first."""

    UNSOUND = "SUCCESSFUL, but a concrete run fails"
    UNSOUND_BOUNDED = "SUCCESSFUL up to a bound, but a concrete run within the bound fails"
    VACUOUS = "VACUOUS, but a concrete run fails"
    WITNESS_PASSES = "FAILED, but the witness passes"
    NOT_REPLAYED = "FAILED (not replayed)"
    CRASH = "ERROR"
    RECORDED_DIFFERENTLY = "the symbolic and the concrete run record different items"
    UNDEFINED_UNSEEN = "the simulator returns undefined elements that the shadow memory does not see"
    UNDEFINED_INVENTED = "the shadow memory sees undefined elements that the simulator does not"


@dataclass(frozen=True, slots=True)
class Complaint:
    """A verdict that is wrong."""

    defect: Defect
    phase: int
    detail: str


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one subject."""

    runs: tuple[Run, ...]
    failing: tuple[int, int]
    tried: int
    complaints: tuple[Complaint, ...]
    skipped: str = ""


def try_subject(subject: Subject, bench: Bench, seconds: float = 5.0) -> Trial:
    """The verdicts on `subject`, compared with all its concrete runs."""
    watched = replace(subject, kernel=integers.watch_integers(subject.kernel))
    with bench.target(subject) as target, bench.target(watched) as watching:
        tried = 0
        failing: dict[int, list[dict[str, int]]] = {phase: [] for phase in PHASES}
        for values in subject.assignments():
            played, broken = run_watched(watching, values)
            if played.unsupported:
                return Trial((), (0, 0), 0, (), f"concrete run: {played.unsupported}")
            tried += not played.excluded
            for phase in broken:
                failing[phase].append(values)
        runs = verdicts(target, seconds)
        complaints: list[Complaint] = []
        for run in runs:
            complaints.extend(_complaints(run, failing[run.phase], watched, watching, bench))
    return Trial(tuple(runs), (len(failing[1]), len(failing[2])), tried, tuple(complaints))


def run_watched(target: Target, values: dict[str, int]) -> tuple[Replay, tuple[int, ...]]:
    """The run of a kernel whose integers are watched, and the phases it breaks a contract of."""
    integers.Watch.exceeded = False
    played = concrete(target, values)
    beyond = integers.Watch.exceeded and not played.excluded
    return played, tuple(phase for phase in PHASES if fails(played, phase) or (phase == 2 and beyond))


def _complaints(
    run: Run, failing: Sequence[dict[str, int]], subject: Subject, target: Target, bench: Bench
) -> list[Complaint]:
    if run.verdict is Verdict.ERROR:
        return [Complaint(Defect.CRASH, run.phase, f"{run.reason}\n{run.traceback}".strip())]
    if run.verdict is Verdict.VACUOUS and failing:
        # No claim may be reached because every path ends at the unwinding bound.
        within = _first_within_bound(failing, run.phase, subject, bench)
        return [Complaint(Defect.VACUOUS, run.phase, f"{within} fails")] if within is not None else []
    if run.verdict is Verdict.SUCCESSFUL and failing:
        if not run.qualifier:
            return [Complaint(Defect.UNSOUND, run.phase, f"{failing[0]} fails, of {len(failing)}")]
        within = _first_within_bound(failing, run.phase, subject, bench)
        if within is not None:
            return [Complaint(Defect.UNSOUND_BOUNDED, run.phase, f"{within} fails: {run.qualifier}; {run.reason}")]
    if run.verdict is Verdict.FAILED:
        if run.qualifier:
            shown = "; ".join(f"{v.contract} at line {v.line}, {v.witness}, {v.message}" for v in run.violations)
            return [Complaint(Defect.NOT_REPLAYED, run.phase, shown)]
        for violation in run.violations:
            witness = {name: int(value) for name, value in violation.witness.items()}
            if violation.replayed and run.phase not in run_watched(target, witness)[1]:
                return [Complaint(Defect.WITNESS_PASSES, run.phase, f"{witness} for {violation.contract}")]
    return []


def _first_within_bound(
    failing: Sequence[dict[str, int]], phase: int, subject: Subject, bench: Bench
) -> dict[str, int] | None:
    """The first of `failing` values on which the kernel fails although no loop runs more often than the bound."""
    watched = replace(subject, kernel=unwinding.count_iterations(subject.kernel))
    unwinding.Watch.bound = subject.unwind
    with bench.target(watched) as target:
        for values in failing:
            unwinding.Watch.exceeded = False
            try:
                _, broken = run_watched(target, values)
            except unwinding.BoundExceeded:
                continue
            if not unwinding.Watch.exceeded and phase in broken:
                return values
    return None
