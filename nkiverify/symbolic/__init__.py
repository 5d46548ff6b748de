"""Symbolic integers and conditions, and helpers that take plain and symbolic values the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nkiverify.symbolic import conditions
from nkiverify.symbolic.booleans import SymBool, differ
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.execution import execution_in_progress
from nkiverify.symbolic.integers import Extent, Number, SymInt, maximum, minimum
from nkiverify.symbolic.rationals import SymRational
from nkiverify.symbolic.values import as_term, select

__all__ = [
    "Condition",
    "Extent",
    "Number",
    "SymBool",
    "SymInt",
    "SymRational",
    "all_of",
    "any_of",
    "as_term",
    "ceil_div",
    "constant_value",
    "differ",
    "equal",
    "implies",
    "is_symbolic",
    "known",
    "maximum",
    "minimum",
    "negate",
    "product",
    "select",
]


def all_of(*parts: Any) -> Any:
    """True if all conditions hold, without splitting the run."""
    for part in parts:
        if part is not True:
            break
    else:  # as nearly always where shapes are plain numbers
        return True
    return conditions.conjunction(part if isinstance(part, Condition) else bool(part) for part in parts)


def any_of(*parts: Any) -> Any:
    """True if at least one condition holds, without splitting the run."""
    if any(part is True for part in parts):
        return True
    return conditions.disjunction(part if isinstance(part, Condition) else bool(part) for part in parts)


def negate(condition: Any) -> Any:
    """The opposite condition, without splitting the run."""
    return conditions.negate(condition if isinstance(condition, Condition) else bool(condition))


def implies(premise: Any, conclusion: Any) -> Any:
    """True if `conclusion` holds wherever `premise` does."""
    return any_of(negate(premise), conclusion)


def equal(left: Any, right: Any) -> Any:
    """True if two integers are equal."""
    return left == right


def ceil_div(dividend: Extent, divisor: Extent) -> Any:
    """`ceil(dividend / divisor)` for a non-zero divisor."""
    return -(-dividend // divisor)


def product(factors: Iterable[Any]) -> Any:
    """The product of integers, 1 if there are none."""
    result: Any = 1
    for factor in factors:
        result = result * factor
    return result


def is_symbolic(value: object) -> bool:
    """True if `value` is an integer or condition whose value depends on the shapes."""
    return (isinstance(value, SymInt) and value.constant is None) or isinstance(value, Condition | SymRational)


def constant_value(value: object) -> int | None:
    """The value of an `int` or a constant `SymInt`, None for any other."""
    if type(value) is int:
        return value
    term = as_term(value)
    return None if term is None else term.constant


def known(condition: Any) -> bool:
    """True if `condition` surely holds on the present path. False means "not known"; the run is not split."""
    if not isinstance(condition, Condition):
        return bool(condition)
    run = execution_in_progress()
    return run is not None and run.holds(condition)
