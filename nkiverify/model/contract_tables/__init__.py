"""Contracts that belong to no operation, one module per area: those of operations stand with them in
`nkiverify.model.ops`.

Importing this package registers them all; the others are registered when they are asked for.

Ids and sources are those of the NKI documentation survey the project works from: a source names the page and section
that states the rule. An area's module says in its docstring which abbreviations of pages it uses.
"""

from __future__ import annotations

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
