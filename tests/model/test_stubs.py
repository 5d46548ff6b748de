"""The stubs are what the registry and the record of names say; every operation has every fact."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import pytest

from lab.stubs import stubs
from nkiverify.foundation import resources
from nkiverify.foundation.errors import InternalError
from nkiverify.model.registry import Behaviour, declarations, operation

ROOT = resources.root() / "stubs"


@pytest.mark.every_case
def test_the_stubs_are_current() -> None:
    texts = stubs()
    assert {name for name, text in texts.items() if (ROOT / name).read_text(encoding="utf-8") != text} == set()
    assert {file.relative_to(ROOT).as_posix() for file in ROOT.rglob("*.py")} == set(texts)


@pytest.mark.parametrize(
    ("changed", "lacks"),
    [
        ({"functions": {}}, "no API documents"),
        ({"dependence": None}, "depend on"),
        ({"computes": None}, "needs a meaning"),
        ({"refusals": dict.fromkeys(("nki", "neuronxcc"), "a reason")}, "no model"),
    ],
)
def test_an_operation_without_a_fact_is_an_error_of_ours(changed: dict[str, Any], lacks: str) -> None:
    (declared,) = (one for one in declarations() if one.name == "nisa.tensor_copy")
    with pytest.raises(InternalError, match=lacks):
        dataclasses.replace(declared, **changed).check()


def test_no_column_has_a_default() -> None:
    assert {one.name for one in dataclasses.fields(Behaviour) if one.default is not dataclasses.MISSING} == set()
    stated = {name for name, one in inspect.signature(operation).parameters.items() if one.default is one.empty}
    assert stated == {"name", "dependence", "engine", "behaviour"}
