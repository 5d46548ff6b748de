"""Contracts of the Tensor Engine: last legal and first illegal use."""

from __future__ import annotations

from typing import Any

import pytest

from nkiverify.model.dtypes import (
    DType,
    bfloat16,
    float4_e2m1fn_x4,
    float8_e4m3,
    float8_e4m3fn,
    float8_e5m2,
    float8_e5m2_x4,
    float8_e8m0fnu,
    float16,
    float32,
    int8,
    uint8,
)
from nkiverify.model.tensor import Tensor
from tests.model.stub_library import Control, hbm, nisa, nl, old_nisa, old_nl, old_psum, old_sbuf, psum, sbuf

DOUBLE_ROW = nisa.matmul_perf_mode.double_row


def matmul(
    k: int = 64,
    m: int = 32,
    n: int = 16,
    *,
    dtype: DType = bfloat16,
    moving_dtype: DType | None = None,
    moving_k: int | None = None,
    out: tuple[int, ...] | None = None,
    out_dtype: DType = float32,
    **options: Any,
) -> None:
    """A product of a (k, m) and a (k, n) tile."""
    stationary = sbuf(k, m, dtype=dtype)
    moving = sbuf(k if moving_k is None else moving_k, n, dtype=dtype if moving_dtype is None else moving_dtype)
    nisa.nc_matmul(psum(*(out or (m, n)), dtype=out_dtype), stationary, moving, **options)


def double_row(pairs: int = 2, dtype: DType = float8_e4m3) -> None:
    """A product of two rows at a time."""
    stationary, moving = sbuf(128, pairs, 128, dtype=dtype), sbuf(128, pairs, 512, dtype=dtype)
    nisa.nc_matmul(psum(128, 512), stationary, moving, perf_mode=DOUBLE_ROW)


def mx(
    k: int = 128,
    m: int = 128,
    n: int = 512,
    *,
    dtype: DType = float8_e5m2_x4,
    scale_dtype: DType = uint8,
    scale_rows: int | None = None,
    out: tuple[int, int] | None = None,
    out_dtype: DType = float32,
    scale: Tensor | None = None,
    **options: Any,
) -> None:
    """A microscaled product of a (k, m) and a (k, n) tile of packed elements."""
    rows = k if scale_rows is None else scale_rows
    nisa.nc_matmul_mx(
        psum(*(out or (m, n)), dtype=out_dtype),
        sbuf(k, m, dtype=dtype),
        sbuf(k, n, dtype=dtype),
        sbuf(rows, m, dtype=scale_dtype) if scale is None else scale,
        sbuf(rows, n, dtype=scale_dtype),
        **options,
    )


def quantize(
    p: int = 32,
    f: int = 64,
    *,
    dtype: DType = bfloat16,
    out_dtype: DType = float8_e5m2_x4,
    out: int | None = None,
    scale_rows: int = 4,
    scale_dtype: DType = uint8,
) -> None:
    """Quantisation of a (p, f) tile."""
    columns = f // 4 if out is None else out
    nisa.quantize_mx(
        sbuf(p, columns, dtype=out_dtype), sbuf(p, f, dtype=dtype), sbuf(scale_rows, columns, dtype=scale_dtype)
    )


CONTROLS = [
    Control("nc_matmul.buffers", matmul, lambda: nisa.nc_matmul(sbuf(8, 8), sbuf(8, 8), sbuf(8, 8))),
    Control("nc_matmul.buffers", matmul, lambda: nisa.nc_matmul(psum(8, 8), psum(8, 8), sbuf(8, 8))),
    Control("nc_matmul.buffers", matmul, lambda: nisa.nc_matmul(psum(8, 8), sbuf(8, 8), hbm(8, 8))),
    Control("nc_matmul.k_equal", lambda: matmul(k=64, moving_k=64), lambda: matmul(k=64, moving_k=63)),
    Control("nc_matmul.k_le_128", lambda: matmul(k=128), lambda: matmul(k=129), also=("mem.partitions_128",)),
    Control(
        "nc_matmul.k_le_128",
        lambda: matmul(k=64, tile_position=(0, 0), tile_size=(64, 128)),
        lambda: matmul(k=65, tile_position=(0, 0), tile_size=(64, 128)),
    ),
    Control("nc_matmul.m_le_128", lambda: matmul(m=128), lambda: matmul(m=129), also=("mem.partitions_128",)),
    Control(
        "nc_matmul.m_le_128",
        lambda: matmul(m=64, tile_position=(0, 64), tile_size=(128, 64)),
        lambda: matmul(m=65, tile_position=(0, 64), tile_size=(128, 64)),
    ),
    Control("nc_matmul.n_le_512", lambda: matmul(n=512), lambda: matmul(n=513), hardware="trn1"),
    Control("nc_matmul.n_le_512", lambda: matmul(n=512), lambda: matmul(n=513), hardware="trn2"),
    Control("nc_matmul.n_gen4", lambda: matmul(n=4096), lambda: matmul(n=4097), hardware="trn3"),
    Control(
        "nc_matmul.n_gen4",
        lambda: matmul(n=8192, out_dtype=bfloat16),
        lambda: matmul(n=8193, out_dtype=bfloat16),
        hardware="trn3",
    ),
    Control("nc_matmul.out_shape", lambda: matmul(m=32, n=16, out=(32, 16)), lambda: matmul(m=32, n=16, out=(33, 16))),
    Control(
        "nc_matmul.out_shape", lambda: matmul(m=32, n=16, out=(32, 4, 4)), lambda: matmul(m=32, n=16, out=(32, 4, 5))
    ),
    Control(
        "nc_matmul.dst_dtype", lambda: matmul(out_dtype=float32), lambda: matmul(out_dtype=bfloat16), hardware="trn2"
    ),
    Control(
        "nc_matmul.dst_dtype", lambda: matmul(out_dtype=bfloat16), lambda: matmul(out_dtype=float16), hardware="trn3"
    ),
    Control(
        "nc_matmul.dst_dtype",
        lambda: matmul(out_dtype=bfloat16, is_transpose=True),
        lambda: matmul(out_dtype=bfloat16, is_transpose=True),
        hardware="trn1",
        legal_on="trn2",
    ),
    Control("nc_matmul.in_dtype", lambda: matmul(dtype=float8_e5m2), lambda: matmul(dtype=int8)),
    Control(
        "nc_matmul.in_dtype",
        lambda: matmul(dtype=float8_e4m3fn),
        lambda: matmul(dtype=float8_e4m3fn),
        hardware="trn2",
        legal_on="trn3",
    ),
    Control(
        "nc_matmul.fp32_pair",
        lambda: matmul(dtype=float16, moving_dtype=bfloat16),
        lambda: matmul(dtype=float32, moving_dtype=bfloat16),
    ),
    Control(
        "nc_matmul.e4m3_mix",
        lambda: matmul(dtype=float8_e4m3fn, moving_dtype=float8_e5m2),
        lambda: matmul(dtype=float8_e4m3fn, moving_dtype=float8_e4m3),
        hardware="trn3",
    ),
    Control("nc_matmul.double_row_gen", double_row, double_row, hardware="trn1", legal_on="trn2"),
    Control("nc_matmul.double_row_gen", double_row, lambda: double_row(dtype=bfloat16)),
    Control("nc_matmul.double_row_shape", double_row, lambda: double_row(pairs=1)),
    Control(
        "nc_matmul.tiling_both",
        lambda: matmul(tile_position=(0, 0), tile_size=(64, 64)),
        lambda: matmul(tile_size=(64, 64)),
    ),
    Control(
        "nc_matmul.tiling_sizes",
        lambda: matmul(k=32, tile_position=(0, 0), tile_size=(32, 128)),
        lambda: matmul(k=32, tile_position=(0, 0), tile_size=(32, 128)),
        hardware="trn1",
        legal_on="trn2",
    ),
    Control(
        "nc_matmul.tiling_sizes",
        lambda: matmul(tile_position=(0, 0), tile_size=(64, 128)),
        lambda: matmul(tile_position=(0, 0), tile_size=(96, 128)),
    ),
    Control(
        "nc_matmul.tiling_pos",
        lambda: matmul(tile_position=(64, 0), tile_size=(64, 128)),
        lambda: matmul(tile_position=(32, 0), tile_size=(64, 128)),
    ),
    Control(
        "nc_matmul.tiling_pos",
        lambda: matmul(tile_position=(64, 0), tile_size=(64, 128)),
        lambda: matmul(tile_position=(128, 0), tile_size=(64, 128)),
    ),
    Control(
        "nc_matmul.k_equal",
        lambda: old_nisa.nc_matmul(old_sbuf(8, 8), old_sbuf(8, 8)),
        lambda: old_nisa.nc_matmul(old_sbuf(8, 8), old_sbuf(9, 8)),
    ),
    Control(
        "nc_matmul.m_le_128",
        lambda: old_nisa.nc_matmul(old_sbuf(8, 128), old_sbuf(8, 8)),
        lambda: old_nisa.nc_matmul(old_sbuf(8, 129), old_sbuf(8, 8)),
    ),
    Control(
        "nc_matmul.n_le_512",
        lambda: old_nisa.nc_matmul(old_sbuf(8, 8), old_sbuf(8, 512)),
        lambda: old_nisa.nc_matmul(old_sbuf(8, 8), old_sbuf(8, 513)),
    ),
    Control(
        "nc_transpose.shape",
        lambda: nisa.nc_transpose(psum(16, 8), sbuf(8, 16)),
        lambda: nisa.nc_transpose(psum(8, 16), sbuf(8, 16)),
    ),
    Control(
        "nc_transpose.tensor",
        lambda: nisa.nc_transpose(psum(128, 8), sbuf(8, 128)),
        lambda: nisa.nc_transpose(psum(8, 129), sbuf(129, 8)),
        also=("mem.partitions_128",),
    ),
    Control(
        "nc_transpose.tensor",
        lambda: nisa.nc_transpose(psum(64, 8), sbuf(8, 64), nisa.engine.tensor),
        lambda: nisa.nc_transpose(sbuf(64, 8), sbuf(8, 64), nisa.engine.tensor),
    ),
    Control(
        "nc_transpose.vector",
        lambda: nisa.nc_transpose(sbuf(32, 8), sbuf(8, 32)),
        lambda: nisa.nc_transpose(sbuf(33, 8), sbuf(8, 33)),
    ),
    Control(
        "nc_transpose.vector",
        lambda: nisa.nc_transpose(sbuf(8, 32), psum(32, 8)),
        lambda: nisa.nc_transpose(sbuf(8, 33), psum(33, 8)),
    ),
    Control(
        "nc_transpose.vector",
        lambda: nisa.nc_transpose(psum(32, 8), sbuf(8, 32), nisa.engine.vector),
        lambda: nisa.nc_transpose(psum(33, 8), sbuf(8, 33), nisa.engine.vector),
    ),
    Control(
        "nc_transpose.same_dtype",
        lambda: nisa.nc_transpose(psum(8, 8, dtype=bfloat16), sbuf(8, 8, dtype=bfloat16)),
        lambda: nisa.nc_transpose(psum(8, 8), sbuf(8, 8, dtype=bfloat16)),
    ),
    Control(
        "nc_transpose.engine",
        lambda: nisa.nc_transpose(sbuf(8, 8), sbuf(8, 8), nisa.engine.vector),
        lambda: nisa.nc_transpose(sbuf(8, 8), sbuf(8, 8), nisa.engine.gpsimd),
    ),
    Control(
        "nc_transpose.tensor",
        lambda: old_nisa.nc_transpose(old_sbuf(8, 128)),
        lambda: old_nisa.nc_transpose(old_sbuf(8, 129)),
    ),
    Control(
        "nc_transpose.vector",
        lambda: old_nisa.nc_transpose(old_psum(8, 32)),
        lambda: old_nisa.nc_transpose(old_psum(8, 33)),
    ),
    Control(
        "nl.matmul.x",
        lambda: nl.matmul(sbuf(8, 128), sbuf(8, 4), True),
        lambda: nl.matmul(sbuf(8, 129), sbuf(8, 4), True),
        also=("nc_matmul.m_le_128",),
    ),
    Control(
        "nl.matmul.y",
        lambda: nl.matmul(sbuf(8, 4), sbuf(8, 512), True),
        lambda: nl.matmul(sbuf(8, 4), sbuf(8, 513), True),
        also=("nc_matmul.n_le_512",),
    ),
    Control(
        "nl.matmul.x",
        lambda: old_nl.matmul(old_sbuf(8, 128), old_sbuf(128, 4)),
        lambda: old_nl.matmul(old_sbuf(8, 129), old_sbuf(128, 4)),
        also=("leg.matmul.shape",),
    ),
    Control(
        "nl.matmul.y",
        lambda: old_nl.matmul(old_sbuf(8, 4), old_sbuf(8, 512), transpose_x=True),
        lambda: old_nl.matmul(old_sbuf(8, 4), old_sbuf(8, 513), transpose_x=True),
    ),
    Control(
        "nl.matmul.transpose_x",
        lambda: nl.matmul(sbuf(8, 8), sbuf(8, 8), True),
        lambda: nl.matmul(sbuf(8, 8), sbuf(8, 8)),
    ),
    Control(
        "nc_matmul.k_equal",
        lambda: nl.matmul(sbuf(8, 8), sbuf(8, 8), True),
        lambda: nl.matmul(sbuf(8, 8), sbuf(7, 8), True),
    ),
    Control(
        "leg.matmul.shape",
        lambda: old_nl.matmul(old_sbuf(8, 16), old_sbuf(16, 4)),
        lambda: old_nl.matmul(old_sbuf(8, 16), old_sbuf(8, 4)),
    ),
    Control(
        "leg.matmul.shape",
        lambda: old_nl.matmul(old_sbuf(8, 16), old_sbuf(8, 4), transpose_x=True),
        lambda: old_nl.matmul(old_sbuf(8, 16), old_sbuf(16, 4), transpose_x=True),
    ),
    Control("nl.transpose.2d", lambda: nl.transpose(sbuf(8, 128)), lambda: nl.transpose(sbuf(8, 129))),
    Control("nl.transpose.2d", lambda: nl.transpose(sbuf(8, 16)), lambda: nl.transpose(sbuf(8, 4, 4))),
    Control("leg.transpose", lambda: old_nl.transpose(old_sbuf(8, 128)), lambda: old_nl.transpose(old_sbuf(8, 129))),
    Control("matmul_mx.gen4", mx, mx, hardware="trn2", legal_on="trn3"),
    Control(
        "matmul_mx.buffers",
        mx,
        lambda: mx(k=32, m=2, n=2, scale=psum(4, 2, dtype=uint8), scale_rows=4),
        hardware="trn3",
    ),
    Control("matmul_mx.dtypes", lambda: mx(dtype=float4_e2m1fn_x4), lambda: mx(dtype=float8_e5m2), hardware="trn3"),
    Control("matmul_mx.dtypes", lambda: mx(scale_dtype=float8_e8m0fnu), lambda: mx(scale_dtype=int8), hardware="trn3"),
    Control("matmul_mx.dtypes", lambda: mx(out_dtype=bfloat16), lambda: mx(out_dtype=float16), hardware="trn3"),
    Control("matmul_mx.k", lambda: mx(k=96), lambda: mx(k=80), hardware="trn3"),
    Control("matmul_mx.m_even", lambda: mx(m=2), lambda: mx(m=3), hardware="trn3"),
    Control(
        "matmul_mx.n", lambda: mx(k=32, n=4096, scale_rows=4), lambda: mx(k=32, n=4097, scale_rows=4), hardware="trn3"
    ),
    Control("matmul_mx.out", lambda: mx(m=2, n=4, out=(2, 4)), lambda: mx(m=2, n=4, out=(2, 5)), hardware="trn3"),
    Control("matmul_mx.scale_shape", lambda: mx(k=32, scale_rows=4), lambda: mx(k=32, scale_rows=3), hardware="trn3"),
    Control(
        "matmul_mx.scale_shape", lambda: mx(k=128, scale_rows=100), lambda: mx(k=128, scale_rows=99), hardware="trn3"
    ),
    Control(
        "matmul_mx.scale_shape",
        lambda: mx(scale=sbuf(128, 128, dtype=uint8)),
        lambda: mx(scale=sbuf(128, 32, dtype=uint8)),
        hardware="trn3",
    ),
    Control(
        "matmul_mx.scale_rows",
        lambda: mx(k=32, scale_rows=32),
        lambda: mx(k=32, scale_rows=128),
        hardware="trn3",
    ),
    Control(
        "matmul_mx.row_tiling",
        lambda: mx(k=32, tile_position=(96, 0), tile_size=(32, 128)),
        lambda: mx(k=32, tile_position=(0, 32), tile_size=(32, 128)),
        hardware="trn3",
    ),
    Control("quantize_mx.gen4", quantize, quantize, hardware="trn2", legal_on="trn3"),
    Control(
        "quantize_mx.sbuf",
        quantize,
        lambda: nisa.quantize_mx(
            sbuf(32, 2, dtype=float8_e5m2_x4), psum(32, 8, dtype=bfloat16), sbuf(4, 2, dtype=uint8)
        ),
        hardware="trn3",
    ),
    Control("quantize_mx.dtypes", lambda: quantize(dtype=float16), lambda: quantize(dtype=float32), hardware="trn3"),
    Control("quantize_mx.dtypes", quantize, lambda: quantize(out_dtype=float4_e2m1fn_x4), hardware="trn3"),
    Control("quantize_mx.shape", lambda: quantize(f=64, out=16), lambda: quantize(f=64, out=32), hardware="trn3"),
    Control("quantize_mx.shape", lambda: quantize(f=64), lambda: quantize(f=66), hardware="trn3"),
    Control("quantize_mx.shape", lambda: quantize(p=32), lambda: quantize(p=48, scale_rows=20), hardware="trn3"),
    Control(
        "matmul_mx.scale_shape",
        lambda: quantize(p=64, scale_rows=36),
        lambda: quantize(p=64, scale_rows=8),
        hardware="trn3",
    ),
]


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_the_contract_is_broken_by_the_first_illegal_use_only(control: Control) -> None:
    control.check()
