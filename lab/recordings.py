"""The records of the symbolic and the concrete run of a kernel, compared: the same kinds of items in the same order.

The shape program, with the dimensions set to the values of a concrete run and its loops gone through number by number,
is a list of items as the concrete run records them: operations with their operands, allocations, results, the
iterations of loops without an order. The differences that are allowed are that a `Loop` stands for its iterations, that
the symbolic run may take indices for kept ones that the concrete run sees are not (then the concrete run decides), and
that a loop without an order in which nothing is executed, as where `list` takes its numbers, may be left out.
Contracts are compared by their lines: what the symbolic run claims of a shape, the concrete run has to check, and the
other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lab.oracle import Complaint, Defect
from nkiverify.execute.instantiate import CannotInstantiate, ItemText, first_difference, instantiate, recorded_items
from nkiverify.execute.runner import execute_once
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.source import Site, frame_site, instruction_of, kernel_frame
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import Target
from nkiverify.ir.contract import Contract
from nkiverify.ir.program import Program
from nkiverify.model.current_execution import SHAPE_PHASES
from nkiverify.model.hardware import Hardware, hardware_named
from nkiverify.verify.exploration import explore

_PHASES = SHAPE_PHASES | {4}
#: What is claimed by other means in one of the runs: Python itself raises, or only the symbolic run can go wrong.
_OF_ONE_RUN = ("host.", "kernel.", "target.")

#: What a concrete run looks at without stating it, as it may be asked of every element, or of extents that are 1.
_QUIETLY = ("idx.oob", "idx.empty", "leg.binary.broadcast", "nl.binary.broadcast")
#: What a view has to keep to: stated where it is used, and at once where that is entailed.
_OF_VIEWS = ("ap.in_bounds", "ap.partition_overflow")
#: A contract and the line it is about.
Stated = tuple[str, int]


@dataclass(slots=True)
class Recording:
    """The record of one run: items in order, and the contracts it looks at; `entailed` ones need no check."""

    items: list[ItemText] = field(default_factory=list)
    stated: set[Stated] = field(default_factory=set)
    entailed: set[Stated] = field(default_factory=set)


class CannotCompare(Exception):
    """A run does not come to its end, or the values of the dimensions do not say what the program does."""


class _Listening(ConcreteExecution):
    """A concrete run that remembers which contracts it checks."""

    def __init__(self, hardware: Hardware, seconds: float) -> None:
        super().__init__(hardware, stop_at_first=False, seconds=seconds, phases=_PHASES, records=True)
        self.checked: set[Stated] = set()
        self._seen: set[tuple[str, object]] = set()

    def require(self, rule: Contract, condition: object, quantities: Mapping[str, object]) -> None:
        """Remember it, and check it."""
        frame = kernel_frame(2)
        key = (rule.id, self.about or (frame and instruction_of(frame)))
        if key not in self._seen:
            # Most contracts are stated at one place thousands of times.
            self._seen.add(key)
            self.checked.add((rule.id, _line(self.about or (frame and frame_site(frame)))))
        super().require(rule, condition, quantities)


def plain(target: Target, values: Mapping[str, int], seconds: float) -> Recording | None:
    """The record of the concrete run on `values`; None where they are not in the domain. Raises `CannotCompare`."""
    run = _Listening(hardware_named(target.hardware), seconds)
    ending = execute_once(target, values, run, Rewriting.NONE)
    if ending.outside or ending.rejected:
        return None
    if ending.limit is not None:
        raise CannotCompare(ending.limit.construct)
    if ending.raised is not None:
        raise CannotCompare(f"{type(ending.raised).__name__}: {ending.raised}")
    return Recording(recorded_items(run.recorded), run.checked)


def program_of(target: Target, seconds: float) -> Program:
    """The shape program. Raises `CannotCompare` where it does not speak of all iterations and paths."""
    try:
        run = explore(target, hardware_named(target.hardware), Limits(seconds=seconds), _PHASES).run
    except UnsupportedConstruct as limit:
        raise CannotCompare(limit.construct) from None
    if run.unsupported_construct is not None:
        raise CannotCompare(run.unsupported_construct.construct)
    return run.program


def symbolic(program: Program, values: Mapping[str, int], most: int | None = None) -> Recording:
    """The record of a run on `values`, by the shape program. Raises `CannotCompare`, also where there are more than
    `most` items."""
    try:
        instance = instantiate(program, values, most)
    except CannotInstantiate as reason:
        raise CannotCompare(str(reason)) from None
    found = Recording(instance.items)
    for claim in instance.claims:
        if not claim.unwinding and not claim.contract.id.startswith(_OF_ONE_RUN):
            # What is enough for a contract, or what no page decides, is nothing that numbers are checked for.
            alone = claim.condition is True or claim.sufficient or claim.open
            (found.entailed if alone else found.stated).add((claim.contract.id, _line(claim.site)))
    return found


def _line(site: Site | None) -> int:
    return site.line if site is not None else 0


def differences(mine: Recording, other: Recording) -> Iterator[str]:
    """Where a symbolic recording and a plain one are not the same."""
    if different := first_difference(mine.items, other.items):
        yield different
    claimed, checked, entailed = (
        {(rule, 0 if rule in _OF_VIEWS else line) for rule, line in stated}
        for stated in (mine.stated, other.stated, mine.entailed)
    )
    for rule, line in sorted(stated for stated in claimed - checked if stated[0] not in _QUIETLY):
        yield f"{rule} at line {line} is claimed in the symbolic run only"
    theirs = {stated for stated in checked if not stated[0].startswith(_OF_ONE_RUN)}
    for rule, line in sorted(theirs - claimed - entailed):
        yield f"{rule} at line {line} is checked in the concrete run only"


def compared(target: Target, shapes: Iterable[Mapping[str, int]], seconds: float) -> list[Complaint]:
    """The differences between the records of the two runs of `target` on one of `shapes`; nothing where they cannot be
    compared."""
    complaints: list[Complaint] = []
    try:
        program = program_of(target, seconds)
    except CannotCompare:
        return complaints
    for values in shapes:
        try:
            other = plain(target, values, seconds)
            found = [] if other is None else list(differences(symbolic(program, values), other))
        except CannotCompare:
            continue
        complaints += [Complaint(Defect.RECORDED_DIFFERENTLY, 4, f"{dict(values)}: {one}") for one in found]
    return complaints
