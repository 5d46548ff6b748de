"""Concrete runs of a target whose record is examined, and why nothing follows from some of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from nkiverify.analysis.marks.order import Recorded
from nkiverify.execute.runner import RunEnding, execute, execute_once
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import described
from nkiverify.frontend.concrete import BrokenContract, ConcreteExecution
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.target import Target
from nkiverify.frontend.traced_loops import LEFT
from nkiverify.model.current_execution import SHAPE_PHASES
from nkiverify.phases.phase import UnusableRun

#: Besides the contracts that say whether a record is of use, those of memory are checked, so that what compares a
#: proof with a concrete execution need not run this shape again.
BESIDE = frozenset({3})

RunT = TypeVar("RunT", bound=ConcreteExecution)


@dataclass(frozen=True, slots=True)
class Played:
    """The record of a concrete run. `unusable` says why it shows nothing; `outside`: the values are not in the domain.

    `raised` is the exception that ended it, or the assert of the kernel that excludes the values.
    """

    recorded: Sequence[Recorded]
    unusable: UnusableRun | None = None
    outside: bool = False
    raised: Exception | SystemExit | None = None


def play_in(target: Target, values: Mapping[str, int], make: Callable[[], RunT]) -> tuple[Played, RunT]:
    """The record of the execution of `target` on values of its dimensions, and the run that `make` made for it."""
    ending = execute(target, values, make, Rewriting.NONE)
    return _played(ending), ending.run


def play(target: Target, values: Mapping[str, int], run: ConcreteExecution) -> Played:
    """Let `run` execute `target` with its dimensions set to `values`."""
    return _played(execute_once(target, values, run, Rewriting.NONE))


def _played(ending: RunEnding[RunT]) -> Played:
    if ending.outside or ending.rejected:
        return Played((), outside=True, raised=ending.raised)
    if ending.stopped:
        return Played((), UnusableRun("numbers of floats are asked for"))
    if ending.limit is not None:
        return Played((), UnusableRun(ending.limit.construct))
    if ending.raised is not None:
        return Played((), UnusableRun(f"the kernel raises {described(ending.raised)}"), raised=ending.raised)
    if ending.unknown:
        # It has one of its values only, of which nothing follows for the others.
        return Played((), UnusableRun("a dimension that the symbolic run did not come to"))
    return Played(ending.run.recorded, unusable(ending.run, SHAPE_PHASES))


def unusable(run: ConcreteExecution, phases: frozenset[int]) -> UnusableRun | None:
    """Why nothing follows from the operations of a run that has come to its end, by the contracts of some phases."""
    if run.bodies.open:
        return UnusableRun(LEFT)
    broken = next((one.contract for one in run.broken if makes_unusable(one, phases)), None)
    return UnusableRun(f"{broken.id} is broken", broken.phase) if broken is not None else None


def makes_unusable(broken: BrokenContract, phases: frozenset[int]) -> bool:
    """True if nothing follows from the operations of a run that breaks this, by the contracts of some phases."""
    rule = broken.contract
    # What a target states about the whole kernel says nothing of its operations.
    return rule.phase in phases and not rule.leaves_elements and not rule.id.startswith("target.")
