"""Shapes of a domain run in plain Python, for phases 1 to 3: a fault that no proof has come to is found all the same.

A symbolic run that stops says nothing of what comes after, and a solver that gives up nothing of its claim. The
simplest shapes of the domain, and such as let loops go round twice, are run as they are. What they show is a
refutation; that they show nothing is no proof.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from nkiverify.engines.embedded import EmbeddedEngine
from nkiverify.foundation.clock import now
from nkiverify.foundation.errors import InternalError, UnsupportedConstruct, UsageError
from nkiverify.foundation.records import Run, Verdict
from nkiverify.frontend.concrete_launch import ConcreteLaunch
from nkiverify.frontend.explorer import TargetRaised
from nkiverify.frontend.paths import Limits
from nkiverify.ir.program import Assume
from nkiverify.phases import SHAPES
from nkiverify.symbolic import conditions, terms
from nkiverify.verify.candidates import Candidates
from nkiverify.verify.ends import refuted_at_ends
from nkiverify.verify.exploration import Exploration, played
from nkiverify.verify.verdicts import PhaseVerdict

#: Contracts that may be looked at in all shapes together: about two seconds' work, the same on every machine.
WORK = 150_000
#: Contracts that may be looked at in one of them.
_WORK_OF_SHAPE = 5 * WORK
#: Shapes whose arguments are tried at the ends of their ranges.
_AT_ENDS = 4


@dataclass(slots=True)
class Trials:
    """The shapes that have been run: how many were, and the run of the first that has a fault, by phase."""

    tried: int = 0
    found: dict[int, Run] = field(default_factory=dict)
    #: What is wrong with nkiverify itself, seen in one of the runs.
    fault: str = ""


def trials(exploration: Exploration, phases: frozenset[int], seconds: float, every: bool) -> Trials:
    """Run shapes of the domain until each of `phases` has a fault, or enough has been done; in so many `seconds`."""
    end = now() + seconds
    result = Trials()
    open_phases = set(phases)
    left = WORK
    candidates = Candidates(exploration.run.program, exploration.assumptions)
    for values in candidates.by_size(lambda: max(0.0, end - now()), lambda: not result.tried):
        remaining = end - now()
        if remaining <= 0 or left <= 0 or not open_phases:
            break
        try:
            shape = _run(exploration, values, phases, remaining, _WORK_OF_SHAPE)
        except InternalError as error:
            result.fault = f"{error}"
            break
        if shape is None:
            continue
        assert isinstance(shape.run, ConcreteLaunch)
        left -= shape.run.looked_at
        if shape.run.unsupported_construct is None:
            result.tried += 1
        for phase in sorted(open_phases):
            run = _verdict_on(shape, phase, values, end - now(), every)
            if phase == SHAPES.number and result.tried <= _AT_ENDS and (run is None or run.verdict is Verdict.UNKNOWN):
                play = lambda chosen, seconds: _run(exploration, chosen, phases, seconds, _WORK_OF_SHAPE)  # noqa: E731
                run = refuted_at_ends(shape, play, phase, values, end - now(), every) or run
            if run is not None and run.verdict is Verdict.FAILED:
                open_phases.discard(phase)
                result.found[phase] = replace(run, assumptions=exploration.assumptions)
    return result


def _run(
    exploration: Exploration, values: Mapping[str, int], phases: frozenset[int], seconds: float, contracts: int
) -> Exploration | None:
    """The run on `values`, its program about them alone; None where they are not in the domain."""
    try:
        limits = Limits(seconds=seconds, claims=contracts)
        found = played(exploration.target, exploration.hardware, limits, phases, values)
    except (UsageError, TargetRaised):
        # The target, for these values: no fault of the kernel.
        return None
    if found is None:
        return None
    program = found.run.program
    program.dimensions.extend(exploration.run.program.dimensions)
    stated = [
        Assume(conditions.equals_zero(terms.add(terms.of_atom(one.atom), terms.constant(-values[one.atom.name]))))
        for one in program.dimensions
    ]
    program.body.items[:0] = stated
    return found


def _verdict_on(shape: Exploration, phase: int, values: Mapping[str, int], seconds: float, every: bool) -> Run | None:
    """The verdict of a phase about one shape; there may be simpler ones. None where it is beyond us."""
    engine = EmbeddedEngine(shape.run.program)
    try:
        run = PhaseVerdict(shape.target, shape, engine, shape.hardware, phase, max(0.0, seconds), every, values).run()
    except (UnsupportedConstruct, RecursionError):
        return None
    return replace(run, violations=tuple(replace(one, smallest=False) for one in run.violations), suffices=())
