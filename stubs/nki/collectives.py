"""Collective communication: documented, not modelled yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkiverify.model.documented import unmodelled

_DOCUMENTED = frozenset(
    (
        "ReplicaGroup", "all_gather", "all_gather_v", "all_reduce", "all_to_all", "all_to_all_v", "collective_permute",
        "collective_permute_implicit", "collective_permute_implicit_current_processing_rank_id",
        "collective_permute_implicit_reduce", "rank_id", "reduce_scatter",
    )
)  # fmt: skip


def __getattr__(name: str) -> Callable[..., Any]:
    if name in _DOCUMENTED:
        return unmodelled("nki.collectives", name)
    raise AttributeError(f"module 'nki.collectives' has no attribute {name!r}")
