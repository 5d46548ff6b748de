"""Host arithmetic and control: what Python itself, and NKI's 32-bit integers, demand of a kernel's own computation."""

from __future__ import annotations

from nkiverify.model.contracts import define

define(
    "host.division_by_zero", "The divisor of a host division is not zero.", "Python language reference", cwe="CWE-369"
)
define(
    "host.int32",
    "A host integer fits in 32 bits, signed: NKI's integers are 32-bit (lang.int32).",
    "LG Metaprogram values",
    cwe="CWE-190",
)
define("host.unwinding", "The loop ends within the unwinding bound.", "command line: --unwind")
define("kernel.assert", "The condition the kernel asserts holds.", "the kernel")
define("kernel.exception", "The kernel raises no exception.", "the kernel")
define("target.output_shape", "The result has the shape the target states.", "the target")
define("target.output_dtype", "The result has the dtype the target states.", "the target")
define("target.claim", "The condition the target claims holds.", "the target")
