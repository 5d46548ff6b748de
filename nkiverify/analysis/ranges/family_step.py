"""An operation in progress on families: its meaning is computed once, for all elements of its operands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from nkiverify.analysis.ranges.families import DIAGONAL, FIRST, LANES, LAST, NumberFamily
from nkiverify.analysis.ranges.family_numbers import Families, is_size
from nkiverify.analysis.ranges.range_arithmetic import made
from nkiverify.analysis.ranges.storage_contents import RangeState
from nkiverify.analysis.sets.keys import Key, key_of
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.operand_numbers import StepElements
from nkiverify.analysis.values.step import OperationOnNumbers
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DType
from nkiverify.model.meaning import Numbers
from nkiverify.symbolic import Extent, constant_value
from nkiverify.symbolic.conditions import Condition

if TYPE_CHECKING:
    from nkiverify.model.operation import Operation
    from nkiverify.model.tensor import Tensor


@dataclass(frozen=True, slots=True)
class _Part:
    """A mask that may leave out elements of an operand."""


@dataclass(frozen=True, slots=True)
class OperandElements:
    """The elements of an operand, as an operation asks for them; `valid` is None where no mask leaves any out."""

    shape: tuple[Extent, ...]
    dtype: DType
    valid: _Part | None


class Walked(Protocol):
    """The walk that an operation belongs to."""

    n: Families
    state: RangeState
    #: By allocation: the operator that joins what it holds to what it is assigned to.
    running: dict[Key, str]

    def certain(self, operation: Operation, argument: str) -> bool:
        """True if all elements of a view are written."""

    def covers(self, view: Tensor) -> bool:
        """True if a view is all of its storage."""


class FamilyStep(OperationOnNumbers):
    """An operation in progress on families."""

    __slots__ = ("_walk",)

    def __init__(self, walk: Walked, operation: Operation) -> None:
        places = {
            name: OperandElements(tuple(view.shape), view.dtype, None if operation.mask is None else _Part())
            for name, view in (*operation.reads.items(), *operation.writes.items())
        }
        super().__init__(
            cast(StepElements, walk), operation, cast(Any, places), tracking=False, marked=False, numbers=walk.n
        )
        self._walk = walk

    @property
    def _families(self) -> Families:
        return self._walk.n

    # --- operands -----------------------------------------------------------------------------------------------------

    def stored(self, name: str, *, previous: bool = False) -> Array:
        name = self._target(name) if previous else name
        view = self._operation.writes[name] if previous else self._operation.reads[name]
        if view.dtype != view.storage.dtype:
            raise UnsupportedConstruct(f"the bits of {view.storage.dtype} elements seen as {view.dtype}")
        if view.indirect_by is not None:
            held = self._walk.state.contents(view.storage).numbers
            found = self._families.family(held.copy(), tuple(view.shape))
        else:
            found = self._walk.state.read(view, self._families)
        if name == "x" and self._operation.attributes.get("begins_sum") is True:
            zero = cast(NumberFamily, self._families.constant(0.0, found.ndim)).broadcast_to(found.shape)
            found = self._families.either(found, zero)
        return cast(Array, replace(found, fewer=self._operation.mask is not None))

    def constant(self, name: str, rank: int) -> Array:
        return cast(Array, self._families.single_number(_number(self.attribute(name)), rank))

    def fill(self, name: str, like: Array) -> Array:
        number = _number(self.attribute(name))
        return self.constant(name, like.ndim) if is_size(number) else self.n.fill(number, like, self.dtype("dst"))

    def column(self, name: str, *, exact: bool = False) -> Array | None:
        if self.has(name):
            return self.rows(name, exact=exact)
        return None if self.attribute(name) is None else self.constant(name, 3)

    def reduced(self, name: str, op: str, axes: tuple[int, ...], *, exact: bool = False) -> Array:
        return self.n.reduce(op, self.gathered_axes(name, axes, exact=exact))

    def whole_lines(self, name: str, axes: tuple[int, ...]) -> None:
        if self._operation.mask is not None:
            raise UnsupportedConstruct(f"{self.name} under a mask, for tiles of unknown extents")

    def first_of_rows(self, name: str) -> None:
        # What a mask leaves out may count: the bounds hold for any number of elements.
        return

    def skipped(self, name: str) -> Array | None:
        if self._operation.reads[name].indirect_by is not None:
            raise UnsupportedConstruct("rows that may be skipped")
        return None

    def entered(self, integers: Array) -> Array:
        raise UnsupportedConstruct(f"{self.name} on tiles of unknown extents")

    # --- places in a tile ---------------------------------------------------------------------------------------------

    def counted(self, name: str, count: Extent) -> Array:
        low, high = self._ends_of(self._given(name), [(1, count)])
        found = self._families.family(made(np.array([low]), np.array([high])), (1, count))
        first = (np.array([float(end)]) for end in self._families.sizes.range_of(self._given(name)))
        return cast(Array, replace(found, at={FIRST: made(*first)}))

    def affine(self, name: str) -> Array:
        shape = self.shape(name)
        low, high = self._ends_of(self._given("offset"), self._lines(shape[0]))
        if low < -(2.0**31) or high >= 2.0**31:
            raise UnsupportedConstruct("positions beyond 32 bits")
        return cast(Array, self._families.family(made(np.array([low]), np.array([high])), shape))

    def where_affine(self, comparison: str, x: Array, y: Array) -> Array:
        data, partitions = cast(NumberFamily, x), cast(NumberFamily, x).extents[0]
        low, high = self._ends_of(self._given("offset"), self._lines(partitions))
        places = self._families.family(made(np.array([low]), np.array([high])), data.extents)
        places = replace(places, at=dict(self._places_apart(partitions)))
        zero = self._families.constant(0.0, places.ndim)
        return self.n.choose(self.n.binary(comparison, cast(Array, places), zero), x, y)

    def _given(self, name: str) -> Extent:
        given = self.attribute(name)
        return 0 if given is None else cast(Extent, given)

    def _lines(self, partitions: Extent) -> list[tuple[Extent, Extent]]:
        """The steps of a pattern, with their counts; those of the partitions last."""
        return [*map(tuple, self.attribute("pattern")), (self._given("channel_multiplier"), partitions)]

    def _ends_of(self, start: Extent, lines: Sequence[tuple[Extent, Extent]]) -> tuple[float, float]:
        """The least and the greatest of a start with multiples of each step, fewer than its count."""
        sizes = self._families.sizes
        low, high = sizes.range_of(start)
        for step, count in lines:
            reach = sizes.range_of(step * (count - 1))
            low, high = low + min(reach[0], 0.0), high + max(reach[1], 0.0)
        if not np.isfinite([low, high]).all():
            raise UnsupportedConstruct("positions without a bound")
        return low, high

    def _places_apart(self, partitions: Extent) -> Iterator[tuple[str, Array]]:
        """The pattern in the first column, in the last, and in that which the partition counts, where there is one."""
        *columns, (factor, _) = self._lines(partitions)
        sizes, offset = self._families.sizes, cast(Any, self._given("offset"))
        last = sum((step * (count - 1) for step, count in columns), cast(Any, 0))
        steps: dict[str, tuple[Any, Any]] = {FIRST: (0, 0), LAST: (last, 0)}
        # A single partition may be repeated for others, in which that column is another one.
        several = constant_value(partitions) != 1
        if several and len(columns) == 1 and sizes.range_of(columns[0][1] - partitions)[0] >= 0:
            steps[DIAGONAL] = (0, columns[0][0])
        for place, (start, step) in steps.items():
            # Linear in the partition: between the first one and the last.
            ends = [sizes.range_of(offset + start + (factor + step) * at) for at in (0, partitions - 1)]
            found = np.array([[min(end[0] for end in ends)], [max(end[1] for end in ends)]])
            if np.isfinite(found).all():
                yield place, made(*found)

    def write_integers(self, name: str, values: Array) -> None:
        self.write(name, values)

    def gathered(self, name: str, by: str, *, stored: bool = False) -> Array:
        # That each index is one of an element is a claim of phase 1.
        data, places = cast(NumberFamily, self.rows(name, stored=stored)), cast(NumberFamily, self.rows(by))
        found = self._families.family(data.numbers.copy(), places.extents)
        return cast(Array, replace(found, fewer=data.fewer or places.fewer))

    def indices(self, name: str, *, previous: bool = False) -> Array:
        raise UnsupportedConstruct("indices that are known at run time")

    def actual(self, name: str, data: Array) -> Array:
        return data

    def scattered_axes(self, values: Array, name: str, axes: tuple[int, ...]) -> Array:
        shape = self.shape(name)
        if sorted(axes) != list(range(len(shape) - len(axes), len(shape))):
            raise UnsupportedConstruct("a reduction over other axes than the last ones")
        return values.reshape(LANES, *shape)

    def running_reduction(self, name: str) -> str | None:
        return self._walk.running.get(key_of(self._operation.reads[name].storage))

    def start_reduction(self, operator: str) -> None:
        self._walk.running[key_of(self._operation.writes[self.only_write].storage)] = operator

    def joined(self, reduction: str, name: str, value: Array) -> Array:
        # Where nothing is written by then it is the value itself: which places these are is not known.
        with_it = cast(NumberFamily, self.n.binary(reduction, self.numbers(name, previous=True), value))
        return cast(Array, self._families.either(with_it, cast(NumberFamily, value)))

    # --- registers ----------------------------------------------------------------------------------------------------

    def _held(self, engine: str, partitions: int) -> Array:
        held = self._walk.state.registers(engine)
        return cast(Array, self._families.family(held.numbers.copy(), (partitions, 1)))

    def keep(self, engine: str, value: Array, undefined: Array | None = None) -> None:
        self._walk.state.keep(engine, cast(NumberFamily, value), self._families)

    def accumulate(
        self,
        engine: str,
        values: Array,
        *,
        operator: str | None = None,
        negate: bool = False,
        undefined: Array | None = None,
    ) -> None:
        command = str(getattr(self.attribute("reduce_cmd"), "name", ""))
        if command == "idle" and not self.writes("reduce_res"):
            return
        super().accumulate(engine, values, operator=operator, negate=negate)

    # --- results ------------------------------------------------------------------------------------------------------

    def write(
        self,
        name: str,
        values: Array,
        *,
        stored: bool = False,
        bits: bool = False,
        broadcast: bool = False,
        undefined: Array | None = None,
        because: str = "",
    ) -> None:
        name = self._target(name)
        view = self._operation.writes[name]
        if view.dtype != view.storage.dtype:
            raise UnsupportedConstruct(f"{view.dtype} elements written to the bits of {view.storage.dtype}")
        family = cast(NumberFamily, values)
        shape = (LANES, *view.shape)
        family = family.broadcast_to(shape) if broadcast else family.reshape(shape)
        if not stored:
            if bits and view.dtype.is_integer:
                family = cast(NumberFamily, self.n.low_bits(cast(Array, family), view.dtype))
            else:
                family = cast(NumberFamily, self._converted(cast(Array, family), view.dtype))
        certain = self._walk.certain(self._operation, name)
        whole = self._walk.covers(view)
        self._walk.state.write(view, family, self._families, all_of_it=certain, whole=whole)

    def choose(self, name: str, condition_name: str, condition: Array, x: Array, y: Array) -> Array:
        result = self.n.choose(condition, x, y)
        self.write(name, result, broadcast=len(result.shape) == 1 + len(self.shape(self._target(name))))
        return result

    def accumulate_product(self, product: Array) -> None:
        (name,) = self.written
        mode = self._operation.attributes.get("accumulate")
        if isinstance(mode, Condition):
            facts = self._families.sizes.facts
            mode = True if facts.proves(mode) else False if facts.proves(mode.negation()) else None
        result = cast(NumberFamily, product)
        if mode is not False:
            # Unless it is said, the first product into a place overwrites what is there: it may be either.
            added = cast(NumberFamily, self.n.binary("add", self.rows(name, previous=True), product))
            result = added if mode is True else self._families.either(added, result)
        self.write(name, cast(Array, result))


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, bool | np.bool_ | np.integer) else value


def anything(numbers: Numbers, extents: Sequence[Extent]) -> NumberFamily:
    """Numbers that may be anything at all."""
    families = cast(Families, numbers)
    lanes = np.zeros((LANES, 1))
    lanes[:2] = np.nan
    return families.family(lanes, tuple(extents))
