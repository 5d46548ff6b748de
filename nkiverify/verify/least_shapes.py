"""Concrete runs of a domain's least shape, and of one that differs from it in every dimension, next to what is proved.

The kernel runs as it is, concretely: nothing of the symbolic run is in it but the contracts. What breaks there in
a phase that is SUCCESSFUL is a contradiction, a fault of nkiverify. This can only take a SUCCESSFUL away: a shape that
cannot be run, or takes more than its part of the work, shows nothing, and the record says so. It is about phases 1 to
3: elements, of phase 4, are followed by marks, which take more time to load than a small check takes.

Where the concrete run records its operations, they are compared with the program at that shape, item by item: a proof
is about the kernel only if both are the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from nkiverify.engines.shapes import Shapes, domain_of
from nkiverify.execute.instantiate import CannotInstantiate, claims_at, first_difference, instantiate, recorded_items
from nkiverify.foundation.budget import RunningBudget, SearchingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import InternalError, described
from nkiverify.foundation.source import Site
from nkiverify.frontend.concrete import BrokenContract, ConcreteElements, ConcreteExecution
from nkiverify.frontend.stated import phase_of, rule_of
from nkiverify.frontend.tracebacks import limit_of_machine, our_entry, undocumented
from nkiverify.ir.contract import Severity
from nkiverify.ir.program import Item, Program
from nkiverify.ir.walk import claims
from nkiverify.model.hardware import Hardware
from nkiverify.model.policy import applied_policy
from nkiverify.phases import ARITHMETIC, MEMORY
from nkiverify.phases.witness_replay import replay
from nkiverify.verify.exploration import Exploration

#: Contracts that the concrete runs may look at together, for each claim of the program, and for any program. The cost
#: model: looking at one takes some 15 µs, deciding a claim some 600 µs, and a check of the smallest kernel, in its own
#: process, some 0.2 s; of either a tenth is for them.
_CONTRACTS, _LEAST_CONTRACTS = 4, 1_000


@dataclass(frozen=True, slots=True)
class Contradiction:
    """The claims that a concrete run on `values` breaks of a phase that is proved."""

    phase: int
    what: str
    site: Site | None
    values: Mapping[str, int]
    against: str = "the proof says that it holds"

    def __str__(self) -> str:
        where = f" at {self.site}" if self.site is not None else ""
        return f"{self.what}{where} in a concrete run{_for(self.values)}, and {self.against}"


@dataclass(frozen=True, slots=True)
class Beside:
    """The findings of concrete runs next to a proof: contradictions, and in words the shapes that were run, or why none
    was."""

    reported: str
    contradictions: tuple[Contradiction, ...] = ()


def attached(exploration: Exploration, phases: Collection[int], seconds: float) -> Beside:
    """Run the least shape and a larger one, and compare with `phases`, which are SUCCESSFUL; in about this many
    `seconds`."""
    program = exploration.run.program
    left = _LEAST_CONTRACTS + _CONTRACTS * sum(1 for _ in claims(program))
    ran: list[str] = []
    missed: list[str] = []
    for number, shapes in enumerate(_shapes(exploration)):
        # The least one runs as it is; in the other one the results of arithmetic are examined.
        checked = number > 0 and ARITHMETIC.number in phases
        why: str | None = None
        for values in shapes:
            expected = claims_at(program, values)
            if expected > left:
                why = why or f"{_named(values)} is not run: it has some {expected} claims, too many beside the proof"
                continue
            found, why, looked_at = _compared(exploration, phases, values, checked, (seconds, left))
            left -= looked_at
            if found:
                return Beside(_told([*ran, _named(values)], missed), tuple(found))
            if why is not None:
                break
        if why == "":
            ran.append(_named(values))
        else:
            missed.append(why or "no shape of the domain is found")
    return Beside(_told(ran, missed))


def _shapes(exploration: Exploration) -> Iterator[Iterator[Mapping[str, int]]]:
    """Shapes to try for the least one; then those that differ from it in every dimension that can."""
    program = exploration.run.program
    shapes = Shapes(program.dimensions, domain_of(program, exploration.assumptions))
    if not shapes.dimensions:
        yield iter([{}])
        return
    yield islice(chain(filter(None, [shapes.nearest({})]), shapes.tried()), SearchingBudget.LEAST_SHAPES)
    if any(one.smallest < one.greatest for one in shapes.dimensions):
        yield islice(shapes.larger(), SearchingBudget.LEAST_SHAPES)


def _compared(
    exploration: Exploration,
    phases: Collection[int],
    values: Mapping[str, int],
    checked: bool,
    most: tuple[float, int],
) -> tuple[list[Contradiction], str | None, int]:
    """The claims that a concrete run on `values` breaks of what is proved, why it shows nothing, None where the values
    are not in the domain, and how many contracts it examined, in at `most` this many seconds, and of this many."""
    seconds, contracts = most
    different = ""

    def at_end(run: ConcreteExecution, hardware: Hardware) -> Iterable[BrokenContract]:
        nonlocal different
        # Where elements are known, rounds of device loops are recorded one by one.
        if run.elements.are_those_of(ConcreteElements()):
            different = _difference(exploration.run.program, values, run.recorded)
        return MEMORY.broken_at_end(run, hardware)

    found = replay(
        exploration.target,
        values,
        exploration.hardware,
        checked=checked,
        seconds=seconds,
        contracts=contracts,
        # What breaks an earlier phase may break a later one as well, which is proved of kernels that keep the earlier.
        phases=frozenset(range(1, max(phases) + 1)) if phases else frozenset(),
        at_end=at_end if MEMORY.number in phases else None,
    )
    if found.excluded or found.rejected:
        return [], None, found.looked_at
    broken = [(one.contract, one.site) for one in found.broken]
    if found.raised is not None and not broken and _is_of_kernel(found.raised):
        broken = [(rule_of(found.raised), found.raised_at)]
    policy = applied_policy()
    claimed = [(phase_of(rule), rule, site) for rule, site in broken if policy.severity(rule, site) is Severity.CLAIM]
    earliest = min((phase for phase, *_ in claimed if phase not in phases), default=MEMORY.number + 1)
    against = [
        Contradiction(phase, f"{rule.id} is broken", site, values)
        for phase, rule, site in claimed
        if phase in phases and phase < earliest
    ]
    if different and found.raised is None:
        what = "both executions of a kernel have to record the same"
        against += [Contradiction(phase, different, None, values, what) for phase in phases]
    why = found.unsupported or (f"it ends with {described(found.raised)}" if found.raised is not None else "")
    return against, f"{_named(values)} is not run to its end: {why}" if why else "", found.looked_at


def _difference(program: Program, values: Mapping[str, int], recorded: Sequence[Item]) -> str:
    """The first item that the program at this shape and the concrete execution do not both have; empty if none is
    found."""
    if len(recorded) > RunningBudget.RECORDS_COMPARED:
        return ""
    try:
        return first_difference(
            instantiate(program, values, RunningBudget.RECORDS_COMPARED).items, recorded_items(recorded)
        )
    except CannotInstantiate:
        return ""


def _is_of_kernel(error: Exception | SystemExit) -> bool:
    """True if the kernel raises `error`: neither the model, nor this machine, nor what the model lacks does."""
    ours = isinstance(error, InternalError) or our_entry(error) is not None
    return not ours and limit_of_machine(error) is None and undocumented(error) is None


def _named(values: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items()) or "the launch"


def _for(values: Mapping[str, int]) -> str:
    return f" for {_named(values)}" if values else ""


def _told(ran: list[str], missed: list[str]) -> str:
    said = [f"run concretely: {'; '.join(ran)}"] if ran else []
    return "; ".join([*said, *dict.fromkeys(missed)])
