"""All elements of a tile at once, for every size of it: one interval, and how its elements go with those of others.

A `NumberFamily` stands for an array in the meanings of operations (`@OPERATION.meaning`), whose extents may be terms.
What an operation needs of an array beyond this is not followed.

An id (`relations`) names the numbers of a family by coordinates: along axis k of a tile an element is counted by the
coordinates `axes[k]`, none where all elements are one number. What is known of two ids holds for equal coordinates, so
that `x - max(x)` is seen to be at most 0, and a transposed x, whose coordinates are others, is not. A family without an
id has the coordinates of its own positions: whatever id it is given later names each element apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, NoReturn

import numpy as np

from nkiverify.analysis.ranges.extent_sizes import Sizes
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DType
from nkiverify.symbolic import Extent, constant_value, product

#: The coordinates that count the elements along one axis of a tile.
Axis = tuple[int, ...]
LANES = 4
#: Where elements of rows are known apart: in the first column, in the last one, and in that which the partition counts.
FIRST, LAST, DIAGONAL = "first", "last", "diagonal"


@dataclass(frozen=True, slots=True)
class ScaledBounds:
    """A number is between `low` and `high` times `top / bottom`, two products of sizes that are positive."""

    top: Extent
    bottom: Extent
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Carried:
    """A number is a factor times what `base` held when the iteration began, which is of this dtype, and an addend."""

    base: object
    dtype: DType
    factor: tuple[float, float]
    addend: tuple[float, float]

    @property
    def keeps(self) -> bool:
        """True if the factor is 1."""
        return self.factor == (1.0, 1.0)

    @property
    def shrinks(self) -> bool:
        """True if the factor is between 0 and 1."""
        return 0.0 <= self.factor[0] <= self.factor[1] <= 1.0


@dataclass(frozen=True, slots=True, eq=False)
class NumberFamily:
    """The elements of a tile of these extents. `numbers` (lanes, 1) bounds each of them, as an array of one interval.

    `fewer`: a mask may leave out some of them. `every`: intervals of each this many-th column, which come round again
    and again along the last axis. `at`: those of an element of each row that is known apart, by where it is (`FIRST`,
    …)."""

    numbers: Array
    extents: tuple[Extent, ...]
    axes: tuple[Axis, ...]
    sizes: Sizes
    times: ScaledBounds | None = None
    carried: Carried | None = None
    fewer: bool = False
    every: tuple[Array, ...] = ()
    at: Mapping[str, Array] = field(default_factory=dict)

    __array_ufunc__ = None

    @property
    def id(self) -> int:
        """The id of the numbers; 0 where nothing is known of them besides the interval."""
        return int(self.numbers[3, 0])

    def without_id(self) -> NumberFamily:
        """The same numbers, of which no relation to others is known."""
        numbers = self.numbers.copy()
        numbers[3] = 0
        return replace(self, numbers=numbers, axes=positions(self.extents))

    def with_numbers(self, numbers: Array) -> NumberFamily:
        """Other numbers in the same places, of which nothing is known but their ids."""
        axes = self.axes if numbers[3, 0] else positions(self.extents)
        return replace(self, numbers=numbers, axes=axes, times=None, carried=None, every=(), at={})

    # --- what meanings ask of an array --------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[Extent, ...]:
        """The lanes, and the extents."""
        return (LANES, *self.extents)

    @property
    def ndim(self) -> int:
        """The number of axes, the lanes included."""
        return 1 + len(self.extents)

    def transpose(self, *order: Any) -> NumberFamily:
        """The axes in another order, that of the lanes first."""
        axes = [int(axis) - 1 for axis in (order[0] if len(order) == 1 else order)[1:]]
        extents, coordinates = (tuple(part[axis] for axis in axes) for part in (self.extents, self.axes))
        found = replace(self, extents=extents, axes=coordinates)  # type: ignore[arg-type]
        return found if axes == sorted(axes) else replace(found, every=(), at={})

    def reshape(self, *shape: Any) -> NumberFamily:
        """The same elements in row-major order."""
        wanted = tuple(shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape)[1:]
        source = [(extent, axis) for extent, axis in zip(self.extents, self.axes, strict=True) if not _is_one(extent)]
        open_at = [at for at, extent in enumerate(wanted) if constant_value(extent) == -1]
        target = [at for at, extent in enumerate(wanted) if not _is_one(extent) or at in open_at]
        found: list[tuple[Extent, Axis]] = [(extent, ()) for extent in wanted]
        if open_at and target[-1] != open_at[0]:
            raise UnsupportedConstruct("tiles of unknown extents in another shape")
        placed = self._placed(source, [wanted[at] for at in target])
        if placed is None:
            # Which element comes where is not known; that there are as many is.
            if open_at:
                raise UnsupportedConstruct("tiles of unknown extents in another shape")
            return replace(self, extents=wanted, every=(), at={}).without_id()
        for at, (extent, axis) in zip(target, placed, strict=True):
            found[at] = (extent, axis)
        extents, axes = zip(*found, strict=True) if found else ((), ())
        last = target[-1:] == [len(wanted) - 1]
        same = len(target) == len(source) and last
        # Rows of whole rounds after one another are such a row.
        every = self.every if last else ()
        found_rows = replace(self, extents=tuple(extents), axes=tuple(axes), every=every)
        return _with_rank(found_rows, len(self.extents)) if same else replace(found_rows, at={})

    def _placed(
        self, source: Sequence[tuple[Extent, Axis]], wanted: Sequence[Extent]
    ) -> list[tuple[Extent, Axis]] | None:
        """The axes of a shape, its extents of 1 left out: those there are, the last ones as one, or one apart."""
        found: list[tuple[Extent, Axis]] = []
        for at, extent in enumerate(wanted):
            rest = source[at:]
            if constant_value(extent) == -1 or (at == len(wanted) - 1 and len(rest) > 1):
                whole = product([each for each, _ in rest]) if rest else 1
                if constant_value(extent) != -1 and not self.sizes.same(whole, extent):
                    return None
                return [*found, (whole, tuple(part for _, axis in rest for part in axis))]
            if not rest or not self.sizes.same(rest[0][0], extent):
                return None
            found.append(rest[0])
        return found if len(found) == len(source) else None

    def __getitem__(self, index: Any) -> NumberFamily:
        parts = index if isinstance(index, tuple) else (index,)
        if len(parts) == 2 and parts[0] is Ellipsis and parts[1] == slice(None, 1):
            return replace(self, extents=(*self.extents[:-1], 1), every=(), at={}).without_id()
        raise UnsupportedConstruct("parts of tiles of unknown extents")

    def broadcast_to(self, shape: Sequence[Extent]) -> NumberFamily:
        """The same numbers repeated along axes of extent 1; `shape` has the lanes in front."""
        wanted = tuple(shape)[1:]
        missing = len(wanted) - len(self.extents)
        extents, axes = (1,) * missing + self.extents, ((),) * missing + self.axes
        for extent, new in zip(extents, wanted, strict=True):
            if not _is_one(extent) and not self.sizes.same(extent, new):
                raise UnsupportedConstruct("tiles whose extents may differ")
        return _with_rank(replace(self, extents=wanted, axes=axes), len(self.extents))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is not np.broadcast_to:
            _refuse(f"numpy.{function.__name__}")
        return args[0].broadcast_to(args[1])

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse("the elements")

    def __bool__(self) -> NoReturn:
        _refuse("the elements")

    def __getattr__(self, name: str) -> NoReturn:
        _refuse(name)


def _refuse(what: str) -> NoReturn:
    raise UnsupportedConstruct(f"{what} of tiles of unknown extents")


def _is_one(extent: Extent) -> bool:
    return constant_value(extent) == 1


def positions(extents: Sequence[Extent]) -> tuple[Axis, ...]:
    """The coordinates of the elements of a tile by their positions."""
    return tuple(() if _is_one(extent) else (at,) for at, extent in enumerate(extents))


def aligned(one: NumberFamily, other: NumberFamily) -> tuple[NumberFamily, NumberFamily]:
    """Two families over the same axes, as an operator on each element with its partner takes them.

    Where their coordinates do not go together, the ids of both are dropped.
    """
    rank = max(len(one.extents), len(other.extents))
    one, other = (_padded(part, rank) for part in (one, other))
    extents: list[Extent] = []
    for mine, yours in zip(one.extents, other.extents, strict=True):
        if not (_is_one(mine) or _is_one(yours) or one.sizes.same(mine, yours)):
            raise UnsupportedConstruct("tiles whose extents may differ")
        extents.append(yours if _is_one(mine) else mine)
    one, other = (replace(part, extents=tuple(extents)) for part in (one, other))
    if one.id and other.id:
        if not _go_together(one.axes, other.axes):
            return one.without_id(), other.without_id()
        axes = tuple(mine or yours for mine, yours in zip(one.axes, other.axes, strict=True))
    else:
        axes = one.axes if one.id else other.axes if other.id else positions(extents)
    return replace(one, axes=axes), replace(other, axes=axes)


def _go_together(one: Sequence[Axis], other: Sequence[Axis]) -> bool:
    """True if the same coordinates count along each axis on which both have some, and along that axis alone."""
    if any(mine and yours and mine != yours for mine, yours in zip(one, other, strict=True)):
        return False
    places = [{part: at for at, axis in enumerate(axes) for part in axis} for axes in (one, other)]
    return all(places[1].get(part, at) == at for part, at in places[0].items())


def _padded(part: NumberFamily, rank: int) -> NumberFamily:
    missing = rank - len(part.extents)
    if not missing:
        return part
    found = replace(part, extents=(1,) * missing + part.extents, axes=((),) * missing + part.axes)
    return _with_rank(found, len(part.extents))


def _with_rank(part: NumberFamily, before: int) -> NumberFamily:
    """Rows that had this many axes before: where partitions count another axis now, their column is not known."""
    if len(part.extents) == before or DIAGONAL not in part.at:
        return part
    return replace(part, at={place: numbers for place, numbers in part.at.items() if place != DIAGONAL})
