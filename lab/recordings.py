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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product, zip_longest
from typing import Any

from lab.oracle import Complaint, Defect
from nkiverify.analysis.sets.structure import programs
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.source import Site, frame_site, instruction_of, kernel_frame
from nkiverify.frontend.binding import ConcreteBinding
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import load_kernel
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import OutsideDomain, Target, Verification
from nkiverify.ir.contract import Contract
from nkiverify.ir.program import Assume, Block, Branch, Claim, Drawn, Iteration, Loop, ParallelLoop, Program
from nkiverify.model.execution import SHAPE_PHASES
from nkiverify.model.hardware import Hardware, hardware_named
from nkiverify.model.indices import IndexTensor, Mask, MaskTerm
from nkiverify.model.recorded import Allocation, Executed, Returned
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import as_term
from nkiverify.symbolic.atoms import Atom
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.execution import running
from nkiverify.verify.exploration import explore

_PHASES = SHAPE_PHASES | {4}
#: What is claimed by other means in one of the runs: Python itself raises, or only the symbolic run can go wrong.
_OF_ONE_RUN = ("host.", "kernel.", "target.")

#: What a concrete run looks at without stating it, as it may be asked of every element.
_QUIETLY = ("idx.oob", "idx.empty")
#: What a view has to keep to: stated where it is used, and at once where that is entailed.
_OF_VIEWS = ("ap.in_bounds", "ap.partition_overflow")
_RETURNS = "returns "
_DRAWN = "indices drawn"
_BEGINS, _ITERATION, _ENDS = "loop without an order", "iteration", "its end"

#: A contract and the line it is about.
Stated = tuple[str, int]


@dataclass(slots=True)
class Recording:
    """The record of one run: items in order, and the contracts it looks at; `entailed` ones need no check."""

    items: list[str] = field(default_factory=list)
    stated: set[Stated] = field(default_factory=set)
    entailed: set[Stated] = field(default_factory=set)


class CannotCompare(Exception):
    """A run does not come to its end, or the values of the dimensions do not say what the program does."""


class _Listening(ConcreteExecution):
    """A concrete run that remembers which contracts it checks."""

    def __init__(self, hardware: Hardware, seconds: float) -> None:
        super().__init__(hardware, stop_at_first=False, seconds=seconds, phases=_PHASES, records=True)
        self.stated: set[Stated] = set()
        self._seen: set[tuple[str, object]] = set()

    def require(self, rule: Contract, condition: object, quantities: Mapping[str, object]) -> None:
        """Remember it, and check it."""
        frame = kernel_frame(2)
        key = (rule.id, self.about or (frame and instruction_of(frame)))
        if key not in self._seen:
            # Most contracts are stated at one place thousands of times.
            self._seen.add(key)
            self.stated.add((rule.id, _line(self.about or (frame and frame_site(frame)))))
        super().require(rule, condition, quantities)


def plain(target: Target, values: Mapping[str, int], seconds: float) -> Recording | None:
    """The record of the concrete run on `values`; None where they are not in the domain. Raises `CannotCompare`."""
    kernel, space = load_kernel(target.kernel, target.root, Rewriting.NONE)
    run, binding = _Listening(hardware_named(target.hardware), seconds), ConcreteBinding(values)
    try:
        with space.active(), running(run):
            target.function(Verification(binding, kernel))
    except OutsideDomain:
        return None
    except UnsupportedConstruct as limit:
        raise CannotCompare(limit.construct) from None
    except (Exception, SystemExit) as error:
        if binding.excludes(error):
            return None
        raise CannotCompare(f"{type(error).__name__}: {error}") from None
    found = Recording(stated=run.stated)
    here = Valuation({})
    for item in run.recorded:
        found.items.append(_kind(item, here))
    return found


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
    given: dict[Atom, int] = {dimension.atom: values[dimension.atom.name] for dimension in program.dimensions}
    found = Recording()
    try:
        grid = programs(program.body)
        for coordinates in product(*(range(Valuation(given).term(atom.extent)) for atom in grid)):
            _walk(program.body, {**given, **dict(zip(grid, coordinates, strict=True))}, found, most)
    except Undefined:
        raise CannotCompare("a condition on what no dimension decides") from None
    return found


def _results_last(items: Sequence[str]) -> list[str]:
    """The items with all results at the end, each once: a launch returns what each of its programs returns."""
    results = {item for item in items if item.startswith(_RETURNS)}
    return [*_without_empty_loops(item for item in items if item not in results and item != _DRAWN), *sorted(results)]


def _without_empty_loops(items: Iterable[str]) -> Iterator[str]:
    pending: list[str] = []
    for item in items:
        if item == _BEGINS:
            yield from pending
            pending = [item]
        elif pending and item == _ENDS:
            pending = []
        elif pending and item == _ITERATION:
            pending.append(item)
        else:
            yield from (*pending, item)
            pending = []
    yield from pending


def _walk(block: Block, given: dict[Atom, int], found: Recording, most: int | None) -> None:
    if most is not None and len(found.items) > most:
        raise CannotCompare("more items than are compared")
    here = Valuation(given)
    for item in block.items:
        if isinstance(item, Assume):
            if not here.holds(item.condition):
                raise CannotCompare(f"it is assumed that {item.condition}")
        elif isinstance(item, Claim):
            if not item.unwinding and not item.contract.id.startswith(_OF_ONE_RUN):
                (found.entailed if item.condition is True else found.stated).add((item.contract.id, _line(item.site)))
        elif isinstance(item, Branch):
            _walk(item.then if here.holds(item.condition) else item.orelse, given, found, most)
        elif isinstance(item, Loop):
            trips = here.term(item.extent)
            found.items += [_BEGINS] if item.parallel else []
            for number in range(trips):
                found.items += [_ITERATION] if item.parallel else []
                _walk(item.body, {**given, item.index: number}, found, most)
            found.items += [_ENDS] if item.parallel else []
        else:
            found.items.append(_kind(item, here))


def _kind(item: object, here: Valuation) -> str:
    """An item of either run as text."""
    if isinstance(item, Executed):
        done = item.operation
        read = dict(done.reads)
        adds = done.attributes.get("accumulate")
        if isinstance(adds, Condition) and not here.holds(adds):
            # It may read what is there, and with these values it does not.
            del read["dst"]
        operands = [f"{name} = {_tensor(view, here)}" for name, view in read.items()]
        results = [f"{name} = {_tensor(view, here)}" for name, view in done.writes.items()]
        more = ", ".join(sorted(done.attributes)) + (", masked" if _is_masked(done.mask, here) else "")
        return f"{_line(item.site)}: {done.name}({', '.join(operands)}; {more}) -> {', '.join(results)}"
    if isinstance(item, Allocation):
        storage = item.storage
        return f"{_line(item.site)}: {storage.dtype}[{_numbers(storage.shape, here)}] in {storage.buffer}"
    if isinstance(item, Returned):
        return f"{_RETURNS}{', '.join(sorted({_tensor(tensor, here) for tensor in item.tensors}))}"
    if isinstance(item, ParallelLoop):
        return _BEGINS if item.begins else _ENDS
    if isinstance(item, Iteration):
        return _ITERATION
    assert isinstance(item, Drawn)
    return _DRAWN


def _is_masked(mask: Mask | None, here: Valuation) -> bool:
    """True if a mask leaves out something with these values, as far as a run of numbers looks."""
    if mask is None:
        return False

    def number(value: object) -> Any:
        term = as_term(value)
        return value if term is None else here.term(term)

    terms = [
        MaskTerm(
            IndexTensor(
                number(one.difference.base),
                tuple(map(number, one.difference.coefficients)),
                tuple(map(number, one.difference.shape)),
            ),
            one.relation,
        )
        for one in mask.terms
    ]
    host = here.holds(mask.host) if isinstance(mask.host, Condition) else mask.host
    return Mask(tuple(terms), host).without_known() is not None


def _tensor(view: Tensor, here: Valuation) -> str:
    indirect = " indirectly" if view.indirect_by is not None else ""
    return f"{view.dtype}[{_numbers(view.shape, here)}]{indirect}"


def _numbers(extents: Iterable[object], here: Valuation) -> str:
    return ", ".join(
        str(here.term(term)) if type(one) is not int and (term := as_term(one)) is not None else str(one)
        for one in extents
    )


def _line(site: Site | None) -> int:
    return site.line if site is not None else 0


def differences(mine: Recording, other: Recording) -> Iterator[str]:
    """Where a symbolic recording and a plain one are not the same."""
    for number, (one, two) in enumerate(zip_longest(_results_last(mine.items), _results_last(other.items))):
        if one != two:
            yield f"item {number}: symbolic {one}, plain {two}"
            break
    if _DRAWN in other.items and _DRAWN not in mine.items:
        yield "indices are drawn in the concrete run only"
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
