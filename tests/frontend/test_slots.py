"""Slots of Python's numbers, called by name with symbolic operands, answer what they answer for ordinary ones."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.explorer import SymbolicExecution
from nkiverify.frontend.host_integers import called, method
from nkiverify.frontend.paths import Limits
from nkiverify.model.hardware import hardware_named
from nkiverify.symbolic import terms
from nkiverify.symbolic.execution import running
from nkiverify.symbolic.rationals import SymRational
from nkiverify.symbolic.reals import SymReal

_CLASSES = (int, bool, float, complex)
#: What makes the object, or takes no number.
_OF_OBJECTS = {"__new__", "__init__", "__init_subclass__", "__subclasshook__", "__class__", "__doc__", "__dir__"}
_OF_OBJECTS |= {"__setattr__", "__delattr__", "__getattribute__", "__reduce__", "__reduce_ex__", "__sizeof__"}
_OF_OBJECTS |= {
    "__getnewargs__",
    "__getformat__",
    "__setformat__",
    "__getstate__",
    "__format__",
    "__str__",
    "__repr__",
    "from_bytes",
    "fromhex",
}

_OWNERS: dict[type, tuple[Any, ...]] = {int: (4, -7), bool: (True,), float: (4.0, -2.5), complex: (2j, 3 + 0j)}
#: Ordinary numbers, and symbolic values that stand for them.
_OPERANDS = [(3, terms.constant(3)), (-2, terms.constant(-2)), (1.5, SymRational(terms.constant(3), terms.constant(2)))]
_SYMBOLIC_OWNERS = {int: _OPERANDS[:2], float: _OPERANDS[2:]}


def answer(function: Callable[..., Any], *values: Any) -> Any:
    """What a slot gives: the type and the number, or the class of the exception; None where that is unsupported."""
    try:
        found = function(*values)
    except UnsupportedConstruct:
        return None
    except (TypeError, ValueError, ZeroDivisionError, OverflowError) as error:
        return type(error)
    if isinstance(found, tuple):
        return tuple(answer(lambda part=part: part) for part in found)
    if isinstance(found, SymReal):
        return None
    if isinstance(found, SymRational):
        found = float(found)
    constant = getattr(found, "constant", None)
    return (int, constant) if constant is not None else (type(found), found)


def slots(kind: type) -> list[str]:
    """The names of the slots and methods of a class of numbers."""
    return [name for name in dir(kind) if name not in _OF_OBJECTS and callable(getattr(kind, name))]


@pytest.mark.parametrize("kind", _CLASSES, ids=lambda kind: kind.__name__)
def test_slots_answer_for_symbolic_operands_what_they_answer_for_ordinary_ones(kind: type) -> None:
    answered = 0
    for name, owner, (plain, symbolic) in itertools.product(slots(kind), _OWNERS[kind], _OPERANDS):
        expected = answer(getattr(owner, name), plain)
        for found in (
            answer(method(getattr(owner, name)), symbolic),
            answer(method(getattr(kind, name)), owner, symbolic),
        ):
            assert found in (None, expected), (kind, name, owner, plain)
            answered += found is not None and expected not in (TypeError, (type(NotImplemented), NotImplemented))
    assert answered > 5  # it is not all unsupported


@pytest.mark.parametrize("kind", _SYMBOLIC_OWNERS, ids=lambda kind: kind.__name__)
def test_slots_of_symbolic_numbers_answer_what_those_of_ordinary_ones_do(kind: type) -> None:
    others = [(one, one) for one in (4, True, 2.5, 2j, "4")] + _OPERANDS
    answered = 0
    for name, (plain, symbolic), (number, operand) in itertools.product(slots(kind), _SYMBOLIC_OWNERS[kind], others):
        expected = answer(getattr(plain, name), number)
        found = answer(lambda: method(getattr(kind, name))(symbolic, operand))  # noqa: B023
        assert found in (None, expected), (kind, name, plain, number)
        answered += found is not None and expected is not TypeError
        if expected is not TypeError:
            assert answer(lambda: method(getattr(symbolic, name))(operand)) in (None, expected)  # noqa: B023
    assert answered > 30


def test_a_slot_of_another_class_says_what_python_says() -> None:
    assert answer(method(int.__add__), SymRational(terms.constant(3), terms.constant(2)), 1) is TypeError
    assert answer(method(float.__add__), terms.constant(3), 1.0) is TypeError


def test_a_class_of_integers_is_not_asked_again() -> None:
    class Own(int):
        def __ge__(self, other: object) -> Any:
            return method(super().__ge__)(other)

    assert Own(4) >= terms.constant(3)
    assert not Own(2) >= terms.constant(3)


def test_the_truth_value_of_not_implemented_is_refused_within_a_run() -> None:
    with (
        running(ConcreteExecution(hardware_named("trn2"))),
        pytest.raises(UnsupportedConstruct, match="truth value of NotImplemented"),
    ):
        list(itertools.filterfalse((4).__eq__, ("x",)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not list(itertools.filterfalse((4).__eq__, ("x",)))  # outside one it is Python's affair


def test_a_call_that_gives_not_implemented_is_refused_in_a_symbolic_run() -> None:
    hardware = hardware_named("trn2")
    with running(SymbolicExecution(hardware, Limits(), {})), pytest.raises(UnsupportedConstruct):
        called(int.__ge__(4, terms.constant(3)))  # type: ignore[operator]
    with running(ConcreteExecution(hardware)):
        assert called((4).__eq__("4")) is NotImplemented


def test_text_and_sequences() -> None:
    assert method(str.__mod__)("%s", terms.constant(3)) == "3"
    assert method((1, 2).__eq__)((1, terms.constant(2))) is True
    assert method(tuple.__contains__)((4, 5), terms.constant(5)) is True
    assert called((1, 2)) == (1, 2)
