"""What a library does with a symbolic value that it does not know is nothing that the kernel does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nkiverify.foundation.records import Verdict
from nkiverify.model.extents import as_number
from nkiverify.symbolic import terms
from tests.soundness.trap import target_for, verdict

#: Raises where it is given anything but an integer of Python's own class.
LIBRARY = """
def same(n):
    if type(n) is not int:
        raise ValueError("no number")
    return n

def positive(n):
    if n < 1:
        raise ValueError("no positive number")
    return n
"""
#: Gives another value where it is given anything but an integer.
ASKING = """
from numbers import Integral

def of_class(n):
    return n if isinstance(n, int) else 0

def of_attribute(n):
    return n if issubclass(n.__class__, int) else 0

def of_several(n):
    return 0 if isinstance(n, (str, list, type(None))) else n if isinstance(n, (float, int)) else 0

def of_comparison(n):
    return 1 if isinstance(n > 400, bool) and n > 400 else 0

def of_comparison_as_number(n):
    return 1 if isinstance(n > 400, Integral) and n > 400 else 0

def of_match(n):
    match n:
        case int():
            return n
    return 0
"""
UNHANDLED = "    strict_numbers.same(n)\n"
HANDLED = """
    try:
        strict_numbers.same(n)
    except ValueError:
        return 0
"""
OF_ITS_VALUE = """
    try:
        strict_numbers.positive(4)
        strict_numbers.positive(0)
        return 0
    except ValueError:
        pass
"""


@pytest.mark.parametrize("phase", [1, 2])
@pytest.mark.parametrize("raising", [UNHANDLED, HANDLED], ids=["unhandled", "handled"])
def test_what_is_behind_an_exception_that_only_a_symbolic_value_raises_is_not_proved(
    raising: str, phase: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = verdict(target_for(_kernel(raising, tmp_path, monkeypatch), tmp_path), phase)
    assert run.verdict in (Verdict.UNKNOWN, Verdict.FAILED), run


@pytest.mark.parametrize("phase", [1, 2])
def test_an_exception_of_a_library_that_was_given_numbers_is_handled(
    phase: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = verdict(target_for(_kernel(OF_ITS_VALUE, tmp_path, monkeypatch), tmp_path), phase)
    assert run.verdict is Verdict.FAILED, run


@pytest.mark.parametrize("asking", ["of_class", "of_attribute", "of_several", "of_match"])
def test_a_library_that_asks_for_the_class_of_a_number_returns_what_it_returns_for_one(
    asking: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _library("asking_numbers", ASKING, tmp_path, monkeypatch)
    called = f"asking_numbers.{asking}(n)"
    text = f"import asking_numbers\n\ndef kernel(n):\n    assert n >= 0\n    return 1 // ({called} - 700)\n"
    run = verdict(target_for(text, tmp_path), 2)
    assert run.verdict is Verdict.FAILED, run


@pytest.mark.parametrize("asking", ["of_comparison", "of_comparison_as_number"])
def test_a_library_that_asks_for_the_class_of_a_comparison_is_told(
    asking: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _library("asking_numbers", ASKING, tmp_path, monkeypatch)
    text = f"import asking_numbers\n\ndef kernel(n):\n    return 1 // (asking_numbers.{asking}(n) - 1)\n"
    run = verdict(target_for(text, tmp_path), 2)
    assert run.verdict is Verdict.FAILED, run


def test_the_model_is_told_that_a_comparison_is_no_number() -> None:
    """Also by an abstract class, which asks in its place: the number of an axis is no comparison."""
    number: Any = terms.dimension("n")
    assert as_number(number > 3) is None


def _library(name: str, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a library for the kernels of a test."""
    library = folder / "site" / f"{name}.py"
    library.parent.mkdir()
    library.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(library.parent))


def _kernel(raising: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A kernel that fails from some hundreds on, after it has asked the library."""
    _library("strict_numbers", LIBRARY, folder, monkeypatch)
    behind = "    assert n != 500\n    return 1 // (n - 700)\n"
    return f"import strict_numbers\n\ndef kernel(n):\n    assert n >= 0\n{raising}{behind}"
