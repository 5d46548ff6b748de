"""Running a target of one shape on numbers: once on the ranges of its inputs, or on inputs, as often as it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace

import numpy as np

from nkiverify.analysis.ranges.family_numbers import Families
from nkiverify.analysis.ranges.intervals import Intervals
from nkiverify.analysis.ranges.masked import MaskedFamilies, MaskedIntervals, OtherFills, tell_dependence
from nkiverify.analysis.ranges.range_findings import MASKED, ElementFault, RangeFindings
from nkiverify.analysis.ranges.range_run import Fill, RangeLimits, WatchedElements, WatchedFloats
from nkiverify.analysis.ranges.range_walk import FamilyWalk
from nkiverify.analysis.ranges.rounding_errors import Exactly
from nkiverify.analysis.values.number_formats import STORED, Array, finite_range
from nkiverify.execute.runner import Source, start
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import (
    ContractViolation,
    InternalError,
    UnsupportedConstruct,
    UsageError,
    described,
    text_of,
)
from nkiverify.foundation.source import Site
from nkiverify.frontend.target import OutsideDomain, Target, Verification
from nkiverify.frontend.tracebacks import in_simulator, kernel_entries
from nkiverify.ir.program import Program
from nkiverify.model.hardware import Hardware
from nkiverify.model.meaning import Numbers
from nkiverify.model.tensor import Storage
from nkiverify.phases import DATAFLOW, SHAPES
from nkiverify.phases.phase import UnusableRun

#: The magnitude that ranges of floats are cut down to, where the largest one is searched for that is proved.
Cut = float | None
#: The elements of an argument.
Filled = Callable[[Storage], Array]
#: What is to see a run before it begins.
Told = Callable[[WatchedElements], None] | None


@dataclass(frozen=True, slots=True)
class NumericTrial:
    """The course of a run on numbers.

    `unusable` says why it tells nothing about the kernel, `outside` that these are not sizes of the domain; `work`
    counts the elements that were written.
    """

    findings: tuple[ElementFault, ...] = ()
    unfollowed: tuple[tuple[str, Site | None], ...] = ()
    lines: int = 0
    unusable: UnusableRun | None = None
    place: Site | None = None
    outside: bool = False
    work: int = 0
    #: Whether a finite number is filled in for what is masked.
    fills: bool = False
    #: The tensor arguments of floats, with the ranges that are asked for.
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    declared: frozenset[str] = frozenset()


def asked_range(storage: Storage, cut: Cut = None) -> tuple[float, float]:
    """The range of the elements of an argument: as declared, else every finite number of its dtype; those of floats
    within a `cut`, as far as that leaves any. The ends are rounded to the dtype, as inputs are."""
    if storage.content_range is not None:
        return float(int(storage.content_range.low)), float(int(storage.content_range.high))
    least, most = finite_range(storage.dtype)
    low, high = storage.float_range or (least, most)
    if cut is not None and low <= cut and high >= -cut:
        low, high = max(low, -cut), min(high, cut)
    ends = np.clip(np.array([low, high]), least, most)
    rounded = np.clip(ends.astype(STORED[storage.dtype]).astype(np.float64), least, most)
    return float(rounded[0]), float(rounded[1])


def on_ranges(
    target: Target,
    values: Mapping[str, int],
    hardware: Hardware,
    limits: RangeLimits,
    cut: Cut = None,
    reported: Told = None,
    kind: type[Intervals] = Intervals,
) -> NumericTrial:
    """Run `target` once for all inputs of their ranges, on intervals of a kind."""
    findings = RangeFindings()
    numbers = kind(findings)
    asked: dict[str, tuple[float, float]] = {}
    declared: set[str] = set()

    def fill(storage: Storage) -> Array:
        shape = tuple(map(int, storage.shape))
        if storage.elements is not None:
            return numbers.entered(np.asarray(storage.elements), storage.dtype)
        low, high = asked_range(storage, cut)
        if storage.dtype.is_float:
            asked[storage.name] = asked_range(storage)
            if storage.float_range is not None:
                declared.add(storage.name)
        return numbers.arguments(shape, storage.dtype, low, high)

    elements = WatchedElements(numbers, findings, limits.elements)
    return _run(target, values, hardware, limits, elements, fill, reported, asked, declared)


def on_every_shape(program: Program, deadline: float, cut: Cut = None) -> NumericTrial:
    """Walk a shape program for all inputs of their ranges, and all values of its dimensions; where finite numbers are
    filled in for what is masked, then for all such numbers: what is found is that results may depend on these."""
    trial = _on_every_shape(program, deadline, cut, Families)
    if not trial.fills or trial.findings or trial.unfollowed or trial.unusable:
        return trial
    return _masked(_on_every_shape(program, deadline, cut, MaskedFamilies))


def _on_every_shape(program: Program, deadline: float, cut: Cut, kind: type[Families]) -> NumericTrial:
    """Walk a program once; where that leaves something open, again with the first iterations of loops apart."""
    asked: dict[str, tuple[float, float]] = {}
    declared: set[str] = set()

    def ends(storage: Storage) -> tuple[float, float]:
        if storage.dtype.is_float:
            asked[storage.name] = asked_range(storage)
            if storage.float_range is not None:
                declared.add(storage.name)
        return asked_range(storage, cut)

    walk = FamilyWalk(program, ends, deadline, kind=kind)
    found = _walked(walk, asked, declared)
    if not walk.peelable or not found.findings or found.unfollowed or found.unusable:
        return found
    again = _walked(FamilyWalk(program, ends, deadline, peels=True, kind=kind), asked, declared)
    # Where both leave something open the plain one tells it as the kernel has it: for any iteration.
    return found if again.findings or again.unfollowed or again.unusable else again


def _walked(walk: FamilyWalk, asked: Mapping[str, tuple[float, float]], declared: Iterable[str]) -> NumericTrial:
    unusable = None
    try:
        walk.run()
    except UnsupportedConstruct as limit:
        unusable = UnusableRun(limit.construct)
    return NumericTrial(
        findings=tuple(walk.findings.found.values()),
        unfollowed=tuple(walk.unfollowed),
        lines=len(walk.lines),
        unusable=unusable,
        fills=walk.findings.first_fill is not None,
        ranges=asked,
        declared=frozenset(declared),
    )


def on_masked(
    target: Target, values: Mapping[str, int], hardware: Hardware, limits: RangeLimits, cut: Cut = None
) -> NumericTrial:
    """Run `target` once for all inputs, and for all numbers that may be filled in for what is masked: what is found is
    that results may depend on these."""
    return _masked(on_ranges(target, values, hardware, limits, cut, kind=MaskedIntervals))


def _masked(trial: NumericTrial) -> NumericTrial:
    """A run for all numbers that may be filled in, whose findings are all that results may depend on these."""
    return replace(trial, fills=True, findings=tuple(replace(found, contract=MASKED) for found in trial.findings))


def on_inputs(
    target: Target,
    values: Mapping[str, int],
    hardware: Hardware,
    limits: RangeLimits,
    fill: Filled,
    reported: Told = None,
) -> NumericTrial:
    """Run `target` in the simulator, its arguments filled with NumPy arrays."""
    findings = RangeFindings()
    return _simulated(target, values, hardware, limits, fill, WatchedFloats(findings), findings, reported)[0]


def on_exactly(
    target: Target,
    values: Mapping[str, int],
    hardware: Hardware,
    limits: RangeLimits,
    fill: Filled,
    reported: Told = None,
) -> NumericTrial:
    """Run `target` in float64, nothing rounded to the dtypes of floats."""
    return _simulated(target, values, hardware, limits, fill, Exactly(), RangeFindings(), reported)[0]


def on_other_fills(
    target: Target, values: Mapping[str, int], hardware: Hardware, limits: RangeLimits, fill: Filled, again: Filled
) -> NumericTrial:
    """Run `target` in the simulator on some inputs, and `again` with other numbers filled in for what is masked."""
    findings = RangeFindings()
    given = target, values, hardware, limits
    trial, results = _simulated(*given, fill, WatchedFloats(findings), findings)
    if trial.findings or trial.unusable:
        return trial
    other, others = _simulated(*given, again, OtherFills(), RangeFindings())
    if not other.unusable:
        tell_dependence(results, others, findings)
    return replace(trial, findings=tuple(findings.found.values()))


def _simulated(
    target: Target,
    values: Mapping[str, int],
    hardware: Hardware,
    limits: RangeLimits,
    fill: Filled,
    numbers: Numbers,
    findings: RangeFindings,
    reported: Told = None,
) -> tuple[NumericTrial, list[Array]]:
    """A run in the simulator, and what the kernel returned."""
    elements = WatchedElements(numbers, findings, limits.elements)
    elements.random, elements.results = np.random.default_rng(0), []
    return _run(target, values, hardware, limits, elements, entering(numbers, fill), reported), elements.results


def entering(numbers: Numbers, fill: Filled) -> Fill:
    """The contents of arguments: elements that they are given with, else as `fill` says, rounded to their dtype."""

    def entered(storage: Storage) -> Array:
        if storage.elements is not None:
            return numbers.entered(np.asarray(storage.elements), storage.dtype)
        return numbers.entered(fill(storage).astype(STORED[storage.dtype]), storage.dtype)

    return entered


def _run(
    target: Target,
    values: Mapping[str, int],
    hardware: Hardware,
    limits: RangeLimits,
    elements: WatchedElements,
    fill: Fill,
    reported: Told,
    asked: Mapping[str, tuple[float, float]] | None = None,
    declared: Iterable[str] = (),
) -> NumericTrial:
    elements.fill = fill
    if reported is not None:
        reported(elements)
    run = elements.execution(hardware, seconds=limits.seconds)
    unusable: UnusableRun | None = None
    place: Site | None = None
    try:
        start(Source(target.kernel, target.root), values, run, target.function, Verification)
    except OutsideDomain:
        return NumericTrial(outside=True)
    except ContractViolation as violation:
        unusable, place = UnusableRun(f"the kernel breaks {violation.contract}", SHAPES.number), violation.site
    except UnsupportedConstruct as limit:
        unusable, place = UnusableRun(limit.construct), limit.site
    except UsageError:
        raise
    except MemoryError as error:
        # That is no fault of the kernel.
        unusable = UnusableRun(f"a run on numbers at these shapes: {text_of(error)}")
    except (Exception, SystemExit) as error:
        if in_simulator(error) or not kernel_entries(error):
            raise
        unusable = UnusableRun(f"the kernel raises {described(error)}", SHAPES.number)
    # Functions beyond their documented range have values all the same.
    unwritten = [found for found in elements.undefined if not found.shown]
    if unusable is None and unwritten:
        unusable, place = UnusableRun(f"{unwritten[0]}", DATAFLOW.number), unwritten[0].site
    if unusable is None and elements.findings.lost and not elements.findings.found and not elements.unfollowed:
        raise InternalError("the range of a number is lost, and nothing says why")
    return NumericTrial(
        findings=tuple(elements.findings.found.values()),
        unfollowed=tuple(elements.unfollowed),
        lines=len(elements.lines),
        unusable=unusable,
        place=place,
        work=elements.work,
        fills=elements.findings.first_fill is not None,
        ranges=dict(asked or {}),
        declared=frozenset(declared),
    )
