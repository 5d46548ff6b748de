"""Stores that every program of a launch makes the same: the same values, to the same elements, in the same order.

A kernel that does not shard does the same on all cores. That two programs store to one element is harmless then, since
whichever comes last, the value is the same. It is known of an operation that does not depend on the program: no
condition or loop that leads to it does, nor its arguments, nor where its operands lie, and what it reads is made by
such operations alone. Random numbers, what another core sends, and what is read from memory that programs write are
never taken to be the same. It errs on the side of too few.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import field
from typing import Any, NamedTuple

from nkiverify.analysis.effects import is_certain
from nkiverify.analysis.fixpoint import fixpoint
from nkiverify.analysis.marks.order import ABANDONED, Exchange, Recorded, SharedTensors, interleaved
from nkiverify.analysis.reduction_registers import Registers
from nkiverify.analysis.sets.keys import Key, key_of
from nkiverify.analysis.side_effects import has_effect
from nkiverify.foundation.dataclass import dataclass
from nkiverify.ir.program import Assume, Block, Branch, Item, Loop
from nkiverify.ir.walk import Visitor
from nkiverify.model.indices import IndexTensor, Mask, MaskTerm
from nkiverify.model.operation import Operation
from nkiverify.model.operators import Operator
from nkiverify.model.recorded import Allocation, Executed
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import SymRational
from nkiverify.symbolic.atoms import Atom, Dimension, Index, Term
from nkiverify.symbolic.conditions import Condition


def is_shared(storage: Storage) -> bool:
    """True if all programs of a launch see the same storage; for constants it is no matter."""
    return not storage.buffer.on_chip and storage.buffer.name != "private_hbm" and not storage.constant


class UnknownValue(Exception):
    """Something whose value is not known to be a function of what is examined."""


def _described(value: Any, terms: list[Term]) -> Hashable:
    """A value as something that is equal for equal values; the symbolic parts are added to `terms`."""
    if type(value) is int:
        return value
    if value is None or isinstance(value, bool | int | str | bytes | float | enum.Enum):
        # Two floats may be equal and print differently (0.0 and -0.0), or print the same and not be equal (nan).
        return (type(value).__name__, repr(value))
    if isinstance(value, Operator):
        return ("operator", value.name)
    if isinstance(value, Term):
        terms.append(value)
        return ("term", value.uid)
    if isinstance(value, SymRational):
        return ("quotient", _described(value.top, terms), _described(value.bottom, terms), repr(value))
    if isinstance(value, Condition):
        terms.extend(value.terms())
        return ("condition", value.uid)
    if isinstance(value, IndexTensor):
        return ("index", *(_described(part, terms) for part in (value.base, value.coefficients, value.shape)))
    if isinstance(value, Mask):
        return ("mask", _described(value.terms, terms), _described(value.host, terms))
    if isinstance(value, MaskTerm):
        return (_described(value.difference, terms), value.relation.name)
    if isinstance(value, list | tuple):
        return ("sequence", *(_described(part, terms) for part in value))
    raise UnknownValue


def place_of(view: Tensor, terms: list[Term]) -> Hashable:
    """Where a view lies in its storage."""
    moves = view.indirect_by
    found: list[Any] = [view.shape, view.strides, view.offset, view.dtype, view.storage.shape, view.storage.dtype]
    if moves is not None:
        # The indices are an operand of their own.
        found += [moves.kind, moves.stride, moves.reach is None]
        if moves.is_known:
            found.append(moves.elements.tobytes())
    return tuple(_described(part, terms) for part in found)


def call_of(operation: Operation, terms: list[Term]) -> Hashable:
    """All that an operation computes with but the contents of its operands. Raises `UnknownValue`."""
    operands = sorted((operation.reads | operation.writes).items())
    places = tuple((name, name in operation.reads, place_of(view, terms)) for name, view in operands)
    return (computation(operation, terms), places)


def computation(operation: Operation, terms: list[Term]) -> Hashable:
    """The computation of an operation, and with which arguments but its operands. Raises `UnknownValue`."""
    if has_effect(operation):
        raise UnknownValue
    return (
        operation.name,
        tuple((name, _described(value, terms)) for name, value in sorted(operation.attributes.items())),
        _described(operation.mask, terms),
    )


# --- for all shapes ---------------------------------------------------------------------------------------------------


def independent(block: Block, programs: Sequence[Index]) -> frozenset[int]:
    """The operations of a symbolic program, by id, that are the same in all programs of the launch.

    An allocation has the same key in all arms of a branch: what one arm makes of it, another arm does not find.
    """
    registers = Registers()
    found = [(one, registers.made_explicit(one.item.operation)) for one in _Operations(programs).block(block)]
    varying = _Varying()
    for one, operation in found:
        for view in operation.writes.values():
            if is_shared(view.storage):
                varying.add(key_of(view.storage), one.arms)
        for view in operation.reads.values():
            if view.on_chip and isinstance(view.storage.identity, tuple):
                # What a helper is given on chip may differ from core to core.
                varying.add(key_of(view.storage), ())
    uniform = fixpoint(_Uniform(found, varying), frozenset(id(one.item) for one, _ in found if one.steady))
    assert uniform is not None
    return uniform


#: The arms that lead to a place, of branches that are in no loop: iterations of a loop may take different ones.
_Arms = tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class _Placed:
    """An operation, and whether nothing but the contents of operands can differ from one program to another."""

    item: Executed
    steady: bool
    arms: _Arms


class _Varying:
    """The allocations whose contents may differ from one program to another, with the arms in which they may."""

    def __init__(self) -> None:
        self._arms: dict[Key, set[_Arms]] = {}

    def add(self, key: Key, arms: _Arms) -> None:
        """Note that contents written at a place may differ."""
        self._arms.setdefault(key, set()).add(arms)

    def reaches(self, key: Key, arms: _Arms) -> bool:
        """True if what may differ can be found at a place: where that is on the way to it, or it on the way to that,
        in another iteration."""
        return any(made[: len(arms)] == arms[: len(made)] for made in self._arms.get(key, ()))


class _Uniform(NamedTuple):
    """The domain of operations that may be the same in all programs: fewer each time, until those are left that read
    nothing of what the others write."""

    placed: Sequence[tuple[_Placed, Operation]]
    varying: _Varying

    def transfer(self, assumed: frozenset[int]) -> frozenset[int]:
        for one, operation in self.placed:
            if id(one.item) not in assumed:
                for view in operation.writes.values():
                    self.varying.add(key_of(view.storage), one.arms)
        return frozenset(
            id(one.item)
            for one, operation in self.placed
            if id(one.item) in assumed
            and not any(self.varying.reaches(key_of(view.storage), one.arms) for view in operation.reads.values())
        )

    def widened(self, assumed: frozenset[int], found: frozenset[int], number: int) -> tuple[frozenset[int], bool]:
        return found, found == assumed


class _Operations(Visitor[_Placed]):
    """Every operation with its place."""

    def __init__(self, programs: Sequence[Index]) -> None:
        self._programs = programs
        self._loops: tuple[Index, ...] = ()
        self._steady = True
        self._arms: _Arms = ()

    def assume(self, item: Assume) -> Iterable[_Placed]:
        self._steady = self._steady and (item.condition is True or self._same(_terms(item.condition), self._loops))
        return ()

    def loop(self, item: Loop) -> Iterable[_Placed]:
        around = (*self._loops, item.index)
        same = self._same([item.extent, *(term for bound in item.bounds for term in _terms(bound))], around)
        return self._within(item.body, around, same, self._arms)

    def arm(self, condition: Condition, block: Block, branch: Branch) -> Iterable[_Placed]:
        arms = self._arms if self._loops else (*self._arms, block is branch.then)
        return self._within(block, self._loops, self._same(_terms(branch.condition), self._loops), arms)

    def _within(self, block: Block, loops: tuple[Index, ...], same: bool, arms: _Arms) -> Iterator[_Placed]:
        kept = self._loops, self._steady, self._arms
        self._loops, self._steady, self._arms = loops, self._steady and same, arms
        yield from self.block(block)
        self._loops, self._steady, self._arms = kept

    def recorded(self, item: Item) -> Iterable[_Placed]:
        if isinstance(item, Executed):
            terms: list[Term] = []
            try:
                call_of(item.operation, terms)
            except UnknownValue:
                yield _Placed(item, False, self._arms)
            else:
                yield _Placed(item, self._steady and self._same(terms, self._loops), self._arms)

    def _same(self, terms: Iterable[Term], loops: Sequence[Index]) -> bool:
        return _same(terms, loops, self._programs)


def _terms(condition: Condition | bool) -> list[Term]:
    return list(condition.terms()) if isinstance(condition, Condition) else []


def _same(terms: Iterable[Term], loops: Sequence[Index], programs: Sequence[Index]) -> bool:
    """True if terms are made of dimensions and indices of the loops around alone."""
    waiting: list[Atom] = [atom for term in terms for atom in term.atoms]
    seen: set[Atom] = set()
    while waiting:
        atom = waiting.pop()
        if atom in seen:
            continue
        seen.add(atom)
        if isinstance(atom, Index) and (atom in programs or atom not in loops):
            return False
        if not isinstance(atom, Index | Dimension) and not atom.arguments():
            return False
        waiting += [part for term in atom.arguments() for part in term.atoms]
    return True


# --- in a concrete run ------------------------------------------------------------------------------------------------


def stored_alike(items: Sequence[Recorded]) -> frozenset[int]:
    """The positions of operations that store to memory of all programs, and that every program executes the same."""
    launched = {item.operation.program for item in items if isinstance(item, Executed)} - {()}
    if len(launched) < 2:
        return frozenset()
    stores = _Stores(items)
    found: set[int] = set()
    for by_program in stores.by_storage.values():
        if len(by_program) < len(launched):
            continue
        counts = [Counter(made for made, _ in stored) for stored in by_program.values()]
        common = {made for made in counts[0] if made is not None and all(made in count for count in counts)}
        orders = {tuple(made for made, _ in stored if made in common) for stored in by_program.values()}
        if len(orders) == 1:
            found |= {position for stored in by_program.values() for made, position in stored if made in common}
    return frozenset(found)


#: Operators of which it does not matter which operand comes first.
_COMMUTATIVE = frozenset(
    [
        *("add", "multiply", "maximum", "minimum", "equal", "not_equal"),
        *("bitwise_and", "bitwise_or", "bitwise_xor", "logical_and", "logical_or", "logical_xor"),
    ]
)

#: The operands that an `exchangeable` operation may take in either order.
_FACTORS = ("data1", "data2")


@dataclass(slots=True)
class _Contents:
    """The contents of a storage, as numbers that are the same for the same values; None where that is not known.

    `pieces` are views, by their places, that were written as a whole and have not been touched since.
    """

    whole: int | None
    pieces: dict[Hashable, tuple[Tensor, int]] = field(default_factory=dict)

    def put(self, place: Hashable, view: Tensor, value: int | None) -> bool:
        """`view` is written as a whole, with `value`; whether the pieces make up the storage now."""
        self.touch(view)
        if value is not None:
            self.pieces[place] = (view, value)
        size = sum(int(view.size) for view, _ in self.pieces.values())
        return size == int(view.storage.size) and view.dtype.itemsize == view.storage.dtype.itemsize

    def touch(self, view: Tensor) -> None:
        """Some of `view` is written."""
        self.pieces = {place: piece for place, piece in self.pieces.items() if _apart(piece[0], view)}


def _apart(one: Tensor, other: Tensor) -> bool:
    """True if two views of a storage surely share no element: their partitions, or their columns, lie apart."""
    if any(view.indirect_by is not None or view.dtype.itemsize != view.storage.dtype.itemsize for view in (one, other)):
        return False
    free = int(one.storage.free_size) if one.on_chip else int(one.storage.size)
    spans = [_spans(view, free) for view in (one, other)]
    return any(first[1] < second[0] or second[1] < first[0] for first, second in zip(*spans, strict=True))


def _spans(view: Tensor, free: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The first and last partition of a view, and the first and last column, as far as it keeps to rows of `free`."""
    start, steps = int(view.offset), [int(step) for step in view.strides]
    reach = [step * (int(extent) - 1) for step, extent in zip(steps, view.shape, strict=True)]
    low, high = start + sum(min(0, part) for part in reach), start + sum(max(0, part) for part in reach)
    inner = [part for part, step in zip(reach, steps, strict=True) if abs(step) < free]
    left, right = start % free + sum(min(0, part) for part in inner), start % free + sum(max(0, part) for part in inner)
    if any(step % free for step in steps if abs(step) >= free) or left < 0 or right >= free:
        left, right = 0, free - 1
    return (low // free, high // free), (left, right)


class _Stores:
    """The stores of a concrete run to memory of all programs, by storage and program: each as a number that is
    the same for the same values at the same place (None where that is not known), and the position."""

    def __init__(self, items: Sequence[Recorded]) -> None:
        self.by_storage: dict[int, dict[tuple[object, ...], list[tuple[int | None, int]]]] = {}
        self._numbers: dict[Hashable, int] = {}
        self._contents: dict[int, _Contents] = {}
        self._shared = SharedTensors()
        self._registers = Registers()
        self._written: set[int] = set()
        self._items = items
        for item in items:
            if isinstance(item, Allocation):
                self._shared.allocate(item)
            elif isinstance(item, Executed):
                self._written |= {
                    id(self._shared.first(view.storage))
                    for view in item.operation.writes.values()
                    if is_shared(view.storage)
                }
        for step in interleaved(items):
            if isinstance(step, Exchange):
                self._exchanged(step)
            elif step is not None and step != ABANDONED and isinstance(item := items[step], Executed):
                self._executed(step, self._registers.made_explicit(item.operation))

    def _executed(self, position: int, operation: Operation) -> None:
        made = self._made(operation)
        for argument, view in sorted(operation.writes.items()):
            value = None if made is None else self._number(("stored", argument, _kind(view), made))
            self._store(position, operation, argument, value)

    def _store(self, position: int, operation: Operation, argument: str, value: int | None) -> None:
        """Note that what an operation writes to an operand has `value`."""
        view = operation.writes[argument]
        storage, place = self._shared.first(view.storage), place_of(view, [])
        if is_shared(storage):
            by_program = self.by_storage.setdefault(id(storage), {})
            number = None if value is None else self._number((place, value))
            by_program.setdefault(operation.program, []).append((number, position))
            return
        contents = self._of(storage)
        if _writes_all(operation, argument):
            if contents.put(place, view, value):
                pieces = frozenset((at, number) for at, (_, number) in contents.pieces.items())
                contents.whole = self._number(("pieces", pieces))
                return
        else:
            contents.touch(view)
        # Other elements may still hold what they held.
        known = value is not None and contents.whole is not None
        contents.whole = self._number((contents.whole, place, value)) if known else None

    def _exchanged(self, exchange: Exchange) -> None:
        """Each program gets what another one sends, and still has what it sends itself."""
        operations = {
            at: item.operation for at, _ in exchange.received if isinstance(item := self._items[at], Executed)
        }
        sent = {}
        for position, operation in operations.items():
            view = operation.reads["src"]
            number = self._read(view)[1]
            if number is None:
                # Whatever it is: both programs have the same.
                number = self._number(("sent", position))
            sent[position] = number = self._number(("value", number, place_of(view, [])))
            contents = self._of(self._shared.first(view.storage))
            contents.touch(view)
            contents.pieces[place_of(view, [])] = (view, number)
        for position, source in exchange.received:
            view = operations[position].writes["dst"]
            same = _kind(view) == _kind(operations[source].reads["src"])
            self._store(position, operations[position], "dst", sent[source] if same else None)

    def _made(self, operation: Operation) -> int | None:
        try:
            call = computation(operation, [])
            held = [(argument, *self._read(view)) for argument, view in sorted(operation.reads.items())]
        except UnknownValue:
            return None
        if any(number is None for _, _, number in held):
            return None
        described: Hashable = tuple(held)
        if _commutes(operation):
            factors = frozenset((place, number) for argument, place, number in held if argument in _FACTORS)
            described = (factors, tuple(part for part in held if part[0] not in _FACTORS))
        return self._number((call, described))

    def _read(self, view: Tensor) -> tuple[Hashable, int | None]:
        """The source of a read, as the place within something of which the number is known."""
        contents = self._of(self._shared.first(view.storage))
        place = place_of(view, [])
        piece = contents.pieces.get(place)
        return (_kind(view), piece[1]) if piece is not None else (place, contents.whole)

    def _of(self, storage: Storage) -> _Contents:
        """The contents of a storage."""
        storage = self._shared.first(storage)
        found = self._contents.get(id(storage))
        if found is not None:
            return found
        number: int | None = None
        if id(storage) not in self._written:
            # Arguments hold the same for all; what is new holds nothing that counts.
            known = isinstance(storage.identity, tuple) or is_shared(storage)
            number = self._number(("argument", id(storage)) if known else ("new",))
        return self._contents.setdefault(id(storage), _Contents(number))

    def _number(self, described: Hashable) -> int:
        return self._numbers.setdefault(described, len(self._numbers))


def _kind(view: Tensor) -> Hashable:
    """The facts that have to be said of a view besides its values."""
    return ("view", tuple(map(int, view.shape)), view.dtype.name)


def _commutes(operation: Operation) -> bool:
    """True if the two operands of an element-wise operation may be exchanged."""
    operator = getattr(operation.attributes.get("op"), "name", "")
    first, second = (operation.reads.get(name) for name in _FACTORS)
    if not operation.declared.behaviour.exchangeable or operator not in _COMMUTATIVE or first is None or second is None:
        return False
    return _kind(first) == _kind(second)


def _writes_all(operation: Operation, argument: str) -> bool:
    """True if all elements of a result are written for sure, or what it held is among what is read."""
    declared = operation.declared
    partly = operation.mask is not None or declared.behaviour.keeps or operation.rows(argument) is not None
    return not partly and is_certain(operation, argument)
