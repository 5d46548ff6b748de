"""Exchange between cores."""

from __future__ import annotations

from nkiverify.model.contracts import define

NKI = ("nki",)

define("core_barrier.cores", "The cores of core_barrier are (0, 1).", "core_barrier", api=NKI)
define(
    "core_barrier.scope",
    "core_barrier needs gen3 or later, a launch on two cores and data in shared HBM.",
    "core_barrier",
    api=NKI,
)
