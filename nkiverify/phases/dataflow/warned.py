"""Warnings: dead stores, and other work that reaches no output. They break no contract and change no verdict.

- `df.unused`: nothing that reaches an output uses what a line writes, in no iteration and for no shape. Where such
  lines feed one another, the last one is named and the others next to it.
- `df.overwritten`: all that a line writes is overwritten before anything reads it: always, or, where an iteration of a
  loop overwrites all that the same line wrote in an earlier one, in that iteration.
- `df.programs_same`: every program of a launch stores the same values to the same elements, as where a kernel that does
  not shard is launched on two cores.
- `df.programs_differ`: the programs of a launch on several cores do not execute the same lines in the same order.
- `df.sum_rounded`: several matmuls add to one sum in a PSUM tile of 16-bit floats.
- `df.input_unread`: a range of an input is never read, or a part of it that larger sizes read.
- `df.unwritten_unused`: a line reads an unwritten element that reaches no output.

An operation is a dead store as a whole or not at all: filling a tile that is then loaded in part is no waste as long as
something uses an element that the filling left there. Concrete runs of a small and of a larger shape of the domain find
dead stores; the shadow memory confirms it, following the results of these operations as if they were undefined; the
walk over the shape program does the same for all shapes, and the warning says for which ones it holds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice, zip_longest

from nkiverify.analysis.effects import rounded_sum, rounds_sums, runs_on_cores
from nkiverify.analysis.marks.mark_findings import Findings
from nkiverify.analysis.marks.order import Recorded
from nkiverify.analysis.marks.shadow import execute
from nkiverify.analysis.marks.storage_cells import Layouts
from nkiverify.analysis.masks import touched
from nkiverify.analysis.sets.flow import Inconclusive, prove
from nkiverify.analysis.sets.unread_inputs import written_inputs
from nkiverify.analysis.side_effects import Source, source_of
from nkiverify.analysis.uniform import stored_alike
from nkiverify.foundation.budget import RunningBudget, WarningBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.records import KernelWarning
from nkiverify.foundation.source import Site
from nkiverify.frontend.concrete import BrokenContract, ConcreteExecution, Observer
from nkiverify.frontend.observe import Observation, seen_from
from nkiverify.frontend.stated import executes_more
from nkiverify.frontend.target import Target
from nkiverify.ir.program import DomainDimension, Program
from nkiverify.ir.walk import items
from nkiverify.model.current_execution import SHAPE_PHASES
from nkiverify.model.hardware import Hardware
from nkiverify.model.recorded import Allocation, Executed
from nkiverify.phases.dataflow.played import BESIDE, makes_unusable, play_in
from nkiverify.phases.dataflow.shape_run import Shape
from nkiverify.phases.dataflow.trial import Trial
from nkiverify.phases.dataflow.unread import unread_ranges, unread_tails
from nkiverify.phases.memory.occupancy import name_of
from nkiverify.phases.phase import RULES

_ALL_SHAPES = "for all shapes"
_THESE_SHAPES = "for these shapes"


@dataclass(frozen=True, slots=True)
class Subject:
    """The kernel that is examined. `proved`: the walk has shown all claims for all shapes; `seconds` bound another
    walk.

    `at_fault`: a run has shown a fault, and what is said is said of that shape.
    """

    target: Target
    program: Program
    hardware: Hardware
    seconds: float
    proved: bool
    at_fault: bool = False
    #: The dimensions, as far as what is assumed narrows them down.
    dimensions: tuple[DomainDimension, ...] = ()
    #: A run that has been made: its shape is not run again.
    made: Trial | None = None
    #: Whether it is known without any run that there are no dead stores, and that programs of a launch store nothing
    #: the same.
    none_dead: bool = False


@dataclass(frozen=True, slots=True)
class _Draft:
    """A warning about the operation at `position` of a concrete run, without what a second run sees there."""

    rule: str
    values: dict[str, int]
    position: int
    message: str
    operand: str
    element: tuple[int, ...]
    holds: str
    also: tuple[Site, ...] = ()
    source: Source | None = None


def warnings(
    subject: Subject,
    small: Iterable[dict[str, int]],
    larger: Iterable[dict[str, int]],
    unwritten: Trial | bool,
    inputs: Iterable[dict[str, int]] = (),
) -> tuple[KernelWarning, ...]:
    """The warnings about a kernel, in the order of its lines.

    `small` and `larger` are values to try, inside the domain or not: of the small ones the first that can be run,
    and all of the larger ones, are run. `unwritten` is a run that has read unwritten elements; True if one may. At
    `inputs` a part of an input may never be read.
    """
    recorded = list(items(subject.program.body)) if subject.made is None else subject.made.recorded
    on_cores, rounds = runs_on_cores(recorded), rounds_sums(recorded)
    if subject.none_dead and unwritten is False and not on_cores and not rounds:
        # Nothing is left that a run could show.
        return _in_order(_seen(subject, list(_unread(subject, inputs))))
    others = _runnable(subject, small, RunningBudget.OPERATIONS_RECORDED)
    smallest = list(islice(others, 1))
    shapes = [*smallest, *_runnable(subject, larger, WarningBudget.OPERATIONS_OF_A_LARGER_SHAPE)]
    drafts = [] if subject.none_dead else _dead_stores(subject, shapes) + _stored_alike(subject, shapes)
    if on_cores:
        drafts += _on_other_ways(subject, shapes)
    if rounds:
        drafts += _rounded_sums(subject, shapes)
    found: list[_Draft] = []
    if isinstance(unwritten, Trial):
        found = list(_unwritten(unwritten.values, unwritten.recorded, unwritten.findings))
    elif unwritten:
        tried = chain(smallest, islice(others, WarningBudget.SHAPES), shapes[1:])
        found = next(filter(None, (_unwritten_in(subject, shape) for shape in tried)), [])
    drafts += _in_larger_ones_too(subject, found, shapes[len(smallest) :])
    if not subject.at_fault:
        drafts += _unread(subject, inputs)
    return _in_order(_seen(subject, drafts))


def _in_order(found: Iterable[KernelWarning]) -> tuple[KernelWarning, ...]:
    return tuple(sorted(found, key=lambda one: (one.file, one.line, one.rule)))


def _runnable(subject: Subject, candidates: Iterable[dict[str, int]], most: int) -> Iterator[Shape]:
    """The runs on those of the `candidates` that are in the domain, can be followed and execute `most` at most."""
    attempts, made = WarningBudget.SHAPES_LEFT_OUT, subject.made
    for values in candidates:
        known = made is not None and made.values == values
        if made is not None and known and 0 < len(made.recorded) <= most:
            yield Shape(values, made.recorded, made.layouts or Layouts(made.recorded))
            continue
        if made is None or not known or not executes_more(made.recorded, most):
            played, _ = play_in(subject.target, values, partial(_run, subject.hardware, most))
            if played.outside:
                continue
            if not played.unusable:
                yield Shape(values, played.recorded, Layouts(played.recorded))
                continue
        attempts -= 1
        if not attempts:
            return


# --- dead stores ------------------------------------------------------------------------------------------------------


def _dead_stores(subject: Subject, shapes: Sequence[Shape]) -> list[_Draft]:
    never: dict[Source, Shape] = {}
    for shape in shapes:
        for source in shape.sources:
            if source not in never and all(other.never_used(source) for other in shapes):
                never[source] = shape
    again: dict[Source, tuple[Shape, int]] = {}
    for shape in shapes:
        for source in shape.sources.keys() - never.keys() - again.keys():
            position = shape.overwrites_itself(source)
            if position is not None and all(
                other.overwrites_itself(source) is not None
                for other in shapes
                if len(other.sources.get(source, ())) > 1
            ):
                again[source] = (shape, position)
    for shape in shapes:
        asked = {at for source, where in never.items() if where is shape for at in shape.sources[source]}
        asked |= {at for where, at in again.values() if where is shape}
        kept = _confirmed(shape, asked, subject.hardware)
        never = {
            source: where
            for source, where in never.items()
            if where is not shape or kept.issuperset(shape.sources[source])
        }
        again = {source: (where, at) for source, (where, at) in again.items() if where is not shape or at in kept}
    drafts = list(_never_used(subject, never))
    for shape, position in again.values():
        message = "the same line overwrites it, before anything reads it"
        drafts.append(_draft("df.overwritten", shape, position, message, _THESE_SHAPES))
    return drafts


def _confirmed(shape: Shape, positions: set[int], hardware: Hardware) -> set[int]:
    """Those of the operations whose results reach nothing that counts: the shadow memory follows them."""
    while positions:
        findings = execute(shape.recorded, hardware.generation, positions, layouts=shape.layouts)
        if findings.doubts:
            return set()
        if not findings.used:
            break
        positions = positions - findings.used
    return positions


def _holds(subject: Subject, sources: frozenset[Source]) -> bool:
    """True if it is known that what these places write is used for no shape of the domain."""
    if not subject.program.dimensions:
        return True
    if not subject.proved:
        return False
    try:
        generation = subject.hardware.generation
        return not prove(subject.program, generation, subject.seconds, None, sources).open
    except Inconclusive:
        return False


def _never_used(subject: Subject, never: Mapping[Source, Shape]) -> Iterator[_Draft]:
    """A warning for each of them that feeds no other; those that feed it are named next to it.

    What the shapes that were run do not use, a larger one may: without a proof for all shapes nothing is said. Of a
    kernel at fault it is said of the shape that shows the fault.
    """
    groups = list(_groups(never))
    together = bool(groups) and not subject.at_fault and _holds(subject, frozenset(never))
    for end, fed_by in groups[: len(groups) if together or subject.at_fault else WarningBudget.PLACES_ONE_BY_ONE]:
        if together or subject.at_fault or (len(groups) > 1 and _holds(subject, frozenset((end, *fed_by)))):
            everywhere = together or not subject.at_fault or not subject.program.dimensions
            yield _about(end, never[end], _ALL_SHAPES if everywhere else _THESE_SHAPES, fed_by)


def _groups(never: Mapping[Source, Shape]) -> Iterator[tuple[Source, list[Source]]]:
    """Each place whose results feed no other of them, with those that feed it."""
    feeds = {source: shape.readers(source) & never.keys() for source, shape in never.items()}
    left = set(never)
    while left:
        ends = [source for source in left if not feeds[source] & left]
        # Where they feed one another in turn, the last one of the kernel stands for all.
        end = max(ends or left, key=lambda source: never[source].sources[source][0])
        fed_by = _leading_to(end, feeds)
        left -= {end, *fed_by}
        yield end, sorted(fed_by)


def _leading_to(end: Source, feeds: Mapping[Source, set[Source]]) -> set[Source]:
    found: set[Source] = set()
    waiting = [end]
    while waiting:
        reader = waiting.pop()
        new = {source for source, readers in feeds.items() if reader in readers} - found - {end}
        found |= new
        waiting += new
    return found


def _about(source: Source, shape: Shape, holds: str, fed_by: Sequence[Source]) -> _Draft:
    positions = shape.sources[source]
    by = [shape.overwritten(position) for position in positions]
    also = tuple(dict.fromkeys(Site(file, line) for file, line, _ in fed_by if (file, line) != source[:2]))
    if by[0] is not None and None not in by:
        message = f"{shape.executed(by[0]).site} overwrites it, before anything reads it"
        return _draft("df.overwritten", shape, positions[0], message, holds, also)
    read = any(shape.dead_stores[position].readers for position in positions)
    message = "only what reaches no output reads it" if read else "nothing reads what is written here"
    for name in shape.arguments_of({source, *fed_by}):
        message += f", and nothing else reads the argument {name}"
    return _draft("df.unused", shape, positions[0], message, holds, also)


def _draft(rule: str, shape: Shape, position: int, message: str, holds: str, also: tuple[Site, ...] = ()) -> _Draft:
    operation = shape.executed(position).operation
    argument, view = next(iter((*operation.writes.items(), *operation.reads.items())))
    extents = tuple(int(extent) for extent in view.shape)
    inside = touched(operation, argument, writes=True).may
    element = (0,) * len(extents)
    if inside is not None and inside.any():
        element = tuple(int(at) for at in np.argwhere(inside)[0])
    return _Draft(rule, shape.values, position, message, argument, element, holds, also)


# --- programs ---------------------------------------------------------------------------------------------------------


def _stored_alike(subject: Subject, shapes: Sequence[Shape]) -> list[_Draft]:
    """Stores that every program of a launch makes: the first of each place."""
    found: dict[tuple[Source | None, str], _Draft] = {}
    for shape in shapes:
        if not stored_alike(shape.recorded):
            continue
        for stored in execute(shape.recorded, subject.hardware.generation, layouts=shape.layouts).uniform:
            key = (shape.source(stored.position), stored.tensor)
            message = "another program of the launch stores the same values there"
            holds = _THESE_SHAPES if subject.program.dimensions else _ALL_SHAPES
            draft = _Draft(
                "df.programs_same", shape.values, stored.position, message, stored.tensor, stored.element, holds
            )
            found.setdefault(key, draft)
    return list(found.values())


def _on_other_ways(subject: Subject, shapes: Sequence[Shape]) -> list[_Draft]:
    """The first operation that one program of a launch executes where another one executes something else, or ends."""
    for shape in shapes:
        ways: dict[tuple[object, ...], list[int]] = {}
        for position, item in enumerate(shape.recorded):
            if isinstance(item, Executed) and item.operation.program:
                ways.setdefault(item.operation.program, []).append(position)
        first, *others = ways.values() or ((),)
        for other in others:
            pairs = zip_longest(first, other)
            parting = next(((one, two) for one, two in pairs if _source(shape, one) != _source(shape, two)), None)
            if parting is not None:
                position = parting[0] if parting[0] is not None else parting[1]
                assert position is not None
                message = "another core of the launch does not execute this operation here"
                holds = _THESE_SHAPES if subject.program.dimensions else _ALL_SHAPES
                return [_draft("df.programs_differ", shape, position, message, holds)]
    return []


def _source(shape: Shape, position: int | None) -> Source | None:
    return None if position is None else shape.source(position)


# --- sums -------------------------------------------------------------------------------------------------------------


def _rounded_sums(subject: Subject, shapes: Sequence[Shape]) -> list[_Draft]:
    """The second product that is added to a sum in 16 bits: the first one of each place."""
    found: dict[Source | None, _Draft] = {}
    for shape in shapes:
        begun: dict[int, set[tuple[int, ...]]] = {}
        for position, item in enumerate(shape.recorded):
            if not isinstance(item, Executed):
                continue
            target = rounded_sum(item.operation)
            if target is None:
                for view in item.operation.writes.values():
                    begun.pop(id(view.storage), None)
                continue
            there = begun.setdefault(id(target.storage), set())
            place = (int(target.offset), *map(int, target.shape))
            if place in there and item.operation.attributes.get("accumulate") is not False:
                message = f"another product is added to a sum in {target.dtype}, which is rounded each time"
                holds = _THESE_SHAPES if subject.program.dimensions else _ALL_SHAPES
                found.setdefault(shape.source(position), _draft("df.sum_rounded", shape, position, message, holds))
            there.add(place)
    return list(found.values())


# --- unwritten elements -----------------------------------------------------------------------------------------------


def _unwritten_in(subject: Subject, shape: Shape) -> list[_Draft]:
    findings = execute(shape.recorded, subject.hardware.generation, layouts=shape.layouts)
    return list(_unwritten(shape.values, shape.recorded, findings))


def _in_larger_ones_too(subject: Subject, found: Sequence[_Draft], larger: Sequence[Shape]) -> Iterator[_Draft]:
    """Those of the reads that larger shapes show as well: where they do not, the kernel is right but for small ones.

    Shapes that do not execute the line say nothing of it, nor do such as take long to follow.
    """
    followed = [shape for shape in larger if found and shape.elements <= WarningBudget.WORK_OF_A_LARGER_SHAPE]
    shown = [({draft.source for draft in _unwritten_in(subject, shape)}, shape) for shape in followed]
    for draft in found:
        reported = [draft.source in sources for sources, shape in shown if draft.source in shape.sources]
        if all(reported):
            holds = f"for {len(reported) + 1} shapes that were run" if reported else _THESE_SHAPES
            yield replace(draft, holds=holds)


def _unwritten(values: dict[str, int], recorded: Sequence[Recorded], findings: Findings) -> Iterator[_Draft]:
    """Reads of unwritten elements that are no faults."""
    faults = {(fault.contract, fault.position) for fault in findings.faults}
    for origin in findings.origins if not findings.doubts else ():
        if (origin.contract, origin.position) not in faults:
            shown = dict(origin.quantities)
            operand = str(shown["operand"])
            message = f"nothing has written all of the operand {operand}, of shape {shown['of']}"
            item = recorded[origin.position]
            yield _Draft(
                "df.unwritten_unused",
                values,
                origin.position,
                message,
                operand,
                origin.element,
                _THESE_SHAPES,
                source=source_of(item) if isinstance(item, Executed) else None,
            )


# --- inputs -----------------------------------------------------------------------------------------------------------


def _unread(subject: Subject, shapes: Iterable[dict[str, int]]) -> Iterator[_Draft]:
    """Inputs that are read in part at some size: wholly at a larger one, or but for a range, at one of `shapes`."""

    def run(values: dict[str, int]) -> Sequence[Recorded] | None:
        return next(
            (shape.recorded for shape in _runnable(subject, [values], WarningBudget.OPERATIONS_OF_A_LARGER_SHAPE)), None
        )

    found = list(unread_tails(subject.program, subject.dimensions, run))
    reported = written_inputs(subject.program).union(one.name for one in found)
    for one in chain(found, unread_ranges(shapes, run, reported)):
        at = (one.position, one.message, one.operand, one.first)
        yield _Draft("df.input_unread", one.values, *at, _THESE_SHAPES)


# --- seeing -----------------------------------------------------------------------------------------------------------


class _Seeing(Observer):
    """Observations at the operations that are asked about, in a run of at most this many recorded items, which ends
    where it turns out to be of no use."""

    def __init__(self, most: int, asked: frozenset[int]) -> None:
        self.seen: dict[int, Observation] = {}
        self._most = most
        self._asked = asked

    def operation(self, run: ConcreteExecution) -> None:
        """Keep what is seen where an operation is asked about."""
        position = len(run.recorded) - 1
        if position in self._asked:
            seen = seen_from(sys._getframe(1))
            if seen is not None:
                self.seen[position] = seen
        elif position > self._most:
            raise run.unsupported("a concrete run of many operations")

    def broken(self, run: ConcreteExecution, found: BrokenContract) -> None:
        """End a run from which nothing follows: its other iterations would show the same."""
        if run.decides(found) and makes_unusable(found, SHAPE_PHASES):
            raise run.unsupported(f"a concrete run in which {found.contract.id} is broken")

    def catches_up(self, run: ConcreteExecution) -> bool:
        """Nothing is to be seen where nothing is asked about."""
        return run.records and not self._asked and len(run.recorded) <= self._most


def _run(hardware: Hardware, most: int, asked: frozenset[int] = frozenset()) -> ConcreteExecution:
    """A concrete run that records operations, with an observer at those that are asked about."""
    return ConcreteExecution(
        hardware,
        False,
        WarningBudget.SECONDS_OF_A_RUN,
        phases=BESIDE,
        records=True,
        contracts=WarningBudget.CONTRACTS_OF_A_RUN,
        observers=(_Seeing(most, asked),),
    )


def _seen(subject: Subject, drafts: Sequence[_Draft]) -> Iterator[KernelWarning]:
    """The warnings with their places and loops; one for each rule, line and tensor."""
    reported: set[tuple[object, ...]] = set()
    by_values: dict[tuple[tuple[str, int], ...], list[_Draft]] = {}
    for draft in drafts:
        by_values.setdefault(tuple(draft.values.items()), []).append(draft)
    for together in by_values.values():
        asked = frozenset(draft.position for draft in together)
        _, run = play_in(
            subject.target,
            together[0].values,
            partial(_run, subject.hardware, RunningBudget.OPERATIONS_RECORDED, asked),
        )
        observations = run.observer(_Seeing).seen
        for draft in sorted(together, key=lambda draft: draft.position):
            seen = observations.get(draft.position)
            if seen is None:
                continue
            key = (draft.rule, seen.place.file, seen.place.line, draft.operand)
            if key not in reported:
                reported.add(key)
                yield _warning(subject, draft, seen, _tensor(run.recorded, draft))


def _tensor(recorded: Sequence[Recorded], draft: _Draft) -> str:
    """The kernel's name of the operand."""
    item = recorded[draft.position]
    assert isinstance(item, Executed)
    view = (item.operation.reads | item.operation.writes).get(draft.operand)
    if view is None:
        return draft.operand
    sites = (one.site for one in recorded if isinstance(one, Allocation) and one.storage is view.storage)
    return name_of(view.storage, next(sites, None), draft.operand)


def _warning(subject: Subject, draft: _Draft, seen: Observation, tensor: str) -> KernelWarning:
    witness: dict[str, int | str] = {}
    for dimension in subject.program.dimensions:
        name = dimension.atom.name
        witness[name] = dimension.choices[draft.values[name]] if dimension.choices else draft.values[name]
    place = seen.place
    return KernelWarning(
        rule=draft.rule,
        statement=RULES[draft.rule],
        file=place.file,
        line=place.line,
        message=draft.message,
        tensor=tensor,
        element=draft.element,
        witness=witness,
        holds=draft.holds,
        column=place.column,
        end_line=place.end_line,
        end_column=place.end_column,
        function=place.function,
        calls=seen.calls,
        loops=seen.loops,
        also=draft.also,
    )
