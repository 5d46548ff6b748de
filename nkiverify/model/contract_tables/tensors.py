"""Tensor values: shapes, indexing, views, access patterns.

LG language guide, AP access-pattern page, A2 gen2 architecture, SH shared API page, MIG-x.y migration to x.y,
LERR legacy error page. `NkiTensor.m` is the docstring of that method.
"""

from __future__ import annotations

from nkiverify.model.contracts import define

NKI = ("nki",)

define(
    "tensor.rank_onchip_ge2",
    "An on-chip tensor must have at least 2 dimensions.",
    "LG; NkiTensor.__getitem__",
    api=("nki",),
    contested="as `leg.tile_rank`: a published kernel of the legacy API allocates a (128,) tile, which no instruction "
    "uses; an operand with one dimension stays a violation (`tensor.operand_rank`)",
)
define(
    "tensor.operand_rank",
    "An on-chip operand must have at least 2 dimensions.",
    "LG; NkiTensor.__getitem__",
    api=("nki",),
)
define("tensor.rank_le5", "A tensor must have at most 5 dimensions.", "LG Tensor values", api=NKI)
define("tensor.shape_positive", "Every extent of a tensor must be a positive integer.", "NkiTensor.__init__")
define("tensor.dtypes", "The dtype must be one of the documented ones.", "SH; MX; LSH")

define(
    "idx.keys",
    "A key must consist of integers, slices, `...` and nl.ds, no more of them than dimensions.",
    "NkiTensor.__getitem__",
)
define(
    "idx.range",
    "A dimension must be indexed with an integer or a slice, not with a range.",
    "idx.keys: NkiTensor.__getitem__",
    contested="reported of published kernels: they index with range(start, stop), which names the elements of the "
    "slice start:stop",
)
define(
    "idx.oob",
    "An index or slice must stay inside its dimension; it is never clamped.",
    "LERR err_tensor_access_out_of_bound; NkiTensor.slice; NkiTensor.select",
)
define("idx.empty", "A slice or index range must have at least one element.", "NkiTensor.slice; NkiTensor.__init__")
define("idx.step_positive", "The step of a slice must be at least 1.", "NkiTensor.slice")
define("idx.partition_step", "A slice of the partition dimension must have step 1.", "A2; AP restriction")

define(
    "view.permute.dims", "The dims of permute must be a permutation of all dimensions.", "NkiTensor.permute", api=NKI
)
define(
    "view.permute.partition",
    "On chip, and after vector_select, permute must keep dimension 0 first.",
    "NkiTensor.permute",
    api=NKI,
)
define("view.dim", "A dimension number must name a dimension of the tensor.", "NkiTensor", api=NKI)
define("view.broadcast.extent", "A broadcast dimension must have extent 1.", "NkiTensor.broadcast", api=NKI)
define(
    "view.broadcast.partition",
    "On chip, the partition dimension must not be broadcast.",
    "NkiTensor.broadcast",
    api=NKI,
)
define(
    "view.expand_dim.partition",
    "On chip, and after vector_select, no dimension may be inserted before dimension 0.",
    "NkiTensor.expand_dim",
    api=NKI,
)
define("view.squeeze_dim.extent", "A squeezed dimension must have extent 1.", "NkiTensor.squeeze_dim", api=NKI)
define(
    "view.squeeze_dim.partition",
    "On chip, and after vector_select, dimension 0 must not be squeezed.",
    "NkiTensor.squeeze_dim",
    api=NKI,
)
define(
    "view.reshape_dim.count",
    "The extents a dimension is split into must multiply to its own; at most one may be -1.",
    "NkiTensor.reshape_dim",
    api=NKI,
)
define(
    "view.reshape_dim.partition",
    "On chip, and after vector_select, dimension 0 must only be split trivially.",
    "NkiTensor.reshape_dim",
    api=NKI,
)
define(
    "view.flatten_dims.range",
    "The dimensions to flatten must be start_dim <= end_dim, inside the tensor.",
    "NkiTensor.flatten_dims",
    api=NKI,
)
define(
    "view.flatten_dims.contiguous",
    "Flattened dimensions must be contiguous in memory.",
    "NkiTensor.flatten_dims",
    api=NKI,
)
define(
    "view.flatten_dims.partition",
    "On chip, and after vector_select, dimension 0 must not be flattened.",
    "NkiTensor.flatten_dims",
    api=NKI,
)
define("view.reshape.count", "A reshape must keep the number of elements.", "NkiTensor.reshape; MIG-0.5; L:nki.tensor")
define(
    "view.reshape.partition",
    "On chip, and after vector_select, a reshape must keep the extent of dimension 0.",
    "NkiTensor.reshape; L:nki.tensor",
)
define(
    "view.reshape_after_permute",
    "The layout of a reshaped view must be able to express the new shape.",
    "NkiTensor.reshape; L:nki.tensor",
)
define(
    "tensor.setitem",
    "Elements of a tensor must be written by instructions, not assigned.",
    "tensor.setitem_silent: NkiTensor.__setitem__, listed without a text",
    api=NKI,
    contested="published kernels assign tiles and constants to elements, and so do the migration guide's own examples",
)
define(
    "tensor.setitem_shape",
    "A value assigned to elements of a tensor must have their shape.",
    "tensor.setitem_silent: MIG-0.2",
    api=NKI,
)
define(
    "view.slice",
    "slice() must be given 0 <= start < end <= extent and a step of at least 1.",
    "NkiTensor.slice",
    api=NKI,
)
define("view.select", "The index of select() must be at least 0 and below the extent.", "NkiTensor.select", api=NKI)
define(
    "view.cast.contiguous",
    "The last dimension of a view to another dtype must be contiguous.",
    "NkiTensor.view; L:nki.tensor",
)
define(
    "view.cast.divisible",
    "In a view to a wider dtype the last extent must be divisible by the ratio of sizes.",
    "NkiTensor.view; L:nki.tensor",
)

define(
    "ap.pattern",
    "An access pattern must be a list of [step, count] pairs with counts of at least 1.",
    "NkiTensor.ap; AP",
    api=NKI,
)
define(
    "ap.first_pair_partition",
    "On chip, the first pair's step must be the storage's number of elements per partition.",
    "AP Restriction; LG",
    api=NKI,
)
define(
    "ap.in_bounds",
    "Every element of an access pattern must be inside the storage and, on chip, inside its partition.",
    "AP (implied)",
    api=NKI,
)
define(
    "ap.partition_overflow",
    "On chip, start partition plus partition count must be at most the storage's partitions.",
    "AP (implied)",
    api=NKI,
)
define(
    "ap.exclusive",
    "An access pattern must have at most one of scalar_offset and vector_offset.",
    "AP; dma_copy",
    api=NKI,
)
define(
    "ap.offset_semantics",
    "ap() must not be called on a view that starts at an offset: documents disagree on its meaning.",
    "NkiTensor.ap; LG; AP Composition",
    api=NKI,
)
