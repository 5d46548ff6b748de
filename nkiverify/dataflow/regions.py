"""Views as isl maps: from the positions of a view to the elements of its storage.

An element is named by the indices of the allocation (a tile allocated in a loop is another one in each iteration) and
by its coordinates in the storage. Coordinates follow the storage's own dimensions: products of dimensions then cancel,
and what remains is affine. A view that leaves the box of its coordinates, or is not affine, has no map.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import islpy as isl

from nkiverify.dataflow.affine import Sets, Text
from nkiverify.model.extents import is_zero
from nkiverify.model.indices import Mask, Relation
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import Extent, constant_value, product
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.terms import Monomial, Term, add, constant, make, multiply

#: What identifies a storage, whatever the iterations of the loops around its allocation are.
Key = tuple[object, ...]


def key_of(storage: Storage) -> Key:
    """The allocation a storage was made by."""
    identity: Any = storage.identity
    return ("allocated", identity.key) if hasattr(identity, "indices") else ("argument", identity)


def indices_of(storage: Storage) -> tuple[Term, ...]:
    """The indices of the loops around the allocation."""
    return tuple(getattr(storage.identity, "indices", ()))


@dataclass(frozen=True, slots=True)
class Region:
    """The elements an operand touches: `map` from positions, `elements` its range.

    `outside` are the parameters for which it leaves its storage.
    """

    map: isl.Map
    elements: isl.Set
    outside: isl.Set


class Regions:
    """Makes maps of views, and remembers them."""

    def __init__(self, sets: Sets) -> None:
        self._sets = sets
        self._known: dict[tuple[object, ...], Region | None] = {}
        self._keep: list[object] = []

    def of(
        self,
        view: Tensor,
        mask: Mask | None,
        context: isl.Set,
        *,
        writes: bool,
        rows: tuple[int, int] | None = None,
    ) -> Region | None:
        """The elements of `view` under `mask`; None where they are not affine or may leave the storage.

        Of every `rows[0]` rows only the first `rows[1]` count. Where the grid of the mask does not fit the view, what
        is read may be more than the mask says, and what is written is not known.
        """
        key = (id(view), id(mask), writes, rows)
        if key not in self._known:
            self._keep.append((view, mask))
            self._known[key] = self._make(view, mask, writes, rows)
        found = self._known[key]
        # A view used at several places may leave its storage at one of them only.
        if found is None or not found.outside.is_disjoint(context):
            return None
        return found

    def whole(self, storage: Storage) -> isl.Set:
        """All elements of a storage."""
        text = Text(self._sets.names)
        box = self._box(storage, text)
        return isl.Set(f"{text.head()}{{ [{', '.join(self._coordinates(storage))}] : {box} }}")

    def _coordinates(self, storage: Storage) -> list[str]:
        ids = [f"d{at}" for at in range(len(indices_of(storage)))]
        return ids + [f"x{at}" for at in range(len(_extents(storage)))]

    def _box(self, storage: Storage, text: Text) -> str:
        parts = [f"d{at} = {text.number(index)}" for at, index in enumerate(indices_of(storage))]
        parts += [f"0 <= x{at} < {text.number(extent)}" for at, extent in enumerate(_extents(storage))]
        return " and ".join(parts) or "0 = 0"

    def _make(self, view: Tensor, mask: Mask | None, writes: bool, rows: tuple[int, int] | None) -> Region | None:
        storage = view.storage
        if view.indirect_by is not None or view.dtype.itemsize != storage.dtype.itemsize:
            return None
        strides = _strides(storage)
        text = Text(self._sets.names)
        places: list[list[str]] = [[] for _ in strides]
        for start, stride in view.offset_terms:
            parts = _decomposed(stride, strides)
            if parts is None:
                parts, start = _decomposed(_times(start, stride), strides), 1
            if parts is None:
                return None
            for at, part in enumerate(parts):
                if not is_zero(part):
                    places[at].append(text.number(_times(start, part)))
        for axis, (extent, stride) in enumerate(zip(view.shape, view.strides, strict=True)):
            parts = None if constant_value(extent) == 1 else _decomposed(stride, strides)
            if parts is None:
                if constant_value(extent) == 1:
                    continue
                return None
            for at, part in enumerate(parts):
                factor = constant_value(part)
                if factor is None:
                    return None
                if factor:
                    places[at].append(f"{factor}*e{axis}")
        conditions = [f"0 <= e{axis} < {text.number(extent)}" for axis, extent in enumerate(view.shape)]
        conditions += [f"x{at} = {' + '.join(parts) or '0'}" for at, parts in enumerate(places)]
        conditions += [f"d{at} = {text.number(index)}" for at, index in enumerate(indices_of(storage))]
        if mask is not None:
            under = _under(mask, view.shape, text, writes)
            if under is None:
                return None
            conditions += under
        if rows is not None:
            conditions.append(f"e0 mod {rows[0]} < {rows[1]}")
        positions = ", ".join(f"e{axis}" for axis in range(view.ndim))
        elements = ", ".join(self._coordinates(storage))
        found = isl.Map(f"{text.head()}{{ [{positions}] -> [{elements}] : {' and '.join(conditions)} }}")
        reached = found.range()
        return Region(found, reached, reached.subtract(self.whole(storage)).params())


def _grouped(storage: Storage) -> int:
    """How many leading dimensions have a coordinate of their own; those after them, if any, count as one.

    On chip the free dimensions are one coordinate as far as their strides are plain numbers.
    """
    if not storage.buffer.on_chip:
        return len(storage.shape)
    at, fixed = len(storage.shape), storage.block_dims + 1
    while at > fixed and constant_value(storage.shape[at - 1]) is not None:
        at -= 1
    return max(fixed, at - 1)


def _extents(storage: Storage) -> list[Extent]:
    lead = _grouped(storage)
    rest = storage.shape[lead:]
    return [*storage.shape[:lead], *([product(rest)] if rest else [])]


def _strides(storage: Storage) -> list[Extent]:
    """Elements from one value of a coordinate to the next."""
    extents = _extents(storage)
    strides: list[Extent] = [1]
    for extent in reversed(extents[1:]):
        strides.append(strides[-1] * extent)
    return strides[::-1][: len(extents)] if extents else []


def _term(value: Extent) -> Term:
    return value if isinstance(value, Term) else constant(int(value))


def _times(left: Extent, right: Extent) -> Extent:
    return multiply(_term(left), _term(right))  # type: ignore[return-value]


def _decomposed(stride: Extent, strides: Sequence[Extent]) -> list[Extent] | None:
    """`stride` as a sum of multiples of the coordinates' strides, largest first; None if it is none."""
    rest = _term(stride)
    parts: list[Extent] = []
    for each in strides:
        factor = _multiple(rest, _term(each))
        parts.append(factor)  # type: ignore[arg-type]
        rest = add(rest, multiply(_term(each), factor), -1)
    return parts if rest.constant == 0 else None


def _multiple(value: Term, unit: Term) -> Term:
    """How often `unit` is in `value`, judged by its leading product."""
    leading = max(unit.monomials, key=lambda monomial: (len(monomial), *(atom.uid for atom in monomial)), default=())
    weight = unit.monomials.get(leading, 1)
    found: dict[Monomial, int] = {}
    for monomial, coefficient in value.monomials.items():
        rest = list(monomial)
        for atom in leading:
            if atom not in rest:
                break
            rest.remove(atom)
        else:
            if coefficient % weight == 0 or not monomial:
                found[tuple(rest)] = coefficient // weight
    return make({monomial: factor for monomial, factor in found.items() if factor})


def _under(mask: Mask, shape: tuple[Extent, ...], text: Text, writes: bool) -> list[str] | None:
    """The mask as conditions on the positions of an operand of `shape`; None where a write is not known."""
    found: list[str] = []
    host = mask.host
    found.append(text.condition(host if isinstance(host, bool | Condition) else True))
    rank = len(shape)
    for term in mask.terms:
        difference = term.difference
        parts = [text.number(difference.base)]
        fits = True
        for axis in range(-difference.ndim, 0):
            coefficient = difference.coefficients[axis]
            if is_zero(coefficient):
                continue
            factor = constant_value(coefficient)
            place = rank + axis
            if difference.ndim > rank:
                # A result of fewer axes than the grid keeps the partitions.
                place = 0 if axis == -difference.ndim else -1
            if factor is None or place < 0 or not same_extent(shape[place], difference.shape[axis]):
                fits = False
                break
            parts.append(f"{factor}*e{place}")
        if not fits:
            if writes:
                return None
            continue
        relation = {Relation.AT_MOST: "<=", Relation.EQUAL: "=", Relation.UNEQUAL: "!="}[term.relation]
        found.append(f"{' + '.join(parts)} {relation} 0")
    return found


def same_extent(one: Extent, two: Extent) -> bool:
    """Whether two extents are equal whatever the dimensions are."""
    return _term(one) is _term(two)
