"""Linear forms of numbers: what is left of a sum of numbers that were computed from the same ones.

Of each number with an id (`relations`) it is kept which sum or product it is, and an interval. Where two numbers are
added that go back to a common one, both are written as sums of multiples of numbers, step by step, each step with its
rounding, as in affine arithmetic; what they have in common is counted once. Errs to too many numbers.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from nkiverify.analysis.ranges.range_arithmetic import ROUNDOFF, SMALLEST_NORMAL
from nkiverify.analysis.values.number_formats import Array, smallest_normal, unit_roundoff
from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.dtypes import DType

#: What a number is of two others.
SUM, PRODUCT = 1, 2
#: How often numbers are replaced by what they were computed from, and of how many a form is at most.
_STEPS, _MOST_TERMS = 6, 8
#: More than what float64 loses in computing a form, and in keeping ends as float32.
_SLACK, _KEPT = 2.0**-48, 2.0**-22
#: The arrays that are counted by ids, with what stands there for numbers of which nothing is known.
_BY_ID = {"_kind": 0, "_left": 0, "_right": 0, "_low": -np.inf, "_high": np.inf}
Ends = tuple[Array, Array]


@dataclass(frozen=True, slots=True)
class Scaled:
    """A function that is `factor` times a number and `offset`, rounded by `unit` of the magnitudes and `least`."""

    factor: float
    offset: float = 0.0
    unit: float = ROUNDOFF
    least: float = SMALLEST_NORMAL

    @staticmethod
    def of(key: tuple[object, ...]) -> Scaled | None:
        """The function of a key (`Relations.increasing`); None where it is not linear."""
        match key:
            case ("negative",):
                return Scaled(-1.0, 0.0, 0.0, 0.0)
            case ("multiply", float(factor)):
                return Scaled(factor)
            case ("add", float(offset)):
                return Scaled(1.0, offset)
            case ("to", DType() as dtype):
                return Scaled(1.0, 0.0, unit_roundoff(dtype), smallest_normal(dtype))
        return None


class IdentifiedNumbers(Protocol):
    """The numbers that have ids."""

    @property
    def room(self) -> int:
        """More than the greatest id."""

    def function(self, ids: Array) -> tuple[Array, Array]:
        """The functions that numbers are the values of, by code, and of which numbers."""


class Forms:
    """The linear forms of numbers that have ids."""

    def __init__(self, named: IdentifiedNumbers) -> None:
        self._named = named
        self._kind = np.zeros(0, dtype=np.int8)
        self._left = np.zeros(0, dtype=np.int32)
        self._right = np.zeros(0, dtype=np.int32)
        self._low = np.zeros(0, dtype=np.float32)
        self._high = np.zeros(0, dtype=np.float32)
        #: By code of a function: what it is of its number, where that is linear.
        self.functions: dict[int, Scaled] = {}

    def _reserve(self) -> None:
        size = self._named.room
        if self._kind.size < size:
            for name, nothing in _BY_ID.items():
                held = getattr(self, name)
                larger = np.full(size, nothing, dtype=held.dtype)
                larger[: held.size] = held
                setattr(self, name, larger)

    def note_ends(self, ids: Array, low: Array, high: Array) -> None:
        """Note intervals of the finite numbers that have ids."""
        if not ids.any():
            return
        self._reserve()
        low, high = np.broadcast_to(low, ids.shape), np.broadcast_to(high, ids.shape)
        named = (ids > 0) & (low <= high)
        with np.errstate(over="ignore"):
            self._low[ids[named]], self._high[ids[named]] = low[named], high[named]

    def note(self, kind: int, ids: Array, one: Array, other: Array) -> None:
        """Note that numbers are the sums, or the products, of two others each, rounded to float32."""
        self._reserve()
        new = (ids > 0) & (one > 0) & (other > 0)
        new &= (self._kind[ids] == 0) & (ids != one) & (ids != other)
        self._kind[ids[new]], self._left[ids[new]], self._right[ids[new]] = kind, one[new], other[new]

    # --- what there is in common --------------------------------------------------------------------------------------

    def _origins(self, number: int, steps: int, found: set[tuple[int, ...]]) -> None:
        """The numbers that one is a linear form of, itself among them."""
        if number <= 0 or len(found) > 4 * _MOST_TERMS:
            return
        kind = int(self._kind[number])
        found.add((number,))
        if kind == PRODUCT:
            found.add(tuple(sorted((int(self._left[number]), int(self._right[number])))))
        if not steps:
            return
        code, argument = (int(part) for part in self._named.function(number))  # type: ignore[arg-type]
        if code in self.functions:
            self._origins(argument, steps - 1, found)
        elif kind == SUM:
            self._origins(int(self._left[number]), steps - 1, found)
            self._origins(int(self._right[number]), steps - 1, found)

    def _have_in_common(self, one: Array, other: Array) -> bool:
        """True if the first, the last or one in the middle of some numbers has something in common with its partner."""
        for at in {0, one.size // 2, one.size - 1} if one.size else ():
            first: set[tuple[int, ...]] = set()
            second: set[tuple[int, ...]] = set()
            self._origins(int(one.flat[at]), _STEPS, first)
            self._origins(int(other.flat[at]), _STEPS, second)
            if first & second:
                return True
        return False

    def sums(self, one: Array, other: Array) -> Ends | None:
        """The ends of sums of numbers with these ids, before rounding; None where they have nothing in common."""
        self._reserve()
        one, other = np.broadcast_arrays(one, other)
        if not self._have_in_common(one, other):
            return None
        named = (one > 0) & (other > 0)
        ends = np.full(one.shape, -np.inf), np.full(one.shape, np.inf)
        with np.errstate(all="ignore"):
            ends[0][named], ends[1][named] = _Form(self, one[named], other[named]).ends()
        return ends

    # --- for forms ----------------------------------------------------------------------------------------------------

    def magnitude(self, ids: Array) -> Array:
        """The greatest magnitude of numbers."""
        low, high = self.ends_of(ids)
        return np.maximum(np.abs(low), np.abs(high))

    def ends_of(self, ids: Array) -> Ends:
        """The interval of numbers."""
        low, high = (held[ids].astype(np.float64) for held in (self._low, self._high))
        slack = np.maximum(np.abs(low), np.abs(high)) * _KEPT + SMALLEST_NORMAL
        return low - slack, high + slack

    def of_sum(self, ids: Array) -> tuple[Array, Array, Array]:
        """Where numbers are sums, and of which."""
        return self._kind[ids] == SUM, self._left[ids], self._right[ids]

    def uniform(self, one: Array, other: Array) -> Array:
        """Where two numbers are the same: the same id, or products of the same numbers."""
        products = (self._kind[one] == PRODUCT) & (self._kind[other] == PRODUCT)
        left, right = (
            [chosen(self._left[ids], self._right[ids]) for ids in (one, other)] for chosen in (np.minimum, np.maximum)
        )
        same = products & (left[0] == left[1]) & (right[0] == right[1])
        return np.asarray((one > 0) & (other > 0) & ((one == other) | same))

    def scaled(self, ids: Array) -> tuple[Array, Array, list[tuple[Array, Scaled]]]:
        """The functions of numbers that are linear: the arguments, where there are any, and which function where."""
        codes, arguments = self._named.function(ids)
        found = [(codes == code, self.functions[code]) for code in np.unique(codes).tolist() if code in self.functions]
        holds = np.zeros(ids.shape, dtype=bool)
        for where, _ in found:
            holds |= where
        return np.where(holds, arguments, 0), holds, found


class _Form:
    """The sums of two numbers each, as multiples of numbers and a rest between two ends."""

    def __init__(self, forms: Forms, one: Array, other: Array) -> None:
        self._forms = forms
        self._ids: list[Array] = [one.copy(), other.copy()]
        self._factors: list[Array] = [np.ones(one.shape), np.ones(one.shape)]
        self._low, self._high = np.zeros(one.shape), np.zeros(one.shape)

    def ends(self) -> Ends:
        """The best of all steps."""
        low, high = np.full(self._low.shape, -np.inf), np.full(self._low.shape, np.inf)
        for _ in range(_STEPS + 1):
            if self._merge():
                least, most = self._between()
                low = np.where(least > low, least, low)
                high = np.where(most < high, most, high)
            if not self._step():
                break
        return low, high

    def _move(self, low: Array, high: Array) -> None:
        self._low, self._high = self._low + low, self._high + high

    def _merge(self) -> bool:
        """Count numbers that are there twice once; whether there were any."""
        found = False
        for second in range(1, len(self._ids)):
            for first in range(second):
                same = self._forms.uniform(self._ids[first], self._ids[second])
                if not same.any():
                    continue
                found = True
                together = self._factors[first] + self._factors[second]
                error = np.where(same, (np.abs(self._factors[first]) + np.abs(self._factors[second])) * _SLACK, 0.0)
                reach = np.where(same, error * self._forms.magnitude(self._ids[first]), 0.0)
                exact = np.where(same, together == 0.0, False)
                self._move(np.where(exact, 0.0, -reach), np.where(exact, 0.0, reach))
                self._factors[first] = np.where(same, together, self._factors[first])
                self._ids[first] = np.where(exact, 0, self._ids[first])
                self._ids[second] = np.where(same, 0, self._ids[second])
        kept = [at for at, ids in enumerate(self._ids) if ids.any()]
        self._ids, self._factors = [self._ids[at] for at in kept], [self._factors[at] for at in kept]
        return found

    def _between(self) -> Ends:
        low, high = self._low, self._high
        size = np.maximum(np.abs(low), np.abs(high))
        for ids, factor in zip(self._ids, self._factors, strict=True):
            ends = [np.where(ids > 0, factor * end, 0.0) for end in self._forms.ends_of(ids)]
            low, high = low + np.minimum(*ends), high + np.maximum(*ends)
            size = size + np.maximum(np.abs(ends[0]), np.abs(ends[1]))
        return low - size * _SLACK, high + size * _SLACK

    def _step(self) -> bool:
        """Replace numbers by what they were computed from; whether there were any."""
        changed = False
        for at in range(len(self._ids)):
            changed |= self._unscaled(at)
        for at in range(len(self._ids)):
            ids, factor = self._ids[at], self._factors[at]
            is_sum, left, right = self._forms.of_sum(ids)
            is_sum &= ids > 0
            if not is_sum.any() or len(self._ids) >= _MOST_TERMS:
                continue
            changed = True
            size = np.minimum(self._forms.magnitude(ids), self._forms.magnitude(left) + self._forms.magnitude(right))
            error = np.abs(factor) * (size * ROUNDOFF * (1 + 2.0**-10) + SMALLEST_NORMAL)
            error = np.where(is_sum, error, 0.0)
            self._move(-error, error)
            self._ids[at] = np.where(is_sum, left, ids)
            self._ids.append(np.where(is_sum, right, 0))
            self._factors.append(factor.copy())
        return changed

    def _unscaled(self, at: int) -> bool:
        ids, factor = self._ids[at], self._factors[at]
        arguments, holds, functions = self._forms.scaled(ids)
        if not holds.any():
            return False
        size = self._forms.magnitude(arguments)
        for where, function in functions:
            reach = size * abs(function.factor) + abs(function.offset)
            error = reach * (function.unit * (1 + 2.0**-10) + _SLACK) + function.least if function.unit else 0.0
            low, high = (factor * function.offset + sign * np.abs(factor) * error for sign in (-1.0, 1.0))
            self._move(np.where(where, low, 0.0), np.where(where, high, 0.0))
            factor = np.where(where, factor * function.factor, factor)
        self._ids[at], self._factors[at] = np.where(holds, arguments, ids), factor
        return True
