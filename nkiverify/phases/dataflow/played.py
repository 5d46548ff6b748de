"""Concrete runs of a target whose record is looked at, and why nothing follows from some of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from nkiverify.analysis.marks.order import Recorded
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct, described
from nkiverify.frontend.binding import ConcreteBinding
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import load_kernel
from nkiverify.frontend.paths import FloatsMatter
from nkiverify.frontend.target import OutsideDomain, Target, Verification
from nkiverify.frontend.traced_loops import LEFT
from nkiverify.symbolic.execution import running

RunT = TypeVar("RunT", bound=ConcreteExecution)


@dataclass(frozen=True, slots=True)
class Played:
    """The record of a concrete run. `unusable` says why it shows nothing; `outside`: the values are not in the domain.

    `raised` is the exception that ended it, or the assert of the kernel that excludes the values.
    """

    recorded: Sequence[Recorded]
    unusable: str = ""
    outside: bool = False
    raised: Exception | SystemExit | None = None


def play_in(target: Target, values: Mapping[str, int], run: Callable[[], RunT]) -> tuple[Played, RunT]:
    """Let the `run` that is made execute `target`, with numbers of floats only where something asks for them; the
    record, and the run that made it."""
    made = run()
    made.model.follows_floats = False
    played = play(target, values, made)
    if made.lacks_floats:
        made = run()
        played = play(target, values, made)
    return played, made


def play(target: Target, values: Mapping[str, int], run: ConcreteExecution) -> Played:
    """Let `run` execute `target` with its dimensions set to `values`."""
    kernel, space = load_kernel(target.kernel, target.root, Rewriting.NONE)
    binding = ConcreteBinding(values)
    try:
        with space.active(), running(run):
            target.function(Verification(binding, kernel))
    except OutsideDomain:
        return Played((), outside=True)
    except FloatsMatter:
        return Played((), "numbers of floats are asked for")
    except UnsupportedConstruct as limit:
        return Played((), limit.construct)
    except (Exception, SystemExit) as error:
        if binding.excludes(error):
            return Played((), outside=True, raised=error)
        return Played((), f"the kernel raises {described(error)}", raised=error)
    if binding.used.keys() - values.keys():
        # It has one of its values only, of which nothing follows for the others.
        return Played((), "a dimension that the symbolic run did not come to")
    return Played(run.recorded, unusable(run))


def unusable(run: ConcreteExecution) -> str:
    """Why nothing follows from the operations of a run that has come to its end."""
    if run.bodies.open:
        return LEFT
    # What a target states about the whole kernel says nothing of its operations.
    broken = [one.contract for one in run.broken if not one.contract.id.startswith("target.")]
    return f"{broken[0].id} is broken (phase {broken[0].phase})" if broken else ""
