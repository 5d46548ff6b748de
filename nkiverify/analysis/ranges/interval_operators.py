"""Operators on intervals, each element by itself; whatever may go wrong is reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from nkiverify.analysis.ranges.interval_functions import FUNCTIONS, Course, Function
from nkiverify.analysis.ranges.linear import PRODUCT, SUM
from nkiverify.analysis.ranges.range_arithmetic import (
    EMPTY,
    ENDS,
    FLOAT32_MAX,
    MINUS,
    PLUS,
    Parts,
    compared,
    corners,
    down,
    integer_bits,
    joined,
    made,
    mirrored,
    once,
    powers,
    products_summed,
    scalar,
    stacked,
    sum_error,
    swapped,
    up,
    widened,
)
from nkiverify.analysis.ranges.range_findings import DIVISION, INVALID, OVERFLOW, RangeFindings
from nkiverify.analysis.ranges.relations import Relations
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.numbers import function_of
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.meaning import Numbers

_COMPARISONS = frozenset(("equal", "not_equal", "greater", "greater_equal", "less", "less_equal"))
_LOGICAL = frozenset(("logical_and", "logical_or", "logical_xor"))
_BITS = frozenset(("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"))


class IntervalOperators(Numbers):
    """Operators on intervals; what may go wrong goes to `findings`."""

    lanes = 4

    def __init__(self, findings: RangeFindings) -> None:
        self.findings = findings
        self.relations = Relations()

    # --- what is reported ---------------------------------------------------------------------------------------------

    def tell(self, contract: str, function: str, where: Array, *operands: Parts) -> None:
        """Say that a function of operands may go wrong where this holds."""
        if where.any():
            self.findings.tell(
                contract, function, where, lambda at: " and ".join(part.text(where.shape, at) for part in operands)
            )

    def _rounded(self, name: str, low: Array, high: Array, empty: Array, flags: Array, *operands: Parts) -> Parts:
        """Results as float32 has them; where they may be too great for it, that is reported."""
        # Of what may be anything, there is something.
        empty = empty & ~np.isnan(low)
        least, most = down(np.where(empty, 0.0, low)), up(np.where(empty, 0.0, high))
        beyond = np.isinf(least) | np.isinf(most)
        self.tell(OVERFLOW, name, beyond, *operands)
        shape = np.broadcast_shapes(low.shape, flags.shape)
        ids = np.zeros(shape, dtype=np.int32)
        found = Parts(np.where(empty, EMPTY[0], least), np.where(empty, EMPTY[1], most), flags, ids)
        return found.poisoned(beyond)

    # --- functions of one number --------------------------------------------------------------------------------------

    def unary(self, name: str, x: Array) -> Array:
        part = Parts.of(x)
        if name == "copy":
            return np.asarray(x, dtype=np.float64)
        if name == "negative":
            return stacked(mirrored(part, self.relations.negative(part.ids)))
        if name == "invert":
            return made(-1 - part.high, -1 - part.low)
        function = FUNCTIONS.get(name)
        if function is None:
            raise UnsupportedConstruct(f"the range of the function {name}")
        return stacked(self._applied(name, function, part))

    def _applied(self, name: str, function: Function, part: Parts) -> Parts:
        empty = part.empty
        low, high = np.where(empty, 1.0, part.low), np.where(empty, 1.0, part.high)
        outside = (low <= function.domain) if function.open else (low < function.domain)
        contract = INVALID
        if function.course is Course.POLE:
            outside, contract = (low <= 0) & (high >= 0), DIVISION
        self.tell(contract, name, outside, part)
        low, high = np.where(outside, np.nan, low), np.where(outside, np.nan, high)
        ends = _ends(name, function, low, high)
        found = self._rounded(name, *ends, empty, np.zeros_like(part.flags), part)
        if part.flags.any():
            found = self._of_infinities(name, function, part, found)
        if function.course is Course.INCREASING:

            def least(number: float) -> float:
                return float(down(_ends(name, function, np.array([number]), np.array([number]))[0])[0])

            relate = self.relations.odd if function.odd else self.relations.increasing
            found = found.with_ids(relate((name,), part.ids, least))
        return found

    def _of_infinities(self, name: str, function: Function, part: Parts, found: Parts) -> Parts:
        for sign, value in zip((MINUS, PLUS), function.at_infinities, strict=True):
            here = (part.flags & sign) > 0
            if not here.any():
                continue
            if value is None:
                self.tell(INVALID, name, here, part)
                found = found.poisoned(here)
            else:
                found = joined(found, value, here)
        return found

    # --- of two numbers -----------------------------------------------------------------------------------------------

    def binary(self, name: str, x: Array, y: Array) -> Array:
        one, other = Parts.of(x), Parts.of(y)
        if name == "subtract":
            self._note_ends(other)
            name, other = "add", mirrored(other, self.relations.negative(other.ids))
        match name:
            case "add":
                found = self._sum(one, other)
            case "multiply":
                found = self._product(one, other, squares=x is y)
            case "divide":
                found = self._quotient(one, other)
            case "maximum":
                found = self._greater(one, other)
            case "minimum":
                greater = self._greater(*(mirrored(part, self._opposite(part)) for part in (one, other)))
                found = mirrored(greater, self.relations.negative(greater.ids))
            case "abs_max" | "abs_min":
                return self.binary(name.replace("abs_", "") + "imum", self.unary("abs", x), self.unary("abs", y))
            case "power":
                found = self._power(one, other)
            case "mod" | "fmod":
                found = self._remainder(name, one, other)
            case _ if name in _COMPARISONS or name in _LOGICAL:
                found = compared(name, one, other)
            case _ if name in _BITS:
                found = integer_bits(name, one, other)
            case _:
                raise UnsupportedConstruct(f"the range of the operator {name}")
        return stacked(found)

    def _without_infinities(self, name: str, one: Parts, other: Parts) -> Array:
        """Where there are infinities, which are not followed through an operator: that is reported."""
        bad = np.asarray((one.flags | other.flags) > 0)
        self.tell(INVALID, name, bad, one, other)
        return bad

    def _sum(self, one: Parts, other: Parts) -> Parts:
        flags = one.flags | other.flags
        opposite = ((one.flags & PLUS) > 0) & ((other.flags & MINUS) > 0)
        opposite |= ((one.flags & MINUS) > 0) & ((other.flags & PLUS) > 0)
        self.tell(INVALID, "add", opposite, one, other)
        low, high = ENDS.sum(one.ends, other.ends)
        self._note_ends(one, other)
        linear = self.relations.forms.sums(one.ids, other.ids)
        if linear is not None:
            low = np.where((flags == 0) & (linear[0] > low), linear[0], low)
            high = np.where((flags == 0) & (linear[1] < high), linear[1], high)
        low, high, ids = self._differences(one, other, low, high)
        found = self._rounded("add", low, high, one.empty | other.empty, flags, one, other)
        found = self._by_cases(np.add, one, other, found.poisoned(opposite).with_ids(ids))
        return self._noted(SUM, one, other, found)

    def _note_ends(self, *parts: Parts) -> None:
        for part in parts:
            self.relations.forms.note_ends(part.ids, part.low, part.high)

    def _noted(self, kind: int, one: Parts, other: Parts, found: Parts) -> Parts:
        """Results of which it is known that they are the sums, or the products, of numbers that have ids."""
        ids = np.broadcast_arrays(one.ids, other.ids)
        both = (ids[0] > 0) & (ids[1] > 0) & (found.flags == 0) & ~np.isnan(found.low)
        if not both.any():
            return found
        named = np.array(np.broadcast_to(found.ids, both.shape))
        new = both & (named == 0)
        named[new] = self.relations.fresh(int(new.sum()))
        found = replace(found, ids=named)
        self.relations.forms.note(kind, np.where(both, named, 0), *ids)
        self._note_ends(found)
        return found

    def _by_cases(self, operator: Callable[..., Array], one: Parts, other: Parts, found: Parts) -> Parts:
        """A sum, or a product of numbers that are not negative: what it is at least where the first of two others is
        the greater one, and where the second is. One of these is so."""
        relations = self.relations
        if not relations.any_cases:
            return found
        ids = np.broadcast_arrays(one.ids, other.ids)
        attached = relations.attached(*ids)
        flags, signs = one.flags | other.flags, (one.low >= 0) & (other.low >= 0)
        sure = (attached > 0) & (found.ids == 0) & (flags == 0) & ~one.empty & ~other.empty
        sure &= signs | (operator is np.add)
        lows = [relations.least(each, attached, part.low) for each, part in zip(ids, (one, other), strict=True)]
        with np.errstate(all="ignore"):
            cases = [down(operator(lows[0][case], lows[1][case])) for case in (0, 1)]
        return self._of_cases(found, np.where(sure, attached, 0), cases[0], cases[1])

    def _of_cases(self, found: Parts, greater: Array, first: Array, second: Array) -> Parts:
        """Results that are at least `first` where the first of two numbers is the `greater` one, else `second`."""
        useful = (greater > 0) & (np.maximum(first, second) > found.low)
        if not useful.any():
            return found
        ids = np.array(np.broadcast_to(found.ids, useful.shape))
        ids[useful] = self.relations.fresh(int(useful.sum()))
        first, second = np.maximum(first, found.low), np.maximum(second, found.low)
        named = useful & (ids > 0)
        self.relations.note_cases(ids[named], greater[named], first[named], second[named])
        return replace(found, low=np.where(useful, np.minimum(first, second), found.low), ids=ids)

    def _differences(self, one: Parts, other: Parts, low: Array, high: Array) -> tuple[Array, Array, Array]:
        """The ends of sums of which one part is the negative of a number that is known to be greater, or less."""
        relations = self.relations
        ids = np.zeros(np.broadcast_shapes(one.ids.shape, other.ids.shape), dtype=np.int32)
        for left, right in ((one, other), (other, one)):
            constant = scalar(right)
            if constant is not None and left.ids.shape == ids.shape:
                return low, high, relations.increasing(("add", constant), left.ids, _plus(constant))
            subtracted = relations.opposite(right.ids)
            if not left.ids.any() or not right.ids.any():
                continue
            # It is at least a number of which the other one is at least the negative.
            if (met := relations.opposite(relations.below(right.ids))).any():
                low = np.where(relations.at_most(met, left.ids)[0], np.maximum(low, 0.0), low)
            if not subtracted.any():
                continue
            below, member, of = relations.at_most(left.ids, subtracted)
            above, _, _ = relations.at_most(subtracted, left.ids)
            high = np.where(below, np.minimum(high, 0.0), high)
            low = np.where(above, np.maximum(low, 0.0), low)
            if (of > 0).any():
                ids = np.where(of > 0, relations.named(np.where(of > 0, 0, 1)), 0).astype(np.int32)
                relations.differences(ids, member, of)
            if (below | above).any():
                break
        return low, high, ids

    def _product(self, one: Parts, other: Parts, squares: bool) -> Parts:
        empty = one.empty | other.empty
        low, high = corners(np.multiply, one, other)
        same = ((one.ids == other.ids) & (one.ids > 0)) | squares
        if same.any():
            low = np.where(
                same, np.where((one.low <= 0) & (one.high >= 0), 0.0, np.minimum(one.low**2, one.high**2)), low
            )
        flags, invalid = self._infinite_products(one, other)
        found = self._rounded("multiply", low, high, empty, flags, one, other)
        self._note_ends(one, other)
        for part, factor in ((one, scalar(other)), (other, scalar(one))):
            if factor is not None and part.ids.shape == found.low.shape and factor != 0.0:
                found = found.with_ids(self._scaled(part.ids, factor))
                break
        found = self._by_cases(np.multiply, one, other, found.poisoned(invalid))
        return self._noted(PRODUCT, one, other, found)

    def _scaled(self, ids: Array, factor: float) -> Array:
        size = abs(factor)
        if size == 1.0:
            return ids if factor > 0 else self.relations.negative(ids)
        found = self.relations.odd(("multiply", size), ids, lambda least: float(np.float32(least * size)))
        return found if factor > 0 else self.relations.negative(found)

    def _infinite_products(self, one: Parts, other: Parts) -> tuple[Array, Array]:
        """The infinities that products may be, and where they may be 0 times an infinity."""
        shape = np.broadcast_shapes(one.low.shape, other.low.shape)
        flags, invalid = np.zeros(shape, dtype=np.int8), np.zeros(shape, dtype=bool)
        if not one.flags.any() and not other.flags.any():
            return flags, invalid
        for left, right in ((one, other), (other, one)):
            some = left.flags > 0
            finite = ~right.empty
            invalid |= some & finite & (right.low <= 0) & (right.high >= 0)
            positive = (finite & (right.high > 0)) | ((right.flags & PLUS) > 0)
            negative = (finite & (right.low < 0)) | ((right.flags & MINUS) > 0)
            flags |= np.where(positive, left.flags, 0).astype(np.int8)
            flags |= np.where(negative, swapped(left.flags), 0).astype(np.int8)
        self.tell(INVALID, "multiply", invalid, one, other)
        return flags, invalid

    def _quotient(self, one: Parts, other: Parts) -> Parts:
        zero = ~other.empty & (other.low <= 0) & (other.high >= 0)
        self.tell(DIVISION, "divide", zero, one, other)
        unfollowed = self._without_infinities("divide", one, other)
        with np.errstate(all="ignore"):
            low, high = corners(np.divide, one, other)
        low, high = np.where(zero, np.nan, low), np.where(zero, np.nan, high)
        found = self._rounded("divide", low, high, one.empty | other.empty, one.flags | other.flags, one, other)
        return found.poisoned(zero | unfollowed)

    def _greater(self, one: Parts, other: Parts) -> Parts:
        low, high = ENDS.greater(one.ends, other.ends)
        minus = [(part.flags & MINUS) > 0 for part in (one, other)]
        low = np.where(minus[0], np.minimum(low, other.low), low)
        low = np.where(minus[1], np.minimum(low, one.low), low)
        flags = ((one.flags | other.flags) & PLUS) | np.where(minus[0] & minus[1], MINUS, 0)
        # A number without a finite part is greater than no other.
        low = np.where(one.empty & ~other.empty, np.minimum(other.low, low), low)
        low = np.where(other.empty & ~one.empty, np.minimum(one.low, low), low)
        found = Parts(low, high, flags.astype(np.int8), np.zeros(low.shape, dtype=np.int32))
        # Where one is known to be the greater it is that number.
        second, first = _at_most(one, other), _at_most(other, one)
        settled = first | second
        ids = [np.where(settled, 0, part.ids) for part in (one, other)]
        made = np.where(second, other.ids, np.where(first, one.ids, 0))
        return found.with_ids(made if settled.all() else np.where(settled, made, self._greater_ids(one, other, ids)))

    def _opposite(self, part: Parts) -> Array:
        """The ids of the negatives of columns: running maxima may be kept with their sign changed. None of others, as
        there are many of these."""
        single = part.ids.shape[-1:] == (1,)
        return self.relations.negative(part.ids) if single else np.zeros_like(part.ids)

    def _greater_ids(self, one: Parts, other: Parts, ids: list[Array]) -> Array:
        """The ids of the greater of two numbers each, which have these ids."""
        for number, constant in ((0, scalar(other)), (1, scalar(one))):
            if constant is not None and (one, other)[number].ids.shape == ids[number].shape:
                found = self.relations.increasing(("maximum", constant), ids[number], _at_least(constant))
                self.relations.bounded(ids[number], found)
                return found
        return self.relations.greater(ids[0], ids[1])

    def _power(self, one: Parts, other: Parts) -> Parts:
        exponent = scalar(other)
        unfollowed = self._without_infinities("power", one, other)
        if exponent is not None and exponent < 0:
            zero = (one.low <= 0) & (one.high >= 0)
            self.tell(DIVISION, "power", zero, one, other)
            one = one.poisoned(zero)
        if exponent is None or exponent != int(exponent):
            negative = (one.low < 0) | ((one.low <= 0) & (other.low <= 0))
            self.tell(INVALID, "power", np.asarray(negative), one, other)
            one = one.poisoned(negative)
        low, high = powers(one, other, exponent)
        return self._rounded("power", low, high, one.empty, one.flags, one, other).poisoned(unfollowed)

    def _remainder(self, name: str, one: Parts, other: Parts) -> Parts:
        zero = (other.low <= 0) & (other.high >= 0)
        self.tell(DIVISION, name, zero, one, other)
        unfollowed = self._without_infinities(name, one, other)
        size = np.maximum(np.abs(other.low), np.abs(other.high))
        nonnegative = (one.low >= 0) & (other.low > 0)
        low = np.where(nonnegative, 0.0, -size) + np.zeros_like(one.low)
        found = Parts(low, size + np.zeros_like(one.low), np.zeros(low.shape, np.int8), np.zeros(low.shape, np.int32))
        return found.poisoned(zero | unfollowed)

    # --- of many ------------------------------------------------------------------------------------------------------

    def reduce(self, name: str, x: Array) -> Array:
        part = Parts.of(x)
        if name in ("abs_max", "abs_min"):
            return self.reduce(name.replace("abs_", "") + "imum", self.unary("abs", x))
        if name == "add":
            return stacked(self._total(part))
        if name == "maximum":
            return stacked(self._greatest(part, self.relations.greatest(part.ids)))
        if name == "minimum":
            negated = mirrored(part, self.relations.negative(part.ids))
            greatest = self._greatest(negated, self.relations.greatest(negated.ids))
            return stacked(mirrored(greatest, self.relations.negative(greatest.ids)))
        result = x[..., :1]
        for position in range(1, x.shape[-1]):
            result = self.binary(name, result, x[..., position : position + 1])
        return result

    def _total(self, part: Parts) -> Parts:
        empty = part.empty
        low, high = np.where(empty, 0.0, part.low), np.where(empty, 0.0, part.high)
        size = np.maximum(np.abs(low), np.abs(high)).sum(axis=-1, keepdims=True)
        error = sum_error(size, low.shape[-1])
        flags = np.bitwise_or.reduce(part.flags, axis=-1, keepdims=True)
        least, most = (end.sum(axis=-1, keepdims=True) for end in (low, high))
        least, most = least - error, most + error
        rising, falling = ((sign * end >= 0).all(axis=-1, keepdims=True) for sign, end in ((1, low), (-1, high)))
        at_least = np.maximum(low.max(axis=-1, keepdims=True), self.relations.attained(part.ids))
        least = np.where(rising, np.maximum(least, at_least), least)
        most = np.where(falling, np.minimum(most, high.min(axis=-1, keepdims=True)), most)
        # Parts of a sum may be greater than it is.
        ahead = np.maximum(high, 0).sum(axis=-1, keepdims=True) + error
        behind = np.minimum(low, 0).sum(axis=-1, keepdims=True) - error
        beyond = np.asarray((ahead > FLOAT32_MAX) | (behind < -FLOAT32_MAX))
        self.tell(OVERFLOW, "sum", beyond, part.first_of_rows())
        opposite = flags == (PLUS | MINUS)
        self.tell(INVALID, "sum", opposite, part.first_of_rows())
        nothing = np.asarray((empty & (part.flags > 0)).any(axis=-1, keepdims=True))
        found = self._rounded("sum", np.where(beyond, np.nan, least), np.where(beyond, np.nan, most), nothing, flags)
        found = found.poisoned(opposite)
        if not self.relations.any_cases:
            return found
        greater, *cases = self.relations.cases_of_rows(part.ids)
        return self._of_cases(found, np.where(rising & (flags == 0), greater, 0), *cases)

    def _greatest(self, part: Parts, ids: Array | None) -> Parts:
        # Some element is no infinity, or all may be.
        sure = np.where((part.flags & MINUS) > 0, -np.inf, part.low)
        sure = np.where(part.empty & ((part.flags & PLUS) == 0), -np.inf, sure)
        low = sure.max(axis=-1, keepdims=True)
        least = part.low.min(axis=-1, keepdims=True)
        flags = np.bitwise_or.reduce(part.flags & PLUS, axis=-1, keepdims=True)
        flags = flags | np.where(np.isneginf(low), MINUS, 0).astype(np.int8)
        low = np.where(np.isneginf(low), least, low)
        high = part.high.max(axis=-1, keepdims=True)
        return Parts(low, high, flags, np.zeros(low.shape, np.int32) if ids is None else ids)

    def matmul(self, x: Array, y: Array) -> Array:
        one, other = Parts.of(x.transpose(0, 2, 1)), Parts.of(y)
        shape, count = (one.low.shape[0], other.low.shape[1]), one.low.shape[-1]
        one, other = once(one, 0), once(other, 1)
        rows, columns = (one.flags > 0).any(axis=-1, keepdims=True), (other.flags > 0).any(axis=0, keepdims=True)
        infinite = np.asarray(rows | columns)
        with np.errstate(invalid="ignore"):
            # Without a finite part it is reported besides.
            low, high = products_summed(one, other)
        size = one.magnitude @ other.magnitude
        # Each product is rounded as well.
        error = sum_error(size, count + 1)
        beyond = size + error > FLOAT32_MAX
        for contract, where in ((INVALID, infinite), (OVERFLOW, beyond)):
            self.tell(contract, "matmul", np.broadcast_to(where, shape), one.first_of_rows())
        bad = beyond | infinite
        low, high = np.where(bad, np.nan, low - error), np.where(bad, np.nan, high + error)
        if (one.low >= 0).all() and (other.low >= 0).all():
            low = np.maximum(low, 0.0)
        nothing = np.zeros(low.shape, dtype=bool)
        found = stacked(self._rounded("matmul", low, high, nothing, np.zeros(low.shape, dtype=np.int8)))
        return np.broadcast_to(found, (len(found), *shape))

    def scan(self, name0: str, name1: str, x: Array, y: Array, initial: Array) -> Array:
        shape = np.broadcast_shapes(x.shape, y.shape)
        x, y, result = np.broadcast_to(x, shape), np.broadcast_to(y, shape), np.empty(shape)
        state = initial[..., 0]
        for step in range(shape[-1]):
            state = self.binary(name1, self.binary(name0, x[..., step], state), y[..., step])
            result[..., step] = state
        return result

    def choose(self, condition: Array, x: Array, y: Array) -> Array:
        truth, one, other = Parts.of(condition).truths(), Parts.of(x), Parts.of(y)
        surely, never = truth.low == 1, truth.high == 0
        low, high = ENDS.hull(one.ends, other.ends)
        # Where one of them has no finite part, its ends are those of the other one.
        # What is stored and what is reduced are the same numbers: they are named here.
        ids = self.relations.named(np.where(one.ids == other.ids, one.ids, 0))
        either = Parts(low, high, one.flags | other.flags, ids)
        return np.where(surely, stacked(one), np.where(never, stacked(other), stacked(either)))


def _at_most(one: Parts, other: Parts) -> Array:
    """Where numbers are known to be at most others. One that is no number at all is at most any."""
    infinite = ((one.flags & PLUS) > 0) | ((other.flags & MINUS) > 0)
    return np.asarray(~infinite & (one.high <= other.low))


def _plus(constant: float) -> Callable[[float], float]:
    """A lower bound of the float32 sum of a number and a constant."""
    return lambda least: float(down(np.array([least + constant]))[0])


def _at_least(constant: float) -> Callable[[float], float]:
    """The greater of a number and a constant."""
    return lambda least: max(least, constant)


def _ends(name: str, function: Function, low: Array, high: Array) -> tuple[Array, Array]:
    """The least and the greatest value of a function between two ends."""
    least, most = function.within
    if function.course is Course.BOUNDED:
        unknown = np.isnan(low)
        return np.where(unknown, np.nan, least), np.where(unknown, np.nan, most)
    with np.errstate(all="ignore"):
        at_low, at_high = function_of(name)(low), function_of(name)(high)
    if function.course is Course.VALLEY:
        crosses = (low <= function.least_at) & (high >= function.least_at)
        bottom = np.where(crosses, least, np.minimum(at_low, at_high))
        top = np.maximum(at_low, at_high)
    elif function.course is Course.INCREASING:
        bottom, top = at_low, at_high
    else:
        bottom, top = at_high, at_low
    bottom, top = widened(bottom, top, function.slack, function.noise)
    if function.through is not None:
        number, value = function.through
        bottom = np.where(low >= number, np.maximum(bottom, value), bottom)
        top = np.where(high <= number, np.minimum(top, value), top)
    return np.maximum(bottom, least), np.minimum(top, most)
