"""Microscaled (MX) formats, gen4."""

from __future__ import annotations

from functools import partial

from nkiverify.model import contracts

define = partial(contracts.define, api=("nki",))

define("matmul_mx.gen4", "nc_matmul_mx needs gen4 or later.", "nc_matmul_mx")
define("matmul_mx.buffers", "Inputs and scales are in SBUF, dst is in PSUM.", "nc_matmul_mx")
define(
    "matmul_mx.ti_pairs", "An operand and its scales are moved by the same indices, or neither is.", "nc_matmul_mx:TI"
)
define(
    "matmul_mx.dtypes",
    "Data is a packed (x4) dtype, scales are float8_e8m0fnu or uint8, dst is float32 or bfloat16.",
    "nc_matmul_mx; A4",
)
define("matmul_mx.k", "Both inputs have the same partitions, a multiple of 32 and at most 128.", "nc_matmul_mx")
define("matmul_mx.m_even", "Stationary has an even number of columns, at most 128.", "nc_matmul_mx")
define("matmul_mx.n", "Moving has at most 4096 columns (float32 dst) or 8192 (bfloat16 dst).", "nc_matmul_mx")
define("matmul_mx.out", "dst has M partitions and N elements per partition.", "nc_matmul_mx")
define(
    "matmul_mx.scale_shape",
    "A scale tile holds one scale per 8 partitions and packed column, in the first 4 rows of each quadrant.",
    "MX Scale Tensor; quantize_mx",
)
define(
    "matmul_mx.row_tiling",
    "Tiling splits rows only: tile_size (32, 64 or 128, 128), tile_position (a multiple of the rows, 0).",
    "nc_matmul_mx:Tiling Mode",
)
define("quantize_mx.gen4", "quantize_mx needs gen4 or later.", "quantize_mx")
define("quantize_mx.sbuf", "All operands are in SBUF.", "quantize_mx")
define(
    "quantize_mx.dtypes",
    "src is float16 or bfloat16, dst float8_e5m2_x4 or float8_e4m3fn_x4, dst_scale float8_e8m0fnu or uint8.",
    "quantize_mx; MX",
)
define(
    "quantize_mx.shape",
    "src (P, F) has P a multiple of 32 of at most 128 and F a multiple of 4; dst is (P, F / 4).",
    "quantize_mx",
)
