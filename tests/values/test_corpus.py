"""Every good kernel of the corpus computes what its definition says; controls that compute another value do not."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation import resources
from nkiverify.foundation.errors import ContractViolation
from nkiverify.frontend.loader import load_kernel
from nkiverify.products.simulate.simulator import UndefinedResultWarning
from tests.values import definitions
from tests.values.library import close, corpus, on, random_array, simulate

#: The unit roundoff of each dtype.
ROUNDOFF = {np.float32: 2.0**-24, np.float16: 2.0**-11, ml_dtypes.bfloat16: 2.0**-8}
FLOATS = (np.float32, np.float16, ml_dtypes.bfloat16)
MATMULS = [
    ("matmul_tiled::matmul_tiled", {}),
    ("matmul_hoist_load::matmul_hoist_load", {}),
    ("matmul_block_free::matmul_block_free", {}),
    (
        "matmul_fully_optimized::matmul_fully_optimized",
        {"TILES_IN_BLOCK_M": 2, "TILES_IN_BLOCK_N": 2, "TILES_IN_BLOCK_K": 1},
    ),
    ("matmul_contributed::matmul", {"TILES_IN_BLOCK_M": 1, "TILES_IN_BLOCK_N": 1, "TILES_IN_BLOCK_K": 1}),
]


def accumulated(got: Array, left: Array, right: Array, dtype: Any, inner: int = 1) -> None:
    """Assert a product of `left` and `right`: each of K terms rounded in float32, then `inner` times in the dtype."""
    magnitudes = np.abs(left.astype(np.float64)).T @ np.abs(right.astype(np.float64))
    limit = (left.shape[0] * 2.0**-24 + (1 + inner) * ROUNDOFF[dtype]) * magnitudes
    assert (np.abs(got.astype(np.float64) - definitions.matmul(left, right)) <= limit).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("reference", "options"), MATMULS)
@pytest.mark.parametrize("shape", [(128, 256, 1024), (384, 256, 1024)])
def test_matmuls(reference: str, options: dict[str, int], shape: tuple[int, int, int], dtype: Any) -> None:
    k, m, n = shape
    left, right = random_array(1, k, m, dtype=dtype), random_array(2, k, n, dtype=dtype)
    got = simulate(corpus(reference), left, right, **options)
    assert got.dtype == dtype
    # Sums that are kept in the dtype of the operands are rounded once for each block of K.
    accumulated(got, left, right, dtype, inner=k // 128)


def test_matmul_basic() -> None:
    left, right = random_array(1, 128, 64, dtype=np.float16), random_array(2, 128, 512, dtype=np.float16)
    accumulated(simulate(corpus("matmul_basic::matmul_basic"), left, right), left, right, np.float16)


@pytest.mark.parametrize("grid", [None, (2, 2)])
def test_tensor_add(grid: tuple[int, int] | None) -> None:
    a, b = random_array(1, 256, 1024, dtype=np.float16), random_array(2, 256, 1024, dtype=np.float16)
    kernel = corpus("tensor_add::tensor_add") if grid is None else corpus("tensor_add_spmd::add_tile")[grid]
    expected = (a.astype(np.float32) + b.astype(np.float32)).astype(np.float16)
    np.testing.assert_array_equal(simulate(kernel, a, b), expected)


@pytest.mark.parametrize("shape2d", [(3, 4), (1, 12), (5, 2)])
def test_transpose2d(shape2d: tuple[int, int]) -> None:
    x = random_array(1, 5, shape2d[0] * shape2d[1], dtype=np.int8)
    got = simulate(corpus("transpose2d::transpose2d"), x, shape2d)
    np.testing.assert_array_equal(got, definitions.transposed_blocks(x, shape2d))


@pytest.mark.parametrize(("height", "size"), [(128, 1), (129, 3), (200, 2)])
def test_maxpooling_masks_what_it_does_not_load(height: int, size: int) -> None:
    x = random_array(1, height, 40)
    with warnings.catch_warnings():
        # Rows that are reduced without being loaded do not reach the output.
        warnings.simplefilter("error")
        got = simulate(corpus("maxpooling::maxpooling"), x, size)
    np.testing.assert_array_equal(got, definitions.max_pool(x, size))


@pytest.mark.parametrize("reference", ["avgpool::avgpool", "avgpool_legacy::avgpool_legacy"])
@pytest.mark.parametrize(("shape", "size"), [((2, 6, 6), 2), ((3, 7, 9), 2), ((128, 9, 6), 3)])
def test_avgpool(reference: str, shape: tuple[int, int, int], size: int) -> None:
    x = random_array(1, *shape, dtype=np.float16)
    close(simulate(corpus(reference), x, size), definitions.avg_pool(x, size), 2, 2.0**-11)


@pytest.mark.parametrize(
    ("name", "shape", "chunk"),
    [
        ("bilinear", (8, 20, 20), 10),
        ("bilinear", (130, 7, 3), 4),
        ("trilinear", (8, 6, 6, 6), 4),
        ("trilinear", (3, 7, 2, 5), 3),
    ],
)
def test_interpolation(name: str, shape: tuple[int, ...], chunk: int) -> None:
    x = random_array(1, *shape)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = simulate(corpus(f"interpolation::interpolate_{name}"), x, chunk)
    close(got, definitions.upsampled(x), 27, 2.0**-24)


def mamba_inputs(batch: int, channels: int, seq: int, states: int) -> list[Array]:
    shapes = [(batch, channels, seq)] * 2 + [(channels, states)] + [(batch, states, seq)] * 2
    return [random_array(position, *shape) for position, shape in enumerate(shapes)]


@pytest.mark.parametrize(("name", "options"), [("mamba_v1", {}), ("mamba_v2", {}), ("mamba_v3", {"seq_tile": 8})])
@pytest.mark.parametrize("sizes", [(1, 128, 16, 2), (2, 256, 24, 3)])
def test_mamba(name: str, options: dict[str, int], sizes: tuple[int, int, int, int]) -> None:
    inputs = mamba_inputs(*sizes)
    got = simulate(corpus(f"mamba::{name}"), *inputs, **options)
    close(got, definitions.selective_scan(*inputs), 8 * sizes[2], 2.0**-24)


@pytest.mark.parametrize(
    ("name", "seq", "dtype"),
    [("v1", 128, np.float32), ("v2", 128, np.float32), ("v3", 512, np.float16), ("v3", 1024, np.float32)],
)
def test_attention(name: str, seq: int, dtype: Any) -> None:
    q, k, v = (random_array(position, 128, seq, dtype=dtype) for position in range(3))
    got = simulate(corpus(f"attention::attn_fwd_{name}"), q, k, v)
    # Scores are sums of 128 products, and their exponentials magnify the absolute error of a score.
    close(got, definitions.attention(q, k, v), 4 * 128, max(2.0**-24, ROUNDOFF[dtype] / 128))


def test_attention_of_fewer_keys_than_queries() -> None:
    q, k, v = random_array(1, 128, 64), random_array(2, 128, 32), random_array(3, 128, 32)
    got = simulate(corpus("attention::attn_fwd_v1_asym"), q, k, v)
    close(got, definitions.attention(q, k, v), 4 * 128, 2.0**-24)


def mx_operands(seed: int, columns: int) -> tuple[Array, Array, Array]:
    """Packed e5m2 elements (128, columns) as uint32, their values (128, columns, 4), and scales (16, columns)."""
    values = random_array(seed, 128, columns, 4).astype(ml_dtypes.float8_e5m2)
    scales = np.random.default_rng(seed).integers(120, 132, (16, columns), dtype=np.uint8)
    return values.view(np.uint32)[..., 0], values, scales


def test_mx_matmul_of_operands_quantised_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, "trn3")
    left, left_values, left_scales = mx_operands(1, 128)
    right, right_values, right_scales = mx_operands(2, 512)
    got = simulate(corpus("mx_matmul::mx_offline_matmul"), left, left_scales, right, right_scales, "float8_e5m2_x4")
    expected = definitions.mx_product(left_values, left_scales, right_values, right_scales)
    close(got, expected, 4, 2.0**-8)


@pytest.mark.parametrize("name", ["mx_copy_strided", "mx_packed_scale"])
@pytest.mark.parametrize("by_copy", [True, False])
@pytest.mark.parametrize(("dtype", "roundoff"), [("float8_e5m2_x4", 2.0**-3), ("float8_e4m3fn_x4", 2.0**-4)])
def test_mx_quantised_matmul(
    monkeypatch: pytest.MonkeyPatch, name: str, by_copy: bool, dtype: str, roundoff: float
) -> None:
    on(monkeypatch, "trn3")
    left, right = (random_array(seed, 512, size, dtype=ml_dtypes.bfloat16) for seed, size in ((1, 128), (2, 512)))
    got = simulate(corpus(f"mx_matmul::{name}"), left, right, dtype, by_copy).astype(np.float64)
    exact = definitions.matmul(left, right)
    magnitudes = np.abs(left.astype(np.float64)).T @ np.abs(right.astype(np.float64))
    assert (np.abs(got - exact) <= (2 * roundoff + roundoff**2 + 2.0**-8) * magnitudes + 1e-3).all()


@pytest.mark.parametrize(
    ("reference", "arguments", "rule"),
    [
        ("matmul_tiled::matmul_tiled_buggy", [(256, 256), (256, 1024)], "dma_copy.count"),
        ("matmul_hoist_load::matmul_hoist_load_historical", [(256, 256), (256, 1024)], "dma_copy.count"),
        ("tensor_add::tensor_add_buggy", [(256, 1024), (256, 1024)], "dma_copy.count"),
        ("attention::attn_fwd_v2_buggy", [(128, 128)] * 3, "nc_transpose.shape"),
    ],
)
def test_contracts_are_checked_on_the_way(reference: str, arguments: list[tuple[int, ...]], rule: str) -> None:
    inputs = [random_array(position, *shape) for position, shape in enumerate(arguments)]
    with pytest.raises(ContractViolation) as raised:
        simulate(corpus(reference), *inputs)
    assert raised.value.contract == rule
    assert raised.value.site is not None


def test_exchanged_operands_show_in_values_alone() -> None:
    q, k, v = (random_array(position, 128, 128) for position in range(3))
    got = simulate(corpus("attention::attn_fwd_v2_asym_swapped"), q, k, v)
    assert np.abs(got - definitions.attention(q, k, v)).max() > 0.1


def test_rows_that_a_wrong_tile_size_leaves_out() -> None:
    left, right = random_array(1, 512, 256), random_array(2, 512, 1024)
    options = {"TILES_IN_BLOCK_M": 2, "TILES_IN_BLOCK_N": 2, "TILES_IN_BLOCK_K": 2}
    good = simulate(corpus("matmul_fully_optimized::matmul_fully_optimized_tile_m"), left, right, 64, **options)
    accumulated(good, left, right, np.float32)
    # PR #89 is only visible where the tile sizes differ: there its stores leave their tensor.
    with pytest.raises(ContractViolation):
        simulate(corpus("matmul_fully_optimized::matmul_fully_optimized_pr89"), left, right, 64, **options)


@pytest.mark.parametrize(
    ("reference", "shapes", "undefined"),
    [
        # K = 64: not one product is written to PSUM, which is copied nevertheless.
        ("matmul_block_free::matmul_block_free_unguarded", [(64, 256), (64, 1024)], "tensor_copy"),
        # S = 640: columns 512 to 639 of the normalised scores were never written.
        ("attention::attn_fwd_v3_unguarded", [(128, 640)] * 3, "nothing has written"),
    ],
)
def test_undefined_elements_are_traced_to_their_read(
    reference: str, shapes: list[tuple[int, ...]], undefined: str
) -> None:
    inputs = [random_array(position, *shape) for position, shape in enumerate(shapes)]
    with pytest.warns(UndefinedResultWarning, match=undefined) as found:
        got = simulate(corpus(reference), *inputs)
    assert ".py:" in str(found[0].message)
    assert np.isnan(got).any()


def test_a_contraction_that_is_cut_short_is_wrong_but_defined() -> None:
    left, right = random_array(1, 192, 256), random_array(2, 192, 1024)
    got = simulate(corpus("matmul_block_free::matmul_block_free_unguarded"), left, right)
    accumulated(got, left[:128], right[:128], np.float32)
    assert np.abs(got - definitions.matmul(left, right)).max() > 1


def test_mx_matmul_of_an_operand_quantised_here(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, "trn3")
    packed, values, scales = mx_operands(1, 128)
    moving = random_array(2, 128, 2048, dtype=ml_dtypes.bfloat16)
    kernel = corpus("mx_matmul::mx_on_device_quantize_matmul")
    got = simulate(kernel, packed, scales, moving, "float8_e5m2_x4", "float8_e4m3fn_x4").astype(np.float64)
    left = definitions.dequantised(values, scales)
    right = moving.astype(np.float64).reshape(128, 512, 4)
    exact = np.einsum("pic,pjc->ij", left, right)
    magnitudes = np.einsum("pic,pjc->ij", np.abs(left), np.abs(right))
    assert (np.abs(got - exact) <= (2.0**-4 + 2.0**-8) * magnitudes + 1e-3).all()


@pytest.mark.parametrize("rows", [32, 128])
def test_mx_quantisation_comes_back_within_its_rounding(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    on(monkeypatch, "trn3")
    x = random_array(1, rows, 64, dtype=ml_dtypes.bfloat16)
    data, scales = simulate(corpus("mx_matmul::mx_quantize"), x, "float8_e4m3fn_x4")
    values = data.view(np.uint8).view(ml_dtypes.float8_e4m3fn).reshape(rows, 16, 4)
    back = definitions.dequantised(values, scales).reshape(rows, 64)
    group = np.abs(x.astype(np.float64)).reshape(rows // 8, 8, 16, 4).max(axis=(1, 3))
    # Small elements of a group are subnormal in the format: their error is that of the greatest one's scale.
    limit = np.maximum(2.0**-4 * np.abs(x.astype(np.float64)), np.repeat(np.repeat(group, 8, 0), 4, 1) * 2.0**-14)
    assert (np.abs(back - x.astype(np.float64)) <= limit).all()


def short_flash_attention(tmp_path: Path) -> Any:
    """The pipelined kernel with sections of 2048 keys, its sums in PSUM starting from zeros.

    As published they start from what nothing has written, which no document says is zero.
    """
    text = (resources.root() / "kernels" / "pipelined_attention.py").read_text(encoding="utf-8")
    head = '        """The part of `pv` for exp tile a."""\n'
    changes = [
        ("\nSECTION = 8192", "\nSECTION = 2048"),
        ("EXP_TILES_PER_SECTION = 4", "EXP_TILES_PER_SECTION = 1"),
        (head, f"{head}        self.weighted_psum[g, a] = nisa.memset((128, self.d), 0.0, nl.float32)\n"),
    ]
    for before, after in changes:
        assert text.count(before) == 1
        text = text.replace(before, after)
    (tmp_path / "flash.py").write_text(text, encoding="utf-8")
    kernel: Any = load_kernel("flash.py::flash_fwd", tmp_path)[0]
    return kernel


@pytest.mark.campaign
def test_pipelined_attention_of_two_sections(tmp_path: Path) -> None:
    q, k = (random_array(seed, 1, 128, 4096, dtype=ml_dtypes.bfloat16) for seed in (1, 2))
    v = random_array(3, 1, 4096, 128, dtype=ml_dtypes.bfloat16)
    options = {"softmax_scale": 0.125, "use_causal_mask": False}
    got = simulate(short_flash_attention(tmp_path)[1], q, k, v, **options)
    expected = definitions.flash_attention(q, k, v, 0.125)
    # Exponentials, their transposes and both stores are rounded to bfloat16.
    assert np.abs(got.astype(np.float64) - expected).max() <= 4 * 2.0**-8 * np.abs(expected).max()
