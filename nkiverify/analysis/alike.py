"""Stores that every program of a launch makes alike: the same values, to the same elements, in the same order.

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
from typing import Any

from nkiverify.analysis.marks.order import Recorded, SharedTensors
from nkiverify.analysis.reduction_registers import Registers
from nkiverify.analysis.sets.keys import Key, key_of
from nkiverify.analysis.side_effects import has_effect
from nkiverify.ir.program import Assume, Block, Branch, Loop
from nkiverify.model.indices import IndexTensor, Mask, MaskTerm
from nkiverify.model.operation import Operation
from nkiverify.model.operators import Operator
from nkiverify.model.recorded import Allocation, Executed
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import SymRational
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.terms import Atom, Dimension, Index, Term


def is_shared(storage: Storage) -> bool:
    """Whether all programs of a launch see the same storage."""
    return not storage.buffer.on_chip and storage.buffer.name != "private_hbm"


class _Unknown(Exception):
    """Something whose value is not known to be a function of what is looked at."""


def _described(value: Any, terms: list[Term]) -> Hashable:
    """A value as something that is equal for equal values; the symbolic parts are added to `terms`."""
    if value is None or isinstance(value, bool | int | str | bytes | float | enum.Enum):
        # Two floats may be equal and print differently (0.0 and -0.0), or print alike and not be equal (nan).
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
    raise _Unknown


def _place(view: Tensor, terms: list[Term]) -> Hashable:
    """Where a view lies in its storage."""
    moves = view.indirect_by
    found: list[Any] = [view.shape, view.strides, view.offset, view.dtype, view.storage.shape, view.storage.dtype]
    if moves is not None:
        # The indices are an operand of their own.
        found += [moves.kind, moves.stride, moves.reach is None]
    return tuple(_described(part, terms) for part in found)


def _call(operation: Operation, terms: list[Term]) -> Hashable:
    """All that an operation computes with but the contents of its operands. Raises `_Unknown`."""
    if has_effect(operation):
        raise _Unknown
    operands = sorted((operation.reads | operation.writes).items())
    return (
        operation.name,
        tuple((name, _described(value, terms)) for name, value in sorted(operation.attributes.items())),
        _described(operation.mask, terms),
        tuple((name, name in operation.reads, _place(view, terms)) for name, view in operands),
    )


# --- for all shapes ---------------------------------------------------------------------------------------------------


def independent(block: Block, programs: Sequence[Index]) -> frozenset[int]:
    """The operations of a symbolic program, by id, that are the same in all programs of the launch."""
    registers = Registers()
    found = [
        (item, registers.made_explicit(item.operation), steady)
        for item, steady in _operations(block, (), True, programs)
    ]
    written: set[Key] = {
        key_of(view.storage)
        for _, operation, _ in found
        for view in operation.writes.values()
        if is_shared(view.storage)
    }
    varying: set[Key] = set(written)
    alike = {id(item) for item, _, steady in found if steady}
    while True:
        for item, operation, _ in found:
            if id(item) not in alike:
                varying |= {key_of(view.storage) for view in operation.writes.values()}
        still = {
            id(item)
            for item, operation, _ in found
            if id(item) in alike and not any(key_of(view.storage) in varying for view in operation.reads.values())
        }
        if still == alike:
            return frozenset(alike)
        alike = still


def _operations(
    block: Block, loops: tuple[Index, ...], steady: bool, programs: Sequence[Index]
) -> Iterator[tuple[Executed, bool]]:
    """Every operation, and whether nothing but the contents of operands can differ from one program to another."""
    for item in block.items:
        if isinstance(item, Assume):
            steady = steady and (item.condition is True or _same(_terms(item.condition), loops, programs))
        elif isinstance(item, Loop):
            around = (*loops, item.index)
            same = _same([item.extent, *(term for bound in item.bounds for term in _terms(bound))], around, programs)
            yield from _operations(item.body, around, steady and same, programs)
        elif isinstance(item, Branch):
            same = _same(_terms(item.condition), loops, programs)
            yield from _operations(item.then, loops, steady and same, programs)
            yield from _operations(item.orelse, loops, steady and same, programs)
        elif isinstance(item, Executed):
            terms: list[Term] = []
            try:
                _call(item.operation, terms)
            except _Unknown:
                yield item, False
            else:
                yield item, steady and _same(terms, loops, programs)


def _terms(condition: Condition | bool) -> list[Term]:
    return list(condition.terms()) if isinstance(condition, Condition) else []


def _same(terms: Iterable[Term], loops: Sequence[Index], programs: Sequence[Index]) -> bool:
    """Whether terms are made of dimensions and indices of the loops around alone."""
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
    """The positions of operations that store to memory of all programs, and that every program executes alike."""
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


class _Stores:
    """What a concrete run stores to memory of all programs: by storage and program what is stored, as a number that is
    the same for the same values at the same place (None where that is not known), and the position."""

    def __init__(self, items: Sequence[Recorded]) -> None:
        self.by_storage: dict[int, dict[tuple[object, ...], list[tuple[int | None, int]]]] = {}
        self._numbers: dict[Hashable, int] = {}
        #: What each storage holds, as such a number.
        self._held: dict[int, int | None] = {}
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
        for position, item in enumerate(items):
            if isinstance(item, Executed):
                self._executed(position, self._registers.made_explicit(item.operation))

    def _executed(self, position: int, operation: Operation) -> None:
        made = self._made(operation)
        for argument, view in sorted(operation.writes.items()):
            storage = self._shared.first(view.storage)
            value = None if made is None else self._number(("stored", argument, made))
            if is_shared(storage):
                by_program = self.by_storage.setdefault(id(storage), {})
                by_program.setdefault(operation.program, []).append((value, position))
            else:
                # Other elements may still hold what they held.
                before = self._holds(storage)
                known = value is not None and before is not None
                self._held[id(storage)] = self._number((before, value)) if known else None

    def _made(self, operation: Operation) -> int | None:
        try:
            call = _call(operation, [])
        except _Unknown:
            return None
        held = [(argument, self._holds(view.storage)) for argument, view in sorted(operation.reads.items())]
        return None if any(number is None for _, number in held) else self._number((call, *held))

    def _holds(self, storage: Storage) -> int | None:
        storage = self._shared.first(storage)
        if id(storage) in self._held:
            return self._held[id(storage)]
        if id(storage) in self._written:
            return None
        # Arguments hold the same for all; what is new holds nothing that counts.
        known = ("argument", id(storage)) if isinstance(storage.identity, tuple) or is_shared(storage) else ("new",)
        return self._number(known)

    def _number(self, described: Hashable) -> int:
        return self._numbers.setdefault(described, len(self._numbers))
