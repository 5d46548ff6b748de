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
