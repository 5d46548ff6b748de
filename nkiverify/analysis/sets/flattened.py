"""Flattened loops as loops within one another, which the walk over sets can follow.

    for i in range(rows * columns):            for q in range(rows):
        row, column = divmod(i, columns)           for r in range(columns):
        …                                              …, with columns*q + r for i, and q for i // columns

Both have the same iterations in the same order. That holds where the number of iterations is proved to be a multiple of
a divisor that is at least 1; all else stays as it is. In the sets `columns*(i // columns)` is a number of which little
is known, and `columns*q` in the inner loop is one number.

Engines are not asked about this program: claims in such loops are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from operator import is_
from typing import Any

from nkiverify.analysis.sets.keys import Key, key_of
from nkiverify.analysis.sets.structure import bounds_of, local_allocations
from nkiverify.ir.program import Assume, Block, Branch, Claim, Item, Loop, Program
from nkiverify.ir.walk import Visitor
from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Allocation, Executed
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Atom, Div, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.substitution import CannotSubstitute, is_plain, substitute


def nested_loops(program: Program) -> tuple[Program, Mapping[Item, Item]]:
    """The program with its flattened loops as loops within one another, and the item that each new one has been made
    of; the program itself where there is none."""
    nesting = _Nesting(program.body)
    body = Block(list(nesting.block(program.body)))
    return (replace(program, body=body) if nesting.origins else program), nesting.origins


class _Nesting(Visitor[Item]):
    """The items of blocks in which flattened loops are nested."""

    def __init__(self, body: Block) -> None:
        self.origins: dict[Item, Item] = {}
        self._local = local_allocations(body)
        #: The conditions that hold where the walk is.
        self._held: list[Condition | bool] = []

    def block(self, block: Block) -> Iterator[Item]:
        before = len(self._held)
        yield from super().block(block)
        del self._held[before:]

    def assume(self, item: Assume) -> Iterator[Item]:
        self._held.append(item.condition)
        yield item

    def claim(self, item: Claim) -> Iterator[Item]:
        yield item

    def recorded(self, item: Item) -> Iterator[Item]:
        yield item

    def branch(self, item: Branch) -> Iterator[Item]:
        then, orelse = (self._inner(block, (condition,)) for condition, block in item.arms)
        yield self._made(item, replace(item, then=then, orelse=orelse), (item.then, then), (item.orelse, orelse))

    def loop(self, item: Loop) -> Iterator[Item]:
        found = self._nested(item)
        if found is not None:
            # Either of the two may be flattened itself.
            own = local_allocations(Block([found]))
            self._local |= {index: own[index] for index in (found.index, *(one.index for one in found.body.loops))}
            yield from self.loop(found)
            return
        body = self._inner(item.body, item.bounds)
        yield self._made(item, replace(item, body=body), (item.body, body))

    def _inner(self, block: Block, held: Sequence[Condition | bool]) -> Block:
        before = len(self._held)
        self._held += held
        items = list(self.block(block))
        del self._held[before:]
        same = len(items) == len(block.items) and all(map(is_, items, block.items))
        return block if same else Block(items)

    def _made(self, item: Item, made: Item, *blocks: tuple[Block, Block]) -> Item:
        """The item that is made of another one; that one where nothing in it is new."""
        if all(one is two for one, two in blocks):
            return item
        self.origins[made] = self.origins.get(item, item)
        return made

    def _nested(self, item: Loop) -> Loop | None:
        """A flattened loop as two; None where it is none, or what is in it cannot be followed."""
        if not item.counted or [*map(_uid, item.bounds)] != [*map(_uid, bounds_of(item.index))]:
            return None
        divisors = _Divisors(item)
        divisors.visit(item.body)
        # The largest first: the quotient by a part of it is one in the inner loop.
        for divisor in sorted(divisors.found.values(), key=lambda one: (-len(one.atoms), str(one))):
            times = self._times(item, divisor)
            if times is None:
                continue
            splitting = _Splitting(item, divisor, times, self._local.get(item.index, set()))
            try:
                found = splitting.loop_of(item)
            except CannotSubstitute:
                continue
            for made, origin in splitting.origins.items():
                self.origins[made] = self.origins.get(origin, origin)
            return found
        return None

    def _times(self, item: Loop, divisor: Term) -> Term | None:
        """How often a divisor of at least 1 is in the number of iterations; None where that is not proved."""
        times = terms.divide(item.extent, divisor)
        some = conditions.at_most_zero(terms.add(terms.constant(1), item.extent, -1))
        positive = conditions.at_most_zero(terms.add(terms.constant(1), divisor, -1))
        whole = conditions.equals_zero(terms.add(item.extent, terms.multiply(times, divisor), -1))
        prover = Prover([*self._held, some], BUDGETS.first)
        return (
            times
            if all(one is True or (one is not False and prover.proves(one)) for one in (whole, positive))
            else None
        )


def _uid(condition: Condition | bool) -> object:
    return condition if isinstance(condition, bool) else condition.uid


class _Divisors(Visitor[None]):
    """The divisors of the index of a loop in the views of its body, those that do not change in the loop."""

    def __init__(self, item: Loop) -> None:
        self.found: dict[int, Term] = {}
        self._index = terms.of_atom(item.index)
        self._inside: set[Atom] = {item.index}
        self._seen: set[int] = set()

    def loop(self, item: Loop) -> Iterator[None]:
        self._inside.add(item.index)
        self._look(item.extent)
        yield from self.block(item.body)

    def recorded(self, item: Item) -> tuple[()]:
        if isinstance(item, Executed):
            for view in item.operation.views:
                for one in (*view.shape, *view.strides, *(part for pair in view.offset_terms for part in pair)):
                    if isinstance(one, Term):
                        self._look(one)
        return ()

    def _look(self, term: Term) -> None:
        if term.uid in self._seen:
            return
        self._seen.add(term.uid)
        for atom in terms.all_atoms(term):
            if isinstance(atom, Div) and atom.numerator is self._index:
                divisor = atom.denominator
                # Of a number sets know the quotient.
                if divisor.constant is None and not self._inside & terms.all_atoms(divisor):
                    self.found[divisor.uid] = divisor


class _Splitting(Visitor[Item]):
    """The items of the body of a loop over `divisor * times` iterations, in two loops.

    What the body allocates is named by both indices; something else that is named by the index of the loop is seen from
    elsewhere, and keeps its name there.
    """

    def __init__(self, item: Loop, divisor: Term, times: Term, local: set[Key]) -> None:
        self.origins: dict[Item, Item] = {}
        self._local = local
        self._index = terms.of_atom(item.index)
        name, key = item.index.name, (item.index.uid, divisor.uid)
        self._outer = terms.index(f"{name}//", times, ("outer of", *key))
        self._inner = terms.index(f"{name}%", divisor, ("inner of", *key))
        whole = terms.add(terms.multiply(divisor, self._outer), self._inner)
        zero = terms.constant(0)
        #: Replaced one after the other: what is put in place is not looked into.
        self._mappings: list[dict[Atom, Term]] = [
            {**_quotient(self._index, divisor, self._outer), item.index: whole},
            {**_quotient(self._outer, times, zero), **_quotient(self._inner, divisor, zero)},
        ]
        self._storages: dict[Storage, Storage] = {}

    def loop_of(self, item: Loop) -> Loop:
        """The loop as two. Raises `CannotSubstitute` where something in it depends on the index in ways unknown."""
        outer, inner = terms.index_atom(self._outer), terms.index_atom(self._inner)
        body = Block(list(self.block(item.body)))
        within = replace(item, index=inner, extent=inner.extent, bounds=tuple(bounds_of(inner)), body=body)
        around = replace(item, index=outer, extent=outer.extent, bounds=tuple(bounds_of(outer)), body=Block([within]))
        self.origins[within] = self.origins[around] = item
        return around

    def _put(self, value: Any) -> Any:
        for mapping in self._mappings:
            if mapping:
                value = substitute(value, mapping)
        return value

    def assume(self, item: Assume) -> Iterator[Item]:
        yield self._of(item, condition=self._put(item.condition))

    def claim(self, item: Claim) -> tuple[()]:
        return ()

    def loop(self, item: Loop) -> Iterator[Item]:
        extent, index = self._put(item.extent), item.index
        if extent is not item.extent:
            # Its range is another one for each iteration of the two loops.
            own = terms.index(index.name, extent, ("within", index.uid, self._outer.uid))
            self._mappings[0][index] = own
            index = terms.index_atom(own)
        bounds = tuple(map(self._put, item.bounds))
        yield self._of(item, index=index, extent=extent, bounds=bounds, body=Block(list(self.block(item.body))))

    def branch(self, item: Branch) -> Iterator[Item]:
        condition = self._put(item.condition)
        if isinstance(condition, bool):
            yield from self.block(item.then if condition else item.orelse)
            return
        then, orelse = Block(list(self.block(item.then))), Block(list(self.block(item.orelse)))
        yield self._of(item, condition=condition, then=then, orelse=orelse)

    def recorded(self, item: Item) -> Iterator[Item]:
        if isinstance(item, Allocation):
            yield self._of(item, storage=self._storage(item.storage), program=self._put(item.program))
        elif isinstance(item, Executed) and item.operation.body is None:
            yield self._of(item, operation=self._operation(item.operation))
        else:
            raise CannotSubstitute("something else than operations")

    def _of(self, item: Any, **parts: Any) -> Item:
        made: Item = replace(item, **parts)
        self.origins[made] = item
        return made

    def _operation(self, operation: Operation) -> Operation:
        attributes = {
            name: value if isinstance(value, list) and all(map(is_plain, value)) else self._put(value)
            for name, value in operation.attributes.items()
        }
        return replace(
            operation,
            reads={name: self._view(view) for name, view in operation.reads.items()},
            writes={name: self._view(view) for name, view in operation.writes.items()},
            attributes=attributes,
            mask=self._put(operation.mask),
            program=self._put(operation.program),
        )

    def _view(self, view: Tensor) -> Tensor:
        found: Tensor = self._put(view.with_layout(view.shape, view.strides))
        found.storage = self._storage(view.storage)
        return found

    def _storage(self, storage: Storage) -> Storage:
        """One storage for all views of one."""
        found = self._storages.get(storage)
        if found is None:
            found = self._put(storage)
            identity: Any = storage.identity
            indices: tuple[Term, ...] = getattr(identity, "indices", ())
            if any(one is self._index for one in indices):
                if key_of(storage) not in self._local:
                    raise CannotSubstitute("a storage that others see")
                each = ((self._outer, self._inner) if one is self._index else (self._put(one),) for one in indices)
                found = replace(found, identity=replace(identity, indices=tuple(chain.from_iterable(each))))
            self._storages[storage] = found
        return found


def _quotient(numerator: Term, divisor: Term, value: Term) -> dict[Atom, Term]:
    """The value of the atom of a quotient, where it is one."""
    found = terms.divide(numerator, divisor)
    atoms = [atom for atom in found.atoms if isinstance(atom, Div) and found is terms.of_atom(atom)]
    return dict.fromkeys(atoms, value)
