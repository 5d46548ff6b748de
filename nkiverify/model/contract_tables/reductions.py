"""Reductions."""

from __future__ import annotations

from nkiverify.model.contracts import define

define(
    "tensor_reduce.axis_last", "The axes are the last contiguous dimensions, never 0.", "tensor_reduce", api=("nki",)
)
define(
    "tensor_reduce.dst", "dst has the partitions of data and one element for each kept free position.", "tensor_reduce"
)
define(
    "tensor_reduce.op",
    "op is an operator the table allows in reductions; negate only with arithmetic ones.",
    "tensor_reduce; SH",
)
define("tensor_reduce.buffers", "Data and dst are in SBUF or PSUM.", "tensor_reduce")
