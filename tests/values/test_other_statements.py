"""Operations that one call does not show (registers, loops, packed results, several cores), each against a statement in
NumPy; of random numbers, how they are distributed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import ml_dtypes
import numpy as np
import pytest

from nkiverify.analysis.values.number_formats import Array
from tests.values.library import nisa, nki, nl, old_nisa, old_nki, old_nl, on

TestT = TypeVar("TestT", bound=Callable[..., None])
#: The operations whose statements are here.
STATED: set[str] = set()


def states(*names: str) -> Callable[[TestT], TestT]:
    """The decorated test has the statements of these operations."""
    STATED.update(names)
    return lambda test: test


FLOATS = [np.float32, ml_dtypes.bfloat16, np.float16, ml_dtypes.float8_e4m3, ml_dtypes.float8_e5m2]


def random(*shape: int, dtype: Any = np.float32, seed: int = 0) -> Array:
    return np.random.default_rng(seed).uniform(0.25, 1.5, shape).astype(dtype)


def out(tile: Any, language: Any = nl) -> Any:
    """A result with the elements of a tile."""
    result = language.ndarray(tile.shape, dtype=tile.dtype, buffer=language.shared_hbm)
    language.store(result, tile)
    return result


def legacy(kernel: Any, *arrays: Any) -> Any:
    return old_nki.simulate_kernel(old_nki.jit(kernel), *arrays)


@states("nl.expand_dims", "nl.shared_constant")
@pytest.mark.parametrize("dtype", FLOATS)
def test_expand_dims_and_constants(dtype: Any) -> None:
    x, constant = random(4, 6, dtype=dtype), random(4, 6, dtype=np.float32, seed=1)

    def kernel(a: Any) -> Any:
        return out(nl.expand_dims(nl.load(a), 2)), out(nl.load(nl.shared_constant(constant)))

    expanded, same = nki.simulate(nki.jit(kernel))(x)
    assert np.array_equal(expanded, np.expand_dims(x, 2))
    assert np.array_equal(same, constant)


@states("nl.empty_like", "nl.ndarray", "setitem")
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("like", ["empty_like", "ndarray"])
def test_new_tensors_have_the_shape_and_the_dtype_and_what_is_written(dtype: Any, like: str) -> None:
    x = random(4, 6, dtype=dtype)

    def kernel(a: Any) -> Any:
        tile = nl.load(a)
        new = nl.empty_like(tile) if like == "empty_like" else nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(new, tile)
        return out(new)

    found = nki.simulate(nki.jit(kernel))(x)
    assert found.dtype == x.dtype
    assert np.array_equal(found, x)


@states("nisa.register_alloc", "nisa.register_load", "nisa.register_store", "nisa.register_move")
def test_registers_hold_integers() -> None:
    def kernel(a: Any) -> Any:
        tile, one, two = nl.load(a), nisa.register_alloc(), nisa.register_alloc(3)
        nisa.register_load(one, tile[0:1, 1:2])
        nisa.register_store(tile[0:1, 0:1], two)
        nisa.register_move(two, one)
        nisa.register_store(tile[0:1, 2:3], two)
        return out(tile)

    x = np.array([[7, -5, 9]], np.int32)
    assert np.array_equal(nki.simulate(nki.jit(kernel))(x), [[3, -5, -5]])


@states("nisa.tensor_copy_dynamic_src", "nisa.tensor_copy_dynamic_dst")
@pytest.mark.parametrize("dtype", FLOATS)
def test_copies_from_and_to_a_place_known_at_run_time(dtype: Any) -> None:
    x, place = random(8, 32, dtype=dtype), np.array([[5]], np.int32)

    def kernel(a: Any, places: Any) -> Any:
        tile, at = old_nl.load(a), old_nl.load(places)
        taken = old_nl.ndarray((8, 1), dtype=tile.dtype)
        taken[:, 0] = old_nisa.tensor_copy_dynamic_src(tile[:, at[0, 0]])
        old_nisa.tensor_copy_dynamic_dst(dst=tile[:, at[0, 0]], src=tile[:, 0])
        return out(taken, old_nl), out(tile, old_nl)

    taken, changed = legacy(kernel, x, place)
    expected = x.copy()
    expected[:, 5] = x[:, 0]
    assert np.array_equal(taken, x[:, 5:6])
    assert np.array_equal(changed, expected)


@states("nl.atomic_rmw")
def test_atomic_sums() -> None:
    table, values, rows = random(32, 8), random(16, 8, seed=1), np.random.default_rng(2).permutation(32)[:16]

    def kernel(a: Any, index: Any, more: Any) -> Any:
        result = old_nl.ndarray(a.shape, dtype=a.dtype, buffer=old_nl.shared_hbm)
        old_nl.store(result, old_nl.load(a))
        i_p, i_f, at = old_nl.arange(16)[:, None], old_nl.arange(8)[None, :], old_nl.load(index)
        old_nl.atomic_rmw(result[at[i_p, 0], i_f], value=old_nl.load(more), op=np.add)
        return result

    expected = table.copy()
    np.add.at(expected, rows, values)
    assert np.allclose(legacy(kernel, table, rows.astype(np.int32)[:, None], values), expected, rtol=1e-6)


@states("nl.loop_reduce")
@pytest.mark.parametrize(
    ("op", "reference"), [(np.add, np.add), (np.max, np.maximum), (np.min, np.minimum), (np.multiply, np.multiply)]
)
@pytest.mark.parametrize("start", [None, -0.75])
def test_reductions_over_loops(op: Any, reference: Any, start: float | None) -> None:
    """From what the destination holds; where nothing is written there, from the first tile."""
    x = random(3, 8, 16) - 2

    def kernel(a: Any) -> Any:
        total = old_nl.ndarray((8, 16), dtype=old_nl.float32)
        if start is not None:
            total[...] = old_nl.full((8, 16), start, dtype=old_nl.float32)
        for i in old_nl.affine_range(3):
            total[...] = old_nl.loop_reduce(old_nl.load(a[i]), op=op, loop_indices=[i])
        return out(total, old_nl)

    expected = reference.reduce(x, axis=0)
    expected = expected if start is None else reference(expected, np.float32(start))
    assert np.allclose(legacy(kernel, x), expected, rtol=1e-6)


def quantized(x: Array, dtype: Any, exponent: int) -> tuple[Array, Array]:
    """The scales (P / 8, F), as exponents with a bias of 127, and what is left of 8 partitions by 4 elements each."""
    groups = x.astype(np.float64).reshape(len(x) // 8, 8, -1, 4)
    scales = np.floor(np.log2(np.abs(groups).max(axis=(1, 3)))) - (exponent - 1)
    rest = groups / np.exp2(scales)[:, None, :, None]
    return (scales + 127).astype(np.uint8), rest.reshape(x.shape).astype(np.float32).astype(dtype)


@states("nisa.quantize_mx", "nisa.nc_matmul_mx")
@pytest.mark.parametrize(("packed", "dtype", "exponent"), [
    ("float8_e4m3fn", ml_dtypes.float8_e4m3fn, 8), ("float8_e5m2", ml_dtypes.float8_e5m2, 15),
])  # fmt: skip
@pytest.mark.parametrize("kind", [ml_dtypes.bfloat16, np.float16])
def test_microscaling(packed: str, dtype: Any, exponent: int, kind: Any) -> None:
    x, y = random(32, 64, dtype=kind), random(32, 128, dtype=kind, seed=1)

    def kernel(a: Any, b: Any) -> Any:
        parts = []
        for one in (a, b):
            tile, width = nl.load(one), one.shape[1] // 4
            data = nl.ndarray((32, width), dtype=getattr(nl, f"{packed}_x4"), buffer=nl.sbuf)
            scale = nl.ndarray((4, width), dtype=nl.uint8, buffer=nl.sbuf)
            nisa.quantize_mx(dst=data, src=tile, dst_scale=scale)
            parts.append((data, scale))
        (stationary, first), (moving, second) = parts
        product = nl.ndarray((16, 32), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul_mx(product, stationary, moving, first, second)
        return out(first), out(stationary.view(getattr(nl, packed))), out(nl.copy(product))

    scale, data, product = nki.simulate(nki.jit(kernel))(x, y)
    (left_scale, left), (right_scale, right) = quantized(x, dtype, exponent), quantized(y, dtype, exponent)
    assert np.array_equal(scale, left_scale)
    assert np.array_equal(data.astype(np.float32), left.astype(np.float32))
    factors = [
        (part.astype(np.float64).reshape(4, 8, -1, 4) * np.exp2(scales.astype(int) - 127)[:, None, :, None])
        for part, scales in ((left, left_scale), (right, right_scale))
    ]
    assert np.allclose(product, np.einsum("gkmi,gkni->mn", *factors), rtol=1e-6)


def spread(found: Array, low: float, high: float) -> None:
    """Assert that numbers are between two bounds, are not equal, and have the moments of a uniform distribution."""
    values = found.astype(np.float64).ravel()
    assert low <= values.min() and values.max() < high
    assert len(np.unique(values)) > 16
    assert abs(values.mean() - (low + high) / 2) < 0.03 * (high - low)
    assert abs(values.std() - (high - low) / 12**0.5) < 0.03 * (high - low)


@states("nl.rand")
@pytest.mark.parametrize("dtype", FLOATS[:3])
def test_random_numbers_from_0_to_1(dtype: Any) -> None:
    def kernel() -> Any:
        return out(nl.rand((64, 64), dtype))

    spread(nki.simulate(nki.jit(kernel))(), 0, 1)


@states("nisa.rand2")
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.float16])
def test_random_numbers_between_bounds(dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, "trn3")

    def kernel(a: Any) -> Any:
        tile = nl.ndarray((64, 64), dtype=dtype, buffer=nl.sbuf)
        nisa.rand2(tile, nl.load(a), 5.0)
        return out(tile)

    spread(nki.simulate(nki.jit(kernel))(np.full((64, 1), -3, np.float32)), -3, 5.01)


@states("nisa.rng")
@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32])
def test_random_bits(dtype: Any) -> None:
    def kernel() -> Any:
        tile = nl.ndarray((64, 64), dtype=dtype, buffer=nl.sbuf)
        nisa.rng(tile)
        return out(tile)

    found = nki.simulate(nki.jit(kernel))()
    assert found.dtype == dtype
    bits = np.unpackbits(found.view(np.uint8)).reshape(-1, 8 * found.itemsize)
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.05


@states("nl.dropout", "nisa.dropout")
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("rate", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("name", ["nl", "nisa", "legacy"])
def test_dropout(dtype: Any, rate: float, name: str) -> None:
    """Each element, not scaled, or 0 at the rate."""
    x = random(64, 64, dtype=dtype)

    def kernel(a: Any) -> Any:
        tile = nl.load(a)
        if name == "nl":
            return out(nl.dropout(tile, rate))
        result = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.sbuf)
        nisa.dropout(result, tile, rate)
        return out(result)

    def old(a: Any) -> Any:
        return out(old_nl.dropout(old_nl.load(a), rate), old_nl)

    found = legacy(old, x) if name == "legacy" else nki.simulate(nki.jit(kernel))(x)
    gone = np.asarray(found != x)
    assert (found[gone] == 0).all()
    assert abs(gone.mean() - rate) < 0.03


@states("nl.random_seed", "nisa.set_rng_seed", "nisa.rand_set_state", "nisa.rand_get_state")
@pytest.mark.parametrize("seeding", ["seed", "rng", "state"])
def test_the_same_seed_gives_the_same_numbers(seeding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, "trn3")

    def kernel(seeds: Any) -> Any:
        results = []
        for row in range(3):
            one = seeds[32 * row : 32 * row + 1, 0:1]
            if seeding == "seed":
                nl.random_seed(nl.load(one))
            elif seeding == "rng":
                nisa.set_rng_seed(nl.load(one))
            else:
                nisa.rand_set_state(nl.load(seeds[32 * row : 32 * row + 32, 0:6]))
            results.append(out(nl.rand((32, 32), nl.float32)))
        state = nl.ndarray((32, 6), dtype=nl.uint32, buffer=nl.sbuf)
        nisa.rand_get_state(state)
        for _ in range(2):
            results.append(out(nl.rand((32, 32), nl.float32)))
            nisa.rand_set_state(state)
        return tuple(results)

    numbers = np.repeat(np.array([[3], [4], [3]], np.uint32), 32, axis=0)
    first, other, again, went_on, from_state = nki.simulate(nki.jit(kernel))(np.tile(numbers, (1, 6)))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert np.array_equal(went_on, from_state)


@states("nisa.sendrecv")
@pytest.mark.parametrize("dtype", [*FLOATS, np.int32, np.uint8])
def test_two_cores_send_tiles(dtype: Any) -> None:
    x = random(2, 16, 8, dtype=np.float32).astype(dtype)

    def kernel(a: Any) -> Any:
        result = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        core = nl.program_id(0)
        mine = nl.load(a[core])
        other = nl.ndarray(mine.shape, dtype=mine.dtype, buffer=nl.sbuf)
        nisa.sendrecv(src=mine, dst=other, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)
        nisa.dma_copy(dst=result[core], src=other)
        return result

    assert np.array_equal(nki.jit(kernel)[2](x), np.roll(x, 1, axis=0))


@pytest.mark.parametrize("masked", ["subscript", "argument"])
def test_a_product_of_the_rows_of_an_image_that_a_mask_leaves(masked: str) -> None:
    """7 rows in blocks of 4: of the last block three are multiplied, the last one is outside of the image."""

    def kernel(w: Any, x: Any) -> Any:
        (k, m), (_, height, width) = w.shape, x.shape
        out = old_nl.ndarray((m, height, width), dtype=old_nl.float32, buffer=old_nl.shared_hbm)
        left, right = old_nl.load(w), old_nl.load(x)
        c, r, i = old_nl.mgrid[0:k, 0:4, 0:width]
        p, q, j = old_nl.mgrid[0:m, 0:4, 0:width]
        for block in old_nl.affine_range(2):
            total = old_nl.zeros((old_nl.par_dim(m), 4, width), dtype=old_nl.float32, buffer=old_nl.psum)
            if masked == "subscript":
                total[p, q, j] += old_nisa.nc_matmul(left, right[c, block * 4 + r, i][block * 4 + r < height])
            else:
                total[p, q, j] += old_nisa.nc_matmul(left, right[c, block * 4 + r, i], mask=block * 4 + r < height)
            old_nl.store(out[p, block * 4 + q, j], old_nl.copy(total[p, q, j]), mask=block * 4 + q < height)
        return out

    w, x = random(8, 5), random(8, 7, 6, seed=1)
    assert np.allclose(legacy(kernel, w, x), np.einsum("km,khw->mhw", w, x), atol=1e-5)
