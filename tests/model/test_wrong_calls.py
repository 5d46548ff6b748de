"""Calls that Python refuses, and operators that are missing: what is said names the documented function."""

from __future__ import annotations

from typing import Any

import pytest

from nkiverify.foundation.errors import UnsupportedConstruct
from tests.model.stub_library import (
    nisa,
    nl,
    old_nisa,
    old_nl,
    old_sbuf,
    sbuf,
    value,
)


def test_wrong_arguments_are_said_of_the_documented_function() -> None:
    with pytest.raises(TypeError, match=r"^dma_copy\(\): missing a required argument: 'src'"):
        value(lambda: nisa.dma_copy(sbuf(2, 4)))


@pytest.mark.parametrize("library", [nisa, old_nisa], ids=["current", "legacy"])
def test_a_wrong_call_is_told_of_under_the_name_of_the_operation(library: Any) -> None:
    with pytest.raises(TypeError, match=r"^tensor_tensor\(\): missing .* 'op'$"):
        value(lambda: library.tensor_tensor(*[sbuf(4, 6)] * (3 if library is nisa else 2)))


@pytest.mark.parametrize("library, tile", [(nl, sbuf), (old_nl, old_sbuf)], ids=["current", "legacy"])
def test_functions_of_the_language_are_named_too(library: Any, tile: Any) -> None:
    with pytest.raises(TypeError, match=r"^maximum\(\): missing .* 'y'$"):
        value(lambda: library.maximum(tile(4, 6)))


@pytest.mark.parametrize("legacy", [False, True], ids=["current", "legacy"])
def test_only_optional_operators_may_be_none(legacy: bool) -> None:
    def scaled(op: object) -> None:
        if legacy:
            old_nisa.tensor_scalar(old_sbuf(4, 6), op, 1.0, op1=None)
        else:
            nisa.tensor_scalar(sbuf(4, 6), sbuf(4, 6), op, 1.0, op1=None)

    value(lambda: scaled(old_nl.add if legacy else nl.add))
    with pytest.raises(UnsupportedConstruct, match="None as an operator"):
        value(lambda: scaled(None))
