"""Kernels as a whole: arguments, results, launches; what Python itself, and NKI's 32-bit integers, demand of a kernel's
own computation; and rules that many nki.isa instructions share.

LG language guide, MIG-x.y migration, RN-x.y release notes, LNC logical-core page, LPM legacy programming model, LERR
legacy error page, SH shared API page, A2 gen2 architecture.
"""

from __future__ import annotations

from nkiverify.model.contracts import define
from nkiverify.model.dtypes import INTEGER_NAMES

define("lnc.bracket", "The number in kernel[n] must be 1 or 2.", "LNC; nki.jit", api=("nki",))
define(
    "lang.no_nested_jit",
    "A kernel must not call a function decorated with nki.jit.",
    "MIG-0.2",
    api=("nki",),
    contested="published kernels call decorated helpers and pass their tests: the call runs in the launch around it",
)
define("lang.no_nested_grid", "A kernel must not launch a kernel on a grid, kernel[n].", "MIG-0.2; LNC", api=("nki",))
define(
    "lang.no_list_args",
    "A kernel must not take list arguments: use tuples.",
    "MIG-0.3",
    api=("nki",),
    since="0.3",
    same_elements=True,
)
define(
    "lang.target",
    "nki.jit must not be given a platform_target; NEURON_PLATFORM_TARGET_OVERRIDE names the hardware.",
    "nki.jit; MIG-0.3",
    api=("nki",),
    since="0.3",
    contested="the vendor's samples give platform_target, which says nothing of what the kernel computes",
)
define(
    "leg.spmd",
    "A launch grid must have positive extents, and no kernel may launch a gridded kernel.",
    "LPM; L:nc; LERR",
    api=("neuronxcc",),
)
define(
    "leg.generation",
    "A kernel of the legacy API must be launched on gen2 or gen3, which its documentation describes.",
    "LPM",
    api=("neuronxcc",),
    contested="published kernels of the legacy API are launched on gen4: what is documented of gen3 is taken to hold "
    "there",
)
define("lnc.ids", "program_id must be given an axis of the launch grid.", "nl.program_id; LNC")

# --- host arithmetic and control --------------------------------------------------------------------------------------

define(
    "host.division_by_zero",
    "The divisor of a host division must not be zero.",
    "Python language reference",
    cwe="CWE-369",
)
define(
    "host.int32",
    "A host integer must fit in 32 bits, signed: NKI's integers are 32-bit (lang.int32).",
    "LG Metaprogram values",
    cwe="CWE-190",
    limit=True,
)
define("host.unwinding", "The loop must end within the unwinding bound.", "command line: --unwind")
define("kernel.assert", "The condition that the kernel asserts must hold.", "the kernel")
define("kernel.exception", "The kernel must not raise an exception.", "the kernel")
define("target.output_shape", "The result must have the shape that the target states.", "the target")
define("target.output_dtype", "The result must have the dtype that the target states.", "the target")
define("target.claim", "The condition that the target claims must hold.", "the target")

# --- what instructions share ------------------------------------------------------------------------------------------

define(
    "api.version",
    "A function, or an attribute of nl.tile_size, must be part of the NKI version that the kernel is verified for.",
    "MIG-0.3; MIG-0.4; MIG-0.6",
    api=("nki",),
    same_elements=True,
)
define("isa.kwargs_checked", "Every argument of a call must be a documented one.", "RN-2.28", same_elements=True)
define(
    "isa.enum_values",
    "A buffer, engine or mode must be a member of its enum, or at least the number or name of one.",
    "MIG-0.3",
    api=("nki",),
)
define(
    "isa.enum_members",
    "Engines and modes must be given as enum members, not as their numbers or names.",
    "MIG-0.3",
    api=("nki",),
    since="0.3",
    contested="published kernels pass dge_mode=3 and perf_mode='double_row' and pass their tests; what is given is "
    "taken for the member of that number or name",
)
define(
    "isa.bitvec_int",
    "All inputs and outputs of bit-wise operators must have integer dtypes.",
    "SH; tensor_tensor; tensor_scalar; tensor_reduce",
    takes={"": INTEGER_NAMES},
)
define(
    "isa.operator_gen",
    "abs_max and abs_min, and square and relu as ALU operators, must be used on gen4 or later.",
    "nl.abs_max; RN-0.4",
    same_elements=True,
)
define(
    "isa.on_chip",
    "The tile operands of a compute instruction must be in SBUF or PSUM.",
    "A2",
    takes={"": ("sbuf", "psum")},
)
define(
    "isa.operator_name",
    "An operator must be given as a function of nl (in the legacy API of NumPy as well), not by its name.",
    "SH tbl-aluop; LSH",
    contested="reported of published kernels: they pass op='add'; what is given is taken for the function of that name",
)
define("isa.alu_op", "The operator must be one of the ALU table.", "SH tbl-aluop; RN-0.4; LSH")
