"""Memories: partitions, banks, and who may access what.

TIL tiling overview, A2/A3/A4 architecture pages of gen2/gen3/gen4, AP access-pattern page, LG language guide,
MIG-x.y migration to x.y, RN-x.y release notes of x.y, MEM memory hierarchy, LKI legacy known issues.
"""

from __future__ import annotations

from nkiverify.model.contracts import define

define(
    "mem.partitions_128",
    "An SBUF or PSUM tensor must have at most 128 partitions.",
    "TIL TC#1; A2; AP; RN-0.6",
    takes={"partitions": 128},
    limit=True,
)
define(
    "mem.gpsimd_no_psum",
    "No operand of an operation on GpSimd may be in PSUM.",
    "tensor_copy; tensor_tensor; rng; nc_n_gather",
    takes={"": ("sbuf",)},
)
define("mem.io_hbm", "A tensor argument or result of a kernel must be in HBM.", "MEM; LKI", takes={"": ("shared_hbm",)})
define(
    "mem.output_shared_hbm",
    "A tensor returned by a kernel must be allocated with buffer=nl.shared_hbm.",
    "MIG-0.3; RN-0.3",
    api=("nki",),
    since="0.3",
    takes={"": ("shared_hbm",)},
)
define("mem.partition_contiguous", "An on-chip operand must occupy consecutive partitions.", "A2; IDX; AP")
define(
    "mem.ap_uniform", "All partitions of an on-chip operand must use the same pattern in the free dimensions.", "A2; AP"
)
define(
    "mem.address_form",
    "address= must be a pair (partition offset, free offset) of integers of at least 0.",
    "nl.ndarray",
    api=("nki",),
)

# Phase 3.
define(
    "mem.operands_fit",
    "The on-chip tensors that one operation touches must fit in their memory together, within its usable size.",
    "MEM; A2; sizes: LDA, A2, A3, A4 and the compiler's public front end",
    phase=3,
    limit=True,
)
define(
    "mem.capacity_live",
    "The tensors live at one time, in the order of the program, must fit their memory with nothing spilled. "
    "Claimed where a target asks for it: otherwise the compiler may reorder and spill.",
    "MEM; LKI GCA046; sizes: LDA, A2, A3, A4 and the compiler's public front end",
    phase=3,
    limit=True,
)
define(
    "mem.addr_range",
    "A placed tensor must lie inside its memory: partitions 0 to 127, bytes up to the usable size of a partition.",
    "nl.ndarray; TS; LDA",
    phase=3,
    limit=True,
)
define(
    "mem.psum_bank_start",
    "A placed PSUM tensor must start at a bank: its byte offset must be a multiple of 2048.",
    "MIG-0.2 allocation; LDA",
    phase=3,
)
define(
    "mem.placed_overlap",
    "Two placed tensors that are live at one time must not overlap.",
    "LDA; MIG-0.2 allocation",
    phase=3,
)
define(
    "mem.start_partition",
    "An engine's operand must start at partition 0; or at 64 with at most 64 partitions; or at 32 or 96 with at"
    " most 32.",
    "A2 Accessing SBUF/PSUM; LDA",
    phase=3,
)
define(
    "ti.index_quadrant",
    "An index tensor of indirect() that the kernel places must start at a multiple of 32 partitions.",
    "each TI op",
    api=("nki",),
    phase=3,
)
define(
    "ti.src_same_partition",
    "A source seen through indirect() must start on the partition of its index, where the kernel places both.",
    "each TI op",
    api=("nki",),
    phase=3,
)
define(
    "ti.dst_same_partition",
    "The index of a destination seen through indirect() must start on the partition of its source in SBUF, or "
    "of the index of one in PSUM, where the kernel places both.",
    "each TI op",
    api=("nki",),
    phase=3,
)
define(
    "mem.vec_free_limit",
    "An operand of the Vector or Scalar Engine must have at most 65536 elements per partition in SBUF, 4096 in PSUM.",
    "A2 Vector/Scalar Layout & Tile Size",
    phase=3,
    takes={"free_size": "limit"},
    limit=True,
)
define(
    "mem.ap_isa_ranges",
    "A free dimension of an engine's operand that does not follow the next one without a gap must have a stride"
    " of -32768 to 32767 elements.",
    "A2",
    phase=3,
    limit=True,
)
