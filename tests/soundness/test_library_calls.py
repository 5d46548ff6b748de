"""Calls of Python's library, and of NumPy, on a symbolic number: what a kernel computes with it is what Python does.

`library_calls.txt` has expressions in `n`. A kernel that divides by such a value less the one for 37 fails for 37; one
that divides by the square of that and one more never does.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from nkiverify.foundation.records import Verdict
from tests.soundness.trap import target_for, verdict

CALLS = Path(__file__).with_name("library_calls.txt").read_text(encoding="utf-8").splitlines()
#: A number for which no expression has the value that it has for zero, or for one.
AT = 37
#: Modules that expressions name otherwise, and those that are modules of a package.
_ALIASES = {"np": "numpy"}
_INNER = ("urllib.parse", "email.utils")


def _imports(expression: str) -> str:
    """The imports of what an expression names."""
    named = set(re.findall(r"(?<![\w.\"'])([a-z]\w*)\.", expression)) & {*sys.stdlib_module_names, *_ALIASES}
    found = [f"import {_ALIASES.get(name, name)} as {name}\n" for name in sorted(named)]
    return "".join([*found, *(f"import {one}\n" for one in _INNER if one in expression)])


def _value(expression: str) -> int:
    names: dict[str, object] = {}
    exec(_imports(expression), names)
    value = eval(expression, {**names, "n": AT})
    assert isinstance(value, int)
    return value


def _verdict(expression: str, divisor: str, folder: Path) -> Verdict:
    body = f"    found = {expression}\n    return 1 // ({divisor})\n"
    domain = "    assert 0 <= n\n    assert n <= 60\n"
    return verdict(target_for(f"{_imports(expression)}\n\ndef kernel(n):\n{domain}{body}", folder), 2).verdict


@pytest.mark.campaign
@pytest.mark.parametrize("expression", CALLS)
def test_a_call_on_a_symbolic_number_gives_what_it_gives_on_a_plain_one(expression: str, tmp_path: Path) -> None:
    value = _value(expression)
    assert _verdict(expression, f"found - {value}", tmp_path) is not Verdict.SUCCESSFUL
    (tmp_path / "right").mkdir()
    right = _verdict(expression, f"(found - {value}) * (found - {value}) + 1", tmp_path / "right")
    assert right in (Verdict.SUCCESSFUL, Verdict.UNKNOWN, Verdict.VACUOUS)
