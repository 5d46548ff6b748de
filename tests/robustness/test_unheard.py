"""Nothing that a kernel calls is believed to be somebody else's: it is known by its code, not by the names it has.

The modules are in `unheard.txt`; each changes the mode of a file if it is let.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import pytest

import nkiverify
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import load_module
from tests.frontend.test_module_level import sections

CHANGING = sections(Path(__file__).with_name("unheard.txt"))
FOLDERS = {"PACKAGE": Path(nkiverify.__file__).parent, "LIBRARY": Path(os.__file__).parent}
CHANGES = "def change():\n    __import__('os').chmod('victim', 0)\nif __name__ == 'z3':\n    change()\n"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", CHANGING.values(), ids=CHANGING.keys())
def test_nothing_of_the_sort_changes_a_file(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    for name in ("victim", "other"):
        (tmp_path / name).write_text("")
    (tmp_path / "other").chmod(0o600)
    (tmp_path / "victim").chmod(0o644)
    (tmp_path / "changes.py").write_text(CHANGES)
    for name, folder in FOLDERS.items():
        text = text.replace(f"{name}/", f"{folder}/")
    (tmp_path / "k.py").write_text(text)
    for rewriting in (Rewriting.NONE, Rewriting.FULL):
        with contextlib.suppress(UsageError, UnsupportedConstruct):
            load_module("k.py", tmp_path, rewriting)
        assert (tmp_path / "victim").stat().st_mode & 0o777 == 0o644, rewriting
