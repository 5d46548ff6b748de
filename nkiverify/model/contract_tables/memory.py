"""Memories: partitions, banks, and who may access what.

TIL tiling overview, A2/A3/A4 architecture pages of gen2/gen3/gen4, AP access-pattern page, LG language guide,
MIG-x.y migration to x.y, RN-x.y release notes of x.y, MEM memory hierarchy, LKI legacy known issues.
"""

from __future__ import annotations

from nkiverify.model.contracts import define

define("mem.partitions_128", "An SBUF or PSUM tensor has at most 128 partitions.", "TIL TC#1; A2; AP; RN-0.6")
define(
    "mem.gpsimd_no_psum", "An operation on GpSimd has no PSUM operand.", "tensor_copy; tensor_tensor; rng; nc_n_gather"
)
define("mem.io_hbm", "A tensor argument or result of a kernel is in HBM.", "MEM; LKI")
define(
    "mem.output_shared_hbm",
    "A tensor returned by a kernel is allocated with buffer=nl.shared_hbm.",
    "MIG-0.3; RN-0.3",
    api=("nki",),
)
define("mem.partition_contiguous", "An on-chip operand occupies consecutive partitions.", "A2; IDX; AP")
define("mem.ap_uniform", "All partitions of an on-chip operand use the same pattern in the free dimensions.", "A2; AP")
define(
    "mem.address_form",
    "address= is a pair (partition offset, free offset) of integers of at least 0.",
    "nl.ndarray",
    api=("nki",),
)
