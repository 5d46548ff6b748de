"""One concrete run with the shadow memory: whether this choice of dimensions shows a fault, and what is seen there."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from typing import TYPE_CHECKING

from nkiverify.analysis.marks.mark_findings import Fault, Findings
from nkiverify.analysis.marks.order import Recorded
from nkiverify.analysis.marks.shadow import execute, first_reaching
from nkiverify.analysis.marks.storage_cells import Layouts
from nkiverify.analysis.values.known_run import KnownElements
from nkiverify.foundation.budget import RunningBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Coverage
from nkiverify.foundation.source import Site, kernel_site
from nkiverify.frontend.concrete import TOO_LONG, BrokenContract, ConcreteExecution, Observer
from nkiverify.frontend.observe import BreakObserver, Key, Observation, key_of, loops_from
from nkiverify.frontend.target import Target
from nkiverify.ir.contract import Severity
from nkiverify.model.contracts import contract
from nkiverify.model.hardware import Hardware
from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Executed
from nkiverify.model.tensor import Storage
from nkiverify.phases.dataflow.played import BESIDE, play_in, unusable
from nkiverify.phases.dataflow.rearranged import handed_on
from nkiverify.phases.phase import UnusableRun
from nkiverify.phases.witness_replay import Replay

#: The phase whose contracts are broken where a run shows again what an earlier one has found.
_FAULTS = frozenset({4})
#: More than any run takes.
ANY_WORK = 1 << 62


if TYPE_CHECKING:
    from nkiverify.analysis.marks.device_rounds import Tried


class KnownFaults(Observer):
    """Faults that an earlier run has shown, by the position of the recorded item: broken where a run comes there."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._faults = by_position(faults)
        #: The places of those that the run has come to.
        self.met: dict[int, Site | None] = {}

    def operation(self, run: ConcreteExecution) -> None:
        """The operation may be at fault."""
        fault = self._faults.get(len(run.recorded) - 1)
        if fault is not None:
            self._meet(run, fault, kernel_site(2))

    def returned(self, run: ConcreteExecution) -> None:
        """Note that what is returned may be at fault."""
        fault = self._faults.get(len(run.recorded) - 1)
        if fault is not None:
            self._meet(run, fault, fault.site)

    def _meet(self, run: ConcreteExecution, fault: Fault, site: Site | None) -> None:
        self.met[fault.position] = site
        run.violated(contract(fault.contract), site, dict(fault.quantities))


class Work(Observer):
    """Counts `done`: the elements of operands and of the tensors they are in. Ends a run, `large`, beyond `allowed`."""

    def __init__(self, allowed: float) -> None:
        self.done = 0
        self.large = False
        self._allowed = allowed
        self._storages: set[Storage] = set()

    def operation(self, run: ConcreteExecution) -> None:
        """Count an operation's work."""
        executed = run.recorded[-1]
        assert isinstance(executed, Executed)
        self._count(executed.operation)
        if self.done > self._allowed:
            self.large = True
            raise run.unsupported(TOO_LONG)

    def catches_up(self, run: ConcreteExecution) -> bool:
        """Count the work of what was recorded; beyond what is allowed, the run does not come to its end."""
        for item in run.recorded:
            if isinstance(item, Executed):
                self._count(item.operation)
        return run.records and self.done <= self._allowed

    def _count(self, operation: Operation) -> None:
        self.done += RunningBudget.OPERATION
        for view in operation.views:
            self.done += prod(int(extent) for extent in view.shape)
            if view.storage not in self._storages:
                self._storages.add(view.storage)
                self.done += int(view.storage.size)


def shadowed(
    hardware: Hardware,
    seconds: float,
    work: float,
    phases: frozenset[int] = frozenset(),
    contracts: float = float("inf"),
    observers: Sequence[Observer] = (),
) -> ConcreteExecution:
    """A concrete execution whose operations are recorded for the shadow memory. It ends after so much `work`, or where
    it has checked this many `contracts`; those of `phases` are checked as well."""
    return ConcreteExecution(
        hardware,
        False,
        seconds,
        phases=phases,
        records=True,
        contracts=contracts,
        observers=(Work(work), *observers),
        elements=KnownElements(),
    )


class _Iterations(Observer):
    """The iteration of the loops around each operation, by its position."""

    def __init__(self) -> None:
        self.loops_at: dict[int, str] = {}

    def operation(self, run: ConcreteExecution) -> None:
        """Keep the iteration that the operation is in."""
        loops = loops_from(sys._getframe(1))
        self.loops_at[len(run.recorded) - 1] = ", ".join(loop.value for loop in loops)

    def catches_up(self, run: ConcreteExecution) -> bool:
        """Take what another observer of this kind has kept."""
        other = next((one for one in run.observers if isinstance(one, _Iterations)), None)
        self.loops_at = {} if other is None else other.loops_at
        return other is not None


def stores(
    target: Target,
    values: Mapping[str, int],
    hardware: Hardware,
    seconds: float,
    recorded: Sequence[Recorded] = (),
) -> tuple[Coverage, ...]:
    """The stores to each element of what a run on `values` returns, with the iterations they are in; without these, as
    they are `recorded`, where the run is too large to be repeated for that. Empty where neither shows anything."""
    from nkiverify.analysis.marks.writers import coverage

    def make() -> ConcreteExecution:
        return shadowed(hardware, seconds, RunningBudget.WORK_OF_A_REPORT, _FAULTS, observers=(_Iterations(),))

    played, run = play_in(target, values, make)
    if not played.recorded:
        return coverage(recorded, values)
    return coverage(played.recorded, values, run.observer(_Iterations).loops_at)


def by_position(faults: Sequence[Fault]) -> dict[int, Fault]:
    """The first fault of each recorded item."""
    return {fault.position: fault for fault in reversed(faults)}


@dataclass(frozen=True, slots=True)
class Seen:
    """A fault of a concrete run, seen again in a second one."""

    fault: Fault
    site: Site | None
    observation: Observation | None


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one choice of dimensions, after so much work.

    `unusable` says why it shows nothing; `large`: that is because it is too much work; `outside`: it is not in the
    domain.
    """

    values: dict[str, int]
    findings: Findings
    unusable: UnusableRun | None = None
    outside: bool = False
    recorded: Sequence[Recorded] = ()
    large: bool = False
    work: int = 0
    #: Faults that the verdict does not depend on; they are not among the findings.
    tolerated: tuple[Fault, ...] = ()
    #: What walks over the record share.
    layouts: Layouts | None = None


def attempt(
    target: Target,
    values: Mapping[str, int],
    hardware: Hardware,
    seconds: float,
    work: int = RunningBudget.WORK_OF_A_SHAPE,
    *,
    orders: bool = True,
) -> Trial:
    """Run `target` with its dimensions set to `values`, and its operations on the shadow memory.

    `seconds` and `work` (elements of operands) are how much that may take. With `orders`, it is run in other ones, too.
    """
    played, run = play_in(target, values, partial(shadowed, hardware, seconds, work, BESIDE))
    counted = run.observer(Work)
    if played.outside:
        return Trial(dict(values), Findings(), outside=True)
    if counted.large:
        return Trial(dict(values), Findings(), UnusableRun(TOO_LONG), large=True, work=counted.done)
    if played.unusable is not None:
        return Trial(dict(values), Findings(), played.unusable, work=counted.done)
    trial = executed(run, dict(values), played.recorded, counted.done)
    return _with_other_orders(trial, target, run, seconds) if orders else trial


def _with_other_orders(trial: Trial, target: Target, run: ConcreteExecution, seconds: float) -> Trial:
    """The trial, with a doubt where iterations hand something on that its marks do not see."""
    findings = trial.findings
    decided = findings.faults or findings.doubts
    why = "" if decided else handed_on(target, trial.values, run.hardware, seconds, run)
    findings.doubts += [why] if why else []
    return trial


def executed(
    run: ConcreteExecution,
    values: dict[str, int],
    recorded: Sequence[Recorded],
    work: int,
    seconds: float = float("inf"),
) -> Trial:
    """The findings of the operations of a run on the shadow memory, for this many seconds."""

    def accepted(fault: Fault) -> bool:
        site = fault.site or getattr(recorded[fault.position], "site", None)
        return run.policy.severity(contract(fault.contract), site) is not Severity.CLAIM

    generation = run.hardware.generation
    layouts = Layouts(recorded)
    findings = execute(recorded, generation, seconds=seconds, layouts=layouts)
    for one in _rounds_tried(recorded) if findings.doubts and not findings.shows_fault else ():
        seen = execute(one.recorded, generation, seconds=seconds)
        if one.from_data:
            # How much of an output is written depends on the data: that a kernel knows from who calls it.
            seen.faults[:] = [fault for fault in seen.faults if fault.contract != "df.output_written"]
        if seen.shows_fault:
            more = (("rounds", one.rounds),)
            seen.faults[:] = [replace(fault, quantities=(*fault.quantities, *more)) for fault in seen.faults]
            recorded, findings, layouts = one.recorded, seen, Layouts(one.recorded)
            break
    tolerated = tuple(filter(accepted, findings.faults))
    if tolerated:
        # What comes from an accepted read hides what comes from a later one to the same element.
        findings = execute(recorded, generation, seconds=seconds, accepted=accepted, layouts=layouts)
        findings.faults[:] = [one for one in findings.faults if not accepted(one)]
    return Trial(values, findings, recorded=recorded, work=work, tolerated=tolerated, layouts=layouts)


def _rounds_tried(recorded: Sequence[Recorded]) -> Iterator[Tried]:
    """The record with the rounds that its device loops may have, where there are any."""
    if any(isinstance(item, Executed) and item.operation.body is not None for item in recorded):
        from nkiverify.analysis.marks.device_rounds import tried  # as late as this: few records have one

        yield from tried(recorded)


def trial_of(target: Target, run: ConcreteExecution, seconds: float) -> Trial:
    """The result of a run of a concrete launch, its operations executed on the shadow memory for this many seconds."""
    if run.unsupported_construct is not None:
        return Trial({}, Findings(), UnusableRun(run.unsupported_construct.construct))
    if run.raised is not None:
        return Trial({}, Findings(), UnusableRun(f"the kernel raises {type(run.raised).__name__}: {run.raised}"))
    broken = unusable(run, run.phases)
    if broken is not None:
        return Trial({}, Findings(), broken)
    trial = executed(run, {}, run.recorded, ANY_WORK, seconds)
    return _with_other_orders(trial, target, run, seconds)


def look(target: Target, trial: Trial, hardware: Hardware, seconds: float) -> list[Seen]:
    """The faults of a trial, with what a second run sees when they happen; one for each line and contract.

    It is about the first iteration, and there the first element, that are at fault.
    """
    faults = _earliest(trial, hardware)

    def make() -> ConcreteExecution:
        # Where they are reported as well (`stores`), the iterations are kept here.
        iterations = (_Iterations(),) if trial.work <= RunningBudget.WORK_OF_A_REPORT else ()
        observers = (BreakObserver(), KnownFaults(faults), *iterations)
        return shadowed(hardware, seconds, trial.work, _FAULTS, observers=observers)

    _, run = play_in(target, trial.values, make)
    met, observations = run.observer(KnownFaults).met, run.observer(BreakObserver).observations
    found: dict[Key, Seen] = {}
    for fault in sorted(faults, key=lambda fault: fault.position):
        if fault.position in met:
            site = met[fault.position]
            key = key_of(fault.contract, site)
            found.setdefault(key, Seen(fault, site, observations.get(key)))
    return list(found.values())


def confirmed(target: Target, values: Mapping[str, int], hardware: Hardware, seconds: float) -> Replay:
    """The contract that a run on `values` breaks, as a replay tells it."""
    trial = attempt(target, values, hardware, seconds)
    if trial.outside:
        return Replay((), excluded="outside the domain")
    doubt = next(iter(trial.findings.doubts), str(trial.unusable or ""))
    seen = look(target, trial, hardware, seconds) if trial.findings.faults else []
    broken = tuple(
        BrokenContract(contract(one.fault.contract), one.site, (("tensor", one.fault.tensor), *one.fault.quantities))
        for one in seen
    )
    observations = {key_of(one.fault.contract, one.site): one.observation for one in seen if one.observation}
    return Replay(broken, unsupported=doubt, observations=observations)


def _earliest(trial: Trial, hardware: Hardware) -> list[Fault]:
    """The faults; of reads that break one contract at one line, the first element that reaches an output."""
    reads: dict[Key, list[int]] = {}
    origins = {(one.contract, one.position) for one in trial.findings.origins}
    for origin in trial.findings.origins:
        item = trial.recorded[origin.position]
        reads.setdefault(key_of(origin.contract, getattr(item, "site", None)), []).append(origin.position)
    found: list[Fault] = []
    done: set[Key] = set()
    for fault in trial.findings.faults:
        key = key_of(fault.contract, getattr(trial.recorded[fault.position], "site", None))
        if (fault.contract, fault.position) not in origins:
            found.append(fault)
        elif key not in done:
            done.add(key)
            first = first_reaching(trial.recorded, hardware.generation, reads[key], trial.layouts)
            found.append(first or fault)
    return found
