"""Errors put into the arithmetic of intervals, one after the other: random kernels have to notice each.

With `--sizes` the errors are those of the walk for all sizes, with `--errors` those of bounds on rounding.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from lab.numerics import RANGE_LIMITS, Written, beyond_errors, of_sizes, seen_outside
from lab.numerics_kernels import drawn
from nkiverify.analysis.ranges import (
    families,
    family_numbers,
    growth,
    interval_operators,
    linear,
    rounding_errors,
    storage_contents,
)
from nkiverify.analysis.ranges import range_walk as walk_module
from nkiverify.analysis.ranges.family_numbers import Families
from nkiverify.analysis.ranges.interval_functions import FUNCTIONS, Course, Function
from nkiverify.analysis.ranges.interval_operators import IntervalOperators
from nkiverify.analysis.ranges.intervals import Intervals
from nkiverify.analysis.ranges.linear import Forms, Scaled
from nkiverify.analysis.ranges.range_arithmetic import Parts, stacked
from nkiverify.analysis.ranges.range_walk import FamilyWalk
from nkiverify.analysis.ranges.relations import FamilyRelations, Relations
from nkiverify.analysis.values.number_formats import Array
from nkiverify.frontend.target import Target
from nkiverify.model.hardware import hardware_named
from nkiverify.products.numerics.numeric_trial import on_ranges


def _changed(**changes: Any) -> dict[str, Function]:
    return {name: replace(function, **changes) for name, function in FUNCTIONS.items()}


def _level(names: Iterable[str]) -> dict[str, Any]:
    return {name: lambda low, high: np.zeros_like(low) for name in names}


def _yes(one: Array, other: Array) -> tuple[Array, Array, Array]:
    shape = np.broadcast_shapes(one.shape, other.shape)
    return np.ones(shape, dtype=bool), np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)


def _both(relations: Relations, group: int) -> tuple[int, float, float]:
    attained = relations._attained[group]
    return relations._distances.get(group, 0), attained, attained


def _once(scaled: tuple[Array, Array, list[tuple[Array, Scaled]]]) -> tuple[Array, Array, list[tuple[Array, Scaled]]]:
    arguments, holds, functions = scaled
    return arguments, holds, [(where, replace(function, factor=1.0)) for where, function in functions]


#: Errors of the arithmetic, by what they are: the owner of a name, the name, and what stands there instead.
FAULTS: dict[str, tuple[object, str, object]] = {
    "lower ends are not rounded outwards": (interval_operators, "down", lambda number: number + np.abs(number) * 1e-7),
    "upper ends are not rounded outwards": (interval_operators, "up", lambda number: number - np.abs(number) * 1e-7),
    "sums do not round": (interval_operators, "sum_error", lambda size, count: np.zeros_like(size)),
    "products take the corners of one side": (
        interval_operators,
        "corners",
        lambda operator, one, other: (operator(one.low, other.low), operator(one.high, other.high)),
    ),
    "functions have no valley": (interval_operators, "FUNCTIONS", _changed(least_at=math.inf)),
    "functions that fall rise": (interval_operators, "FUNCTIONS", _changed(course=Course.INCREASING)),
    "any number is at most any other": (Relations, "at_most", lambda self, one, other: _yes(one, other)),
    "some number of each row is large": (Relations, "attained", lambda self, ids: np.full((*ids.shape[:-1], 1), 5.0)),
    "the greatest is the least": (
        IntervalOperators,
        "_greater",
        lambda self, one, other: Parts(
            np.minimum(one.low, other.low), np.minimum(one.high, other.high), one.flags | other.flags, one.ids
        ),
    ),
    "a select takes one side": (IntervalOperators, "choose", lambda self, condition, x, y: np.asarray(x)),
    "conversions do not round": (Intervals, "_to_float", lambda self, part, dtype: stacked(part)),
    "integers are cut off": (np, "ceil", np.floor),
    "linear forms do not round": (linear, "ROUNDOFF", 0.0),
    "any two numbers are counted as one": (Forms, "alike", lambda self, one, other: (one > 0) & (other > 0)),
    "multiples are counted once": (
        Forms,
        "scaled",
        lambda self, ids, known=Forms.scaled: _once(known(self, ids)),
    ),
    "a number is its own negative": (Relations, "opposite", lambda self, ids: ids),
}


#: Errors of the walk for all sizes, as above.
SIZE_FAULTS: dict[str, tuple[object, str, object]] = {
    "sums have the fewest addends": (Families, "_count", lambda self, extent, fewer: (1.0, 1.0)),
    "what grows stays": (growth, "grown", lambda entry, carried, times: (float(entry[0, 0]), float(entry[1, 0]))),
    "every assumption is proved": (walk_module, "weakened", lambda held, *more: (held, True)),
    "what is carried is not multiplied": (growth, "_product", lambda one, other: one),
    "what is added is not carried": (family_numbers, "moved", lambda carried, *more: carried),
    "the greatest of a row is any of it": (FamilyRelations, "greatest_along", lambda self, ids, axis: ids),
    "some number of each row is large": (FamilyRelations, "attained_along", lambda self, ids, axis: 5.0),
    "a mask leaves something in each row": (family_numbers, "_reaches", lambda part: float(part.numbers[0, 0])),
    "either of two numbers is the greater one": (Relations, "_case_of", lambda self, group, one: _both(self, group)),
    "columns come round one later": (
        storage_contents,
        "_columns_of",
        lambda view, rounds, known=storage_contents._columns_of: (*known(view, rounds)[1:], *known(view, rounds)[:1]),
    ),
    "what has no name is one number": (families, "positions", lambda extents: ((),) * len(extents)),
    "a write to a part is one to all": (FamilyWalk, "covers", lambda self, view: True),
    "a mean is of fewer": (family_numbers, "_wider", lambda low, high: (low / 2, high / 2)),
    "a loop body runs at least once": (
        walk_module._Assumed,
        "after",
        lambda self, entry, found, times, once, known=walk_module._Assumed.after: known(
            self, entry, found, times, True
        ),
    ),
}


#: Errors of bounds on rounding, as above.
ERROR_FAULTS: dict[str, tuple[object, str, object]] = {
    "sums do not round": (rounding_errors, "sum_error", lambda size, count: np.zeros_like(size)),
    "nothing rounds to float32": (
        rounding_errors,
        "_rounding",
        lambda result, units=1.0: np.zeros_like(result.magnitude),
    ),
    "nothing rounds where it is stored": (rounding_errors, "unit_roundoff", lambda dtype: 0.0),
    "functions take no error further": (rounding_errors, "_SLOPES", _level(rounding_errors._SLOPES)),
    "errors of a factor are lost": (Parts, "magnitude", property(lambda self: np.zeros_like(self.low))),
}


def _first(seed: str, kernels: int, shows: Callable[[Target], bool], sizes: bool = False) -> int | None:
    """The number of the first random kernel that `shows` an error; None where none does."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(kernels):
            if shows(drawn(random.Random(f"{seed}/{number}"), Path(folder), number, sizes=sizes)):
                return number
    return None


def noticed(fault: tuple[object, str, object], seed: int, kernels: int) -> int | None:
    """The number of the first random kernel that shows an error of the arithmetic; None where none does."""
    hardware = hardware_named("trn2")

    def shows(target: Target) -> bool:
        with patch.object(*fault):
            expected = Written([])
            trial = on_ranges(target, {}, hardware, RANGE_LIMITS, reported=expected.watch)
        return not trial.unusable and bool(seen_outside(target, hardware, expected, trial, 12))

    return _first(str(seed), kernels, shows)


def noticed_for_sizes(fault: tuple[object, str, object], seed: int, kernels: int) -> int | None:
    """As `noticed`, of the walk for all sizes."""
    hardware = hardware_named("trn2")

    def shows(target: Target) -> bool:
        with patch.object(*fault):
            return bool(of_sizes(target, hardware, 8)[1])

    return _first(f"sizes {seed}", kernels, shows, sizes=True)


def noticed_for_errors(fault: tuple[object, str, object], seed: int, kernels: int) -> int | None:
    """As `noticed`, of bounds on rounding."""
    hardware = hardware_named("trn2")

    def shows(target: Target) -> bool:
        with patch.object(*fault):
            return bool(beyond_errors(target, hardware, 8)[1])

    return _first(str(seed), kernels, shows)


def main() -> int:
    """Put in every error; 1 where one is not noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sizes", action="store_true", help="errors of the walk for all sizes")
    parser.add_argument("--errors", action="store_true", help="errors of bounds on rounding")
    arguments = parser.parse_args()
    missed = 0
    planted, found_by = (SIZE_FAULTS, noticed_for_sizes) if arguments.sizes else (FAULTS, noticed)
    if arguments.errors:
        planted, found_by = ERROR_FAULTS, noticed_for_errors
    for name, fault in planted.items():
        number = found_by(fault, arguments.seed, arguments.kernels)
        missed += number is None
        print(f"{name}: {'NOT noticed' if number is None else f'kernel {number}'}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
