"""Dataflow: reading what was written, writing what is returned, accumulation in PSUM, iterations without an order.

The phase that looks at a whole run states these contracts, not a stub. LG language guide, LKI lifecycle of a kernel,
TIL tiling overview, LERR legacy error page, LPM legacy programming model, LNC logical-core page.
"""

from __future__ import annotations

from nkiverify.model.contracts import define

define(
    "df.read_unwritten",
    "Elements that an output is computed from must be written before they are read.",
    "mem.uninit: LG Creating; TIL; LKI",
    cwe="CWE-457",
    phase=4,
)
define(
    "df.unwritten_times_zero",
    "Elements that a product is computed from must be written before, even where the other operand is all zeros.",
    "mem.uninit: LG Creating; TIL; LKI",
    cwe="CWE-457",
    phase=4,
    contested="published kernels fill up one operand of a contraction with zeros and leave the rows of the other one "
    "as they are, and pass their tests; what is there is multiplied by 0, which gives 0 but for NaN and infinity",
)
define(
    "df.output_written",
    "Every element of a tensor that the kernel returns must be written.",
    "mem.uninit: LG Creating; TIL; LKI",
    phase=4,
)
define(
    "acc.reduce_needs_init",
    "A reduction that continues from the reduction registers of its engine must find there what an earlier "
    "reduction left.",
    "acc.reduce_needs_init: activation_reduce; acc.idle_clobbers: exponential, select_reduce",
    cwe="CWE-457",
    phase=4,
)
define(
    "df.accumulate_unwritten",
    "A matmul with accumulate=True must add to elements that were written before.",
    "nc_matmul.accum_true_uninit: nc_matmul Accumulation mode",
    api=("nki",),
    phase=4,
)
define(
    "df.accumulate_other",
    "On gen2 and gen3 a matmul with accumulate=True must add to what matmuls have written, not to a filled or "
    "copied tile.",
    "nc_matmul.accum_nonmatmul_init: nc_matmul note",
    api=("nki",),
    hardware=("trn1", "trn2"),
    phase=4,
)
define(
    "df.accumulate_stale",
    "A matmul whose accumulation is inferred (accumulate=None) must not continue a sum that was already read.",
    "nc_matmul.accum_none_trap: nc_matmul Accumulation mode",
    api=("nki",),
    phase=4,
)
define(
    "df.sum_unwritten",
    "Elements of PSUM that `+=` adds a product to must be written before.",
    "leg.plus_eq: LKI; mem.uninit: LKI",
    api=("neuronxcc",),
    phase=4,
    contested="attention v8a to v10 of nki-samples and the pipelined attention add products to PSUM of nl.ndarray, and "
    "ship with their tests: the first product begins the sum",
)
define(
    "df.affine_range",
    "No iteration of an affine_range may touch an element that another one writes, except for sums in place.",
    "leg.affine_range: L:affine_range; LERR",
    api=("neuronxcc",),
    phase=4,
)
define(
    "df.programs",
    "No program of a launch may touch an element of HBM that another one writes, without a barrier between them.",
    "leg.spmd: LPM; lnc.race: LNC",
    phase=4,
)
define(
    "df.input_written",
    "A legacy kernel must not write to an argument that it does not return.",
    "leg.io_immutable: LERR",
    api=("neuronxcc",),
    phase=4,
)
define(
    "df.output_parameter",
    "A legacy kernel whose decorator is of a framework (nki_jit) must return the arguments that it writes to.",
    "leg.io_immutable: LERR",
    api=("neuronxcc",),
    phase=4,
    contested="kernels for the first releases of NKI, whose decorator is torch_neuronx.nki_jit, or none in their file, "
    "take their outputs as arguments and return nothing; one of neuronxcc.nki.jit breaks `df.input_written`",
)
