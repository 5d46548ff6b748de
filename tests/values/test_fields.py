"""Arithmetic over prime fields: exact, and with the laws that hold for real numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nkiverify.analysis.values.asked_kernel import contents, execute
from nkiverify.analysis.values.exponents import Exponents
from nkiverify.analysis.values.fields import Fields
from nkiverify.analysis.values.known_residues import PRIMES_OF_QUOTIENTS, Mode, simplest_fraction
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.primes import LARGEST, chained, is_prime, unrelated
from nkiverify.analysis.values.recognised import Residues, contains
from nkiverify.analysis.values.value_run import ComputedElements
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
from nkiverify.project.request import Request
from tests.values import definitions
from tests.values.test_equivalence import TILED, side

SEEDS = st.integers(0, 2**31)
FEW = settings(max_examples=25)
LEAST = -3.4028234663852886e38


def elements(fields: Fields, seed: int, *shape: int) -> Array:
    return fields.read(fields.random_elements(np.random.default_rng(seed), shape, float32), float32)


def exactly(fields: Fields, values: Array) -> list[Array]:
    """The residues as Python integers."""
    return [values[lane].astype(np.int64).astype(object) for lane in range(fields.residues)]


def test_primes_are_prime_random_and_different() -> None:
    primes = unrelated(np.random.default_rng(0), 20).primes
    assert len(set(primes)) == 20
    for prime in primes:
        assert 2**23 < prime < LARGEST
        assert all(prime % divisor for divisor in range(3, int(prime**0.5) + 1, 2))
    assert Fields(1).primes != Fields(2).primes


@pytest.mark.parametrize(("count", "doubling"), [(4, False), (3, True)])
def test_each_prime_of_a_chain_is_the_order_of_a_generator(count: int, doubling: bool) -> None:
    found = {chained(np.random.default_rng(seed), count, doubling=doubling) for seed in range(10)}
    assert len(found) >= 9
    for moduli in (*found, chained(np.random.default_rng(11), count, 2, doubling=doubling)):
        assert len(moduli.links) == len(moduli.primes) // count * (count - 1) and max(moduli.primes) <= LARGEST
        assert len(set(moduli.primes)) == len(moduli.primes) and all(is_prime(prime) for prime in moduli.primes)
        for link in moduli.links:
            prime, order = moduli.primes[link.lane], moduli.primes[link.order]
            assert (prime - 1) % order == 0 and link.generator != 1 and pow(link.generator, order, prime) == 1
            assert not doubling or prime == 2 * order + 1


@FEW
@given(SEEDS, SEEDS, st.sampled_from(Mode))
def test_sums_products_and_quotients_are_exact(key: int, seed: int, mode: Mode) -> None:
    fields = Fields(key, mode=mode)
    x, y = elements(fields, seed, 13, 15), elements(fields, seed + 1, 13, 15)
    results = (fields.add(x, y), fields.multiply(x, y), fields.negative(x), fields.inverted(x))
    for lane, prime in enumerate(fields.primes):
        a, b = exactly(fields, x)[lane], exactly(fields, y)[lane]
        total, product, negative, inverse = (exactly(fields, result)[lane] for result in results)
        assert ((a + b - total) % prime == 0).all()
        assert ((a * b - product) % prime == 0).all()
        assert ((a + negative) % prime == 0).all()
        assert ((inverse * a - 1) % prime == 0).all()
    canonical = fields.canonical(results[1])
    for lane, prime in enumerate(fields.primes):
        assert (abs(canonical[lane]) <= prime // 2).all()


@FEW
@given(st.integers(1, 300), SEEDS)
def test_products_of_matrices_are_exact(depth: int, seed: int) -> None:
    fields = Fields(seed)
    x, y = elements(fields, seed, depth, 4), elements(fields, seed + 1, depth, 6)
    # The greatest residues as well: there sums come closest to what float64 holds.
    x[:, :, 0] = np.array(fields.primes)[:, None] // 2
    y[:, :, 0] = -(np.array(fields.primes)[:, None] // 2)
    product = fields.matmul(x, y)
    for lane, prime in enumerate(fields.primes):
        difference = exactly(fields, x)[lane].T @ exactly(fields, y)[lane] - exactly(fields, product)[lane]
        assert (difference % prime == 0).all()


def _softmax(fields: Fields, x: Array, shift: Array) -> Array:
    powers = fields.unary("exp", fields.binary("subtract", x, shift))
    return fields.binary("divide", powers, fields.reduce("add", powers))


def _log_sum(fields: Fields, x: Array, shift: Array) -> Array:
    powers = fields.unary("exp", fields.binary("subtract", x, shift))
    return fields.binary("add", fields.unary("log", fields.reduce("add", powers)), shift)


@pytest.mark.parametrize("chains", [1, 2])
@pytest.mark.parametrize("mode", [Mode.EXPONENTIAL, Mode.LOGARITHMIC])
def test_exponentials_have_their_laws(mode: Mode, chains: int) -> None:
    fields = Fields(11, mode=mode, chains=chains)
    x, y, zero = elements(fields, 1, 30, 7), elements(fields, 2, 30, 7), fields.constant(0, 3)
    assert fields.equal(
        fields.unary("exp", fields.add(x, y)), fields.multiply(fields.unary("exp", x), fields.unary("exp", y))
    ).all()
    assert fields.equal(fields.unary("exp", fields.negative(x)), fields.inverted(fields.unary("exp", x))).all()
    assert fields.equal(fields.unary("exp", zero), fields.constant(1, 3)).all()
    greatest = fields.reduce("maximum", x)
    assert fields.equal(_softmax(fields, x, greatest), _softmax(fields, x, zero)).all()
    # The sum of another row, the exponential of a product, twice the exponent.
    assert not fields.equal(_softmax(fields, x, greatest), _softmax(fields, np.roll(x, 1, axis=1), zero)).any()
    product = fields.unary("exp", fields.multiply(x, y))
    assert not fields.equal(product, fields.multiply(fields.unary("exp", x), fields.unary("exp", y))).any()
    twice = fields.unary("exp", fields.add(x, x))
    assert fields.equal(twice, fields.multiply(fields.unary("exp", x), fields.unary("exp", x))).all()
    assert not fields.equal(twice, fields.unary("exp", x)).any()
    # What functions make of an exponential does not depend on how it was computed.
    assert fields.equal(
        fields.unary("sqrt", fields.unary("exp", fields.add(x, y))),
        fields.unary("sqrt", fields.multiply(fields.unary("exp", x), fields.unary("exp", y))),
    ).all()


@pytest.mark.parametrize("chains", [1, 2])
def test_logarithms_are_the_inverse_of_exponentials(chains: int) -> None:
    fields = Fields(12, mode=Mode.LOGARITHMIC, chains=chains)
    x, zero = elements(fields, 1, 30, 7), fields.constant(0, 3)
    greatest = fields.reduce("maximum", x)
    assert fields.equal(fields.unary("log", fields.unary("exp", x)), x).all()
    assert fields.equal(fields.unary("exp", fields.unary("log", x)), x).all()
    sums = _log_sum(fields, x, greatest)
    assert fields.equal(sums, _log_sum(fields, x, zero)).all()
    backwards = fields.unary("exp", fields.binary("subtract", x, sums))
    assert fields.equal(backwards, _softmax(fields, x, zero)).all()
    assert not fields.equal(fields.unary("log", x), fields.unary("log", fields.negative(x))).any()
    assert not fields.equal(sums, _log_sum(fields, x[..., :6], zero)).any()
    # A phase goes through a product with an identity, as transposes on the Tensor Engine are.
    identity = fields.read(fields.entered(np.eye(30, dtype=np.float32), float32), float32)
    moved = fields.matmul(sums, identity)
    assert fields.equal(fields.unary("exp", moved), fields.unary("exp", sums).transpose(0, 2, 1)).all()


def test_exponents_are_the_same_in_steps_as_by_the_table() -> None:
    generator, prime = 4, 7_777_223
    some = np.random.default_rng(3).integers(0, prime, (50, 40))
    some[0, :3] = 0, 1, prime - 1
    few, many = Exponents(generator, prime), Exponents(generator, prime)
    in_steps = few.of(some)
    by_the_table = many.of(np.tile(some, (3, 1)))[:50]
    assert (in_steps == by_the_table).all()
    assert 0.4 < (in_steps < 0).mean() < 0.6
    assert all(pow(generator, int(e), prime) == r for e, r in zip(in_steps[1], some[1], strict=True) if e >= 0)
    assert few.of(some[:0]).shape == (0, 40)


@pytest.mark.parametrize("mode", [Mode.EXPONENTIAL, Mode.LOGARITHMIC])
def test_activation_functions_are_what_they_are_defined_as(mode: Mode) -> None:
    fields = Fields(13, mode=mode)
    x = elements(fields, 1, 5, 7)
    up, down = fields.unary("exp", x), fields.unary("exp", fields.negative(x))
    tanh = fields.binary("divide", fields.binary("subtract", up, down), fields.add(up, down))
    assert fields.equal(fields.unary("tanh", x), tanh).all()
    sigmoid = fields.binary("divide", up, fields.add(up, fields.constant(1, 3)))
    assert fields.equal(fields.unary("sigmoid", x), sigmoid).all()
    assert fields.equal(fields.unary("silu", x), fields.multiply(x, sigmoid)).all()
    odd = fields.unary("erf", fields.negative(x))
    assert fields.equal(odd, fields.negative(fields.unary("erf", x))).all()


@FEW
@given(SEEDS, st.permutations(range(5)), st.sampled_from(Mode), st.integers(1, 2))
def test_maxima_are_associative_commutative_and_idempotent(
    seed: int, order: list[int], mode: Mode, chains: int
) -> None:
    fields = Fields(seed, mode=mode, chains=chains)
    parts = [elements(fields, seed + position, 1, 3) for position in range(5)]
    forwards = parts[0]
    for part in parts[1:]:
        forwards = fields.maximum(forwards, part)
    shuffled = parts[order[0]]
    for position in order[1:]:
        shuffled = fields.maximum(parts[position], shuffled)
    joined = np.stack(parts, axis=-1)
    assert fields.equal(forwards, shuffled).all()
    assert fields.equal(forwards, fields.reduce("maximum", joined)[..., 0]).all()
    assert fields.equal(fields.maximum(forwards, forwards), forwards).all()
    assert fields.equal(fields.maximum(forwards, fields.constant(LEAST, 3)), forwards).all()
    minimum = fields.binary("minimum", parts[0], parts[1])
    negated = fields.maximum(fields.negative(parts[0]), fields.negative(parts[1]))
    assert fields.equal(minimum, fields.negative(negated)).all()


def test_maxima_of_different_sets_differ() -> None:
    fields = Fields(0)
    x = elements(fields, 1, 200, 6)
    whole, part = fields.reduce("maximum", x), fields.reduce("maximum", x[..., :5])
    assert (whole != part).any(axis=0).all()
    assert (fields.reduce("maximum", x) != fields.reduce("minimum", x)).any(axis=0).all()


def test_functions_depend_on_every_lane_of_their_arguments() -> None:
    fields = Fields(3)
    x = elements(fields, 1, 100)
    for lane in range(fields.residues):
        moved = x.copy()
        moved[lane] += 1
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
    [
        (0.1, Fraction(1, 10)),
        (1 / 9, Fraction(1, 9)),
        (0.75, Fraction(3, 4)),
        (float(np.float32(0.1)), Fraction(1, 10)),
        (float(np.float32(1 / 2000.5)), Fraction(float(np.float32(1 / 2000.5)))),
        (1 / math.sqrt(48), simplest_fraction(48**-0.5)),
        (0.1 + 1e-50, Fraction(1, 10)),
    ],
)
def test_constants_are_the_simplest_fractions(number: float, fraction: Fraction) -> None:
    assert simplest_fraction(number) == fraction


@pytest.mark.parametrize(("one", "other"), [(0.1, 0.1 + 1e-9), (math.pi, math.pi * (1 + 2**-44)), (1e-50, 2e-50)])
def test_constants_that_are_told_apart(one: float, other: float) -> None:
    assert simplest_fraction(one) != simplest_fraction(other)


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
    asked = side(reference, arguments).asked
    assert isinstance(asked, Request)
    fields = Fields(0)
    inputs: list[Array] = []

    def fill(name: str, tensor: Tensor) -> Array:
        inputs.append(np.random.default_rng(len(inputs)).integers(-9, 10, tuple(map(int, tensor.shape))))
        return fields.entered(inputs[-1], tensor.dtype)

    execution = execute(asked, ComputedElements(fields).execution(hardware_named("trn2")), {}, fill)
    ((_, result),) = execution.outputs()
    got = fields.integers(contents(execution.elements, result)[0], int32)
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
    added = [random.integers(0, 1 << 63, size, dtype=np.uint64) for size in sizes]
    for part in added:
        known.add(part)
    for part in added:
        assert known.has(part).all()
        for bit in (0, 23, 24, 63):
            assert not known.has(part ^ np.uint64(1 << bit)).any()


def test_integers_of_32_bits_are_not_read_exactly() -> None:
    fields = Fields(9)
    x = fields.random_elements(np.random.default_rng(1), (50,), int32)
    assert (fields.exact(x, int32) == x).all()
    read = fields.read(x, int32)
    assert (read != x).any(axis=0).all()
    assert (fields.read(read.astype(np.float32), int32) == read).all()
    small = fields.entered(np.arange(-5, 6), int32)
    assert (fields.read(small, int32) == small).all()


def test_words_are_kept_once_and_found() -> None:
    kept = Residues()
    random = np.random.default_rng(3)
    words = random.integers(0, 1 << 63, 5000, dtype=np.uint64)
    for part in np.split(words, 5):
        kept.add(np.concatenate([part, part[::-1]]))
    assert kept.has(words).all()
    assert not kept.has(words + np.uint64(1)).any()
    assert sum(run.size for run in kept._runs) == words.size


def test_quotients_of_polynomials_need_fewer_primes() -> None:
    assert len(Fields(0, primes=PRIMES_OF_QUOTIENTS).primes) < len(Fields(0).primes)


def test_positive_constants_leave_a_maximum() -> None:
    fields = Fields(5, scaling=True)
    x = fields.lifted(np.random.default_rng(0).integers(0, 1 << 20, (fields.lanes, 3, 8)))
    half, minus = fields.constant(0.5, 3), fields.constant(-0.5, 3)
    greatest = fields.reduce("maximum", x)
    scaled = fields.reduce("maximum", fields.multiply(x, half))
    assert fields.equal(scaled, fields.multiply(greatest, half)).all()
    assert not fields.equal(fields.reduce("maximum", fields.multiply(x, minus)), fields.multiply(greatest, minus)).any()


def test_long_contractions_are_exact() -> None:
    fields = Fields(4)
    half = np.array([prime // 2 for prime in fields.primes], dtype=np.float64).reshape(-1, 1, 1)
    found = fields.canonical(fields.matmul(np.broadcast_to(half, (fields.lanes, 5000, 2)), -half * np.ones((5000, 3))))
    for lane, prime in enumerate(fields.primes):
        assert {int(part) % prime for part in found[lane].ravel()} == {-5000 * (prime // 2) ** 2 % prime}
