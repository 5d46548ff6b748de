"""The stubs are what the registry and the record of names say; every operation has every column."""

from __future__ import annotations

import pytest

from lab.stubs import stubs
from nkiverify.foundation import resources
from nkiverify.model.registry import Declaration, declarations

ROOT = resources.root() / "stubs"


def test_the_stubs_are_current() -> None:
    texts = stubs()
    assert {name for name, text in texts.items() if (ROOT / name).read_text(encoding="utf-8") != text} == set()
    assert {file.relative_to(ROOT).as_posix() for file in ROOT.rglob("*.py")} == set(texts)


@pytest.mark.parametrize("declared", declarations(), ids=lambda declared: declared.name)
def test_every_operation_has_every_column(declared: Declaration) -> None:
    if declared.name != "setitem":
        assert declared.functions, "no API documents it"
    modelled = declared.functions.keys() - declared.refusals.keys()
    if modelled and not declared.host:
        assert declared.dependence is not None
        assert (declared.computes is None) == bool(declared.no_values), "a meaning, or why there is none"
