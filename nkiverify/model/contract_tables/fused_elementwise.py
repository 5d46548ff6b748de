"""activate2, exponential, tensor_scalar_cumulative."""

from __future__ import annotations

from nkiverify.model.contracts import define

NKI = ("nki",)

define("activate2.gen4", "activate2 needs gen4 or later.", "activate2", api=NKI, hardware=("gen2", "gen3"))
define(
    "activate2.combos",
    "(op0, op1) is (multiply, add), (multiply, subtract), or multiply, add, subtract or bypass with bypass.",
    "activate2",
    api=NKI,
)
define(
    "activate2.imm", "imm0 and imm1 are scalars or (P, 1) tiles; two tiles have the same dtype.", "activate2", api=NKI
)
define("activate2.relu_param", "relu_param is a scalar or a (P, 1) tile.", "activate2", api=NKI)
define(
    "activate2.reduce_op", "reduce_op of activate2 is add, maximum, minimum, abs_max or abs_min.", "activate2", api=NKI
)
define("activate2.reduce_res", "reduce_res of activate2 is a (P, 1) tile in SBUF or PSUM.", "activate2", api=NKI)
define("activate2.reduce_cmd", "reduce_cmd of activate2 is idle, reset, reduce or reset_reduce.", "activate2", api=NKI)
define("activate2.shape", "dst has the partitions and elements per partition of data.", "activate2", api=NKI)
define("exponential.gen4", "exponential needs gen4 or later.", "exponential", api=NKI, hardware=("gen2", "gen3"))
define("exponential.shape", "dst has the partitions and elements per partition of src.", "exponential", api=NKI)
define("exponential.rank", "The operands of exponential have at most 4 dimensions.", "exponential", api=NKI)
define("exponential.max", "max_value is a float32 scalar or (P, 1) tile.", "exponential", api=NKI)
define(
    "exponential.dtypes",
    "dst is a float or an integer but uint32; src a float but tfloat32, or an integer.",
    "exponential",
    api=NKI,
)
define(
    "exponential.reduce_res",
    "reduce_res of exponential is a (P, 1) float tile in SBUF or PSUM.",
    "exponential",
    api=NKI,
)
define("exponential.init", "reduce_init is 0.0 unless reduce_cmd is load_reduce.", "exponential", api=NKI)
define(
    "tsc.ops",
    "op0 is arithmetic; op1 is add, subtract, multiply, maximum or minimum.",
    "tensor_scalar_cumulative",
    api=NKI,
)
define("tsc.shape", "dst has the partitions and elements per partition of src.", "tensor_scalar_cumulative", api=NKI)
define(
    "tsc.dtypes",
    "Operands of tensor_scalar_cumulative are floats but tfloat32, or integers of 8 or 16 bits.",
    "tensor_scalar_cumulative",
    api=NKI,
)
define("tsc.imm", "imm0 and imm1 are float32 scalars or (P, 1) tiles.", "tensor_scalar_cumulative", api=NKI)
define("tsc.load", "load_reduce needs imm1.", "tensor_scalar_cumulative", api=NKI)
