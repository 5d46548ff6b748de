"""Operators on families: those of intervals, which compute the ends, with what is known of all elements together.

Reductions are over as many elements as the extents allow: sums are bounded for the fewest and for the most of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

import numpy as np

from nkiverify.analysis.ranges.extent_sizes import Sizes
from nkiverify.analysis.ranges.families import LANES, Axis, Carried, NumberFamily, ScaledBounds, aligned, positions
from nkiverify.analysis.ranges.growth import attached, moved, multiplied, settled
from nkiverify.analysis.ranges.intervals import CODES, Intervals
from nkiverify.analysis.ranges.range_arithmetic import (
    FLOAT32_MAX,
    MINUS,
    PLUS,
    ROUNDOFF,
    SMALLEST_NORMAL,
    Parts,
    corners,
    mirrored,
    stacked,
    sum_error,
    with_least_fill,
)
from nkiverify.analysis.ranges.range_findings import INVALID, OVERFLOW, RangeFindings
from nkiverify.analysis.ranges.relations import FamilyRelations
from nkiverify.analysis.sets.coordinates import as_term
from nkiverify.analysis.values.number_formats import Array, smallest_normal, unit_roundoff
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DType, float32
from nkiverify.model.meaning import Numbers
from nkiverify.symbolic import Extent, terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import at_most_zero
from nkiverify.symbolic.rationals import SymRational

_NOTHING = np.zeros((1,), dtype=np.int8)


class Families(Numbers):
    """Numbers whose arrays are families: what goes wrong with them goes to `findings`."""

    lanes = LANES

    def __init__(self, findings: RangeFindings, sizes: Sizes, ends: type[Intervals] = Intervals) -> None:
        self.sizes = sizes
        self.relations = FamilyRelations()
        self._ends = ends(findings)
        self._ends.relations = self.relations

    @property
    def findings(self) -> RangeFindings:
        """The findings so far."""
        return self._ends.findings

    @findings.setter
    def findings(self, findings: RangeFindings) -> None:
        self._ends.findings = findings

    def returned(self, numbers: Array) -> None:
        """The kernel returns these numbers, or may."""

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Tell nothing of what goes wrong in the block: it is only to be found out what comes of it."""
        findings = self._ends.findings
        scratch = RangeFindings(findings.operation, findings.site, findings.fills, everywhere=True)
        self._ends.findings = scratch
        try:
            yield
        finally:
            self._ends.findings = findings

    def family(self, numbers: Array, extents: tuple[Extent, ...]) -> NumberFamily:
        """Numbers of which nothing but their interval is known."""
        return NumberFamily(numbers, extents, positions(extents), self.sizes).without_id()

    def named(self, numbers: Array, dtype: DType) -> Array:
        """The same numbers, all of a dtype, under an id of their own."""
        found: Array = numbers.copy()
        ids = self.relations.fresh(1)
        self.relations.set_dtype(ids, CODES[dtype])
        found[3] = 0 if np.isnan(found[0]).any() else ids
        return found

    def single_number(self, value: object, rank: int) -> NumberFamily:
        """One number, which sizes may be in, as an array of `rank` axes."""
        extents: tuple[Extent, ...] = (1,) * (rank - 1)
        if isinstance(value, int | float):
            return self.family(self._ends.constant(value, 2), extents)
        low, high = self.sizes.real(value)
        if not abs(low) <= FLOAT32_MAX or not abs(high) <= FLOAT32_MAX:
            raise UnsupportedConstruct("a constant of sizes without a bound")
        # It is rounded to float32.
        found = self._ends._rounded("constant", np.array([low]), np.array([high]), _NOTHING > 0, _NOTHING)
        made = self.family(stacked(found), extents)
        if type(value) is SymRational and self.sizes.range_of(cast(Extent, value.top))[0] > 0:
            times = ScaledBounds(cast(Extent, value.top), cast(Extent, value.bottom), *_wider(1.0, 1.0))
            return replace(made, times=times)
        return made

    # --- storage ------------------------------------------------------------------------------------------------------

    def buffer(self, elements: int, dtype: DType) -> Array:
        raise UnsupportedConstruct("elements of a tile of unknown extents")

    def window(
        self, buffer: Array, owner: DType, dtype: DType, shape: tuple[int, ...], strides: tuple[int, ...], offset: int
    ) -> Array:
        return self.buffer(0, dtype)

    def flat(self, buffer: Array, owner: DType, dtype: DType) -> Array:
        return self.buffer(0, dtype)

    def entered(self, values: Array, dtype: DType) -> Array:
        """The interval around elements that are all known."""
        ends = Parts.of(self._ends.entered(np.asarray(values).reshape(-1), dtype))
        flags = np.bitwise_or.reduce(ends.flags, keepdims=True)
        low, high = ends.low.min(keepdims=True), ends.high.max(keepdims=True)
        extents = tuple(map(int, np.shape(values)))
        return cast(Array, self.family(stacked(Parts(low, high, flags, _NOTHING)), extents))

    def _same(self, name: str, x: Array, *more: object) -> Array:
        given = cast(NumberFamily, x)
        found, *every = (getattr(self._ends, name)(part, *more) for part in (given.numbers, *given.every))
        apart = self._apart(lambda part: getattr(self._ends, name)(part, *more), given)
        return cast(Array, replace(given, numbers=found, every=tuple(every), at=apart))

    def _apart(self, function: Callable[..., Array], *parts: NumberFamily) -> dict[str, Array]:
        """The elements of rows that are known apart, of a function of each element of some families."""
        places = {place for part in parts for place in part.at}
        if not places:
            return {}
        with self.quiet():
            return {
                place: _unnamed(function(*(_unnamed(part.at.get(place, part.numbers)) for part in parts)))
                for place in sorted(places)
            }

    def read(self, stored: Array, dtype: DType) -> Array:
        return self._same("read", stored, dtype)

    def exact(self, stored: Array, dtype: DType) -> Array:
        return stored

    def unsigned(self, integers: Array, dtype: DType) -> Array:
        given = cast(NumberFamily, integers)
        return cast(Array, given.with_numbers(self._ends.unsigned(given.numbers, dtype)))

    def low_bits(self, integers: Array, dtype: DType) -> Array:
        given = cast(NumberFamily, integers)
        return cast(Array, given.with_numbers(self._ends.low_bits(given.numbers, dtype)))

    def single(self, integers: Array) -> Array:
        return self._same("single", integers)

    def convert(self, numbers: Array, dtype: DType) -> Array:
        given = cast(NumberFamily, numbers)
        found = given.with_numbers(self._ends.convert(given.numbers, dtype))
        apart = self._apart(lambda part: self._ends.convert(part, dtype), given)
        found = replace(found, every=tuple(self._ends.convert(part, dtype) for part in given.every), at=apart)
        if dtype == float32:
            return cast(Array, replace(found, times=given.times, carried=given.carried))
        if dtype.is_float and given.carried is not None:
            error = unit_roundoff(dtype) * _magnitude(found) + smallest_normal(dtype)
            # Numbers between are rounded to none that is further away than what was there.
            exact = dtype == given.carried.dtype
            found = replace(found, carried=moved(given.carried, (0.0, 0.0), error, exact))
        return cast(Array, found)

    def constant(self, value: float, rank: int) -> Array:
        return cast(Array, self.single_number(value, rank))

    def fill(self, value: float, like: Array, dtype: DType) -> Array:
        self.findings.fill(value)
        return self.constant(value, like.ndim)

    # --- operators ----------------------------------------------------------------------------------------------------

    def unary(self, name: str, x: Array) -> Array:
        given = cast(NumberFamily, x)
        found = given.with_numbers(self._ends.unary(name, given.numbers))
        if name == "copy":
            return x
        if name == "negative":
            times, carried = given.times, given.carried
            return cast(
                Array,
                replace(
                    found,
                    times=times and replace(times, low=-times.high, high=-times.low),
                    carried=carried and multiplied(carried, (-1.0, -1.0), 0.0),
                ),
            )
        return cast(Array, found)

    def binary(self, name: str, x: Array, y: Array) -> Array:
        first, second = self._family(x), self._family(y)
        one, other = aligned(first, second)
        # One array for both says that they are the same numbers.
        partner = one.numbers if x is y else other.numbers.copy()
        found = one.with_numbers(self._ends.binary(name, one.numbers, partner))
        apart = self._apart(lambda *parts: self._ends.binary(name, *parts), one, other)
        found = replace(found, fewer=one.fewer or other.fewer, at=apart)
        if name == "multiply":
            found = self._in_proportion(found, one, other)
        return cast(Array, replace(found, carried=self._carried(name, found, one, other)))

    def _family(self, x: object) -> NumberFamily:
        return x if isinstance(x, NumberFamily) else self.single_number(x, 3)

    def _in_proportion(self, found: NumberFamily, one: NumberFamily, other: NumberFamily) -> NumberFamily:
        """The product of numbers of which one is a multiple of a size, and the other one is divided by one."""
        if one.times is None and other.times is None:
            return found
        first, second = (part.times or _plain(part) for part in (one, other))
        if first is None or second is None:
            return found
        ends = [a * b for a in (first.low, first.high) for b in (second.low, second.high)]
        low, high = _wider(min(ends), max(ends))
        top, bottom = first.top * second.top, first.bottom * second.bottom
        if not self.sizes.same(top, bottom):
            return replace(found, times=ScaledBounds(top, bottom, low, high))
        numbers = found.numbers.copy()
        numbers[0], numbers[1] = np.maximum(numbers[0], low), np.minimum(numbers[1], high)
        return replace(found, numbers=numbers, times=None)

    def _carried(self, name: str, found: NumberFamily, one: NumberFamily, other: NumberFamily) -> Carried | None:
        if (one.carried is None) == (other.carried is None):
            return None
        held, beside_it = (one, other) if one.carried is not None else (other, one)
        carried, ends = held.carried, _ends(beside_it)
        if carried is None or ends is None or _ends(found) is None:
            return None
        error = ROUNDOFF * _magnitude(found) + SMALLEST_NORMAL
        if name == "subtract":
            if held is other:
                carried = multiplied(carried, (-1.0, -1.0), 0.0)
            else:
                ends = (-ends[1], -ends[0])
        if name in ("add", "subtract"):
            return moved(carried, ends, error, True)
        return multiplied(carried, ends, error) if name == "multiply" else None

    def choose(self, condition: Array, x: Array, y: Array) -> Array:
        holds, first, second = self._family(condition), self._family(x), self._family(y)
        holds, first = aligned(holds, first)
        holds, second = aligned(holds, second)
        first, second = aligned(first, second)
        numbers = self._ends.choose(holds.numbers, first.numbers, second.numbers)
        apart = self._apart(self._ends.choose, holds, first, second)
        found = replace(first.with_numbers(numbers), carried=attached(first, second), at=apart)
        # What is neither of both throughout has a name of its own.
        own = found.id not in (first.id, second.id)
        return cast(Array, replace(found, axes=positions(found.extents)) if own else found)

    def either(self, one: NumberFamily, other: NumberFamily) -> NumberFamily:
        """Numbers of which each is that of one family, or of the other."""
        one, other = aligned(one, other)
        return replace(one.with_numbers(self.joined(one.numbers, other.numbers)), carried=attached(one, other))

    @staticmethod
    def joined(one: Array, other: Array) -> Array:
        """The interval around two."""
        found: Array = one.copy()
        if one is not other:
            found = with_least_fill(found, other)
            np.minimum(one[0], other[0], out=found[0])
            np.maximum(one[1], other[1], out=found[1])
            found[2] = int(one[2, 0]) | int(other[2, 0])
            found[3] = one[3] if one[3, 0] == other[3, 0] else 0
        return found

    # --- columns ------------------------------------------------------------------------------------------------------

    def every(self, x: Array, first: int, step: int) -> Array:
        given = cast(NumberFamily, x)
        *others, extent = given.extents
        count = terms.divide(terms.add(as_term(extent), as_term(step - 1 - first)), as_term(step))
        parts = given.every[first::step] if given.every and len(given.every) % step == 0 else (given.numbers,)
        numbers = parts[0]
        for part in parts[1:]:
            numbers = self.joined(numbers, part)
        found = self.family(numbers.copy(), (*others, cast(Extent, count)))
        return cast(Array, replace(found, fewer=given.fewer, every=parts if len(parts) > 1 else ()))

    def attached(self, columns: Sequence[Array]) -> Array:
        parts = [cast(NumberFamily, column) for column in columns]
        whole = parts[0]
        for part in parts[1:]:
            whole = self.either(whole, part)
        found = self.family(whole.numbers.copy(), (*whole.extents[:-1], len(parts)))
        every = tuple(part.without_id().numbers for part in parts)
        return cast(Array, replace(found, fewer=any(part.fewer for part in parts), every=every))

    def of_some(self, x: Array, function: Callable[[Array], Sequence[Array]], count: int) -> Sequence[Array]:
        extent = as_term(cast(NumberFamily, x).extents[-1])
        least, most = self.sizes.range_of(extent)
        if least >= 1:
            return function(x)
        zero = cast(Array, self.single_number(0.0, 3))
        facts = self.sizes.facts
        if most < 1:
            return [zero] * count
        self.sizes.facts = facts.extended(at_most_zero(terms.add(as_term(1), extent, -1)))
        found = function(x)
        self.sizes.facts = facts
        return [cast(Array, self.either(cast(NumberFamily, part), cast(NumberFamily, zero))) for part in found]

    # --- of many ------------------------------------------------------------------------------------------------------

    def reduce(self, name: str, x: Array) -> Array:
        given = cast(NumberFamily, x)
        if name in ("abs_max", "abs_min"):
            return self.reduce(name.replace("abs_", "") + "imum", self.unary("abs", x))
        part, axis = Parts.of(given.numbers), given.axes[-1]
        count = self._count(given.extents[-1], given.fewer)
        left = replace(given, extents=(*given.extents[:-1], 1), axes=(*given.axes[:-1], ()))
        if name == "add":
            if given.every and not given.fewer and all(each[0, 0] >= 0 and not each[2, 0] for each in given.every):
                return cast(Array, left.with_numbers(stacked(self._total_of_rounds(given.every, count))))
            found = left.with_numbers(stacked(self._total(part, count, axis)))
            if not given.fewer and _ends(given) is not None:
                # Of the sum, for each of its numbers.
                error = float(sum_error(part.magnitude, int(count[1]))[0])
                low, high = float(part.low[0]), float(part.high[0])
                low = max(low - error, 0.0) if low >= 0 else low - error
                low, high = _wider(low, min(high + error, 0.0) if high <= 0 else high + error)
                found = replace(found, times=ScaledBounds(given.extents[-1], 1, low, high))
            return cast(Array, found)
        if name in ("maximum", "minimum"):
            single = part if name == "maximum" else mirrored(part, self.relations.negative(part.ids))
            reaches = _reaches(given) if name == "maximum" and not given.fewer else None
            if reaches is not None:
                reached = np.maximum(np.where(part.empty, reaches, part.low), reaches)
                single = replace(part, low=reached, flags=part.flags & PLUS)
            # Where a mask leaves out all of a row, nothing is written; numbers that it leaves out may be greater.
            ids = np.zeros_like(part.ids) if given.fewer else self.relations.greatest_along(single.ids, axis)
            found_part = replace(single, ids=ids)
            if name == "minimum":
                found_part = mirrored(found_part, self.relations.negative(ids))
            return cast(Array, left.with_numbers(stacked(found_part)))
        if name == "multiply" and not part.flags.any() and bool((part.magnitude <= 1).all()):
            least = 0.0 if bool((part.low >= 0).all()) else -1.0
            found_part = Parts(part.low * 0 + least, part.high * 0 + 1, part.flags, _NOTHING)
            return cast(Array, left.with_numbers(stacked(found_part)))
        raise UnsupportedConstruct(f"a reduction of an unknown number of elements with {name}")

    def _count(self, extent: Extent, fewer: bool) -> tuple[float, float]:
        low, high = self.sizes.extent(extent)
        return (0.0 if fewer else low), high

    def _total(self, part: Parts, count: tuple[float, float], axis: Axis, rounded: int = 0) -> Parts:
        """Sums of this many numbers of an interval, in any order, each `rounded` so often before."""
        empty = part.empty
        least, most = np.where(empty, 0.0, part.low), np.where(empty, 0.0, part.high)
        size = np.maximum(np.abs(least), np.abs(most)) * count[1]
        error = sum_error(size, int(count[1]) + rounded)
        low, high = np.minimum(least * count[0], least * count[1]), np.maximum(most * count[0], most * count[1])
        rising, falling = least >= 0, most <= 0
        some = 1.0 if count[0] >= 1 else 0.0
        attained = np.maximum(least * some, self.relations.attained_along(part.ids, axis) if some else 0.0)
        low = np.where(rising, np.maximum(low - error, attained), low - error)
        high = np.where(falling, np.minimum(high + error, most * some), high + error)
        beyond = np.maximum(np.abs(low), np.abs(high)) > FLOAT32_MAX
        beyond |= size + error > FLOAT32_MAX
        self._ends.tell(OVERFLOW, "sum", beyond, part)
        opposite = part.flags == (PLUS | MINUS)
        self._ends.tell(INVALID, "sum", opposite, part)
        nothing = empty & (part.flags > 0)
        low, high = np.where(beyond, np.nan, low), np.where(beyond, np.nan, high)
        found = self._ends._rounded("sum", low, high, nothing, part.flags).poisoned(opposite)
        greater, *cases = self.relations.cases_along(part.ids, axis)
        return self._ends._of_cases(
            found, np.where(rising & ~empty & (part.flags == 0), greater * int(some), 0), *cases
        )

    def _total_of_rounds(self, every: Sequence[Array], count: tuple[float, float]) -> Parts:
        """Sums of columns that come round and are not negative: of one round each, of which all are rounded."""
        low, high = (np.array([sum(float(part[lane, 0]) for part in every)]) for lane in (0, 1))
        rounds = count[0] / len(every), count[1] / len(every)
        part = Parts(low, high, _NOTHING, _NOTHING)
        return self._total(part, rounds, (), rounded=math.ceil(count[1]))

    def matmul(self, x: Array, y: Array) -> Array:
        first, second = cast(NumberFamily, x), cast(NumberFamily, y)
        one, other = Parts.of(first.numbers), Parts.of(second.numbers)
        infinite = (one.flags | other.flags) > 0
        self._ends.tell(INVALID, "matmul", infinite, one)
        low, high = corners(np.multiply, one, other)
        product = Parts(low, high, np.zeros_like(one.flags), np.zeros_like(one.ids)).poisoned(infinite)
        fewer = first.fewer or second.fewer
        rows = first.extents[0]
        # A product that is added is rounded with the sum.
        total = self._total(product, self._count(rows, fewer), (), rounded=1)
        found = replace(self.family(stacked(total), (first.extents[1], second.extents[1])), fewer=fewer)
        return cast(Array, found)

    def scan(self, name0: str, name1: str, x: Array, y: Array, initial: Array) -> Array:
        left, right = aligned(cast(NumberFamily, x), cast(NumberFamily, y))
        extents = left.extents
        _, count = self._count(extents[-1], True)
        begin = replace(cast(NumberFamily, initial), extents=(*extents[:-1], 1)).without_id()

        def once(state: NumberFamily) -> NumberFamily:
            return cast(NumberFamily, self.binary(name1, self.binary(name0, x, cast(Array, state)), y))

        def tried(numbers: Array) -> NumberFamily:
            base = replace(begin.with_numbers(numbers), carried=Carried(begin, float32, (1.0, 1.0), (0.0, 0.0)))
            return once(base)

        with self.quiet():
            held = settled(begin.numbers, tried, count)
        if held is None:
            raise UnsupportedConstruct(f"a scan of an unknown number of elements with {name0} and {name1}")
        found = once(begin.with_numbers(held))
        numbers = found.numbers.copy()
        numbers[0], numbers[1] = np.maximum(numbers[0], held[0]), np.minimum(numbers[1], held[1])
        result = self.family(self.joined(numbers, numbers), extents)
        return cast(Array, replace(result, fewer=left.fewer or right.fewer))


def _ends(part: NumberFamily) -> tuple[float, float] | None:
    """The ends of an interval of finite numbers; None where there are others."""
    low, high, flags = float(part.numbers[0, 0]), float(part.numbers[1, 0]), part.numbers[2, 0]
    return (low, high) if low <= high and not flags and np.isfinite([low, high]).all() else None


def _unnamed(numbers: Array) -> Array:
    found: Array = numbers.copy()
    found[3] = 0
    return found


def _reaches(part: NumberFamily) -> float | None:
    """The least that the greatest number along the last axis is; None where nothing is known of it but the interval."""
    known = [each for each in part.at.values() if each[0, 0] <= each[1, 0] and not int(each[2, 0]) & MINUS]
    return max((float(each[0, 0]) for each in known), default=None)


def _magnitude(part: NumberFamily) -> float:
    ends = _ends(part)
    return float("inf") if ends is None else max(abs(ends[0]), abs(ends[1]))


def _plain(part: NumberFamily) -> ScaledBounds | None:
    ends = _ends(part)
    return None if ends is None else ScaledBounds(1, 1, *ends)


def _wider(low: float, high: float) -> tuple[float, float]:
    """The ends moved by more than the rounding of one number to float32; numbers do not change their sign by it.

    What becomes 0 as it is too small is less than the addend, also times the number of elements of any tile.
    """
    below, above = (low - abs(low) * 2.0**-22 - 1e-20, high + abs(high) * 2.0**-22 + 1e-20)
    return (max(below, 0.0) if low >= 0 else below), (min(above, 0.0) if high <= 0 else above)


def is_size(value: object) -> bool:
    """True if a number of the kernel's has sizes in it."""
    return isinstance(value, Term | SymRational)
