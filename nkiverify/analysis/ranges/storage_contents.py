"""The contents of storages as families, at one place of a program: what all elements are, and what views hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

import numpy as np

from nkiverify.analysis.ranges.families import FIRST, LANES, Carried, NumberFamily, positions
from nkiverify.analysis.ranges.family_numbers import Families
from nkiverify.analysis.ranges.range_arithmetic import EMPTY
from nkiverify.analysis.sets.coordinates import as_term
from nkiverify.analysis.sets.keys import Key, indices_of, key_of
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.dtypes import DType, float32
from nkiverify.model.tensor import Storage, Tensor, row_major
from nkiverify.symbolic import Extent, constant_value
from nkiverify.symbolic.atoms import Atom, Index, Term, collect_atoms

#: A storage in this iteration of the loops around its allocation; the registers of an engine.
Place = tuple[object, ...]
Layout = tuple[object, ...]
#: How many columns of an operation come round again and again, of which each is known apart: those of bn_stats, and of
#: bn_aggr.
_ROUNDS = (6, 2)


def name_of(number: Extent | Term) -> object:
    """A name that tells an integer from others."""
    if isinstance(number, int):
        return number
    term = as_term(number)
    return term.constant if term.constant is not None else ("term", term.uid)


def place_of(storage: Storage) -> Place:
    """The place of the contents of a storage."""
    return (key_of(storage), *map(name_of, indices_of(storage)))


def layout_of(view: Tensor) -> Layout:
    """A name that tells a view from others of its storage."""
    return (tuple(map(name_of, (*view.shape, *view.strides, view.offset))), view.dtype)


def _columns_of(view: Tensor, rounds: int) -> tuple[int, ...]:
    """The columns, of this many that come round along the last axis of a storage, that a view has: one, or all from the
    first on; empty where that is not known."""
    *others, last = view.strides
    first = _remainder(view.offset, rounds)
    if first is None or any(_remainder(stride, rounds) != 0 for stride in others):
        return ()
    if constant_value(view.shape[-1]) == 1 or _remainder(last, rounds) == 0:
        return (first,)
    whole = constant_value(last) == 1 and first == 0 and _remainder(view.shape[-1], rounds) == 0
    return tuple(range(rounds)) if whole else ()


def _remainder(number: Extent | Term, divisor: int) -> int | None:
    """The remainder of a division, where it is the same whatever the sizes are."""
    rest = 0
    for monomial, factor in as_term(number).monomials.items():
        if factor % divisor and monomial:
            return None
        rest += 0 if monomial else factor
    return rest % divisor


def _column(place: Place, rounds: int, number: int) -> Place:
    """The place of the numbers of each this many-th column of a storage."""
    return (*place, ("column", rounds, number))


def _whole(place: Place) -> Place | None:
    """The place of a storage that columns are of; None for other places."""
    name = place[-1]
    return place[:-1] if isinstance(name, tuple) and name[:1] == ("column",) else None


def _indices_in(numbers: Sequence[Extent | Term]) -> frozenset[Atom]:
    found: dict[Atom, None] = {}
    for number in numbers:
        collect_atoms(as_term(number), found)
    return frozenset(atom for atom in found if isinstance(atom, Index))


@dataclass(slots=True)
class StorageContents:
    """The contents of a storage: `numbers` bound all elements that are written, `carried` says the same of each.

    `exact` are families that the elements of views are, with the indices of loops that these views depend on. `first`:
    what the first column holds, where that is known apart.
    """

    numbers: Array
    carried: Carried | None = None
    exact: dict[Layout, tuple[NumberFamily, frozenset[Atom]]] = field(default_factory=dict)
    #: The indices of loops that say which storage of an allocation it is.
    indices: frozenset[Atom] = frozenset()
    dtype: DType = float32
    first: Array | None = None

    def copy(self) -> StorageContents:
        """The same, to be changed apart."""
        return StorageContents(self.numbers, self.carried, dict(self.exact), self.indices, self.dtype, self.first)


def nothing() -> Array:
    """The numbers of what is not written."""
    found = np.zeros((LANES, 1))
    found[0], found[1] = EMPTY
    return found


class RangeState:
    """The contents of all storages. `kept` are those of storages of any iteration, by allocation."""

    def __init__(self) -> None:
        self.held: dict[Place, StorageContents] = {}
        self.kept: dict[Key, Array] = {}
        #: The storages written since the loop body that is walked began.
        self.written: set[Place] = set()

    def copy(self) -> RangeState:
        """The same, to be changed apart."""
        found = RangeState()
        found.held = {place: contents.copy() for place, contents in self.held.items()}
        found.kept = dict(self.kept)
        found.written = set(self.written)
        return found

    def contents(self, storage: Storage) -> StorageContents:
        """The contents of a storage; nothing where it has not been written."""
        place = place_of(storage)
        found = self.held.get(place)
        if found is None:
            found = StorageContents(self.kept.get(key_of(storage), nothing()), dtype=storage.dtype)
            if not indices_of(storage):
                self.held[place] = found
        return found

    def numbers_at(self, place: Place) -> Array:
        """The numbers at a place: columns that are not known apart have those of all of the storage."""
        found, whole = self.held.get(place), _whole(place)
        if found is None and whole is not None:
            found = self.held.get(whole)
            return self.kept.get(whole[0], nothing()) if found is None else found.numbers  # type: ignore[call-overload]
        return nothing() if found is None else found.numbers

    def allocate(self, storage: Storage) -> None:
        """A storage is allocated: nothing has been written to it."""
        self._drop(key_of(storage))
        made = StorageContents(nothing(), indices=_indices_in(indices_of(storage)), dtype=storage.dtype)
        self.held[place_of(storage)] = made
        self.written.add(place_of(storage))

    def _drop(self, key: Key) -> None:
        """One storage of an allocation is written: another one that is held may be the same."""
        for place in [each for each in self.held if each[0] == key]:
            del self.held[place]
            self.written.add(place)

    def read(self, view: Tensor, n: Families) -> NumberFamily:
        """The elements of a view: those written to it, or what is known of all."""
        contents, layout = self.contents(view.storage), layout_of(view)
        known = contents.exact.get(layout)
        if known is not None:
            return known[0]
        shape = tuple(view.shape)
        every = self._columns(view)
        if len(every) == 1:
            found = NumberFamily(n.named(every[0], view.dtype), shape, positions(shape), n.sizes)
        else:
            ids = n.named(contents.numbers, view.dtype)
            found = NumberFamily(ids, shape, positions(shape), n.sizes, carried=contents.carried, every=every)
            if contents.first is not None and _has_first_column(view, n):
                found = replace(found, at={FIRST: contents.first})
        contents.exact[layout] = (found, _indices_in((*view.shape, *view.strides, view.offset)))
        return found

    def _columns(self, view: Tensor) -> tuple[Array, ...]:
        """The numbers of the columns of a view, where they are known apart."""
        place = place_of(view.storage)
        for rounds in _ROUNDS:
            if _column(place, rounds, 0) in self.held:
                found = _columns_of(view, rounds)
                if found:
                    return tuple(self.held[_column(place, rounds, number)].numbers for number in found)
        return ()

    def _written_columns(
        self, view: Tensor, family: NumberFamily, n: Families, *, all_of_it: bool
    ) -> dict[Place, Array]:
        """The numbers of columns once a view is written; `all_of_it`: all of the storage."""
        place, found = place_of(view.storage), {}
        for rounds in _ROUNDS:
            known = family.every if len(family.every) == rounds and len(_columns_of(view, rounds)) == rounds else ()
            if not known and _column(place, rounds, 0) not in self.held:
                continue
            for number in range(rounds):
                column = _column(place, rounds, number)
                after = known[number] if known else family.numbers
                found[column] = n.joined(after, after) if all_of_it else n.joined(self.numbers_at(column), after)
        return found

    def write(self, view: Tensor, family: NumberFamily, n: Families, *, all_of_it: bool, whole: bool) -> None:
        """A view is written; `all_of_it`: every element of it, `whole`: it is all of its storage."""
        storage = view.storage
        place, key = place_of(storage), key_of(storage)
        columns = self._written_columns(view, family, n, all_of_it=whole and all_of_it)
        found = StorageContents(n.joined(family.numbers, family.numbers), family.carried)
        if not (whole and all_of_it):
            before = self.contents(storage)
            plain = NumberFamily(before.numbers, (), (), n.sizes, carried=before.carried)
            both = n.either(plain, replace(family, extents=()).without_id())
            found = StorageContents(both.numbers, both.carried)
        found.numbers[3], found.dtype = 0, storage.dtype
        if all_of_it and _has_first_column(view, n):
            found.first = family.at.get(FIRST, family.numbers).copy()
            found.first[3] = 0
        if all_of_it:
            found.exact[layout_of(view)] = (family, _indices_in((*view.shape, *view.strides, view.offset)))
        if indices_of(storage):
            self._drop(key)
            self.kept[key] = n.joined(self.kept.get(key, nothing()), found.numbers)
            found.indices = _indices_in(indices_of(storage))
        self.held[place] = found
        for column, numbers in columns.items():
            numbers[3] = 0
            self.held[column] = StorageContents(numbers, indices=found.indices, dtype=storage.dtype)
        self.written.update((place, *columns))

    def registers(self, engine: str) -> StorageContents:
        """The contents of the reduction registers of an engine."""
        return self.held.setdefault(("registers", engine), StorageContents(nothing()))

    def keep(self, engine: str, family: NumberFamily, n: Families) -> None:
        """The reduction registers of an engine are set, for some partitions."""
        joined = n.joined(self.registers(engine).numbers, family.numbers)
        joined[3] = 0
        self.held[("registers", engine)] = StorageContents(joined)
        self.written.add(("registers", engine))

    def join(self, other: RangeState, n: Families) -> None:
        """Go on with what is here or there."""
        for here, there in ((self, other), (other, self)):
            for place in [each for each in there.held if _whole(each) is not None and each not in here.held]:
                here.held[place] = replace(there.held[place], numbers=here.numbers_at(place))
        for place, contents in other.held.items():
            mine = self.held.get(place)
            if mine is None:
                self.held[place] = StorageContents(contents.numbers, indices=contents.indices, dtype=contents.dtype)
            elif mine is not contents:
                one = NumberFamily(mine.numbers, (), (), n.sizes, carried=mine.carried)
                both = n.either(one, NumberFamily(contents.numbers, (), (), n.sizes, carried=contents.carried))
                exact = {each: held for each, held in mine.exact.items() if _is(contents.exact.get(each), held)}
                self.held[place] = StorageContents(both.numbers, both.carried, exact, mine.indices, mine.dtype)
        for key, numbers in other.kept.items():
            self.kept[key] = n.joined(self.kept.get(key, nothing()), numbers)
        self.written |= other.written

    def forget(self, index: Index) -> None:
        """A loop is over: there is no iteration any more that views, or allocations, could depend on."""
        self.held = {place: contents for place, contents in self.held.items() if index not in contents.indices}
        for contents in self.held.values():
            contents.exact = {each: held for each, held in contents.exact.items() if index not in held[1]}


def _has_first_column(view: Tensor, n: Families) -> bool:
    """True if a view begins with the first column of all rows of its storage."""
    storage, same = view.storage, n.sizes.same
    return (
        view.ndim == len(storage.shape)
        and all(map(same, view.shape[:-1], storage.shape[:-1]))
        and all(map(same, view.strides, row_major(storage.shape)))
        and same(view.offset, 0)
    )


def _is(one: tuple[NumberFamily, frozenset[Atom]] | None, other: tuple[NumberFamily, frozenset[Atom]]) -> bool:
    return one is not None and one[0] is other[0]
