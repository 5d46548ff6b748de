"""What all symbolic numbers share: conversion to terms, concrete values on demand, and telling the run what happens."""

from __future__ import annotations

import operator
import sys
from numbers import Integral
from types import FrameType
from typing import Any

from nkiverify.run import run_in_progress, unsupported
from nkiverify.source import KERNEL_MARKER
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.booleans import SymBool
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.terms import Term


class StandsFor:
    """A value that stands for one of a built-in class, and says so to kernel code that asks for its class."""

    __slots__ = ()
    _stands_for: type = object

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        namespace = sys._getframe(1).f_globals
        asked_for_kernel = KERNEL_MARKER in namespace or namespace.get("__name__") == "functools"
        return self._stands_for if asked_for_kernel else type(self)


def as_term(value: object) -> Term | None:
    """`value` as a term, if it is an integer of any kind; a condition counts as 0 or 1, as `bool` does."""
    if isinstance(value, Term):
        return value
    if isinstance(value, int):
        return terms.constant(int(value))
    if isinstance(value, SymBool):
        return terms.select(value, terms.constant(1), terms.constant(0))
    if isinstance(value, float | str | bytes | list | tuple | dict | None):
        return None
    if isinstance(value, Integral):
        # NumPy integers.
        return terms.constant(operator.index(value))
    return None


def forced_int(term: Term, use: str) -> int:
    """The one value the path conditions leave for `term`; unsupported, naming the `use`, if there are several."""
    value = term.constant
    if value is not None:
        return value
    run = run_in_progress()
    found = run.forced_value(term) if run is not None else None
    if found is None:
        raise unsupported(f"{use}: {terms.render(term)} is symbolic", "bound the dimension to one value")
    return found


def missing_attribute(stands_for: type, name: str) -> BaseException:
    """What asking a symbolic value for an attribute it lacks raises: the value it stands for may have it."""
    if hasattr(stands_for, name) and not name.startswith("__array"):
        return unsupported(f"the attribute `{name}` of a symbolic {stands_for.__name__}")
    return AttributeError(f"'{stands_for.__name__}' object has no attribute '{name}'")


def observe(result: Term, frame: FrameType) -> Term:
    """Tell the run that kernel code computed `result`."""
    if KERNEL_MARKER in frame.f_globals:
        run = run_in_progress()
        if run is not None:
            run.host_integer(result, frame)
    return result


def check_divisor(divisor: Term, frame: FrameType) -> None:
    """Tell the run that kernel code divides by `divisor`, raising as Python does where it is zero for sure."""
    run = run_in_progress()
    if run is not None and KERNEL_MARKER in frame.f_globals:
        run.host_division(divisor, frame)
    if divisor.constant == 0:
        raise ZeroDivisionError("division by zero")


def modulo(left: Term, right: Term) -> Term:
    """The remainder of `left` by `right`, with the sign of `right`."""
    return terms.add(left, terms.multiply(right, terms.divide(left, right)), -1)


def less(left: Term, right: Term) -> Condition | bool:
    """`left < right`."""
    return conditions.at_most_zero(terms.add(terms.add(left, right, -1), terms.constant(1)))


def at_most(left: Term, right: Term) -> Condition | bool:
    """`left <= right`."""
    return conditions.at_most_zero(terms.add(left, right, -1))


def equal(left: Term, right: Term) -> Condition | bool:
    """`left == right`."""
    return conditions.equals_zero(terms.add(left, right, -1))


def select(condition: Any, when_true: Any, when_false: Any) -> Any:
    """`when_true` where `condition` holds, else `when_false`, without splitting the run."""
    if not isinstance(condition, Condition):
        return when_true if condition else when_false
    one, two = as_term(when_true), as_term(when_false)
    if one is None or two is None:
        return when_true if bool(condition) else when_false
    return terms.select(condition, one, two)
