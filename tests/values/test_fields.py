"""Arithmetic over prime fields: exact, and with the laws that hold for real numbers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nkiverify.analysis.values.execution import contents, execute
from nkiverify.analysis.values.fields import LANES, Fields, random_primes, simplest_fraction
from nkiverify.analysis.values.formats import Array
from nkiverify.analysis.values.recognised import Residues, contains
from nkiverify.analysis.values.run import ValueExecution
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import (
    DType,
    bfloat16,
    bool_,
    float8_e4m3,
    float8_e5m2,
    float16,
    float32,
    int8,
    int16,
    int32,
    tfloat32,
    uint8,
    uint16,
)
from nkiverify.model.hardware import hardware_named
from nkiverify.model.tensor import Tensor
from tests.values import definitions
from tests.values.test_equivalence import TILED, side

SEEDS = st.integers(0, 2**31)
FEW = settings(max_examples=25)
LEAST = -3.4028234663852886e38


def elements(fields: Fields, seed: int, *shape: int) -> Array:
    return fields.read(fields.random_elements(np.random.default_rng(seed), shape, float32), float32)


def exactly(fields: Fields, values: Array) -> list[Array]:
    """The lanes as Python integers."""
    assert len(fields.primes) == LANES
    return [values[lane].astype(object) for lane in range(LANES)]


def test_primes_are_prime_random_and_different() -> None:
    primes = random_primes(np.random.default_rng(0), 20)
    assert len(set(primes)) == 20
    for prime in primes:
        assert 2**29 < prime < 2**30
        assert all(prime % divisor for divisor in range(3, int(prime**0.5) + 1, 2))
    assert Fields(1).primes != Fields(2).primes


@FEW
@given(SEEDS, SEEDS)
def test_sums_products_and_quotients_are_exact(key: int, seed: int) -> None:
    fields = Fields(key)
    x, y = elements(fields, seed, 3, 5), elements(fields, seed + 1, 3, 5)
    for lane, prime in enumerate(fields.primes):
        a, b = exactly(fields, x)[lane], exactly(fields, y)[lane]
        assert ((a + b) % prime == fields.add(x, y)[lane]).all()
        assert ((a * b) % prime == fields.multiply(x, y)[lane]).all()
        assert ((-a) % prime == fields.negative(x)[lane]).all()
        assert ((fields.inverted(x)[lane].astype(object) * a) % prime == 1).all()


@FEW
@given(st.integers(1, 300), SEEDS)
def test_products_of_matrices_are_exact(depth: int, seed: int) -> None:
    fields = Fields(seed)
    x, y = elements(fields, seed, depth, 4), elements(fields, seed + 1, depth, 6)
    # The greatest residues as well: there sums come closest to what float64 holds.
    x[:, :, 0] = np.array(fields.primes)[:, None] - 1
    y[:, :, 0] = np.array(fields.primes)[:, None] - 1
    product = fields.matmul(x, y)
    for lane, prime in enumerate(fields.primes):
        assert ((exactly(fields, x)[lane].T @ exactly(fields, y)[lane]) % prime == product[lane]).all()


@FEW
@given(SEEDS, st.permutations(range(5)))
def test_maxima_are_associative_commutative_and_idempotent(seed: int, order: list[int]) -> None:
    fields = Fields(seed)
    parts = [elements(fields, seed + position, 1, 3) for position in range(5)]
    forwards = parts[0]
    for part in parts[1:]:
        forwards = fields.maximum(forwards, part)
    shuffled = parts[order[0]]
    for position in order[1:]:
        shuffled = fields.maximum(parts[position], shuffled)
    joined = np.stack(parts, axis=-1)
    assert (forwards == shuffled).all()
    assert (forwards == fields.reduce("maximum", joined)[..., 0]).all()
    assert (fields.maximum(forwards, forwards) == forwards).all()
    assert (fields.maximum(forwards, fields.constant(LEAST, 3)) == forwards).all()
    minimum = fields.binary("minimum", parts[0], parts[1])
    negated = fields.maximum(fields.negative(parts[0]), fields.negative(parts[1]))
    assert (minimum == fields.negative(negated)).all()


def test_maxima_of_different_sets_differ() -> None:
    fields = Fields(0)
    x = elements(fields, 1, 200, 6)
    whole, part = fields.reduce("maximum", x), fields.reduce("maximum", x[..., :5])
    assert (whole != part).any(axis=0).all()
    assert (fields.reduce("maximum", x) != fields.reduce("minimum", x)).any(axis=0).all()


def test_functions_depend_on_every_lane_of_their_arguments() -> None:
    fields = Fields(3)
    x = elements(fields, 1, 100)
    for lane in range(LANES):
        moved = x.copy()
        moved[lane] ^= 1
        assert (fields.unary("exp", x) != fields.unary("exp", moved)).all()
    assert (fields.unary("exp", x) != fields.unary("tanh", x)).any(axis=0).all()
    assert (fields.unary("exp", x) == fields.unary("exp", x)).all()


def test_kept_roundings_are_projections() -> None:
    fields = Fields(5, roundings=True)
    x = elements(fields, 1, 50)
    once = fields.read(fields.convert(x, bfloat16), bfloat16)
    assert (once != x).any(axis=0).all()
    assert (fields.convert(once, bfloat16) == once).all()
    assert (fields.convert(x, float32) == x).all()


def test_indices_are_known_integers_or_refused() -> None:
    fields = Fields(7)
    known = fields.entered(np.array([-5, 0, 1 << 20]), int32)
    np.testing.assert_array_equal(fields.integers(known, int32), [-5, 0, 1 << 20])
    with pytest.raises(UnsupportedConstruct, match="depend on an argument"):
        fields.integers(fields.random_elements(np.random.default_rng(0), (3,), int32), int32)


@pytest.mark.parametrize(
    ("number", "fraction"),
    [(0.1, Fraction(1, 10)), (1 / 9, Fraction(1, 9)), (0.75, Fraction(3, 4)), (0.1 + 1e-9, Fraction(0.1 + 1e-9))],
)
def test_constants_are_the_simplest_fractions(number: float, fraction: Fraction) -> None:
    assert simplest_fraction(number) == fraction


def test_division_by_zero_is_remembered() -> None:
    fields = Fields(0)
    fields.unary("reciprocal", fields.constant(3, 3))
    assert not fields.divided_by_zero
    fields.unary("reciprocal", fields.constant(0, 3))
    assert fields.divided_by_zero


@pytest.mark.parametrize(
    ("reference", "arguments", "definition"),
    [
        (TILED, "f32[256,128] f32[256,512]", lambda x, y: x.T @ y),
        ("transpose2d.py::transpose2d", "i8[2,6] shape2d=(2,3)", lambda x: definitions.transposed_blocks(x, (2, 3))),
        ("tensor_add.py::tensor_add", "f32[128,512] f32[128,512]", lambda x, y: x + y),
    ],
)
def test_integers_give_the_integers_that_exact_arithmetic_gives(
    reference: str, arguments: str, definition: Callable[..., Array]
) -> None:
    asked = side(reference, arguments)
    fields = Fields(0)
    inputs: list[Array] = []

    def fill(name: str, tensor: Tensor) -> Array:
        inputs.append(np.random.default_rng(len(inputs)).integers(-9, 10, tuple(map(int, tensor.shape))))
        return fields.entered(inputs[-1], tensor.dtype)

    execution = execute(asked.asked, ValueExecution(hardware_named("trn2"), fields), {}, fill)
    ((_, result),) = execution.outputs()
    got = fields.integers(contents(execution.run, result)[0], int32)
    np.testing.assert_array_equal(got, definition(*inputs))


@pytest.mark.parametrize(
    ("wider", "narrower", "expected"),
    [
        (bfloat16, int8, True),
        (bfloat16, uint8, True),
        (bfloat16, int16, False),
        (float16, bfloat16, False),
        (bfloat16, float16, False),
        (float32, bfloat16, True),
        (bfloat16, float8_e4m3, True),
        (float8_e4m3, bfloat16, False),
        (float8_e4m3, float8_e5m2, False),
        (int16, uint8, True),
        (int8, uint8, False),
        (float32, int32, False),
        (float32, uint16, True),
        (tfloat32, float32, False),
        (tfloat32, bfloat16, True),
        (uint8, bool_, True),
    ],
)
def test_which_dtypes_hold_all_numbers_of_which(wider: DType, narrower: DType, expected: bool) -> None:
    assert contains(wider, narrower) is expected


@FEW
@given(st.lists(st.integers(1, 40), min_size=1, max_size=8), SEEDS)
def test_residues_are_recognised_exactly(sizes: list[int], seed: int) -> None:
    random = np.random.default_rng(seed)
    known = Residues()
    added = [random.integers(0, 1 << 29, (LANES, size)) for size in sizes]
    for part in added:
        known.add(part)
    for part in added:
        assert known.has(part).all()
        for lane in range(LANES):
            moved = part.copy()
            moved[lane] ^= 1
            assert not known.has(moved).any()


def test_integers_of_32_bits_are_not_read_exactly() -> None:
    fields = Fields(9)
    x = fields.random_elements(np.random.default_rng(1), (50,), int32)
    assert (fields.exact(x, int32) == x).all()
    read = fields.read(x, int32)
    assert (read != x).any(axis=0).all()
    assert (fields.read(read.astype(np.uint32), int32) == read).all()
    small = fields.entered(np.arange(-5, 6), int32)
    assert (fields.read(small, int32) == small).all()
