"""Functions of nki.language that allocate or compute over instructions."""

from __future__ import annotations

from nkiverify.model.contracts import define

NKI = ("nki",)

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
