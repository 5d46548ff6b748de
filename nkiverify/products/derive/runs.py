"""Concrete runs of single shapes in all phases: whether the kernel is right there, rejects it, or accepts it and
fails."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence, Set
from dataclasses import field, replace
from typing import TYPE_CHECKING

from nkiverify.analysis.marks.mark_findings import Fault
from nkiverify.analysis.marks.order import Recorded
from nkiverify.engines.embedded import Decision, Outcome
from nkiverify.foundation.budget import DerivingBudget
from nkiverify.foundation.clock import now
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import described
from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.records import Violation
from nkiverify.foundation.source import Site, is_raised_by_kernel
from nkiverify.frontend.concrete import BrokenContract, ConcreteExecution, Observer, innermost_kernel_site
from nkiverify.frontend.observe import BreakObserver, Observation, key_of, observed_in
from nkiverify.frontend.stated import rule_of
from nkiverify.frontend.target import Target
from nkiverify.ir.contract import Contract
from nkiverify.ir.program import Claim, Program
from nkiverify.model.contracts import contract
from nkiverify.model.hardware import Hardware
from nkiverify.model.recorded import Executed
from nkiverify.phases import PHASES
from nkiverify.symbolic.prover import Rung

if TYPE_CHECKING:
    from nkiverify.phases.dataflow.played import Played


class ShapeOutcome(enum.Enum):
    """How a kernel takes a shape."""

    PASSES = "passes"
    #: Its own assert, or `raise`, refuses it.
    REJECTED = "rejected"
    FAILS = "fails"
    #: Not in the domain that was asked about.
    OUTSIDE = "outside"
    #: A run that shows nothing: too long, or not understood.
    UNTOLD = "untold"


@dataclass(frozen=True, slots=True)
class UnreadPart:
    """A part of an input that a run does not read: `lhsT[128:, :]`, or nothing of it, without `elements`; `site` is the
    last operation that reads some."""

    name: str
    elements: str
    site: Site | None


@dataclass(frozen=True, slots=True)
class ConcreteResult:
    """The result of a concrete run on `values`. Of a failure the first contract that breaks, its place, and what was
    seen."""

    values: dict[str, int]
    kind: ShapeOutcome
    rule: Contract | None = None
    site: Site | None = None
    quantities: tuple[tuple[str, object], ...] = ()
    observation: Observation | None = None
    #: Why it is untold, or what the kernel raised.
    text: str = ""
    #: Where the tensor is allocated that it is about.
    made: Site | None = None
    #: The failure, where a verdict has it.
    reported: Violation | None = None
    #: How far the kernel came: twice the lines that did something, and one more where it fails at one.
    reached: int = 0
    #: How many claims are refuted at the line where it fails.
    broken: int = 0
    #: The steps that the run took: contracts that were examined, and what takes as long.
    steps: int = 0
    unread: tuple[UnreadPart, ...] = ()
    #: Inputs that are read at all, and wholly.
    whole: frozenset[str] = field(default_factory=frozenset)
    #: It passes, and no input is read.
    reads_nothing: bool = False

    @property
    def key(self) -> tuple[str, str, int]:
        """The contract and its line."""
        return key_of(self.rule.id if self.rule is not None else "", self.site)

    def dropped(self, whole: Set[str]) -> list[UnreadPart]:
        """The parts of inputs that it leaves out, of those that are read wholly at other sizes: all of them where it
        reads none. One of several that is not read at all may be meant for other sizes."""
        if self.reads_nothing:
            return [UnreadPart(name, "", None) for name in sorted(whole)]
        return [part for part in self.unread if part.name in whole]


class _FirstBroken(Observer):
    """The number of items that had been recorded when the first contract was broken that the verdict depends on."""

    def __init__(self) -> None:
        self.at: int | None = None

    def broken(self, run: ConcreteExecution, found: BrokenContract) -> None:
        """Keep it."""
        if self.at is None and run.broken and run.broken[-1] is found and not found.contract.id.startswith("target."):
            self.at = len(run.recorded)

    def catches_up(self, run: ConcreteExecution) -> bool:
        """Take what another observer of this kind has kept."""
        other = next((one for one in run.observers if isinstance(one, _FirstBroken)), None)
        self.at = None if other is None else other.at
        return other is not None


def shown(
    target: Target,
    values: Mapping[str, int],
    hardware: Hardware,
    seconds: float,
    work: int = DerivingBudget.WORK_OF_A_SHAPE,
    steps: float = float("inf"),
    stop_at_first: bool = False,
) -> ConcreteResult:
    """Run `target` with its dimensions set to `values`, in at most this many `seconds`, with so much `work`, and in
    about this many `steps`; with `stop_at_first` to the first contract that breaks, where only how it ends is
    wanted."""
    from nkiverify.phases.dataflow.played import BESIDE, play_in
    from nkiverify.phases.dataflow.trial import Work, shadowed

    end = now() + seconds
    most = min(work, steps * DerivingBudget.ELEMENTS_OF_A_STEP)

    def make() -> ConcreteExecution:
        run = shadowed(hardware, seconds, most, BESIDE, steps, observers=(BreakObserver(), _FirstBroken()))
        run.stop_at_first = stop_at_first
        return run

    played, run = play_in(target, values, make)
    found = _shown(played, values, run, end)
    first = run.observer(_FirstBroken).at
    sites = (one.site for one in run.recorded[:first] if isinstance(one, Executed))
    lines = {(site.file, site.line) for site in sites if site is not None}
    at_a_line = first is not None or found.text
    taken = (
        DerivingBudget.STEPS_OF_AN_EMPTY_RUN
        + run.looked_at
        + round(run.observer(Work).done / DerivingBudget.ELEMENTS_OF_A_STEP)
    )
    return replace(found, reached=2 * len(lines) + (1 if at_a_line else 0), steps=taken)


def _shown(played: Played, values: Mapping[str, int], run: ConcreteExecution, end: float) -> ConcreteResult:
    from nkiverify.phases.dataflow.trial import executed
    from nkiverify.phases.dataflow.unread import as_slices, reads_of

    found = ConcreteResult(dict(values), ShapeOutcome.PASSES)
    if played.outside and played.raised is not None:
        return _rejected(found, played.raised)
    if played.outside:
        return replace(found, kind=ShapeOutcome.OUTSIDE)
    broken = [one for one in run.broken if not one.contract.id.startswith("target.")]
    if broken:
        first = broken[0]
        seen = run.observer(BreakObserver).observations.get(key_of(first.contract.id, first.site))
        there = [one for one in broken if key_of("", one.site) == key_of("", first.site)]
        found = replace(found, broken=len(there))
        return _failed(found, first.contract, first.site, first.quantities, seen)
    if played.raised is not None:
        site, rule = innermost_kernel_site(played.raised), rule_of(played.raised)
        text = described(played.raised)
        if rule.id == "kernel.assert" or is_raised_by_kernel(played.raised):
            return _rejected(found, played.raised)
        quantities = (("raised", text),)
        return replace(_failed(found, rule, site, quantities, observed_in(played.raised)), text=text)
    if played.unusable:
        return replace(found, kind=ShapeOutcome.UNTOLD, text=str(played.unusable))
    for one in PHASES[3].broken_at_end(run, run.hardware):
        return _failed(found, one.contract, one.site, one.quantities, None)
    # Without what the user accepts, as in the verdicts.
    findings = executed(run, found.values, played.recorded, 0, max(0.0, end - now())).findings
    if findings.faults:
        return _fault(found, findings.faults, played.recorded)
    if findings.doubts:
        return replace(found, kind=ShapeOutcome.UNTOLD, text=findings.doubts[0])
    reads = reads_of(played.recorded)
    unread = tuple(
        UnreadPart(name, as_slices(~one.there), getattr(played.recorded[one.position], "site", None))
        for name, one in reads.items()
        if not one.there.all()
    )
    whole = frozenset(name for name, one in reads.items() if bool(np.asarray(one.there).all()))
    return replace(found, unread=unread, whole=whole, reads_nothing=not reads)


def _rejected(found: ConcreteResult, error: Exception | SystemExit) -> ConcreteResult:
    text = described(error).removesuffix(": ")
    return replace(found, kind=ShapeOutcome.REJECTED, rule=rule_of(error), site=innermost_kernel_site(error), text=text)


def _failed(
    found: ConcreteResult,
    rule: Contract,
    site: Site | None,
    quantities: tuple[tuple[str, object], ...],
    seen: Observation | None,
) -> ConcreteResult:
    return replace(found, kind=ShapeOutcome.FAILS, rule=rule, site=site, quantities=quantities, observation=seen)


def _fault(found: ConcreteResult, faults: Sequence[Fault], recorded: Sequence[Recorded]) -> ConcreteResult:
    """The first fault of the shadow memory, with the line that is to blame."""
    fault = min(faults, key=lambda one: one.position)
    site = fault.site or getattr(recorded[fault.position], "site", None)
    failed = _failed(found, contract(fault.contract), site, (("tensor", fault.tensor), *fault.quantities), None)
    return replace(failed, made=fault.made)


def told_by(one: Violation) -> ConcreteResult:
    """The shape at which a verdict has a failure that was replayed."""
    site = Site(one.file, one.line) if one.file else None
    return ConcreteResult(dict(one.values), ShapeOutcome.FAILS, contract(one.contract), site, reported=one)


def violation(found: ConcreteResult, program: Program) -> Violation:
    """The record of a failure."""
    from nkiverify.engines.minimise import Witness
    from nkiverify.verify.witness.witness_explanation import Circumstances, violation_of

    if found.reported is not None:
        return found.reported
    assert found.rule is not None
    claim = Claim(0, found.rule, False, found.rule.phase, found.site, "", found.quantities)
    decision = Decision(claim, Outcome.REFUTED, Rung.CONSTANT, ())
    witness = Witness(dict(found.values), {}, smallest=False)
    return violation_of(
        decision, witness, program, Circumstances(replayed=True, observation=found.observation, made=found.made)
    )
