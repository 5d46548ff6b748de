"""Every contract: those of operations stand with them in `nkiverify.model.ops`, the others here, one module per area.

Importing this package registers them all.

Ids and sources are those of the NKI documentation survey the project works from: a source names the page and section
that states the rule. An area's module says in its docstring which abbreviations of pages it uses.
"""

from __future__ import annotations

from nkiverify.model import ops  # noqa: F401 (each operation registers its contracts)
from nkiverify.model.contract_tables import (
    dataflow,
    indirection,
    kernels,
    legacy,
    memory,
    numerics,
    tensors,
)

__all__ = [
    "dataflow",
    "indirection",
    "kernels",
    "legacy",
    "memory",
    "numerics",
    "tensors",
]
