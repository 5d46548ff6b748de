"""What a library does with a symbolic value that it does not know is nothing that the kernel does."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.records import Verdict
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


def _kernel(raising: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A kernel that fails from some hundreds on, after it has asked the library."""
    library = folder / "site" / "strict_numbers.py"
    library.parent.mkdir()
    library.write_text(LIBRARY, encoding="utf-8")
    monkeypatch.syspath_prepend(str(library.parent))
    behind = "    assert n != 500\n    return 1 // (n - 700)\n"
    return f"import strict_numbers\n\ndef kernel(n):\n    assert n >= 0\n{raising}{behind}"
