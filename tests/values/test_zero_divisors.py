"""A divisor that is 0 modulo a prime spoils its own element in one draw, not the draw."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nkiverify.analysis.values.fields import Fields
from nkiverify.analysis.values.known_residues import Mode
from nkiverify.products.equiv.comparison import EquivalenceAnswer
from tests.values.test_equivalence import compared, side

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("first", "second", "shape", "answer"),
    [
        ("silu", "silu_in_halves", "f32[128,1344]", EquivalenceAnswer.YES),
        ("silu", "silu_but_one", "f32[128,1344]", EquivalenceAnswer.NO),
        ("inverse", "inverse_of_twice", "f32[128,4096]", EquivalenceAnswer.YES),
        ("inverse", "inverse_of_thrice", "f32[128,4096]", EquivalenceAnswer.NO),
        ("exponential_of_inverse", "exponential_of_inverse_in_parts", "f32[128,2048]", EquivalenceAnswer.YES),
        ("greatest_of_inverse", "greatest_of_inverse_turned", "f32[128,2048]", EquivalenceAnswer.YES),
        ("product_of_silu", "product_of_silu_in_halves", "f32[128,512]", EquivalenceAnswer.YES),
        ("divided_by_zero", "divided_by_zero", "f32[4,8]", EquivalenceAnswer.UNKNOWN),
    ],
)
def test_an_element_whose_divisor_is_zero_is_compared_in_another_draw(
    first: str, second: str, shape: str, answer: EquivalenceAnswer
) -> None:
    one, other = (side(f"divided.py::{name}", f"x={shape}", HERE) for name in (first, second))
    found = compared(one, other).reals
    assert found is not None
    assert found.answer is answer, found


@pytest.mark.parametrize("mode", [Mode.POLYNOMIAL, Mode.EXPONENTIAL, Mode.LOGARITHMIC])
def test_what_is_computed_from_a_quotient_by_zero_is_not_compared(mode: Mode) -> None:
    numbers = Fields(1, True, mode)
    x = numbers.lifted(np.array([[0, 3, 5]] * numbers.residues))
    inverse = numbers.inverted(x)
    assert numbers.divided_by_zero
    for found in (
        numbers.add(inverse, x),
        numbers.multiply(inverse, x),
        numbers.unary("sin", inverse),
        numbers.unary("exp", inverse),
        numbers.unary("log", inverse),
        numbers.unary("sqrt", inverse),
        numbers.binary("maximum", inverse, x),
        numbers.binary("greater", inverse, x),
    ):
        assert numbers.comparable(found, found).tolist() == [False, True, True]
        assert numbers.equal(found, found)[1:].all()
    assert not numbers.comparable(*[numbers.reduce("maximum", inverse)] * 2).any()
    assert not numbers.comparable(*[numbers.reduce("add", inverse)] * 2).any()
