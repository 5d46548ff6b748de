"""Numbers that stay finite: what phase 5 asks of the numbers themselves, for all inputs of a range.

SH shared API page. What an infinity and NaN come from is IEEE 754-2019, section 7.
"""

from __future__ import annotations

from nkiverify.model.contracts import define

define(
    "num.overflow",
    "No computation with finite numbers may give an infinity, or NaN, in float32 or in the dtype it is stored in.",
    "isa.fp32_internal: SH",
    cwe="CWE-190",
    phase=5,
)
define(
    "num.invalid",
    "No operation may be given numbers that it has no result for: inf - inf, 0 * inf, the logarithm of 0, a "
    "root of -1.",
    "isa.fp32_internal: SH",
    cwe="CWE-682",
    phase=5,
)
define(
    "num.division",
    "Nothing may be divided by 0.",
    "isa.fp32_internal: SH",
    cwe="CWE-369",
    phase=5,
)
define(
    "num.masked",
    "No result may depend on the finite number that a select fills in for what is masked, except one that still"
    " holds it.",
    "affine_select.pred: affine_select",
    cwe="CWE-682",
    phase=5,
)
define(
    "num.integer",
    "A number that becomes an integer must be one that its dtype has.",
    "tensor.dtypes: SH",
    cwe="CWE-681",
    phase=5,
)
