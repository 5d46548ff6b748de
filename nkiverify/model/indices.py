"""Index tensors of the legacy API: `nl.arange`, `nl.mgrid`, and masks made by comparing them.

An index tensor is an affine function of the coordinates of a grid: a base and one coefficient per grid axis. That is
all the legacy language allows ("leg.affine_index"), and it keeps the correlation of everything indexed by one grid:
index and mask are evaluated at the same coordinates. Nothing is claimed here. An access
(`nkiverify.model.access`) claims the bounds when the load or store has supplied its mask.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NoReturn

from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.contracts import require
from nkiverify.model.extents import as_extent, is_one, is_zero, same
from nkiverify.symbolic import (
    Condition,
    Extent,
    all_of,
    any_of,
    ceil_div,
    constant_value,
    equal,
    known,
    maximum,
    negate,
)

#: A coordinate per grid axis.
Coordinates = Sequence[Extent]


class MaskRelation(enum.Enum):
    """How a masked expression relates to zero."""

    AT_MOST = "<="
    EQUAL = "=="
    UNEQUAL = "!="


class IndexTensor:
    """`base + sum(coefficients[a] * c[a])` over grid coordinates c; axis a has extent `shape[a]`.

    A coefficient is 0 where the extent is 1. Operands of different rank align at the last axis, as in NumPy.
    """

    __slots__ = ("base", "coefficients", "of_mgrid", "shape")

    __array_ufunc__ = None

    base: Extent
    coefficients: tuple[Extent, ...]
    shape: tuple[Extent, ...]

    def __init__(
        self, base: Extent, coefficients: tuple[Extent, ...], shape: tuple[Extent, ...], of_mgrid: bool = False
    ) -> None:
        self.base = base
        self.coefficients = coefficients
        self.shape = shape
        #: Made of `nl.mgrid`, which indices known at run time do not go with ("leg.mgrid").
        self.of_mgrid = of_mgrid

    @property
    def ndim(self) -> int:
        """The number of grid axes."""
        return len(self.shape)

    def at(self, coordinates: Coordinates) -> Extent:
        """The value at grid coordinates (of the same rank or higher)."""
        value = self.base
        for coefficient, coordinate in zip(
            self.coefficients, coordinates[len(coordinates) - len(self.coefficients) :], strict=True
        ):
            if not is_zero(coefficient):
                value = value + coefficient * coordinate
        return value

    def __getitem__(self, key: object) -> IndexTensor:
        """New axes with None; every axis there is stays whole."""
        keys = key if isinstance(key, tuple) else (key,)
        coefficients: list[Extent] = []
        shape: list[Extent] = []
        axis = 0
        for part in keys:
            if part is None:
                coefficients.append(0)
                shape.append(1)
            elif part is Ellipsis:
                rest = self.ndim - axis - sum(1 for other in keys if isinstance(other, slice))
                coefficients.extend(self.coefficients[axis : axis + rest])
                shape.extend(self.shape[axis : axis + rest])
                axis += rest
            elif isinstance(part, slice) and part == slice(None) and axis < self.ndim:
                coefficients.append(self.coefficients[axis])
                shape.append(self.shape[axis])
                axis += 1
            else:
                require("leg.index_const", False, key=type(part).__name__)
                raise TypeError(f"an index tensor takes only `:`, `...` and None as keys, not {part!r}")
        coefficients.extend(self.coefficients[axis:])
        shape.extend(self.shape[axis:])
        return IndexTensor(self.base, tuple(coefficients), tuple(shape), self.of_mgrid)

    def __setitem__(self, key: object, value: object) -> NoReturn:
        require("leg.index_const", False)
        raise TypeError("an index tensor does not support item assignment")

    def __add__(self, other: object) -> Any:
        right = as_index(other)
        return NotImplemented if right is None else _combine(self, right, 1)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        right = as_index(other)
        return NotImplemented if right is None else _combine(self, right, -1)

    def __rsub__(self, other: object) -> Any:
        left = as_index(other)
        return NotImplemented if left is None else _combine(left, self, -1)

    def __neg__(self) -> IndexTensor:
        return self._scaled(-1)

    def __mul__(self, other: object) -> Any:
        right = as_index(other)
        if right is None:
            return NotImplemented
        if right.is_constant():
            return self._scaled(right.base)
        if self.is_constant():
            return right._scaled(self.base)
        return _not_affine("*")

    __rmul__ = __mul__

    def __floordiv__(self, other: object) -> NoReturn:
        _not_affine("//")

    def __mod__(self, other: object) -> NoReturn:
        _not_affine("%")

    def __truediv__(self, other: object) -> NoReturn:
        _not_affine("/")

    def __pow__(self, other: object) -> NoReturn:
        _not_affine("**")

    def _scaled(self, factor: Extent) -> IndexTensor:
        scaled = tuple(0 if is_zero(part) else part * factor for part in self.coefficients)
        return IndexTensor(self.base * factor, scaled, self.shape, self.of_mgrid)

    def is_constant(self) -> bool:
        """True if the value is the same all over the grid."""
        return all(is_zero(coefficient) for coefficient in self.coefficients)

    def __le__(self, other: object) -> Any:
        return self._compared(other, 0)

    def __lt__(self, other: object) -> Any:
        return self._compared(other, 1)

    def __ge__(self, other: object) -> Any:
        right = as_index(other)
        return NotImplemented if right is None else right._compared(self, 0)

    def __gt__(self, other: object) -> Any:
        right = as_index(other)
        return NotImplemented if right is None else right._compared(self, 1)

    def _compared(self, other: object, margin: int) -> Any:
        right = as_index(other)
        if right is None:
            return NotImplemented
        return Mask((MaskTerm(_combine(self, right, -1) + margin, MaskRelation.AT_MOST),))

    def __eq__(self, other: object) -> Any:
        right = as_index(other)
        return NotImplemented if right is None else Mask((MaskTerm(_combine(self, right, -1), MaskRelation.EQUAL),))

    def __ne__(self, other: object) -> Any:
        right = as_index(other)
        return NotImplemented if right is None else Mask((MaskTerm(_combine(self, right, -1), MaskRelation.UNEQUAL),))

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> NoReturn:
        _no_control("an index tensor")

    def __index__(self) -> NoReturn:
        _no_control("an index tensor")

    def __iter__(self) -> NoReturn:
        _no_control("an index tensor")

    def __repr__(self) -> str:
        axes = "".join(f" + {part}*i{axis}" for axis, part in enumerate(self.coefficients) if not is_zero(part))
        return f"index {self.base}{axes}"


@dataclass(frozen=True, slots=True)
class MaskTerm:
    """`difference <relation> 0` at every grid coordinate."""

    difference: IndexTensor
    relation: MaskRelation

    def at(self, coordinates: Coordinates) -> Any:
        """True if it holds at grid coordinates."""
        value = self.difference.at(coordinates)
        if self.relation is MaskRelation.AT_MOST:
            return value <= 0
        holds = equal(value, 0)
        return holds if self.relation is MaskRelation.EQUAL else negate(holds)

    def fits(self, shape: Sequence[Extent]) -> bool:
        """True if it is known that each axis it depends on is one of a tile of this shape."""
        difference = self.difference
        return all(
            -axis <= len(shape) and equal(difference.shape[axis], shape[axis]) is True
            for axis in range(-difference.ndim, 0)
            if not is_zero(difference.coefficients[axis])
        )

    def depends_on_axis(self, axis: int) -> bool:
        """True if it may not be the same along that axis, counted from the last one (1), or one before it."""
        coefficients = self.difference.coefficients
        return any(not is_zero(coefficients[-each]) for each in range(axis, len(coefficients) + 1))

    def holds_everywhere(self) -> bool | None:
        """True if it is known to hold at every grid coordinate, False if at none; None where neither is known.

        Only numbers are examined.
        """
        difference = self.difference
        base = constant_value(difference.base)
        steps = [constant_value(part) for part in difference.coefficients]
        last = [constant_value(extent) for extent in difference.shape]
        if base is None or None in steps or None in last:
            return None
        reached = [step * (extent - 1) for step, extent in zip(steps, last, strict=True)]  # type: ignore[operator]
        least, most = base + sum(min(0, each) for each in reached), base + sum(max(0, each) for each in reached)
        if self.relation is MaskRelation.AT_MOST:
            return True if most <= 0 else False if least > 0 else None
        if least == most or least > 0 or most < 0:
            return (least == most == 0) is (self.relation is MaskRelation.EQUAL)
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Mask:
    """Where an operation takes effect: every term holds, and the host condition does ("leg.mask_form")."""

    terms: tuple[MaskTerm, ...]
    host: Condition | bool = True

    def __and__(self, other: object) -> Any:
        right = as_mask(other)
        return NotImplemented if right is None else Mask(self.terms + right.terms, all_of(self.host, right.host))

    __rand__ = __and__

    def _reject(self, other: object = None) -> NoReturn:
        require("leg.mask_form", False)
        raise TypeError("masks are comparisons joined with &")

    __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = _reject

    def __bool__(self) -> NoReturn:
        _no_control("a mask")

    def at(self, coordinates: Coordinates) -> Any:
        """True if it holds at grid coordinates."""
        return all_of(self.host, *(term.at(coordinates) for term in self.terms))

    def partitions(self, grid: tuple[Extent, ...]) -> tuple[Extent, Extent]:
        """An interval, with its end, that has all coordinates along the first axis of a grid for which the mask may
        hold: where something is no number, too many."""
        first, end = 0, constant_value(grid[0])
        if end is None:
            return 0, grid[0]
        for term in self.terms:
            difference = term.difference
            base = constant_value(difference.base)
            steps = [constant_value(part) for part in difference.coefficients]
            last = [constant_value(extent) for extent in difference.shape]
            if (
                term.relation is not MaskRelation.AT_MOST
                or difference.ndim != len(grid)
                or None in (base, *steps, *last)
            ):
                continue
            step, *others = map(int, steps)  # type: ignore[arg-type]
            least = base + sum(min(0, each * (extent - 1)) for each, extent in zip(others, last[1:], strict=True))  # type: ignore[operator, misc]
            if not step:
                first = first if least <= 0 else end
            elif step > 0:
                end = min(end, -least // step + 1)
            else:
                first = max(first, -(-least // -step))
        return first, max(first, end)

    def reduced(self, rank: int, axes: Collection[int], *, keepdims: bool) -> Mask:
        """The mask of what a reduction of a tile of `rank` over `axes` leaves: for each coordinate that it leaves, the
        mask holds for some of those that go.

        A term about an axis that goes is left out: this mask may hold for more, which then nothing has written.
        """
        terms = []
        for term in self.terms:
            difference = term.difference
            axis_of = range(rank - difference.ndim, rank)
            parts = list(zip(axis_of, difference.coefficients, difference.shape, strict=True))
            if any(axis in axes and not is_zero(coefficient) for axis, coefficient, _ in parts):
                continue
            left = [
                (coefficient, 1 if axis in axes else extent)
                for axis, coefficient, extent in parts
                if keepdims or axis not in axes
            ]
            if not keepdims and rank - len(axes) == 1:
                # A tile keeps a free axis.
                left.append((0, 1))
            coefficients, shape = (tuple(part) for part in zip(*left, strict=True)) if left else ((), ())
            terms.append(MaskTerm(IndexTensor(difference.base, coefficients, shape), term.relation))
        return Mask(tuple(terms), self.host)

    def without_known(self) -> Mask | None:
        """The same mask without what is known to hold everywhere; None if that is all of it."""
        terms = []
        for term in self.terms:
            holds = term.holds_everywhere()
            if holds is False:
                return Mask((), False)
            if holds is None:
                terms.append(term)
        if self.host is True and not terms:
            return None
        return self if len(terms) == len(self.terms) else Mask(tuple(terms), self.host)

    def leaves_whole(self, axes_from_last: range) -> Any:
        """The condition that it leaves out nothing along some axes, counted from the last one (1)."""
        parts: list[Any] = []
        for term in self.terms:
            difference = term.difference
            along = [axis for axis in axes_from_last if axis <= difference.ndim]
            if any(not is_zero(difference.coefficients[-axis]) for axis in along):
                most = difference.base + sum(
                    maximum(0, step * (extent - 1))
                    for step, extent in zip(difference.coefficients, difference.shape, strict=True)
                )
                parts.append(term.relation is MaskRelation.AT_MOST and most <= 0)
        return all_of(*parts)


def as_index(value: object) -> IndexTensor | None:
    """`value` as an index tensor; an integer is one without axes."""
    if isinstance(value, IndexTensor):
        return value
    number = as_extent(value)
    return None if number is None else IndexTensor(number, (), ())


def as_mask(value: object) -> Mask | None:
    """`value` as a mask; a host condition is one without terms."""
    if isinstance(value, Mask):
        return value
    if isinstance(value, Condition | bool):
        return Mask((), value)
    return None


def _no_control(what: str) -> NoReturn:
    require("leg.control_arange", False)
    raise TypeError(f"{what} has no truth value and is no host integer: join comparisons with &, not `and`")


def _not_affine(symbol: str) -> NoReturn:
    require("leg.affine_index", False, operator=symbol)
    raise TypeError(f"`{symbol}` makes an index expression that is not affine")


def _combine(left: IndexTensor, right: IndexTensor, sign: int) -> IndexTensor:
    shape = broadcast_shapes("leg.index_broadcast", left.shape, right.shape)
    base = left.base + right.base if sign > 0 else left.base - right.base
    coefficients: list[Extent] = []
    for axis in range(-len(shape), 0):
        one = left.coefficients[axis] if -axis <= left.ndim else 0
        two = right.coefficients[axis] if -axis <= right.ndim else 0
        if is_zero(two):
            coefficients.append(one)
        elif is_zero(one):
            coefficients.append(two if sign > 0 else -two)
        else:
            coefficients.append(one + two if sign > 0 else one - two)
    return IndexTensor(base, tuple(coefficients), shape, left.of_mgrid or right.of_mgrid)


def broadcast_shapes(contract: str, *shapes: tuple[Extent, ...]) -> tuple[Extent, ...]:
    """The common shape of several, aligned at the last axis; that each axis is equal or 1 is claimed as `contract`."""
    rank = max(len(shape) for shape in shapes)
    result: list[Extent] = []
    for axis in range(-rank, 0):
        extent: Extent = 1
        for shape in shapes:
            if -axis > len(shape):
                continue
            other = shape[axis]
            if is_one(other) or same(other, extent):
                continue
            if is_one(extent):
                extent = other
                continue
            agree = equal(extent, other)
            if known(agree):
                continue
            require(
                contract,
                any_of(agree, equal(extent, 1), equal(other, 1)),
                first=extent,
                second=other,
                axis=rank + axis,
            )
            extent = maximum(extent, other)
        result.append(extent)
    return tuple(result)


def arange(*bounds: Extent) -> IndexTensor:
    """`start, …, stop - 1` along one axis; it becomes an axis of a grid with `[:, None]` or `[None, :]`."""
    start, stop, step = {1: (0, *bounds, 1), 2: (*bounds, 1), 3: bounds}[len(bounds)]
    extent = stop - start if is_one(step) else ceil_div(stop - start, step)
    require("idx.empty", extent >= 1, start=start, stop=stop)
    return IndexTensor(start, (0 if is_one(extent) else step,), (extent,))


class Grid(tuple[IndexTensor, ...]):
    """The result of `nl.mgrid[…]`: one index tensor per axis; `p` is the partition index, `x` the first free one.

    Documented are `p` and `x` of two axes; kernels and tests of AWS use `y` and `z` for the axes after them.
    """

    __slots__ = ()

    @property
    def p(self) -> IndexTensor:
        """The partition index."""
        return self[0]

    @property
    def x(self) -> IndexTensor:
        """The first free index."""
        return self._axis("x", 1)

    @property
    def y(self) -> IndexTensor:
        """The second free index."""
        return self._axis("y", 2)

    @property
    def z(self) -> IndexTensor:
        """The third free index."""
        return self._axis("z", 3)

    def _axis(self, name: str, axis: int) -> IndexTensor:
        if axis >= len(self):
            raise AttributeError(f"a grid of {len(self)} axes has no {name}")
        return self[axis]

    def __iter__(self) -> Iterator[IndexTensor]:
        return super().__iter__()


def mgrid(slices: object) -> Grid:
    """Index tensors of the grid that slices `start:stop` span, one per axis."""
    parts = slices if isinstance(slices, tuple) else (slices,)
    rank = len(parts)
    indices: list[IndexTensor] = []
    for axis, part in enumerate(parts):
        if not isinstance(part, slice):
            raise TypeError("nl.mgrid takes slices")
        start = 0 if part.start is None else as_extent(part.start)
        stop = as_extent(part.stop)
        step = 1 if part.step is None else as_extent(part.step)
        if start is None or stop is None or step is None:
            raise TypeError("the slices of nl.mgrid need integer bounds")
        line = arange(start, stop, step)
        keys = tuple(slice(None) if other == axis else None for other in range(rank))
        index = line[keys]
        index.of_mgrid = True
        indices.append(index)
    return Grid(indices)
