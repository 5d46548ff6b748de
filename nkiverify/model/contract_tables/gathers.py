"""Shuffles, gathers, exchange between cores."""

from __future__ import annotations

from nkiverify.model.contracts import define

NKI = ("nki",)

define(
    "shuffle.mask_len",
    "A shuffle mask has 32 entries: partitions 0 to 31 of a quadrant, or 255 to leave one alone.",
    "nc_stream_shuffle",
)
define("shuffle.dtype", "dst and src of a shuffle have the same dtype and elements per partition.", "nc_stream_shuffle")
define("local_gather.sbuf", "local_gather runs on GpSimd: its operands are in SBUF.", "local_gather; A2")
define("local_gather.partitions", "src_buffer and index have the same partitions, a multiple of 16.", "local_gather")
define("local_gather.nelem", "num_elem_per_idx is 1, 2, 4, 8, 16 or 32.", "local_gather")
define(
    "local_gather.count",
    "Each core takes at most 4096 indices, and num_valid_indices are no more than there are.",
    "local_gather",
)
define("local_gather.index_dtype", "The index of local_gather is uint16.", "local_gather")
define("local_gather.same_dtype", "dst of local_gather has the dtype of src_buffer.", "local_gather", api=NKI)
define(
    "local_gather.known_060",
    "num_valid_indices times num_elem_per_idx is the elements per partition of dst, or the latter is ignored.",
    "RN-0.6",
    api=NKI,
)
define(
    "local_gather.oob",
    "Index values of local_gather times num_elem_per_idx are inside the elements per partition of src_buffer.",
    "local_gather",
)
define("n_gather.sbuf", "The operands of nc_n_gather are in SBUF.", "nc_n_gather", api=NKI)
define("n_gather.dtype", "dst has the dtype of data, indices are uint32.", "nc_n_gather", api=NKI)
define(
    "n_gather.shape",
    "dst, data and indices have the same partitions; dst has the elements per partition of indices.",
    "nc_n_gather",
    api=NKI,
)
define(
    "n_gather.range",
    "Index values are at least 0 and below the elements per partition of data.",
    "nc_n_gather",
    api=NKI,
)
define("core_barrier.cores", "The cores of core_barrier are (0, 1).", "core_barrier", api=NKI)
define(
    "core_barrier.scope",
    "core_barrier needs gen3 or later, a launch on two cores and data in shared HBM.",
    "core_barrier",
    api=NKI,
)
