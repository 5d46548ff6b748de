"""Operations that few kernels use, against independent NumPy statements of what their documentation says."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nkiverify.analysis.values.number_formats import Array, repacked, unpacked
from nkiverify.products.simulate.simulator import UndefinedResultWarning
from tests.values.library import nisa, nl, old_nisa, old_nki, old_nl, on, random_array, simulate
from tests.values.test_operations import SEEDS, SHAPES, on_tiles

FEW = settings(max_examples=12)


@FEW
@given(SHAPES, st.booleans(), SEEDS)
def test_scalar_tensor_tensor(shape: tuple[int, int], reverse: bool, seed: int) -> None:
    x, y, column = random_array(seed, *shape), random_array(seed + 1, *shape), random_array(seed + 2, shape[0], 1)
    got = on_tiles(
        lambda dst, a, b, c: nisa.scalar_tensor_tensor(dst, a, nl.subtract, c, nl.multiply, b, reverse),
        [x, y, column],
        shape,
        "float32",
    )
    np.testing.assert_array_equal(got, ((column - x) if reverse else (x - column)) * y)


@FEW
@given(SHAPES, st.sampled_from(["add", "maximum", "minimum"]), SEEDS)
def test_tensor_scalar_reduce(shape: tuple[int, int], op: str, seed: int) -> None:
    x = random_array(seed, *shape)

    def body(dst: Any, a: Any) -> None:
        scratch = nl.ndarray(shape, dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar_reduce(scratch, a, nl.multiply, 2.0, getattr(nl, op), dst)

    got = on_tiles(body, [x], (shape[0], 1), "float32")
    reducer: Any = {"add": np.sum, "maximum": np.max, "minimum": np.min}[op]
    np.testing.assert_allclose(got[:, 0], reducer(2 * x.astype(np.float64), axis=1), rtol=1e-4, atol=1e-5)


@FEW
@given(SHAPES, SEEDS)
def test_cumulative_sums(shape: tuple[int, int], seed: int) -> None:
    x = random_array(seed, *shape)
    got = on_tiles(
        lambda dst, a: nisa.tensor_scalar_cumulative(dst, a, nl.multiply, nl.add, 3.0), [x], shape, "float32"
    )
    np.testing.assert_allclose(got, np.cumsum(3 * x.astype(np.float64), axis=1), rtol=1e-4, atol=1e-4)


@FEW
@given(SHAPES, st.sampled_from(["add", "maximum", "average"]), SEEDS)
def test_reductions_over_partitions(shape: tuple[int, int], op: str, seed: int) -> None:
    x = random_array(seed, *shape)
    got = on_tiles(lambda dst, a: nisa.tensor_partition_reduce(dst, getattr(nl, op), a), [x], (1, shape[1]), "float32")
    reducer: Any = {"add": np.sum, "maximum": np.max, "average": np.mean}[op]
    np.testing.assert_allclose(got[0], reducer(x.astype(np.float64), axis=0), rtol=1e-4, atol=1e-5)


@FEW
@given(st.integers(1, 8), st.integers(1, 4), st.integers(1, 5), SEEDS)
def test_reductions_over_several_axes(partitions: int, middle: int, last: int, seed: int) -> None:
    x = random_array(seed, partitions, middle, last)
    both = on_tiles(lambda dst, a: nisa.tensor_reduce(dst, nl.maximum, a, (1, 2)), [x], (partitions, 1), "float32")
    np.testing.assert_array_equal(both[:, 0], x.max(axis=(1, 2)))
    inner = on_tiles(lambda dst, a: nisa.tensor_reduce(dst, nl.minimum, a, 2), [x], (partitions, middle), "float32")
    np.testing.assert_array_equal(inner, x.min(axis=2))


@FEW
@given(SHAPES, st.booleans(), SEEDS)
def test_predicated_copies_keep_the_rest(shape: tuple[int, int], reverse: bool, seed: int) -> None:
    x, y = random_array(seed, *shape), random_array(seed + 1, *shape)
    predicate = np.random.default_rng(seed).integers(0, 3, shape).astype(np.uint8)

    def body(dst: Any, a: Any, b: Any, p: Any) -> None:
        nisa.tensor_copy(dst, a)
        nisa.tensor_copy_predicated(dst, b, p, reverse)

    got = on_tiles(body, [x, y, predicate], shape, "float32")
    np.testing.assert_array_equal(got, np.where((predicate == 0) == reverse, y, x))


def test_what_a_predicate_does_not_choose_need_not_be_defined() -> None:
    x, predicate = random_array(1, 2, 4), np.array([[1, 1, 0, 1], [0, 1, 1, 1]], dtype=np.uint8)
    with pytest.warns(UndefinedResultWarning, match=r"result\[0, 2\] and 1 more"):
        got = on_tiles(lambda dst, a, p: nisa.tensor_copy_predicated(dst, a, p), [x, predicate], (2, 4), "float32")
    np.testing.assert_array_equal(np.isnan(got), predicate == 0)


@FEW
@given(SHAPES, SEEDS)
def test_selects_and_their_maximum(shape: tuple[int, int], seed: int) -> None:
    x = random_array(seed, *shape)
    predicate = np.random.default_rng(seed).integers(0, 2, shape).astype(np.uint8)

    def body(dst: Any, a: Any, p: Any) -> None:
        scratch = nl.ndarray(shape, dtype=nl.float32, buffer=nl.sbuf)
        nisa.select_reduce(scratch, p, a, -2.0, dst, nisa.reduce_cmd.reset_reduce, nl.maximum)

    got = on_tiles(body, [x, predicate], (shape[0], 1), "float32")
    np.testing.assert_array_equal(got[:, 0], np.where(predicate, x, np.float32(-2)).max(axis=1))


@FEW
@given(st.integers(1, 8), st.integers(1, 20), st.integers(-3, 25), st.integers(-3, 25))
def test_range_select(partitions: int, columns: int, low: int, high: int) -> None:
    x = random_array(1, partitions, columns)
    bounds = [np.full((partitions, 1), bound, dtype=np.float32) for bound in (low, high)]
    least = np.finfo(np.float32).min

    def body(dst: Any, a: Any, b0: Any, b1: Any) -> None:
        scratch = nl.ndarray((partitions, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.range_select(
            dst=dst, on_true_tile=a, comp_op0=nl.greater_equal, comp_op1=nl.less, bound0=b0, bound1=b1,
            reduce_cmd=nisa.reduce_cmd.reset_reduce, reduce_res=scratch, reduce_op=nl.maximum, range_start=2,
            on_false_value=float(least),
        )  # fmt: skip

    got = on_tiles(body, [x, *bounds], x.shape, "float32")
    position = np.arange(columns) + 2
    np.testing.assert_array_equal(got, np.where((position >= low) & (position < high), x, least))


@pytest.mark.parametrize(("shape", "axes"), [((4, 6), (1, 0)), ((2, 3, 5), (2, 1, 0)), ((2, 3, 4, 5), (3, 1, 2, 0))])
def test_transposes_by_dma(shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    x = random_array(1, *shape, dtype=np.float16)
    target = tuple(shape[axis] for axis in axes)

    def kernel(x: Any) -> Any:
        result = nl.ndarray(target, dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray(target, dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_transpose(dst=tile, src=x, axes=axes)
        nisa.dma_copy(dst=result, src=tile)
        return result

    np.testing.assert_array_equal(simulate(kernel, x), x.transpose(axes))


def test_sums_by_dma() -> None:
    parts = [random_array(seed, 4, 6) for seed in range(3)]
    got = on_tiles(lambda dst, *tiles: nisa.dma_compute(dst, list(tiles), nl.add), parts, (4, 6), "float32")
    np.testing.assert_allclose(got, sum(parts), rtol=1e-6)


@FEW
@given(st.integers(1, 2), st.integers(1, 3), st.sampled_from([1, 2, 4]), SEEDS)
def test_local_gathers_share_the_indices_of_16_partitions(groups: int, columns: int, size: int, seed: int) -> None:
    partitions = 16 * groups
    x = random_array(seed, partitions, 32)
    # An index says where the elements start: it need be no multiple of how many they are.
    index = np.random.default_rng(seed).integers(0, 33 - size, (partitions, columns)).astype(np.uint16)
    count = 16 * columns
    got = on_tiles(
        lambda dst, a, i: nisa.local_gather(dst, a, i, size, count), [x, index], (partitions, count * size), "float32"
    )
    for partition in range(partitions):
        block = index[partition // 16 * 16 : partition // 16 * 16 + 16]
        expected = [x[partition, int(block[n % 16, n // 16]) + part] for n in range(count) for part in range(size)]
        np.testing.assert_array_equal(got[partition], expected)


@FEW
@given(st.integers(8, 30), SEEDS)
def test_matches_are_replaced_from_the_last_value_down(columns: int, seed: int) -> None:
    x = np.random.default_rng(seed).integers(0, 6, (3, columns)).astype(np.float32)
    values = np.random.default_rng(seed + 1).integers(0, 8, (3, 8)).astype(np.float32)
    got = on_tiles(lambda dst, a, v: nisa.nc_match_replace8(dst, a, v, -1.0), [x, values], x.shape, "float32")
    expected = x.copy()
    for row in range(3):
        for value in values[row][::-1]:
            free = np.flatnonzero((x[row] == value) & (expected[row] != -1))
            if free.size:
                expected[row, free[0]] = -1
    np.testing.assert_array_equal(got, expected)


def test_bounds_of_segments() -> None:
    ids = np.array([[0, 1, 1, 2, 2, 2, 0, 3]], dtype=np.int32)
    got = on_tiles(lambda dst, a: nisa.sequence_bounds(dst, a), [ids], (1, 2, 8), "int32")
    np.testing.assert_array_equal(got[0], [[8, 1, 1, 3, 3, 3, 8, 7], [-1, 3, 3, 6, 6, 6, -1, 8]])


def test_positions_that_are_not_zero() -> None:
    x = np.zeros((17, 5), dtype=np.float32)
    x[0, [1, 3]] = 2.0
    x[16, 4] = -1.0

    def body(dst: Any, a: Any) -> None:
        nisa.memset(dst, 7)
        nisa.nonzero_with_count(dst, a, index_offset=10, padding_val=-1)

    got = on_tiles(body, [x], (17, 6), "int32")
    np.testing.assert_array_equal(got[0], [11, 13, -1, -1, -1, 2])
    np.testing.assert_array_equal(got[16], [14, -1, -1, -1, -1, 1])
    assert (got[1:16] == 7).all()


def test_activate2_and_exponential(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, "trn3")
    x, column = random_array(1, 4, 8), random_array(2, 4, 1)
    got = on_tiles(
        lambda dst, a, c: nisa.activate2(dst, nl.exp, a, 2.0, c, nl.multiply, nl.subtract),
        [x, column],
        x.shape,
        "float32",
    )
    np.testing.assert_allclose(got, np.exp(2 * x - column), rtol=1e-6)

    def body(dst: Any, a: Any, c: Any) -> None:
        scratch = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
        nisa.exponential(scratch, a, c, dst, nisa.reduce_cmd.reset_reduce)

    sums = on_tiles(body, [x, column], (4, 1), "float32")
    np.testing.assert_allclose(sums, np.exp(x - column).sum(axis=1, keepdims=True), rtol=1e-5)


def test_indirection_of_free_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, "trn3")
    x = random_array(1, 16, 40)
    index = np.random.default_rng(2).integers(0, 40, (16, 2)).astype(np.uint32)
    got = on_tiles(
        lambda dst, a, i: nisa.tensor_copy(dst, a.indirect(i), engine=nisa.engine.vector),
        [x, index],
        (16, 32),
        "float32",
    )
    order = [int(index[n % 16, n // 16]) for n in range(32)]
    np.testing.assert_array_equal(got, x[:, order])


@pytest.mark.parametrize("dtype", ["float8_e5m2_x4", "float8_e4m3fn_x4", "float4_e2m1fn_x4"])
def test_packed_elements_come_apart_and_together(dtype: str) -> None:
    from nkiverify.model.dtypes import DTYPES

    kind = {"float8_e5m2_x4": ml_dtypes.float8_e5m2, "float8_e4m3fn_x4": ml_dtypes.float8_e4m3fn}.get(
        dtype, ml_dtypes.float4_e2m1fn
    )
    values = random_array(1, 3, 5, 4).astype(kind).astype(np.float32)
    packed = repacked(values, DTYPES[dtype])
    assert packed.shape == (3, 5) and packed.itemsize == DTYPES[dtype].itemsize
    np.testing.assert_array_equal(unpacked(packed, DTYPES[dtype]), values)


@FEW
@given(SHAPES, SEEDS)
def test_statistics_of_the_language(shape: tuple[int, int], seed: int) -> None:
    x = random_array(seed, *shape)
    wide = x.astype(np.float64)
    for function, expected in (
        (nl.sum, wide.sum(axis=1)),
        (nl.max, wide.max(axis=1)),
        (nl.min, wide.min(axis=1)),
        (nl.mean, wide.mean(axis=1)),
        (nl.var, wide.var(axis=1)),
        (nl.prod, wide.prod(axis=1)),
    ):
        got = on_tiles(lambda dst, a, f=function: nisa.tensor_copy(dst, f(a, axis=1)), [x], (shape[0], 1), "float32")
        np.testing.assert_allclose(got[:, 0], expected, rtol=1e-4, atol=1e-5)


UNARY: dict[str, Any] = {
    "abs": np.abs, "square": np.square, "exp": np.exp, "sqrt": np.sqrt, "rsqrt": lambda t: 1 / np.sqrt(t),
    "reciprocal": lambda t: 1 / t, "log": np.log, "sin": np.sin, "cos": np.cos, "tan": np.tan, "arctan": np.arctan,
    "tanh": np.tanh, "sigmoid": lambda t: 1 / (1 + np.exp(-t)), "relu": lambda t: np.maximum(t, 0),
    "ceil": np.ceil, "floor": np.floor, "trunc": np.trunc, "negative": np.negative, "sign": np.sign,
    "softplus": lambda t: np.log1p(np.exp(t)),
}  # fmt: skip


@pytest.mark.parametrize("name", list(UNARY))
def test_functions_of_the_language(name: str) -> None:
    x = np.abs(random_array(1, 8, 16)) + np.float32(0.05)
    got = on_tiles(lambda dst, a: nisa.tensor_copy(dst, getattr(nl, name)(a)), [x], x.shape, "float32")
    np.testing.assert_allclose(got, UNARY[name](x.astype(np.float64)), rtol=1e-6, atol=1e-7)


def legacy(body: Any, *inputs: Array) -> Array:
    found: Array = old_nki.simulate_kernel(old_nki.jit(body), *inputs)
    return found


def test_legacy_patterns_and_selects() -> None:
    def kernel(x: Any) -> Any:
        result = old_nl.ndarray((8, 6), dtype=old_nl.float32, buffer=old_nl.shared_hbm)
        i_p, i_f = old_nl.arange(8)[:, None], old_nl.arange(6)[None, :]
        numbers = old_nisa.iota(10 * i_p + i_f, dtype=old_nl.int32)
        chosen = old_nisa.affine_select(pred=(i_f > i_p), on_true_tile=old_nl.load(x), on_false_value=0.0)
        old_nl.store(result, value=chosen + old_nl.copy(numbers, dtype=old_nl.float32))
        return result

    x = random_array(1, 8, 6)
    p, f = np.arange(8)[:, None], np.arange(6)[None, :]
    np.testing.assert_allclose(legacy(kernel, x), np.where(f > p, x, 0) + 10 * p + f, rtol=1e-6)


def test_legacy_tiles_broadcast_and_reduce() -> None:
    def kernel(x: Any, c: Any) -> Any:
        result = old_nl.ndarray((8, 1), dtype=old_nl.float32, buffer=old_nl.shared_hbm)
        tile, column = old_nl.load(x), old_nl.load(c)
        scaled = old_nl.multiply(tile, column) - old_nl.max(tile, axis=[1], keepdims=True)
        old_nl.store(result, value=old_nisa.tensor_reduce(np.add, scaled, axis=[1], keepdims=True))
        return result

    x, c = random_array(1, 8, 6), random_array(2, 8, 1)
    expected = (x * c - x.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(legacy(kernel, x, c), expected, rtol=1e-5, atol=1e-6)


def test_legacy_activations_and_scans() -> None:
    def kernel(x: Any, y: Any, c: Any) -> Any:
        result = old_nl.ndarray((8, 6), dtype=old_nl.float32, buffer=old_nl.shared_hbm)
        column = old_nl.load(c)
        powers = old_nisa.activation(np.exp, old_nl.load(x), scale=column)
        states = old_nisa.tensor_tensor_scan(powers, old_nl.load(y), 0.5, np.multiply, np.add)
        old_nl.store(result, value=states)
        return result

    x, y, c = random_array(1, 8, 6), random_array(2, 8, 6), random_array(3, 8, 1)
    state, expected = np.full(8, 0.5), np.empty((8, 6))
    for step in range(6):
        state = np.exp(x[:, step] * c[:, 0]) * state + y[:, step]
        expected[:, step] = state
    np.testing.assert_allclose(legacy(kernel, x, y, c), expected, rtol=1e-5)
