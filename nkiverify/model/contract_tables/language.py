"""Functions of nki.language that allocate or compute over instructions."""

from __future__ import annotations

from nkiverify.model.contracts import define

NKI = ("nki",)

define(
    "nl.binary.same_shape",
    "Two tile operands have identical shapes: no broadcasting.",
    "RN-0.3; RN-0.4 known issues",
    api=NKI,
)
define("nl.binary.one_tile", "At least one operand is a tile.", "nl.equal; nl.bitwise_and; nl.logical_and", api=NKI)
define("nl.bitwise.int", "Bit-wise functions take integer tiles.", "nl.bitwise_and", api=NKI)
define(
    "nl.divide.unsupported",
    "nl.divide is not used: no hardware instruction, fails to compile.",
    "RN-0.4 known issues",
    api=NKI,
)
define(
    "nl.mod.unsupported",
    "nl.mod is not used: no hardware instruction, fails to compile.",
    "RN-0.4 known issues",
    api=NKI,
)
define(
    "nl.fmod.unsupported",
    "nl.fmod is not used: no hardware instruction, fails to compile.",
    "RN-0.4 known issues",
    api=NKI,
)
define(
    "nl.power.tile", "The exponent of nl.power is a tile, and no operand is in PSUM.", "RN-0.4; tensor_tensor", api=NKI
)
define("nl.abs_max.gen4", "nl.abs_max and nl.abs_min need gen4 or later.", "nl.abs_max", api=NKI)
define("nl.rsqrt.psum", "nl.rsqrt takes no PSUM input.", "MIG-0.5", api=NKI)
define("nl.reduce.axis", "A reduction's axes are free ones, the last contiguous dimensions.", "nl.sum; L:sum")
define("nl.where.shape", "Condition and tile operands of nl.where have the same shape.", "nl.where (implied)", api=NKI)
define(
    "nl.rms_norm.weight",
    "The weight of nl.rms_norm has the shape of x, or its free shape in one partition.",
    "nl.rms_norm",
    api=NKI,
)
define(
    "nl.gather_flattened",
    "data and indices of gather_flattened have the same partitions; indices are uint32.",
    "nl.gather_flattened; L:gather_flattened",
    api=NKI,
)
