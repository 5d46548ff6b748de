"""dma_transpose, dma_compute and the modes of indirect DMAs."""

from __future__ import annotations

from nkiverify.model.contracts import define

NKI = ("nki",)

define("dma_copy.none_static", "dge_mode.none carries no run-time addresses.", "DGE", api=NKI)
define("dma_copy.hwdge_no_indirect", "dge_mode.hwdge gathers and scatters nothing.", "DGE; A3; dma_copy", api=NKI)
define("dma_copy.vector_offset", "The vector_offset of a dma_copy is a (P, 1) tile.", "dma_copy; DGE table", api=NKI)
define(
    "dma_copy.oob",
    "No index of a dma_copy leaves the tensor with oob_mode.error: a run-time error.",
    "dma_copy",
    api=NKI,
)
define(
    "dma_transpose.axes",
    "The axes are (1, 0), (2, 1, 0) or (3, 1, 2, 0), by the rank of src.",
    "dma_transpose",
    api=NKI,
)
define("dma_transpose.dst_shape", "dst has exactly the transposed shape of src.", "MIG-0.4", api=NKI)
define("dma_transpose.dtype", "src and dst of dma_transpose have the same dtype.", "dma_transpose", api=NKI)
define("dma_transpose.src_buffer", "src of dma_transpose is in HBM or SBUF.", "dma_transpose", api=NKI)
define(
    "dma_transpose.dst_buffer",
    "dst of dma_transpose is in SBUF (HBM as in MIG-0.4 is accepted).",
    "dma_transpose; MIG-0.4",
    api=NKI,
)
define(
    "dma_transpose.mode_direct",
    "A dma_transpose without indices does not use dge_mode.swdge.",
    "dma_transpose; DGE",
    api=NKI,
)
define(
    "dma_transpose.hwdge_shape",
    "With hwdge src has 1, 2, 4, 8 or 16 rows, at most 128 columns; in 3-D or 4-D rows * shape[-2] divides by 16.",
    "dma_transpose; RN-0.6",
    api=NKI,
)
define("dma_transpose.hwdge_2byte", "With hwdge the dtype has 2 bytes.", "dma_transpose", api=NKI)
define(
    "dma_transpose.indirect",
    "An indirect src has a multiple of 16 rows, at most 128 columns, in 4-D a 1 in dimension 1 or 2; indices have 16 to"
    " 128 partitions by 16, one column unless 128, and at least one per row.",
    "dma_transpose",
    api=NKI,
)
define(
    "dma_transpose.indirect_mode",
    "An indirect dma_transpose needs gen3, a 2-byte src in HBM, uint32 indices in SBUF, dge_mode unknown or swdge.",
    "dma_transpose; DGE",
    api=NKI,
)
define("dma_transpose.oob_skip", "oob_mode.skip is for an indirect src.", "dma_transpose", api=NKI)
define("dma_transpose.priority_gen4", "priority is 0 to 3 and needs gen4 or later.", "dma_transpose", api=NKI)
define("dma_compute.op", "reduce_op is add, and every scale is 1.0.", "dma_compute", api=NKI)
define("dma_compute.count", "1 to 16 sources have the number of elements of dst.", "dma_compute:Tile size", api=NKI)
define("dma_compute.buffers", "The operands of dma_compute are in HBM or SBUF.", "dma_compute:Memory types", api=NKI)
define(
    "dma_compute.rmw",
    "With a vector_offset there are 2 sources, one of them dst, and unique indices; a scatter goes from SBUF to HBM, a"
    " gather from HBM to SBUF.",
    "dma_compute",
    api=NKI,
)
define("dma_compute.oob_skip", "oob_mode.skip is for indirect operands.", "RN-0.4", api=NKI)
