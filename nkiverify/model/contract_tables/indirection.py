"""Views moved by indices known at run time, registers, loops on the device."""

from __future__ import annotations

from nkiverify.model.contracts import define

NKI = ("nki",)

define("ap.scalar_offset", "scalar_offset must be a register or a tile of one element in SBUF.", "AP; MIG-0.2", api=NKI)
define(
    "ap.vector_offset",
    "vector_offset must be an integer tile in SBUF, an index for each row; the tensor must be in HBM, "
    "indirect_dim must be 0.",
    "AP; dma_copy",
    api=NKI,
)
define(
    "ap.vector_offset_rank",
    "vector_offset must be a tile of two dimensions.",
    "AP; dma_copy",
    api=NKI,
    contested="published kernels pass tiles of shape (P, 1, 1), views of (P, 1) with the same indices, and pass their "
    "tests",
)
define("ap.dynamic_oob", "An index known at run time must stay inside the tensor.", "AP", api=NKI)
define(
    "view.one_indirection",
    "A view must be moved by run-time indices once only.",
    "NkiTensor.select; NkiTensor.is_indirect",
    api=NKI,
)
define(
    "view.select_dynamic",
    "A dynamic select must be given a register or a (1, 1) tile in SBUF and, on chip, must not select a partition.",
    "NkiTensor.select; AP",
    api=NKI,
)
define(
    "view.vector_select",
    "vector_select must be given dimension 0 of an HBM tensor and an (n, 1) tile.",
    "NkiTensor.vector_select",
    api=NKI,
)
define(
    "view.indirect_dim",
    "A dimension that vector_select has chosen from must not be sliced or selected from again.",
    "NkiTensor.vector_select; NkiTensor.slice",
    api=NKI,
)
define(
    "view.cast.indirect", "A view to another dtype must not be made after a dynamic select.", "NkiTensor.view", api=NKI
)
define(
    "view.rearrange",
    "The patterns of rearrange must have the same names; sizes, at most one left open, must multiply to the extent.",
    "NkiTensor.rearrange",
    api=NKI,
)
define("ti.gen4", "indirect() must be used on gen4 or later.", "NkiTensor.indirect", api=NKI, hardware=("gen2", "gen3"))
define(
    "ti.index",
    "The index of indirect() must be in SBUF, have the partitions of the tile, and at least num_elem elements.",
    "NkiTensor.indirect",
    api=NKI,
)
define(
    "ti.operands", "A view of indirect() must be an operand documented for tensor indirection.", "each TI op", api=NKI
)
define(
    "ti.scalar_dst_psum",
    "The Scalar Engine must not scatter elements into PSUM.",
    "tensor_copy; tensor_scalar; activation; activate2",
    api=NKI,
)
define(
    "reg.python",
    "The value of a register must not be used in Python: arithmetic, comparisons, int(), range().",
    "VirtualRegister; DL; MIG-0.6",
    api=NKI,
)
define(
    "loop.dynamic_range",
    "The bounds of a device loop must be integers or registers, its step a compile-time positive integer.",
    "DL; nl.fori_loop",
    api=NKI,
)
define(
    "loop.dynamic_nested",
    "Before NKI 0.5 a dynamic_range must not be in the body of a device loop: such loops may fail to compile.",
    "RN-0.4",
    api=NKI,
    since="0.4",
    until="0.5",
    contested="the release notes have it among the known issues, for loops that carry values, and do not say which do",
)
define("loop.dynamic_frozen", "The register of a dynamic_range must only be read.", "RN-0.4", api=NKI, since="0.4")
define("loop.dynamic_no_reorder", "No device loop may be inside no_reorder.", "DL", api=NKI)
define(
    "loop.while_loop", "while_loop must start with a register, and its body must return one.", "nl.while_loop", api=NKI
)
define(
    "loop.dep_edges",
    "An instruction must not depend on one in the body of a device loop that it is not in itself.",
    "DL",
    api=NKI,
)
define(
    "loop.escape",
    "A tensor allocated in the body of a device loop must not be used outside it.",
    "MIG-0.6; DL",
    api=NKI,
)
