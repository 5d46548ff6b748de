"""Kernels as a whole: arguments, results, launches; what Python itself, and NKI's 32-bit integers, demand of a kernel's
own computation; and rules that many nki.isa instructions share.

LG language guide, MIG-x.y migration, RN-x.y release notes, LNC logical-core page, LPM legacy programming model, LERR
legacy error page, SH shared API page, A2 gen2 architecture.
"""

from __future__ import annotations

from nkiverify.model.contracts import define
from nkiverify.model.dtypes import INTEGER_NAMES

define("lnc.bracket", "kernel[n] takes one number, 1 or 2.", "LNC; nki.jit", api=("nki",))
define(
    "lang.no_nested_jit",
    "A kernel calls no function decorated with nki.jit.",
    "MIG-0.2",
    api=("nki",),
    contested="published kernels call decorated helpers and pass their tests: the call runs in the launch around it",
)
define("lang.no_nested_grid", "A kernel launches no kernel on a grid, kernel[n].", "MIG-0.2; LNC", api=("nki",))
define("lang.no_list_args", "A kernel takes no list arguments: use tuples.", "MIG-0.3", api=("nki",), since="0.3")
define(
    "lang.target",
    "nki.jit takes no platform_target; NEURON_PLATFORM_TARGET_OVERRIDE names the hardware.",
    "nki.jit; MIG-0.3",
    api=("nki",),
    since="0.3",
    contested="the vendor's samples give platform_target, which says nothing of what the kernel computes",
)
define(
    "leg.spmd",
    "A launch grid has positive extents, and no kernel launches a gridded kernel.",
    "LPM; L:nc; LERR",
    api=("neuronxcc",),
)
define(
    "leg.generation",
    "A kernel of the legacy API is launched on gen2 or gen3, which its documentation describes.",
    "LPM",
    api=("neuronxcc",),
    contested="published kernels of the legacy API are launched on gen4: what is documented of gen3 is taken to hold "
    "there",
)
define("lnc.ids", "program_id takes an axis of the launch grid.", "nl.program_id; LNC")

# --- host arithmetic and control --------------------------------------------------------------------------------------

define(
    "host.division_by_zero", "The divisor of a host division is not zero.", "Python language reference", cwe="CWE-369"
)
define(
    "host.int32",
    "A host integer fits in 32 bits, signed: NKI's integers are 32-bit (lang.int32).",
    "LG Metaprogram values",
    cwe="CWE-190",
    limit=True,
)
define("host.unwinding", "The loop ends within the unwinding bound.", "command line: --unwind")
define("kernel.assert", "The condition the kernel asserts holds.", "the kernel")
define("kernel.exception", "The kernel raises no exception.", "the kernel")
define("target.output_shape", "The result has the shape the target states.", "the target")
define("target.output_dtype", "The result has the dtype the target states.", "the target")
define("target.claim", "The condition the target claims holds.", "the target")

# --- what instructions share ------------------------------------------------------------------------------------------

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
    takes={"": INTEGER_NAMES},
)
define(
    "isa.operator_gen",
    "abs_max and abs_min exist from gen4 on, square and relu as ALU operators too.",
    "nl.abs_max; RN-0.4",
)
define(
    "isa.on_chip",
    "The tile operands of a compute instruction are in SBUF or PSUM.",
    "A2",
    takes={"": ("sbuf", "psum")},
)
define("isa.alu_op", "The operator is one of the ALU table.", "SH tbl-aluop; RN-0.4; LSH")
