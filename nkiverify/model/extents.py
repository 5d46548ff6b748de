"""Integers a kernel hands to the model: plain, symbolic, or of a library that has its own."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, SupportsIndex, TypeGuard

from nkiverify.symbolic import Extent, SymInt, SymRational, equal
from nkiverify.symbolic.execution import current_execution
from nkiverify.symbolic.lists import SymList

_PLAIN_SEQUENCES = (tuple, list)


class IndexRange:
    """`range` with bounds that may be symbolic."""

    __slots__ = ()

    start: Any
    stop: Any
    step: Any


def as_extent(value: object) -> Extent | None:
    """`value` as an integer the model computes with, or None where it is none (a float is none, as in Python)."""
    if type(value) is int or isinstance(value, SymInt):  # as nearly always
        return value
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    if isinstance(value, SupportsIndex) and not isinstance(value, SymRational):
        return value.__index__()
    return None


def as_number(value: object) -> int | None:
    """`value` as the number of an axis or the like, or None where it is no integer or may have several values."""
    if isinstance(value, SymInt):
        return current_execution().forced_value(value)
    return int(value) if isinstance(value, Integral) else None


def is_one(value: Extent) -> bool:
    """True if `value` is the number 1, whatever the shapes are."""
    return _is_number(value, 1)


def is_zero(value: Extent) -> bool:
    """True if `value` is the number 0, whatever the shapes are."""
    return _is_number(value, 0)


def _is_number(value: Extent, number: int) -> bool:
    # Asked of every operand: no term or condition is made where there is the number, or none.
    if type(value) is int:
        return value == number
    if type(value) is SymInt:
        return value.constant == number
    return equal(value, number) is True


def same(left: Extent, right: Extent) -> bool:
    """True if two integers are equal whatever the shapes are, as far as their canonical forms show."""
    return equal(left, right) is True


def is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    """True if `value` is a tuple or a list, be it Python's or that of an instrumented kernel."""
    # By its ancestors: `isinstance` takes many times as long for an abstract class, and every operand is asked about.
    return isinstance(value, _PLAIN_SEQUENCES) or SymList in type(value).__mro__
