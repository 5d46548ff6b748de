"""The stubs are what the registry and the record of names say; every operation has every column."""

from __future__ import annotations

import dataclasses
import inspect

import pytest

from lab.stubs import stubs
from nkiverify.foundation import resources
from nkiverify.model.registry import Behaviour, Declaration, declarations, operation

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
    if declared.functions and not modelled:
        assert declared.dependence is None, "what has no model states nothing that a model could be missing"


def test_no_column_has_a_default() -> None:
    assert {one.name for one in dataclasses.fields(Behaviour) if one.default is not dataclasses.MISSING} == set()
    stated = {name for name, one in inspect.signature(operation).parameters.items() if one.default is one.empty}
    assert stated == {"name", "dependence", "engine", "behaviour"}
