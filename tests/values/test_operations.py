"""Operations against independent NumPy statements of what their documentation says."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from math import erf, sqrt
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nkiverify.analysis.values.number_formats import Array, tfloat32_rounded
from nkiverify.foundation.errors import ContractViolation
from nkiverify.products.simulate.simulator import UndefinedResultWarning
from tests.values.library import nisa, nki, nl, old_nisa, old_nki, old_nl, on, random_array, simulate

#: Each example runs a kernel.
FEW = settings(max_examples=25)
NAMES = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
DTYPES = st.sampled_from(list(NAMES))
SHAPES = st.tuples(st.integers(1, 128), st.integers(1, 40))
SEEDS = st.integers(0, 2**31)


def on_tiles(body: Callable[..., None], inputs: list[Array], shape: tuple[int, ...], dtype: str) -> Array:
    """What `body(dst, *tiles)` writes, for inputs loaded to SBUF."""

    def kernel(*arguments: Any) -> Any:
        result = nl.ndarray(shape, dtype=dtype, buffer=nl.shared_hbm)
        tiles = []
        for argument in arguments:
            tile = nl.ndarray(argument.shape, dtype=argument.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=argument)
            tiles.append(tile)
        target = nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)
        body(target, *tiles)
        nisa.dma_copy(dst=result, src=target)
        return result

    found: Array = simulate(kernel, *inputs)
    return found


def rounded(values: Array, dtype: str) -> Array:
    return values.astype(np.float32).astype(NAMES[dtype])


BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "greater": lambda x, y: (x > y) * 1.0,
    "less_equal": lambda x, y: (x <= y) * 1.0,
    "not_equal": lambda x, y: (x != y) * 1.0,
}

OPERATORS = st.sampled_from(list(BINARY))


@FEW
@given(SHAPES, DTYPES, DTYPES, OPERATORS, SEEDS)
def test_tensor_tensor(shape: tuple[int, int], source: str, target: str, op: str, seed: int) -> None:
    x, y = (random_array(seed + i, *shape, dtype=NAMES[source]) for i in range(2))
    got = on_tiles(lambda dst, a, b: nisa.tensor_tensor(dst, a, b, getattr(nl, op)), [x, y], shape, target)
    expected = rounded(BINARY[op](x.astype(np.float32), y.astype(np.float32)), target)
    np.testing.assert_array_equal(got, expected)


@FEW
@given(SHAPES, DTYPES, OPERATORS, OPERATORS, st.booleans(), st.booleans(), SEEDS)
def test_tensor_scalar(
    shape: tuple[int, int], dtype: str, op0: str, op1: str, reverse0: bool, reverse1: bool, seed: int
) -> None:
    x, column = random_array(seed, *shape, dtype=NAMES[dtype]), random_array(seed + 1, shape[0], 1)
    got = on_tiles(
        lambda dst, a, c: nisa.tensor_scalar(dst, a, getattr(nl, op0), c, reverse0, getattr(nl, op1), 0.5, reverse1),
        [x, column],
        shape,
        "float32",
    )
    wide = x.astype(np.float32)
    first = BINARY[op0](column, wide) if reverse0 else BINARY[op0](wide, column)
    half = np.float32(0.5)
    second = BINARY[op1](half, first) if reverse1 else BINARY[op1](first, half)
    np.testing.assert_array_equal(got, second.astype(np.float32))


@FEW
@given(SHAPES, st.sampled_from(["add", "maximum", "minimum", "multiply"]), st.booleans(), SEEDS)
def test_tensor_reduce(shape: tuple[int, int], op: str, negate: bool, seed: int) -> None:
    x = random_array(seed, *shape)
    got = on_tiles(lambda dst, a: nisa.tensor_reduce(dst, getattr(nl, op), a, 1, negate), [x], (shape[0], 1), "float32")
    reducer: Any = {"add": np.sum, "maximum": np.max, "minimum": np.min, "multiply": np.prod}[op]
    expected = reducer(x.astype(np.float64), axis=1, keepdims=True) * (-1 if negate else 1)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


@FEW
@given(st.integers(1, 128), st.integers(1, 128), st.integers(1, 64), st.sampled_from(["float16", "bfloat16"]), SEEDS)
def test_nc_matmul(k: int, m: int, n: int, dtype: str, seed: int) -> None:
    x, y = random_array(seed, k, m, dtype=NAMES[dtype]), random_array(seed + 1, k, n, dtype=NAMES[dtype])

    def body(dst: Any, a: Any, b: Any) -> None:
        product = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(product, a, b)
        nisa.tensor_copy(dst, product)

    got = on_tiles(body, [x, y], (m, n), "float32")
    np.testing.assert_allclose(got, x.astype(np.float64).T @ y.astype(np.float64), atol=k * 2.0**-22)


def accumulation(flags: list[Any]) -> Array:
    def kernel(x: Any, y: Any) -> Any:
        result = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.shared_hbm)
        a, b = nl.load(x), nl.load(y)
        product = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.psum)
        for flag in flags:
            nisa.nc_matmul(product, a, b, accumulate=flag)
        nl.store(result, nl.copy(product))
        return result

    found: Array = simulate(kernel, np.ones((16, 4), np.float32), np.ones((16, 8), np.float32))
    return found


@pytest.mark.parametrize(
    ("flags", "times"),
    [
        ([None], 1),
        ([None, None, None], 3),
        ([False, True, True], 3),
        ([None, False], 1),
        ([False, None], 2),
        ([0, 1], 2),
        ([np.False_, np.True_, np.False_], 1),
    ],
)
def test_products_accumulate_as_they_are_told(flags: list[Any], times: int) -> None:
    np.testing.assert_array_equal(accumulation(flags), np.full((4, 8), 16.0 * times))


def test_accumulating_onto_what_was_never_written_is_undefined() -> None:
    with pytest.warns(UndefinedResultWarning, match="nc_matmul"):
        assert np.isnan(accumulation([True])).all()


@FEW
@given(SHAPES, SEEDS)
def test_scan(shape: tuple[int, int], seed: int) -> None:
    x, y, start = random_array(seed, *shape), random_array(seed + 1, *shape), random_array(seed + 2, shape[0], 1)
    got = on_tiles(
        lambda dst, a, b, c: nisa.tensor_tensor_scan(dst, a, b, c, nl.multiply, nl.add), [x, y, start], shape, "float32"
    )
    expected = np.empty(shape)
    state = start[:, 0].astype(np.float64)
    for i in range(shape[1]):
        state = x[:, i] * state + y[:, i]
        expected[:, i] = state
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


@FEW
@given(SHAPES, st.sampled_from(["exp", "tanh", "sigmoid", "relu", "square", "copy", "gelu", "silu"]), SEEDS)
def test_activation(shape: tuple[int, int], op: str, seed: int) -> None:
    x, scale, bias = (
        random_array(seed, *shape),
        random_array(seed + 1, shape[0], 1),
        random_array(seed + 2, shape[0], 1),
    )
    got = on_tiles(
        lambda dst, a, s, b: nisa.activation(dst, getattr(nl, op, nl.copy), a, bias=b, scale=s),
        [x, scale, bias],
        shape,
        "float32",
    )
    z = x.astype(np.float64) * scale + bias
    sigmoid = 1 / (1 + np.exp(-z))
    normal = np.vectorize(lambda t: 0.5 * (1 + erf(t / sqrt(2))))(z)
    expected = {
        "exp": np.exp(z), "tanh": np.tanh(z), "sigmoid": sigmoid, "relu": np.maximum(z, 0), "square": z * z,
        "copy": z, "gelu": z * normal, "silu": z * sigmoid,
    }[op]  # fmt: skip
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_an_activation_outside_its_documented_range_has_no_value() -> None:
    x = np.array([[0.5, 3.0, 4.0]], dtype=np.float32)
    with pytest.warns(UndefinedResultWarning, match="sin outside its documented range"):
        got = on_tiles(lambda dst, a: nisa.activation(dst, nl.sin, a), [x], (1, 3), "float32")
    np.testing.assert_allclose(got[0, :2], np.sin([0.5, 3.0]), rtol=1e-6)
    assert np.isnan(got[0, 2])


def test_sums_stay_in_the_scalar_engine_until_they_are_reset() -> None:
    x = random_array(1, 4, 8)

    def body(dst: Any, a: Any) -> None:
        scratch = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.sbuf)
        for command in (nisa.reduce_cmd.reset_reduce, nisa.reduce_cmd.reduce):
            nisa.activation(scratch, nl.copy, a, reduce_op=nl.add, reduce_res=dst, reduce_cmd=command)

    got = on_tiles(body, [x], (4, 1), "float32")
    np.testing.assert_allclose(got, 2 * x.sum(axis=1, keepdims=True), rtol=1e-5)


@FEW
@given(SHAPES, st.sampled_from(["int8", "uint8", "int16", "int32"]), SEEDS)
def test_floats_become_integers_by_rounding_and_saturating(shape: tuple[int, int], dtype: str, seed: int) -> None:
    x = random_array(seed, *shape) * np.float32(400)
    got = on_tiles(lambda dst, a: nisa.tensor_copy(dst, a), [x], shape, dtype)
    limits = np.iinfo(dtype)
    np.testing.assert_array_equal(got, np.clip(np.rint(x), limits.min, limits.max).astype(dtype))


def test_the_least_float32_becomes_an_infinity_in_narrower_floats() -> None:
    least = np.full((1, 1), np.finfo(np.float32).min)
    for dtype in ("float16", "bfloat16", "float8_e5m2"):
        got = on_tiles(lambda dst, a: nisa.tensor_copy(dst, a), [least], (1, 1), dtype)
        assert got.astype(np.float32)[0, 0] == -np.inf


def test_tfloat32_keeps_ten_bits_of_mantissa() -> None:
    x = np.array([[1 + 2.0**-10, 1 + 2.0**-11, 1 + 3 * 2.0**-11, np.inf]], dtype=np.float32)
    expected = np.array([[1 + 2.0**-10, 1, 1 + 2 * 2.0**-10, np.inf]], dtype=np.float32)
    np.testing.assert_array_equal(tfloat32_rounded(x), expected)


def test_integers_of_32_bits_are_exact_off_the_vector_engine() -> None:
    x = np.array([[2**24 + 1]], dtype=np.int32)
    one = np.array([[1]], dtype=np.int32)
    exact = on_tiles(lambda dst, a, b: nisa.tensor_tensor(dst, a, b, nl.add), [x, one], (1, 1), "int32")
    through_floats = on_tiles(
        lambda dst, a, b: nisa.tensor_tensor(dst, a, b, nl.add, engine=nisa.engine.vector), [x, one], (1, 1), "int32"
    )
    assert (exact[0, 0], through_floats[0, 0]) == (2**24 + 2, 2**24)


@FEW
@given(SHAPES, st.sampled_from(["bitwise_and", "bitwise_or", "bitwise_xor"]), SEEDS)
def test_bits(shape: tuple[int, int], op: str, seed: int) -> None:
    x, y = (random_array(seed + i, *shape, dtype=np.uint16) for i in range(2))
    got = on_tiles(lambda dst, a, b: nisa.tensor_tensor(dst, a, b, getattr(nl, op)), [x, y], shape, "uint16")
    np.testing.assert_array_equal(got, getattr(np, op)(x, y))


@FEW
@given(st.integers(8, 64), st.integers(1, 128), SEEDS)
def test_max8_and_where_its_values_are(count: int, rows: int, seed: int) -> None:
    x = np.random.default_rng(seed).integers(0, 20, (rows, count)).astype(np.float32)
    greatest = on_tiles(lambda dst, a: nisa.max8(dst, a), [x], (rows, 8), "float32")
    np.testing.assert_array_equal(greatest, np.sort(x, axis=1)[:, ::-1][:, :8])
    found = on_tiles(lambda dst, a, b: nisa.nc_find_index8(dst, a, b), [x, greatest], (rows, 8), "uint32")
    for row in range(rows):
        assert len(set(found[row].tolist())) == 8
        np.testing.assert_array_equal(x[row, found[row]], greatest[row])


@FEW
@given(st.integers(1, 128), st.integers(1, 5), st.integers(1, 5), st.integers(-3, 3), st.integers(-9, 9))
def test_iota_and_affine_select(rows: int, outer: int, inner: int, step: int, offset: int) -> None:
    pattern = [[step, outer], [1, inner]]
    expected = (
        offset
        + 2 * np.arange(rows)[:, None, None]
        + step * np.arange(outer)[None, :, None]
        + np.arange(inner)[None, None, :]
    ).reshape(rows, -1)
    shape = (rows, outer * inner)
    got = on_tiles(lambda dst: nisa.iota(dst, pattern, offset, 2), [], shape, "int32")
    np.testing.assert_array_equal(got, expected)
    x = random_array(1, *shape)
    chosen = on_tiles(
        lambda dst, a: nisa.affine_select(dst, pattern, 2, a, -1.5, nl.greater_equal, offset), [x], shape, "float32"
    )
    np.testing.assert_array_equal(chosen, np.where(expected >= 0, x, np.float32(-1.5)))


@FEW
@given(st.integers(1, 4), st.integers(1, 16), SEEDS)
def test_stream_shuffle_moves_partitions_inside_quadrants(quadrants: int, columns: int, seed: int) -> None:
    x = random_array(seed, 32 * quadrants, columns)
    mask = np.random.default_rng(seed).integers(0, 32, 32).tolist()
    got = on_tiles(lambda dst, a: nisa.nc_stream_shuffle(dst, a, mask), [x], x.shape, "float32")
    expected = np.concatenate([x[start + np.array(mask)] for start in range(0, len(x), 32)])
    np.testing.assert_array_equal(got, expected)


@FEW
@given(st.integers(1, 128), st.integers(1, 30), st.integers(1, 20), SEEDS)
def test_gathers_of_each_partition(rows: int, columns: int, wanted: int, seed: int) -> None:
    x = random_array(seed, rows, columns)
    index = np.random.default_rng(seed).integers(0, columns, (rows, wanted)).astype(np.uint32)
    got = on_tiles(lambda dst, a, b: nisa.nc_n_gather(dst, a, b), [x, index], (rows, wanted), "float32")
    np.testing.assert_array_equal(got, np.take_along_axis(x, index.astype(np.int64), axis=1))


def test_a_gather_beyond_its_data_is_a_violation() -> None:
    x, index = random_array(1, 2, 4), np.array([[4], [0]], dtype=np.uint32)
    with pytest.raises(ContractViolation, match="n_gather"):
        on_tiles(lambda dst, a, b: nisa.nc_n_gather(dst, a, b), [x, index], (2, 1), "float32")


@FEW
@given(st.integers(1, 200), st.integers(1, 60), SEEDS)
def test_statistics_of_even_and_odd_positions(columns: int, rows: int, seed: int) -> None:
    x = random_array(seed, rows, columns + 1)
    stats = on_tiles(lambda dst, a: nisa.bn_stats(dst, a), [x], (rows, 6), "float32")
    both = on_tiles(lambda dst, a: nisa.bn_aggr(dst, a), [stats], (rows, 2), "float32")
    np.testing.assert_allclose(both[:, 0], x.mean(axis=1), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(both[:, 1], x.var(axis=1), rtol=1e-3, atol=1e-5)


def test_rows_by_a_vector_of_indices_and_those_out_of_bounds() -> None:
    table, index = random_array(1, 10, 4), np.array([[3], [9], [12]], dtype=np.int32)

    def body(mode: Any) -> Callable[..., None]:
        def gather(table: Any, index: Any) -> Any:
            result = nl.ndarray((3, 4), dtype=nl.float32, buffer=nl.shared_hbm)
            rows = nl.load(index)
            found = nl.zeros((3, 4), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=found, src=table.ap([[4, 3], [1, 4]], vector_offset=rows), oob_mode=mode)
            nisa.dma_copy(dst=result, src=found)
            return result

        return gather

    skipped = simulate(body(nisa.oob_mode.skip), table, index)
    np.testing.assert_array_equal(skipped, np.concatenate([table[[3, 9]], np.zeros((1, 4), np.float32)]))
    with pytest.raises(ContractViolation, match=r"dma_copy\.oob"):
        simulate(body(nisa.oob_mode.error), table, index)


def test_registers_and_device_loops_run() -> None:
    def kernel(x: Any) -> Any:
        result = nl.ndarray((8, 4), dtype=nl.float32, buffer=nl.shared_hbm)

        def body(i: Any) -> None:
            row = nl.ndarray((1, 4), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=row, src=x.ap([[4, 1], [1, 4]], scalar_offset=i))
            nisa.tensor_scalar(row, row, nl.multiply, 2.0)
            nisa.dma_copy(dst=result.ap([[4, 1], [1, 4]], scalar_offset=i), src=row)

        nl.fori_loop(0, 8, body)
        return result

    x = random_array(1, 8, 4)
    np.testing.assert_array_equal(simulate(kernel, x), 2 * x)


@pytest.mark.parametrize("rounds", [0, 1, 3])
@pytest.mark.parametrize("form", ["for", "fori_loop", "while_loop"])
def test_a_body_is_traced_once_however_often_it_is_executed(form: str, rounds: int) -> None:
    """What it leaves in Python is that of one trace, also where it goes round no time; it touches no element then."""

    def kernel(x: Any) -> Any:
        result = nl.ndarray((4, 4), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=result, src=x)
        number, count = nisa.register_alloc(rounds), []

        def body(i: Any) -> Any:
            count.append(0)
            for j in nl.dynamic_range(number):
                nisa.dma_copy(dst=result.ap([[4, 1], [1, 4]], scalar_offset=j), src=x[3:4])
            return nisa.register_alloc(0)

        if form == "for":
            for i in nl.dynamic_range(number):
                body(i)
        elif form == "fori_loop":
            nl.fori_loop(0, number, body)
        else:
            nl.while_loop(number, body)
        nisa.dma_copy(dst=result[3:4], src=x[len(count) : len(count) + 1])
        return result

    x = random_array(1, 4, 4)
    expected = x[[3] * rounds + list(range(rounds, 3)) + [1]]
    np.testing.assert_array_equal(simulate(kernel, x), expected)


@FEW
@given(SHAPES, SEEDS)
def test_softmax_and_norms_of_the_language(shape: tuple[int, int], seed: int) -> None:
    x, w = random_array(seed, *shape), random_array(seed + 1, *shape)
    soft = on_tiles(lambda dst, a: nisa.tensor_copy(dst, nl.softmax(a, axis=-1)), [x], shape, "float32")
    powers = np.exp(x.astype(np.float64))
    np.testing.assert_allclose(soft, powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
    normed = on_tiles(
        lambda dst, a, b: nisa.tensor_copy(dst, nl.rms_norm(a, b, 1, shape[1], 1e-3)), [x, w], shape, "float32"
    )
    wide = x.astype(np.float64)
    np.testing.assert_allclose(
        normed, wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-3) * w, rtol=1e-4, atol=1e-6
    )


@FEW
@given(st.integers(1, 100), st.integers(1, 128), SEEDS)
def test_legacy_masks_are_exact(rows: int, limit: int, seed: int) -> None:
    x = random_array(seed, rows, 8)

    def kernel(x: Any) -> Any:
        result = old_nl.ndarray((128, 8), dtype=x.dtype, buffer=old_nl.shared_hbm)
        i_p, i_f = old_nl.arange(128)[:, None], old_nl.arange(8)[None, :]
        tile = old_nl.load(x[i_p, i_f], mask=(i_p < rows))
        old_nl.store(result[i_p, i_f], value=tile * 2.0, mask=(i_p < limit))
        return result

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedResultWarning)
        got = old_nki.simulate_kernel(old_nki.jit(kernel), x)
    both = min(rows, limit)
    np.testing.assert_array_equal(got[:both], 2 * x[:both])
    assert np.isnan(got[both:]).all()


def test_legacy_operators_and_instructions_return_tiles() -> None:
    def kernel(x: Any) -> Any:
        result = old_nl.ndarray(x.shape, dtype=x.dtype, buffer=old_nl.shared_hbm)
        tile = old_nl.load(x)
        doubled = old_nisa.tensor_scalar(tile, old_nl.multiply, 2.0, False, old_nl.add, 1.0)
        old_nl.store(result, value=doubled - tile)
        return result

    x = random_array(1, 16, 8)
    np.testing.assert_allclose(old_nki.simulate_kernel(old_nki.jit(kernel), x), x + 1, rtol=1e-6)


@pytest.mark.parametrize(
    ("filled", "product", "warnings_expected"), [(True, True, 0), (False, True, 0), (True, False, 0), (False, False, 1)]
)
def test_legacy_sums_in_psum_start_from_what_is_there(filled: bool, product: bool, warnings_expected: int) -> None:
    """A product that is added to nothing begins the sum ("df.sum_unwritten"); what else is added does not."""

    def kernel(x: Any) -> Any:
        result = old_nl.ndarray((8, 8), dtype=old_nl.float32, buffer=old_nl.shared_hbm)
        make = old_nl.zeros if filled else old_nl.ndarray
        total = make((8, 8), dtype=old_nl.float32, buffer=old_nl.psum)
        tile = old_nl.load(x)
        for _ in old_nl.affine_range(2):
            part = old_nisa.nc_matmul(tile, tile)
            total += part if product else old_nl.copy(part)
        old_nl.store(result, value=old_nl.copy(total))
        return result

    x = random_array(1, 4, 8)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        got = old_nki.simulate_kernel(old_nki.jit(kernel), x)
    assert len(found) == warnings_expected
    if not warnings_expected:
        np.testing.assert_allclose(got, 2 * x.T @ x, rtol=1e-5, atol=1e-6)


def test_cores_wait_for_each_other() -> None:
    def kernel(x: Any) -> Any:
        shared = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        core = nl.program_id(0)
        nisa.dma_copy(dst=shared[core : core + 1, :], src=x[core : core + 1, :])
        nisa.core_barrier(shared, (0, 1))
        nisa.dma_copy(dst=result[core : core + 1, :], src=shared[1 - core : 2 - core, :])
        return result

    x = random_array(1, 2, 4)
    np.testing.assert_array_equal(simulate(nki.jit(kernel)[2], x), x[::-1])


def test_functions_beyond_their_range_go_on_and_are_said_to() -> None:
    """As in the vendor's simulator, which models the range of the sine alone ("sim.sin")."""
    x = np.array([[0.0, 4.0, 1e20]], np.float32)
    for op, expected in ((nl.sqrt, np.sqrt(x)), (nl.log, np.array([[-np.inf, np.log(4.0), np.nan]]))):
        with pytest.warns(UndefinedResultWarning, match="outside its documented range"):
            got = on_tiles(lambda dst, a, op=op: nisa.activation(dst, op, a), [x], x.shape, "float32")
        np.testing.assert_allclose(got[:, :2], expected[:, :2], rtol=1e-6)


def test_rows_that_a_gather_skips_stay_as_they_are() -> None:
    def kernel(x: Any, index: Any) -> Any:
        result = nl.ndarray((4, 2), dtype=x.dtype, buffer=nl.shared_hbm)
        rows, tile = nl.load(index), nl.ndarray((4, 2), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(tile[0:3, :], -1.0)
        gathered = x.ap(pattern=[[2, 4], [1, 2]], vector_offset=rows, indirect_dim=0)
        nisa.dma_copy(tile, gathered, oob_mode=nisa.oob_mode.skip)
        nl.store(result, tile)
        return result

    x, index = random_array(1, 3, 2), np.array([[2], [3], [0], [9]], np.int32)
    with pytest.warns(UndefinedResultWarning, match="reads element"):
        got = simulate(kernel, x, index)
    np.testing.assert_array_equal(got[:3], [x[2], [-1, -1], x[0]])
    assert np.isnan(got[3]).all()


def test_programs_that_simulate_run_with_the_stubs_on_their_path() -> None:
    path = subprocess.run([sys.executable, "-m", "nkiverify.cli.stub_path"], capture_output=True, text=True, check=True)
    program = (
        "import nki, numpy as np, nki.language as nl\n"
        "@nki.jit\n"
        "def double(x):\n"
        "    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
        "    tile = nl.load(x)\n"
        "    nl.store(out, nl.add(tile, tile))\n"
        "    return out\n"
        "print(double(np.ones((1, 2), np.float32)))\n"
    )
    environment = {**os.environ, "PYTHONPATH": path.stdout.strip()}
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)
    assert ran.stdout == "[[2. 2.]]\n", ran.stderr


def test_arguments_a_kernel_writes_are_updated_in_place() -> None:
    def kernel(x: Any, out: Any) -> None:
        nisa.dma_copy(dst=out[0:2, :], src=x[2:4, :])

    x, out = random_array(1, 4, 4), np.zeros((4, 4), np.float32)
    simulate(kernel, x, out)
    np.testing.assert_array_equal(out, np.concatenate([x[2:4], np.zeros((2, 4), np.float32)]))


def test_what_has_no_values_is_refused_by_name() -> None:
    with pytest.raises(NotImplementedError, match="prelu: its slope is not documented"):
        on_tiles(lambda dst, a: nisa.activation(dst, nl.prelu, a), [random_array(1, 4, 4)], (4, 4), "float32")


def test_limits_are_those_of_the_hardware_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = random_array(1, 4, 4, dtype=np.float16), random_array(2, 4, 4, dtype=np.float16)

    def body(dst: Any, a: Any, b: Any) -> None:
        nisa.tensor_tensor(dst, a, b, nl.abs_max)

    on(monkeypatch, "trn3")
    np.testing.assert_array_equal(on_tiles(body, [x, y], (4, 4), "float16"), np.maximum(abs(x), abs(y)))
    on(monkeypatch, "trn2")
    with pytest.raises(ContractViolation, match=r"isa\.operator_gen"):
        on_tiles(body, [x, y], (4, 4), "float16")
