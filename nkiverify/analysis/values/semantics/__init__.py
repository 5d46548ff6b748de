"""The meaning of every operation: what it writes as a function of what it reads and of its attributes.

Each function takes a `Step` and is written over any `Numbers`. An operation without one has no values: it is refused by
name.
"""

from __future__ import annotations

from nkiverify.analysis.values.semantics import (  # noqa: F401 (each module enters its operations in the table)
    indexed,
    microscaled,
    movement,
    statistics,
)
from nkiverify.analysis.values.semantics.table import MEANINGS
from nkiverify.model.meaning import Meaning

__all__ = ["MEANINGS", "Meaning"]
