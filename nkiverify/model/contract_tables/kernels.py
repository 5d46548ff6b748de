"""Kernels as a whole: arguments, results, launches.

LG language guide, MIG-x.y migration, LNC logical-core page, LPM legacy programming model, LERR legacy error page.
"""

from __future__ import annotations

from nkiverify.model.contracts import define

define("lnc.bracket", "kernel[n] takes one number, 1 or 2.", "LNC; nki.jit", api=("nki",))
define(
    "lang.no_nested_jit",
    "A kernel calls no function decorated with nki.jit.",
    "MIG-0.2",
    api=("nki",),
    contested="published kernels call decorated helpers and pass their tests: the call runs in the launch around it",
)
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
