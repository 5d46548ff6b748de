"""The contents of storages as families, at one place of a program: what all elements are, and what views hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from nkiverify.analysis.ranges.arithmetic import EMPTY
from nkiverify.analysis.ranges.families import LANES, Carried, Family, positions
from nkiverify.analysis.ranges.family_numbers import Families
from nkiverify.analysis.sets.coordinates import as_term
from nkiverify.analysis.sets.keys import Key, indices_of, key_of
from nkiverify.analysis.values.formats import Array
from nkiverify.model.dtypes import DType, float32
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import Extent
from nkiverify.symbolic.atoms import Atom, Index, Term, collect_atoms

#: A storage in this iteration of the loops around its allocation; the registers of an engine.
Place = tuple[object, ...]
Layout = tuple[object, ...]


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


def _indices_in(numbers: Sequence[Extent | Term]) -> frozenset[Atom]:
    found: dict[Atom, None] = {}
    for number in numbers:
        collect_atoms(as_term(number), found)
    return frozenset(atom for atom in found if isinstance(atom, Index))


@dataclass(slots=True)
class Contents:
    """The contents of a storage: `numbers` bound all elements that are written, `carried` says the same of each.

    `exact` are families that the elements of views are, with the indices of loops that these views depend on.
    """

    numbers: Array
    carried: Carried | None = None
    exact: dict[Layout, tuple[Family, frozenset[Atom]]] = field(default_factory=dict)
    #: The indices of loops that say which storage of an allocation it is.
    indices: frozenset[Atom] = frozenset()
    dtype: DType = float32

    def copy(self) -> Contents:
        """The same, to be changed apart."""
        return Contents(self.numbers, self.carried, dict(self.exact), self.indices, self.dtype)


def nothing() -> Array:
    """The numbers of what is not written."""
    found = np.zeros((LANES, 1))
    found[0], found[1] = EMPTY
    return found


class State:
    """The contents of all storages. `kept` are those of storages of any iteration, by allocation."""

    def __init__(self) -> None:
        self.held: dict[Place, Contents] = {}
        self.kept: dict[Key, Array] = {}
        #: The storages written since the loop body that is walked began.
        self.written: set[Place] = set()

    def copy(self) -> State:
        """The same, to be changed apart."""
        found = State()
        found.held = {place: contents.copy() for place, contents in self.held.items()}
        found.kept = dict(self.kept)
        found.written = set(self.written)
        return found

    def contents(self, storage: Storage) -> Contents:
        """The contents of a storage; nothing where it has not been written."""
        place = place_of(storage)
        found = self.held.get(place)
        if found is None:
            found = Contents(self.kept.get(key_of(storage), nothing()), dtype=storage.dtype)
            if not indices_of(storage):
                self.held[place] = found
        return found

    def allocate(self, storage: Storage) -> None:
        """A storage is allocated: nothing has been written to it."""
        self._drop(key_of(storage))
        made = Contents(nothing(), indices=_indices_in(indices_of(storage)), dtype=storage.dtype)
        self.held[place_of(storage)] = made
        self.written.add(place_of(storage))

    def _drop(self, key: Key) -> None:
        """One storage of an allocation is written: another one that is held may be the same."""
        for place in [each for each in self.held if each[0] == key]:
            del self.held[place]
            self.written.add(place)

    def read(self, view: Tensor, n: Families) -> Family:
        """The elements of a view: those written to it, or what is known of all."""
        contents, layout = self.contents(view.storage), layout_of(view)
        known = contents.exact.get(layout)
        if known is not None:
            return known[0]
        ids = n.named(contents.numbers, view.dtype)
        shape = tuple(view.shape)
        found = Family(ids, shape, positions(shape), n.sizes, carried=contents.carried)
        contents.exact[layout] = (found, _indices_in((*view.shape, *view.strides, view.offset)))
        return found

    def write(self, view: Tensor, family: Family, n: Families, *, all_of_it: bool, whole: bool) -> None:
        """A view is written; `all_of_it`: every element of it, `whole`: it is all of its storage."""
        storage = view.storage
        place, key = place_of(storage), key_of(storage)
        found = Contents(n.joined(family.numbers, family.numbers), family.carried)
        if not (whole and all_of_it):
            before = self.contents(storage)
            plain = Family(before.numbers, (), (), n.sizes, carried=before.carried)
            both = n.either(plain, replace(family, extents=()).without_id())
            found = Contents(both.numbers, both.carried)
        found.numbers[3], found.dtype = 0, storage.dtype
        if all_of_it:
            found.exact[layout_of(view)] = (family, _indices_in((*view.shape, *view.strides, view.offset)))
        if indices_of(storage):
            self._drop(key)
            self.kept[key] = n.joined(self.kept.get(key, nothing()), found.numbers)
            found.indices = _indices_in(indices_of(storage))
        self.held[place] = found
        self.written.add(place)

    def registers(self, engine: str) -> Contents:
        """The contents of the reduction registers of an engine."""
        return self.held.setdefault(("registers", engine), Contents(nothing()))

    def keep(self, engine: str, family: Family, n: Families) -> None:
        """The reduction registers of an engine are set, for some partitions."""
        joined = n.joined(self.registers(engine).numbers, family.numbers)
        joined[3] = 0
        self.held[("registers", engine)] = Contents(joined)
        self.written.add(("registers", engine))

    def join(self, other: State, n: Families) -> None:
        """Go on with what is here or there."""
        for place, contents in other.held.items():
            mine = self.held.get(place)
            if mine is None:
                self.held[place] = Contents(contents.numbers, indices=contents.indices, dtype=contents.dtype)
            elif mine is not contents:
                one = Family(mine.numbers, (), (), n.sizes, carried=mine.carried)
                both = n.either(one, Family(contents.numbers, (), (), n.sizes, carried=contents.carried))
                exact = {each: held for each, held in mine.exact.items() if _is(contents.exact.get(each), held)}
                self.held[place] = Contents(both.numbers, both.carried, exact, mine.indices, mine.dtype)
        for key, numbers in other.kept.items():
            self.kept[key] = n.joined(self.kept.get(key, nothing()), numbers)
        self.written |= other.written

    def forget(self, index: Index) -> None:
        """A loop is over: there is no iteration any more that views, or allocations, could depend on."""
        self.held = {place: contents for place, contents in self.held.items() if index not in contents.indices}
        for contents in self.held.values():
            contents.exact = {each: held for each, held in contents.exact.items() if index not in held[1]}


def _is(one: tuple[Family, frozenset[Atom]] | None, other: tuple[Family, frozenset[Atom]]) -> bool:
    return one is not None and one[0] is other[0]
