"""The legacy API: index tensors, masks, tiles, loops.

LPM programming model, LSH shared API page, LERR error page, LKI known issues, LDA direct-allocation guide,
L:op docstring of that legacy operation.
"""

from __future__ import annotations

from functools import partial

from nkiverify.model import contracts

define = partial(contracts.define, api=("neuronxcc",))

define(
    "leg.tile",
    "Compute operations take tiles: block dimensions are indexed first.",
    "LERR err_failed_to_infer_tile_from_local_tensor",
)
define(
    "leg.arange",
    "An index made of nl.arange has an axis for the partitions and one for the free elements.",
    "LERR err_1d_arange_not_supported",
)
define("leg.no_mix", "Basic and advanced indexing are not mixed in one key.", "LPM; LERR")
define("leg.index_const", "Index and mask tensors are constant; only new axes can be made by indexing them.", "LERR")
define("leg.index_broadcast", "Index tensors used together have compatible extents.", "LPM")
define("leg.affine_index", "Index expressions are affine in arange, loop variables and program ids.", "LPM; LSH")
define(
    "leg.oob_static",
    "Every index not masked off is inside its dimension, for all iterations.",
    "LERR err_tensor_access_out_of_bound",
)
define("leg.mask_form", "A mask is comparisons of affine expressions joined with &.", "LSH; LERR")
define("leg.control_arange", "No host control flow depends on an index tensor or a tensor value.", "LERR")
