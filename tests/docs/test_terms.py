"""One word for one idea: the terms of the field, and docstrings that begin with what a thing is or does."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from nkiverify.foundation import resources

ROOT = resources.root()
SOURCES = sorted([*(ROOT / "nkiverify").rglob("*.py"), *(ROOT / "lab").rglob("*.py")])
OTHERS = [path for folder in ("tests", "controls", "harness", "kernels") for path in (ROOT / folder).rglob("*.py")]
PAGES = [*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "AUDIT.md"]
TEXTS = [path for path in (*SOURCES, *OTHERS, *PAGES) if path != Path(__file__)]


@pytest.mark.parametrize(
    ("ours", "of_the_field"),
    [
        (r"in vain", "dead store"),
        (r"how-manieth", "ordinal"),
        (r"second opinions?", "cross-check"),
        (r"plain runs?", "concrete run"),
        (r"patience", "hard deadline"),
        (r"judg(e|es|ed|ing)", "verdict, decide"),
        (r"lend(s|ing)?|lent", "copy on read"),
    ],
)
def test_a_term_of_the_field_stands_in_place_of_our_own(ours: str, of_the_field: str) -> None:
    pattern = re.compile(rf"(?<![a-z])({ours})(?![a-z])", re.IGNORECASE)
    found = {path.relative_to(ROOT).as_posix() for path in TEXTS if pattern.search(path.read_text(encoding="utf-8"))}
    assert found == set(), f"write: {of_the_field}"


@pytest.mark.every_case
def test_a_docstring_begins_with_what_the_thing_is_or_does() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {text.splitlines()[0]}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and (text := ast.get_docstring(node))
        and text.startswith(("What ", "Which ", "Whether "))
    }
    assert found == set()
