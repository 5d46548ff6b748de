"""The common ground of symbolic numbers: conversion to terms, concrete values on demand, and telling the run what
happens."""

from __future__ import annotations

import operator
import sys
from numbers import Integral
from types import FrameType
from typing import Any

from nkiverify.foundation.budget import ProvingBudget
from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.source import KERNEL_MARKER
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Div, Term, render
from nkiverify.symbolic.booleans import SymBool
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.execution import execution_in_progress, unsupported
from nkiverify.symbolic.terms import INT32_MAX, INT32_MIN
from nkiverify.symbolic.texts import TextConversion, only_shows


def text_of(term: Term, frame: FrameType) -> str:
    """The text of a symbolic number. It compares unequal to that of any number, so kernel code gets it guarded only."""
    if term.constant is None:
        if TextConversion.active:
            TextConversion.symbolic = True
            TextConversion.integers += (term,)
        elif execution_in_progress() is not None and not only_shows(frame):
            text = render(term)
            raise unsupported(f"text made from the symbolic integer {text}", "use an f-string")
    return render(term)


def as_term(value: object) -> Term | None:
    """`value` as a term, if it is an integer of any kind; a condition counts as 0 or 1, as `bool` does."""
    if isinstance(value, Term):
        return value
    if isinstance(value, int):
        return terms.constant(int(value))
    if isinstance(value, SymBool):
        return conditions.as_number(value)
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
    run = execution_in_progress()
    found = run.forced_value(term) if run is not None else None
    if found is None:
        raise no_value(term, use)
    return found


def no_value(term: Term, use: str) -> BaseException:
    """The exception to raise where kernel code needs the one value of a symbolic integer: another exploration, in which
    a loop of known length that it comes from runs number by number, or else unsupported."""
    run = execution_in_progress()
    again = run.unroll_for(term, use) if run is not None else None
    return again or unsupported(f"{use}: {render(term)} is symbolic", "bound the dimension to one value")


#: Modules whose functions stand for built-in ones: what they compute, the kernel code that called them computes.
_BUILT_IN = frozenset(
    {
        "nkiverify.symbolic.integers",
        "nkiverify.symbolic.rationals",
        "nkiverify.symbolic.booleans",
        "nkiverify.symbolic.numpy_numbers",
        "nkiverify.symbolic.values",
        "nkiverify.frontend.builtins",
        "nkiverify.frontend.iterators",
        "nkiverify.frontend.numeric_modules",
        "nkiverify.frontend.host_integers",
        "nkiverify.frontend.slots",
        "nkiverify.symbolic.lists",
        "nkiverify.frontend.loops",
        "nkiverify.frontend.ranges",
        "nkiverify.frontend.carried_state",
        "nkiverify.frontend.summaries",
    }
)
#: Modules that compute for themselves, not for the kernel code that calls them.
_OURS = ("nkiverify.", "nki.", "neuronxcc.")
#: NumPy's types of integers.
_SIGNED = ("int8", "int16", "int32", "int64", "longlong")
_UNSIGNED = ("uint8", "uint16", "uint32", "uint64", "ulonglong")
UINT32_MAX = 2**32 - 1


def kernel_frame(frame: FrameType | None) -> FrameType | None:
    """The frame of kernel code that is computing, itself or by a library, if it is kernel code that computes."""
    while frame is not None:
        if KERNEL_MARKER in frame.f_globals:
            return frame
        name = str(frame.f_globals.get("__name__", ""))
        if name not in _BUILT_IN and f"{name}.".startswith(_OURS):
            return None
        frame = frame.f_back
    return None


def _is_library_frame(frame: FrameType | None) -> bool:
    """True for code that is neither the kernel's nor ours, as the methods of `collections.Counter` are."""
    if frame is None or KERNEL_MARKER in frame.f_globals:
        return False
    # What NumPy computes is examined in all runs: `nkiverify.symbolic.numpy_numbers`.
    return not f"{frame.f_globals.get('__name__', '')}.".startswith((*_OURS, "numpy."))


def observe(result: Term, frame: FrameType) -> Term:
    """Tell the run that kernel code computed `result`.

    What a library computes for itself no concrete run sees, as its code is not rewritten, so a symbolic run does not
    claim it either: the kernel computes what the library hands back to it, which `called` looks at. Errs on the side of
    too few claims.
    """
    run = execution_in_progress()
    if run is None:
        return result
    if _is_library_frame(_outside_built_ins(frame)):
        run.computed_by_library(result)
        return result
    kernel = kernel_frame(frame)
    if kernel is not None:
        run.host_integer(result, kernel)
    return result


def _outside_built_ins(frame: FrameType | None) -> FrameType | None:
    """The frame whose operator or function this is: the first that stands for nothing of Python's own."""
    while frame is not None and frame.f_globals.get("__name__") in _BUILT_IN:
        frame = frame.f_back
    return frame


def beyond(value: object) -> int | None:
    """The plain integer beyond 32 bits that `value` is, or holds as an array of NumPy; None where there is none."""
    kind = type(value)
    if isinstance(value, int):
        return None if INT32_MIN <= value <= INT32_MAX else int(value)
    # NumPy's own types say so; it is not asked, and not imported, about others.
    return _beyond_in_numpy(value) if kind.__module__ == "numpy" else None


def _beyond_in_numpy(value: Any) -> int | None:
    kind = type(value)
    if any(kind is getattr(np, name) for name in _SIGNED):
        return None if INT32_MIN <= value <= INT32_MAX else int(value)
    if any(kind is getattr(np, name) for name in _UNSIGNED):
        return None if value <= UINT32_MAX else int(value)
    if kind is np.ndarray and value.dtype.kind in "iuO":
        limit = UINT32_MAX if value.dtype.kind == "u" else INT32_MAX
        elements = value.ravel().tolist()
        return next((one for one in elements if type(one) is int and not INT32_MIN <= one <= limit), None)
    return None


def tell(value: Any) -> Any:
    """`value`, which a function gives kernel code: the run is informed of plain integers beyond 32 bits in it."""
    for part in value if type(value) is tuple else (value,):
        large = beyond(part)
        if large is not None:
            run, kernel = execution_in_progress(), kernel_frame(sys._getframe(1))
            if run is not None and kernel is not None:
                run.host_number(large, kernel)
    return value


def check_divisor(divisor: Term, frame: FrameType) -> None:
    """Tell the run that kernel code divides by `divisor`, raising as Python does where it is zero for sure."""
    run = execution_in_progress()
    kernel = kernel_frame(frame)
    if run is not None and kernel is not None:
        run.host_division(divisor, kernel)
    if divisor.constant == 0:
        raise ZeroDivisionError("division by zero")


def quotient(left: Term, right: Term) -> Term:
    """The floor of the quotient, without floors of what the path says is a proper fraction: 0, or -1 of a negative
    one, as the rounded-up quotient of no more than the divisor is written."""
    found = terms.divide(left, right)
    run = execution_in_progress()
    if run is None or not asked_about(found):
        return found
    for atom in found.atoms:
        if not isinstance(atom, Div) or (atom,) not in found.monomials:
            continue
        # The other part of the quotient is whole.
        top, bottom = atom.numerator, atom.denominator
        last = terms.add(bottom, terms.constant(1), -1)
        if run.entails(at_most(terms.constant(0), top)):
            value = 0 if run.entails(at_most(top, last)) else None
        elif run.entails(at_most(top, terms.constant(-1))):
            value = -1 if run.entails(at_most(terms.scale(bottom, -1), top)) else None
        else:
            value = None
        if value is not None:
            left_out = terms.add(terms.of_atom(atom), terms.constant(value), -1)
            return terms.add(found, left_out, -found.monomials[(atom,)])
    return found


def asked_about(term: Term) -> bool:
    """True if it is asked whether the path makes something simpler of `term`."""
    return len(terms.all_atoms(term)) <= ProvingBudget.ATOMS


def modulo(left: Term, right: Term) -> Term:
    """The remainder of `left` by `right`, with the sign of `right`."""
    return terms.add(left, terms.multiply(right, quotient(left, right)), -1)


def less(left: Term, right: Term) -> Condition | bool:
    """`left < right`."""
    if left is right:
        return False
    return terms.remembered("<", left.uid, right.uid, lambda: _less(left, right))


def _less(left: Term, right: Term) -> Condition | bool:
    return conditions.at_most_zero(terms.add(terms.add(left, right, -1), terms.constant(1)))


def at_most(left: Term, right: Term) -> Condition | bool:
    """`left <= right`."""
    if left is right:
        return True
    return terms.remembered("<=", left.uid, right.uid, lambda: conditions.at_most_zero(terms.add(left, right, -1)))


def equal(left: Term, right: Term) -> Condition | bool:
    """`left == right`."""
    if left is right:
        return True
    return terms.remembered("==", left.uid, right.uid, lambda: conditions.equals_zero(terms.add(left, right, -1)))


def select(condition: Any, when_true: Any, when_false: Any) -> Any:
    """`when_true` where `condition` holds, else `when_false`, without splitting the run."""
    if not isinstance(condition, Condition):
        return when_true if condition else when_false
    one, two = as_term(when_true), as_term(when_false)
    if one is None or two is None:
        return when_true if bool(condition) else when_false
    return terms.select(condition, one, two)
