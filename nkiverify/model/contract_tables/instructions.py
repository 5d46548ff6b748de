"""Rules that many nki.isa instructions share.

SH shared API page, A2 gen2 architecture, RN-x.y release notes, MIG-x.y migration.
"""

from __future__ import annotations

from nkiverify.model.contracts import define

define(
    "api.version",
    "A function, or an attribute of nl.tile_size, is part of the NKI version that the kernel is verified for.",
    "MIG-0.3; MIG-0.4; MIG-0.6",
    api=("nki",),
)
define("isa.kwargs_checked", "Every argument of a call is a documented one.", "RN-2.28")
define(
    "isa.enum_values",
    "A buffer, engine or mode is a member of its enum, or at least the number or name of one.",
    "MIG-0.3",
    api=("nki",),
)
define(
    "isa.enum_members",
    "Engines and modes are given as enum members, not as their numbers or names.",
    "MIG-0.3",
    api=("nki",),
    since="0.3",
    contested="published kernels pass dge_mode=3 and perf_mode='double_row' and pass their tests; what is given is "
    "taken for the member of that number or name",
)
define(
    "isa.bitvec_int",
    "Bit-wise operators take integer dtypes on all inputs and outputs.",
    "SH; tensor_tensor; tensor_scalar; tensor_reduce",
)
define(
    "isa.operator_gen",
    "abs_max and abs_min exist from gen4 on, square and relu as ALU operators too.",
    "nl.abs_max; RN-0.4",
)
define("isa.on_chip", "The tile operands of a compute instruction are in SBUF or PSUM.", "A2")
define("isa.alu_op", "The operator is one of the ALU table.", "SH tbl-aluop; RN-0.4; LSH")
