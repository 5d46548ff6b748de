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
    "Compute operations take tiles: block dimensions must be indexed first.",
    "LERR err_failed_to_infer_tile_from_local_tensor",
)
define(
    "leg.tile_rank",
    "A tile in SBUF or PSUM must have at least 2 dimensions.",
    "LKI",
    contested="a published kernel that passed its tests on hardware allocates a (128,) tile that no instruction uses: "
    "an operand with one dimension stays a violation (`leg.operand_rank`)",
)
define("leg.operand_rank", "A tile that an operation takes must have at least 2 dimensions.", "LKI")
define(
    "leg.arange",
    "An index made of nl.arange must have an axis for the partitions and one for the free elements.",
    "LERR err_1d_arange_not_supported",
)
define("leg.no_mix", "Basic and advanced indexing must not be mixed in one key.", "LPM; LERR")
define(
    "leg.indirect",
    "Indices known at run time must be one integer column (n, 1) in SBUF, for the partition or a block "
    "dimension in HBM; of a tile, one (1, 1) for a free dimension, where tensor_copy_dynamic_src reads or _dst "
    "writes it.",
    "L:load; L:store; L:tensor_copy_dynamic_src; LERR",
)
define(
    "leg.indirect_mgrid",
    "Index tensors used together with indices known at run time must be made of nl.arange, not of nl.mgrid.",
    "L:mgrid; LERR",
    contested="reported of tests written for the vendor's simulator: they gather and scatter by a column of indices "
    "beside nl.mgrid, and pass: the indices are those that nl.arange would make",
)
define("leg.oob_dynamic", "An index known at run time must stay inside the dimension it chooses from.", "LERR")
define("leg.index_const", "Index and mask tensors must be constant; indexing them may only make new axes.", "LERR")
define("leg.index_broadcast", "Index tensors used together must have compatible extents.", "LPM")
define("leg.affine_index", "Index expressions must be affine in arange, loop variables and program ids.", "LPM; LSH")
define(
    "leg.oob_static",
    "Every index not masked off must be inside its dimension, for all iterations.",
    "LERR err_tensor_access_out_of_bound",
)
define("leg.mask_matmul", "A mask of an operand, tile[mask], must only be used in products.", "LKI", api=("neuronxcc",))
define(
    "leg.mask_subscript",
    "A subscript followed by a mask, tile[indices][mask], must be inside the tile without the mask.",
    "LKI; LERR err_tensor_access_out_of_bound",
    contested="published kernels that passed their tests on hardware give products operands so, whose indices leave "
    "the tile where the mask does not hold: what the mask leaves out is not read",
)
define("leg.mask_form", "A mask must be comparisons of affine expressions joined with &.", "LSH; LERR")
define(
    "leg.mask_and",
    "Masks must be joined with &, not with `and` or in a chain of comparisons.",
    "LSH; LERR",
    contested="reported of AWS's own tests of instructions: they give mask=a and b, and pass; the mask is both",
)
define("leg.control_arange", "No host control flow may depend on an index tensor or a tensor value.", "LERR")
define(
    "leg.tensor_truth",
    "Whether a tensor was given must be asked with `is not None`, not by its truth value.",
    "LERR",
    contested="reported of AWS's own tests of instructions: a kernel asks `if imm1:` of an optional argument in HBM, "
    "and passes: a tensor is true as any object is, and its elements decide nothing",
)
define("leg.assert_shape", "The tensor must have the asserted shape.", "L:nki.tensor")
define("leg.par_dim", "A shape must have at most one partition dimension.", "L:par_dim")
define("leg.psum_fmax", "A PSUM tile must fit in one bank: 2048 bytes per partition.", "LPM; LDA", limit=True)
define(
    "leg.mod_alloc",
    "Tile counts of a modulo allocator must be empty or one per block dimension; without any, one counts nothing. "
    "Tiles must begin at partition 0 of SBUF, and cycle through banks of PSUM alone.",
    "L:compiler.sbuf.mod_alloc; L:compiler.psum.mod_alloc",
)
define("leg.matmul.shape", "The contraction axes of nl.matmul must have the same extent.", "L:matmul")
define(
    "leg.transpose",
    "nl.transpose must be given a 2-D tile with a free size of at most 128.",
    "L:transpose; LERR err_size_of_dimension",
    limit=True,
)
