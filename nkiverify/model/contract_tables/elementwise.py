"""Element-wise instructions of the Vector, GpSimd and Scalar Engine, and the nl functions over them."""

from __future__ import annotations

from nkiverify.model.contracts import define

NKI = ("nki",)

define(
    "tensor_tensor.shape",
    "data1, data2 and dst have the same partitions and elements per partition: no broadcasting.",
    "tensor_tensor",
)
define("tensor_tensor.psum_pair", "data1 and data2 are not both in PSUM.", "tensor_tensor")
define("tensor_tensor.power_gpsimd", "power runs on GpSimd, which has no PSUM operand.", "tensor_tensor")
define("tensor_tensor.op", "op is a binary operator of the ALU table.", "tensor_tensor; SH")
define("tensor_tensor.engine", "tensor_tensor runs on vector or gpsimd.", "tensor_tensor")

define(
    "tensor_scalar.operands",
    "operand0 and operand1 are compile-time scalars or (P, 1) tiles in SBUF or PSUM.",
    "tensor_scalar",
)
define("tensor_scalar.operand_fp32", "The operand tiles of an arithmetic operator are float32.", "tensor_scalar")
define("tensor_scalar.same_class", "op0 and op1 are both bit-wise or both arithmetic.", "tensor_scalar")
define("tensor_scalar.unused_none", "operand1 is None where op1 is.", "tensor_scalar")
define("tensor_scalar.unary_operand", "The operand of a unary operator is None or 0.", "tensor_scalar")
define("tensor_scalar.shape", "dst has the partitions and elements per partition of data.", "tensor_scalar")
define(
    "tensor_scalar.engine",
    "tensor_scalar runs on vector, scalar or gpsimd; bit-wise operators on vector only.",
    "tensor_scalar",
)
define(
    "tensor_scalar.scalar_engine_trn2",
    "On the Scalar Engine of gen3 the operators are (multiply, add), multiply or add; gen2 has none.",
    "tensor_scalar; LSH",
    hardware=("gen2", "gen3"),
)
define("stt.arith_only", "scalar_tensor_tensor takes arithmetic operators only.", "scalar_tensor_tensor")
define("stt.psum", "data and operand1 are not both in PSUM.", "scalar_tensor_tensor")
define(
    "stt.shape",
    "data, operand1 and dst have the same partitions and elements per partition; operand0 is a scalar or (P, 1).",
    "scalar_tensor_tensor",
)
define("scan.ops", "The operators of tensor_tensor_scan are binary and arithmetic.", "tensor_tensor_scan")
define("scan.psum", "data0 and data1 are not both in PSUM.", "tensor_tensor_scan")
define("scan.shape", "data0, data1 and dst have the same partitions and elements per partition.", "tensor_tensor_scan")
define("scan.initial", "initial is a constant or a float32 (P, 1) tile in SBUF or PSUM.", "tensor_tensor_scan")
define("activation.op", "op is an activation function of the table.", "activation; SH")
define("activation.shape", "dst and data have the same partitions and elements per partition.", "activation")
define("activation.scale", "scale is a compile-time scalar or a float32 (P, 1) tile.", "activation:Data types; Layout")
define(
    "activation.bias",
    "bias is a (P, 1) tile, not tfloat32; from gen3 on it may be a constant.",
    "activation:Layout; RN-2.28",
)
define("activation.reduce_op", "reduce_op of an activation is add.", "activation")
define("activation.reduce_res", "reduce_res is a (P, 1) tile in SBUF or PSUM.", "activation")
define(
    "activation.reduce_cmd",
    "reduce_cmd of an activation is idle, reset, reduce or reset_reduce.",
    "activation",
    api=NKI,
)
define(
    "act.recip_bias_gen2",
    "activation(op=reciprocal) takes no bias on gen2.",
    "SH engine selection",
    api=("nki",),
    hardware=("gen2",),
)
define("reciprocal.shape", "dst has the partitions and elements per partition of data.", "reciprocal")
define("tsr.arith", "op0 of tensor_scalar_reduce is arithmetic.", "tensor_scalar_reduce")
define(
    "tsr.reduce_op",
    "reduce_op is add, multiply, maximum or minimum (legacy: subtract too).",
    "tensor_scalar_reduce; L:tensor_scalar_reduce",
)
define("tsr.shape", "dst has the partitions and elements per partition of data.", "tensor_scalar_reduce")
define("tsr.operand", "operand0 is a compile-time scalar or a (P, 1) tile.", "tensor_scalar_reduce")
define("tsr.reduce_res", "reduce_res is a (P, 1) tile in SBUF or PSUM.", "tensor_scalar_reduce")
define(
    "tsr.reduce_cmd",
    "reduce_cmd is reset_reduce, reduce or load_reduce; reduce_init is given with load_reduce only.",
    "tensor_scalar_reduce",
    api=NKI,
)
define("tsr.reverse0", "reverse0 is not supported yet.", "tensor_scalar_reduce", api=NKI)
define("tsr.unary", "The operand of a unary operator is None or 0.", "tensor_scalar_reduce")
