"""Faults of a gradient: a constant factor, contributions that are missing, elements that have to be 0."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from nkiverify.analysis.values.duals import Duals
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.budget import ComparingBudget
from nkiverify.products.equiv.gradient_evaluation import Evaluation, apart, compared_sums
from nkiverify.products.equiv.gradient_runs import GradientRuns
from nkiverify.products.equiv.paired_runs import if_they_end

#: This many directions are examined in one run; this many wrong elements are shown.
_DIRECTIONS, _SHOWN = 8, 3
#: From this many elements of a gradient on there are two directions, for the room that they take.
_MANY = 1 << 18
#: How far ratios may be apart that are one factor.
_SAME_FACTOR = 1e-6


class _Part(enum.Enum):
    """A gradient, as far as it comes from a part of the incoming ones."""

    RIGHT = enum.auto()
    MISSING = enum.auto()
    WRONG = enum.auto()


class Diagnosis:
    """Looks for what is wrong with one gradient."""

    def __init__(self, runs: GradientRuns, evaluation: Evaluation, number: int) -> None:
        assert runs.pairing is not None
        self._runs = runs
        self._evaluation = evaluation
        self._number = number
        self._gradient = runs.pairing.gradients[number]
        self._shape = runs.pairing.inputs[self._gradient.position].shape

        #: Directions of one run.
        self._at_once = _DIRECTIONS if evaluation.gradients[number].shape[1] < _MANY else 2

    def sentences(self) -> list[str]:
        """Sentences about what was found, the most telling first."""
        name = self._gradient.name
        size = self._evaluation.gradients[self._number].shape[1]
        parts = np.array_split(np.arange(size), min(size, self._at_once))
        sides = self._sides(parts)
        factor = _one_factor(sides)
        if factor is not None:
            return [*([f"{name} is {_factor_text(factor)}"] if size > 1 else []), *self._elements(parts, sides)]
        missing = self._missing()
        return [*([missing] if missing else []), *self._elements(parts, sides)]

    # --- elements -----------------------------------------------------------------------------------------------------

    def _sides(self, parts: Sequence[Array]) -> list[tuple[Array, Array, float]]:
        """Both sides, where only these elements of the input move."""
        evaluation = self._evaluation
        whole = evaluation.directions[self._number]
        along = []
        for part in parts:
            direction = np.zeros_like(whole)
            direction[:, part] = whole[:, part]
            along.append((self._gradient.position, direction))
        duals = Duals(evaluation.numbers, len(parts))
        forward = self._runs.run_forward(duals, evaluation.draw, along)
        gradient = evaluation.gradients[self._number]
        return [
            compared_sums(
                evaluation.numbers,
                [(evaluation.incoming[place], forward.derivatives[place][number]) for place in evaluation.incoming],
                [(gradient[:, part], whole[:, part])],
            )
            for number, part in enumerate(parts)
        ]

    def _elements(self, parts: Sequence[Array], sides: Sequence[tuple[Array, Array, float]]) -> list[str]:
        """A few wrong elements: of ties, and of functions that have none, a direction moves several."""
        if self._evaluation.draw.tied:
            return []
        wrong = [part for part, side in zip(parts, sides, strict=True) if apart(*side)]
        whole = f"{len(wrong)} of {len(parts)} parts of {self._gradient.name} are wrong"
        while wrong and any(part.size > 1 for part in wrong):
            parts = [piece for part in wrong[:_SHOWN] for piece in np.array_split(part, min(part.size, self._at_once))]
            # The first of each part that is wrong, so that what is shown is not all in one place.
            sides = self._sides(parts)
            found = [part for part, side in zip(parts, sides, strict=True) if apart(*side)]
            wrong = _first_of_each(found, wrong[:_SHOWN])
        if not wrong:
            return [whole]
        values = [self._values(int(part[0])) for part in wrong]
        name = self._gradient.name
        shown = [
            f"{name}[{', '.join(map(str, place))}] is {found:.6g}, and has to be {wanted:.6g}"
            for place, found, wanted in values
        ]
        if all(abs(wanted) <= 1e-9 * abs(found) for _, found, wanted in values):
            shown.append("where it is wrong it has to be 0: a mask may be missing")
        return shown

    def _values(self, element: int) -> tuple[tuple[int, ...], float, float]:
        """The coordinates of an element, what is there, and what has to be."""
        evaluation = self._evaluation
        ((left, _, _),) = self._sides([np.array([element])])
        moved = float(evaluation.directions[self._number][-1, element])
        place = np.unravel_index(element, self._shape)
        found = float(evaluation.gradients[self._number][-1, element])
        return tuple(int(part) for part in place), found, float(left[-1, 0]) / moved

    # --- contributions ------------------------------------------------------------------------------------------------

    def _missing(self) -> str:
        """The part of an incoming gradient that contributes nothing, where all other parts contribute what they
        have to."""
        for output in self._evaluation.incoming:
            name, shape = self._runs.incoming_shape(output)
            for axis, extent in enumerate(shape):
                if extent > 1 and (ranges := self._along(output, shape, axis)):
                    colons = [":"] * len(shape)
                    colons[axis] = " and ".join(f"{low}:{high}" if high - low > 1 else f"{low}" for low, high in ranges)
                    text = f"what {name}[{', '.join(colons)}] contributes to {self._gradient.name} is missing"
                    return f"{text}, all else is there: it may be overwritten where it is to be accumulated"
        return ""

    def _along(self, output: int, shape: tuple[int, ...], axis: int) -> list[tuple[int, int]]:
        """The ranges along an axis whose contributions are missing; none where that is not what is wrong."""
        pending, missing = [(0, shape[axis])], []
        for _ in range(ComparingBudget.BACKWARD_RUNS):
            low, high = pending.pop(0)
            found = self._contribution(output, shape, axis, low, high)
            if found is _Part.MISSING:
                missing.append((low, high))
            elif found is _Part.WRONG:
                if high - low == 1:
                    return []
                middle = (low + high) // 2
                pending += [(low, middle), (middle, high)]
            if not pending:
                whole = missing == [(0, shape[axis])]
                return [] if whole else _joined(sorted(missing))
        return []

    def _contribution(self, output: int, shape: tuple[int, ...], axis: int, low: int, high: int) -> _Part:
        evaluation = self._evaluation
        chosen = np.zeros(shape, dtype=bool)
        chosen[(slice(None),) * axis + (slice(low, high),)] = True
        given = {place: np.zeros_like(part) for place, part in evaluation.incoming.items()}
        given[output] = incoming = np.where(chosen.ravel(), evaluation.incoming[output], 0.0)
        gradient = if_they_end(lambda: evaluation.backward(self._runs, given)[self._number])
        if gradient is None:
            return _Part.WRONG
        sides = compared_sums(
            evaluation.numbers,
            [(incoming, evaluation.forward.derivatives[output][self._number])],
            [(gradient, evaluation.directions[self._number])],
        )
        if not apart(*sides):
            return _Part.RIGHT
        return _Part.WRONG if gradient[-1].any() else _Part.MISSING


def _first_of_each(found: Sequence[Array], parts: Sequence[Array]) -> list[Array]:
    """Of pieces of parts, the first one of each part."""
    first = []
    for part in parts:
        inside = [piece for piece in found if piece[0] >= part[0] and piece[-1] <= part[-1]]
        first += inside[:1]
    return first


def _joined(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges with neighbours made one."""
    found: list[tuple[int, int]] = []
    for low, high in ranges:
        if found and found[-1][1] == low:
            found[-1] = found[-1][0], high
        else:
            found.append((low, high))
    return found


def _one_factor(sides: Sequence[tuple[Array, Array, float]]) -> float | None:
    """The factor that the right side has to the left one everywhere, if it is one."""
    pairs = [(float(left[-1, 0]), float(right[-1, 0])) for left, right, size in sides if size]
    known = [(wanted, found) for wanted, found in pairs if wanted or found]
    if len(known) < min(2, len(sides)) or not all(wanted for wanted, _ in known):
        return None
    factors = [found / wanted for wanted, found in known]
    same = all(abs(factor - factors[0]) <= _SAME_FACTOR * max(1.0, abs(factors[0])) for factor in factors)
    return factors[0] if same else None


def _factor_text(factor: float) -> str:
    """A constant factor in words: the fraction, or the root of one, that it is."""
    if abs(factor) < _SAME_FACTOR:
        return "0 throughout"
    if abs(factor + 1) < _SAME_FACTOR:
        return "the negative of what it has to be throughout: the sign is wrong"
    fraction = Fraction(factor).limit_denominator(4096)
    if math.isclose(float(fraction), factor, rel_tol=_SAME_FACTOR):
        return f"{fraction} times what it has to be throughout"
    square = Fraction(factor * factor).limit_denominator(4096)
    if math.isclose(float(square), factor * factor, rel_tol=_SAME_FACTOR):
        root = f"the root of {square}, " if factor > 0 else f"minus the root of {square}, "
        return f"{root}{factor:.6g}, times what it has to be throughout"
    return f"{factor:.6g} times what it has to be throughout"
