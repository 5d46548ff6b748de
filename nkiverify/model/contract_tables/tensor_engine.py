"""The Tensor Engine: nc_matmul, nc_transpose and the nl functions over them.

`op:Section` is a section of that operation's docstring. A2/A3 architecture of gen2/gen3, RN-x.y release notes.
"""

from __future__ import annotations

from nkiverify.model.contracts import define

GEN23 = ("gen2", "gen3")

define("nc_matmul.buffers", "Stationary and moving are in SBUF, dst is in PSUM.", "nc_matmul:Memory types")
define(
    "nc_matmul.k_equal",
    "Stationary and moving have the same partitions (the contraction axis K).",
    "nc_matmul:Tile size",
)
define("nc_matmul.k_le_128", "K is at most 128, or the row tile size.", "nc_matmul:Tile size")
define("nc_matmul.m_le_128", "Stationary has at most 128 columns (M), or the column tile size.", "nc_matmul:Tile size")
define("nc_matmul.n_le_512", "Moving has at most 512 columns (N).", "nc_matmul:Tile size", hardware=GEN23)
define(
    "nc_matmul.n_gen4",
    "Moving has at most 4096 columns (float32 dst) or 8192 (bfloat16 dst).",
    "nc_matmul:Tile size",
    hardware=("gen4",),
)
define("nc_matmul.out_shape", "dst has M partitions and N elements per partition.", "nc_matmul:Layout")
define("nc_matmul.dst_dtype", "dst is float32; on gen4 float32 or bfloat16.", "nc_matmul:Data types")
define(
    "nc_matmul.in_dtype",
    "Inputs are float8_e4m3, float8_e5m2, bfloat16, float16, tfloat32 or float32; on gen4 also float8_e4m3fn.",
    "nc_matmul:Data types",
)
define("nc_matmul.fp32_pair", "If one input is float32 or tfloat32 the other is too.", "nc_matmul:Data types")
define(
    "nc_matmul.e4m3_mix", "float8_e4m3 and float8_e4m3fn are not mixed.", "nc_matmul:Data types; RN-0.4", api=("nki",)
)
define(
    "nc_matmul.double_row_gen",
    "perf_mode double_row needs gen3 or later and float8 inputs.",
    "nc_matmul:Performance mode",
    api=("nki",),
)
define(
    "nc_matmul.double_row_shape",
    "With double_row the first free extent of both inputs is 2; no column tiling, no transpose.",
    "nc_matmul:Layout; A3",
    api=("nki",),
)
define("nc_matmul.tiling_both", "tile_position and tile_size are both set or neither.", "nc_matmul:Tiling mode")
define(
    "nc_matmul.tiling_sizes", "Row and column tile sizes are 64 or 128, from gen3 on also 32.", "nc_matmul:Tiling mode"
)
define(
    "nc_matmul.tiling_pos",
    "Start row and column are multiples of the tile sizes and inside the 128 x 128 array.",
    "nc_matmul:Tiling mode",
)

define(
    "nc_matmul.ti",
    "Operands of a matmul that indices move hold floats of at most 16 bits, tile_position is unset or (0, 0), and a "
    "moved moving operand is not transposed.",
    "nc_matmul:Tensor indirection; Transpose mode",
    api=("nki",),
)

define("nc_transpose.shape", "dst of a (P, F) transpose is (F, P).", "nc_transpose:Layout")
define(
    "nc_transpose.tensor",
    "On the Tensor Engine data is in SBUF, dst in PSUM, and data is at most 128 x 128.",
    "nc_transpose:Memory types; Tile size",
)
define(
    "nc_transpose.vector",
    "On the Vector Engine data and dst are in SBUF or PSUM, and data is at most 32 x 32.",
    "nc_transpose:Memory types; Tile size",
)
define("nc_transpose.same_dtype", "dst has the dtype of data.", "nc_transpose:Data types")
define("nc_transpose.engine", "nc_transpose runs on tensor or vector.", "nc_transpose")

define(
    "nl.matmul.x",
    "x of nl.matmul is in SBUF, with at most 128 partitions and 128 free elements.",
    "nl.matmul; L:matmul",
)
define(
    "nl.matmul.y",
    "y of nl.matmul is in SBUF, with at most 128 partitions and 512 free elements.",
    "nl.matmul; L:matmul",
)
define(
    "nl.matmul.transpose_x",
    "nl.matmul is called with transpose_x=True: the default is a known failure.",
    "RN-0.4",
    api=("nki",),
)
define("nl.transpose.2d", "nl.transpose takes a 2-D tile of at most 128 x 128.", "nl.transpose")
