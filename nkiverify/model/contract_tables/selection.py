"""Instructions that choose between values or make index patterns."""

from __future__ import annotations

from nkiverify.model.contracts import define

NKI = ("nki",)

define("affine_select.sbuf", "dst and on_true_tile of affine_select are in SBUF.", "affine_select", api=("nki",))
define(
    "affine_select.count",
    "The counts of the pattern (1 to 4 pairs) multiply to the elements per partition of dst and on_true_tile.",
    "affine_select",
    api=NKI,
)
define("affine_select.integers", "offset and channel_multiplier are compile-time integers.", "affine_select", api=NKI)
define("affine_select.false_fp32", "on_false_value is a float32 constant.", "affine_select")
define("affine_select.cmp", "cmp_op of affine_select is a comparison.", "affine_select", api=NKI)
define("iota.sbuf", "dst of iota is in SBUF.", "iota", api=NKI)
define(
    "iota.count",
    "The counts of the pattern (1 to 4 pairs) multiply to the elements per partition of dst.",
    "iota",
    api=NKI,
)
define("iota.integers", "offset and channel_multiplier of iota are compile-time integers.", "iota", api=NKI)
define("range_select.gen3", "range_select needs gen3 or later.", "range_select", hardware=("gen2",))
define("range_select.shape", "dst has the partitions and elements per partition of on_true_tile.", "range_select")
define(
    "range_select.ops",
    "The comparisons of range_select are equal, less, less_equal, greater or greater_equal.",
    "range_select",
)
define(
    "range_select.bounds",
    "The bounds of range_select are float32 (P, 1) tiles with the partitions of on_true_tile.",
    "range_select",
)
define("range_select.dtype", "on_true_tile of range_select has a float dtype.", "range_select")
define("range_select.false", "on_false_value of range_select is the least float32.", "range_select")
define("range_select.reduce_op", "reduce_op of range_select is maximum.", "range_select")
define(
    "range_select.start",
    "range_start is a compile-time integer, and no position compared in float32 reaches 2**24.",
    "range_select",
)
define("range_select.reduce_res", "reduce_res of range_select is a (P, 1) tile in SBUF or PSUM.", "range_select")
define(
    "range_select.nan",
    "reduce_res is float32 where dst is narrower: the fill value becomes -inf there.",
    "range_select",
)
define("select_reduce.psum", "on_true and predicate are not both in PSUM.", "select_reduce")
define(
    "select_reduce.shape",
    "dst, on_true and predicate have the same partitions and elements per partition.",
    "select_reduce; simulator of 0.6",
)
define("select_reduce.on_false", "on_false is a scalar or a (P, 1) tile.", "select_reduce")
define(
    "select_reduce.dtypes",
    "on_true is not tfloat32, int32 or uint32; predicate is an integer of 8 or 16 bits.",
    "select_reduce",
)
define("select_reduce.reduce_op", "reduce_op of select_reduce is maximum.", "select_reduce")
define(
    "select_reduce.reduce_res", "reduce_res of select_reduce is a (P, 1) float tile in SBUF or PSUM.", "select_reduce"
)
define(
    "tcp.shape",
    "src (where it is a tile), dst and predicate have the same partitions and elements per partition.",
    "tensor_copy_predicated",
)
define("tcp.pred_dtype", "The predicate is uint8, uint16 or uint32.", "tensor_copy_predicated")
define("tcp.same_dtype", "src and dst have the same dtype.", "tensor_copy_predicated")
define("tcp.psum", "src and predicate are not both in PSUM.", "tensor_copy_predicated")
