"""Induction over iterations: between which numbers something stays that each iteration changes a little.

An iteration makes of a number v a factor times v, and an addend (`Carried`), both from intervals that hold for all
iterations. With a factor of 1, after k iterations v has moved by at most k addends; with one from 0 to 1 it is,
besides, drawn to 0. Rounding is part of the addend: w is rounded to a number no further from v, which the format has,
than twice the distance of w from v, and to the same side; or by so much of the magnitude of all these numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nkiverify.analysis.fixpoint import fixpoint
from nkiverify.analysis.ranges.families import Carried, NumberFamily
from nkiverify.analysis.ranges.range_arithmetic import SMALLEST_NORMAL, least_fill, with_least_fill
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.budget import RangesBudget
from nkiverify.symbolic.generic_intervals import IntervalArithmetic

#: How much further than needed an assumption is weakened, relative to the end.
SOME_MORE = 2.0**-6

Ends = tuple[float, float]
_ENDS: IntervalArithmetic[float] = IntervalArithmetic()


def moved(carried: Carried, addend: Ends, error: float, exact: bool) -> Carried:
    """Something carried and an addend, rounded by at most `error`. `exact`: to a format that has what was there."""
    return _rounded(replace(carried, addend=_ENDS.sum(carried.addend, addend)), error, exact)


def multiplied(carried: Carried, factor: Ends, error: float) -> Carried:
    """Something carried times a factor, rounded by at most `error`; 0.0 where it is not rounded."""
    factors, addends = (_ENDS.product(each, factor) for each in (carried.factor, carried.addend))
    found = replace(carried, factor=factors, addend=addends)
    return found if not error else _rounded(found, error, True)


def _rounded(carried: Carried, error: float, exact: bool) -> Carried:
    low, high = carried.addend
    near = (low - error, high + error)
    if not (exact and carried.shrinks):
        return replace(carried, addend=near)
    # A result below the least normal number may be 0.
    doubled = (2 * min(low, 0.0) - SMALLEST_NORMAL, 2 * max(high, 0.0) + SMALLEST_NORMAL)
    if carried.keeps:
        return replace(carried, addend=(max(near[0], doubled[0]), min(near[1], doubled[1])))
    if max(abs(near[0]), abs(near[1])) < max(abs(doubled[0]), abs(doubled[1])):
        return replace(carried, addend=near)
    return replace(carried, factor=(0.0, 1.0), addend=doubled)


def attached(one: NumberFamily, other: NumberFamily) -> Carried | None:
    """The part carried by numbers of which each is that of one family, or of the other."""
    first, second = one.carried, other.carried
    if first is None and second is None:
        return None
    if first is not None and second is not None:
        if first.base is not second.base:
            return None
        return replace(
            first, factor=_ENDS.hull(first.factor, second.factor), addend=_ENDS.hull(first.addend, second.addend)
        )
    carried, plain = (first, other) if first is not None else (second, one)
    low, high = float(plain.numbers[0, 0]), float(plain.numbers[1, 0])
    if carried is None or not np.isfinite([low, high]).all() or plain.numbers[2, 0]:
        return None
    return replace(
        carried, factor=_ENDS.hull(carried.factor, (0.0, 0.0)), addend=_ENDS.hull(carried.addend, (low, high))
    )


def composed(outer: Carried | None, inner: Carried | None, times: float) -> Carried | None:
    """The part carried by this many iterations, that began with what is carried by another loop."""
    if outer is None or inner is None or not (inner.keeps or inner.shrinks):
        return None
    addend = (times * min(inner.addend[0], 0.0), times * max(inner.addend[1], 0.0))
    if inner.keeps:
        return replace(outer, addend=_ENDS.sum(outer.addend, addend))
    factor, drawn = _ENDS.hull(outer.factor, (0.0, 0.0)), _ENDS.hull(outer.addend, (0.0, 0.0))
    return replace(outer, factor=factor, addend=_ENDS.sum(drawn, addend))


def grown(entry: Array, carried: Carried, times: float) -> Ends | None:
    """The interval of something after at most this many iterations, where it was in `entry` before them."""
    low, high = float(entry[0, 0]), float(entry[1, 0])
    if low > high:
        low = high = 0.0
    below, above = times * min(carried.addend[0], 0.0), times * max(carried.addend[1], 0.0)
    if carried.keeps:
        return low + below, high + above
    if carried.shrinks:
        return min(low, 0.0) + below, max(high, 0.0) + above
    if carried.factor[0] >= -1.0 and carried.factor[1] <= 1.0:
        most = max(abs(low), abs(high)) + max(-below, above)
        return -most, most
    return None


def weakened(held: Array, entry: Array, found: NumberFamily, times: float, number: int) -> tuple[Array, bool] | None:
    """The next assumption about what iterations begin with, and whether it is this one: then it is proved.

    `held` was assumed, and `found` is what one iteration makes of it. Most of what is changed goes no further after
    the first time (`number` 0). None where no bound is seen.
    """
    if np.isnan(found.numbers[0, 0]) or np.isnan(held[0, 0]):
        # It may be anything: the reason is reported where that comes from.
        anything = held.copy()
        anything[:2] = np.nan
        return anything, bool(np.isnan(held[0, 0]))
    limits = None if found.carried is None else grown(entry, found.carried, times)
    following = with_least_fill(held.copy(), found.numbers)
    following[2] = held[2].astype(np.int8) | found.numbers[2].astype(np.int8)
    following[3] = 0
    if number and held[2, 0] and least_fill(following)[0] < least_fill(held)[0]:
        # What is filled in becomes less each time: nothing is known of it.
        following[4] = 0
    for lane, beyond, wider in ((0, np.less, min), (1, np.greater, max)):
        end = float(found.numbers[lane, 0])
        if not beyond(end, held[lane, 0]):
            continue
        if limits is not None and number:
            end = limits[lane]
            if not beyond(end, held[lane, 0]):
                continue
            if np.isinf(end) or np.isnan(end):
                return None
            # Rounding errors grow with the numbers: some more, so that there is an end to it.
            end += abs(end) * SOME_MORE * (-1.0 if lane == 0 else 1.0)
        elif number > RangesBudget.PASSES_OF_GROWTH:
            return None
        elif number == RangesBudget.PASSES_OF_GROWTH and (end >= 0 if lane == 0 else end <= 0):
            # What comes nearer to 0 each time may stay on its side.
            end = 0.0
        following[lane] = wider(float(held[lane, 0]), end)
    same = bool((following[:3] == held[:3]).all()) and np.array_equal(least_fill(following), least_fill(held))
    return following, same


def settled(entry: Array, once: Callable[[Array], NumberFamily], times: float) -> Array | None:
    """The interval of a number before and after each of at most this many iterations; None where no bound is seen."""
    begin = entry.copy()
    begin[3] = 0
    return fixpoint(_OneNumber(entry, once, times), begin, passes=RangesBudget.PASSES)


class _OneNumber(NamedTuple):
    """The domain of one number, of which an iteration makes the next one; that it may be anything is no bound."""

    entry: Array
    transfer: Callable[[Array], NumberFamily]
    times: float

    def widened(self, assumed: Array, found: NumberFamily, number: int) -> tuple[Array, bool] | None:
        following = weakened(assumed, self.entry, found, self.times, number)
        return None if following is None or np.isnan(following[0][0, 0]) else following
