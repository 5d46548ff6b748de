"""Collective communication of the current API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nkiverify.model.documented import documented
from nkiverify.model.operators import operator
from nkiverify.model.ops import collectives as _collectives
from nkiverify.model.registers import VirtualRegister

from .language import NKIObject, NkiTensor

__all__ = [
    "NKIObject",
    "NkiTensor",
    "ReplicaGroup",
    "all_gather",
    "all_gather_v",
    "all_reduce",
    "all_to_all",
    "all_to_all_v",
    "collective_permute",
    "collective_permute_implicit",
    "collective_permute_implicit_current_processing_rank_id",
    "collective_permute_implicit_reduce",
    "rank_id",
    "reduce_scatter",
]


@dataclass
class ReplicaGroup(NKIObject):
    """Ranks that communicate: lists of ranks without overlap."""

    groups: Any = None


@documented
def all_reduce(srcs: Any, dsts: Any, replica_group: Any, op: Any, priority: Any = None, name: Any = None) -> None:
    """The reduction over all ranks, on all ranks."""
    _collectives.all_reduce(srcs, dsts, replica_group, operator(op), priority)


@documented
def all_gather(
    srcs: Any, dsts: Any, replica_group: Any, collective_dim: Any, priority: Any = None, name: Any = None
) -> None:
    """The sources of all ranks, on all ranks."""
    _collectives.all_gather(srcs, dsts, replica_group, collective_dim, priority)


@documented
def all_gather_v(
    srcs: Any,
    dsts: Any,
    replica_group: Any,
    metadata_tensor: Any,
    recv_counts_known: Any = False,
    has_rdispls: Any = False,
    priority: Any = None,
    name: Any = None,
) -> None:
    """all_gather with counts known at run time."""
    _collectives.all_gather_v(srcs, dsts, replica_group, metadata_tensor, has_rdispls, priority)


@documented
def reduce_scatter(
    srcs: Any, dsts: Any, replica_group: Any, collective_dim: Any, op: Any, priority: Any = None, name: Any = None
) -> None:
    """Each rank's part of the reduction over all ranks."""
    _collectives.reduce_scatter(srcs, dsts, replica_group, collective_dim, operator(op), priority)


@documented
def all_to_all(
    srcs: Any, dsts: Any, replica_group: Any, collective_dim: Any, priority: Any = None, name: Any = None
) -> None:
    """Each rank's part of the source of every rank."""
    _collectives.all_to_all(srcs, dsts, replica_group, collective_dim, priority)


@documented
def all_to_all_v(
    srcs: Any,
    dsts: Any,
    replica_group: Any,
    metadata_tensor: Any,
    recv_counts_known: Any = False,
    has_rdispls: Any = False,
    priority: Any = None,
    name: Any = None,
) -> None:
    """all_to_all with counts known at run time."""
    _collectives.varying(srcs, dsts, replica_group, metadata_tensor, has_rdispls, priority)


@documented
def collective_permute(srcs: Any, dsts: Any, source_target_pairs: Any, priority: Any = None, name: Any = None) -> None:
    """Sources sent to the ranks that pairs name."""
    _collectives.collective_permute(srcs, dsts, source_target_pairs, priority)


@documented
def collective_permute_implicit(
    srcs_by_channel: Any,
    dsts_by_channel: Any,
    replica_group: Any,
    channel_ids: Any = [0],  # noqa: B006 (documented, and not changed)
    priority: Any = None,
    name: Any = None,
) -> None:
    """Sources sent to the next rank of a ring."""
    _collectives.permute_implicit((srcs_by_channel,), dsts_by_channel, replica_group, channel_ids, priority)


@documented
def collective_permute_implicit_reduce(
    srcs0_by_channel: Any,
    srcs1_by_channel: Any,
    dsts_by_channel: Any,
    replica_group: Any,
    op: Any,
    channel_ids: Any = [0],  # noqa: B006 (documented, and not changed)
    priority: Any = None,
    name: Any = None,
) -> None:
    """The reduction of two sources sent to the next rank of a ring."""
    _collectives.claim_operator(operator(op))
    _collectives.permute_implicit(
        (srcs0_by_channel, srcs1_by_channel), dsts_by_channel, replica_group, channel_ids, priority
    )


@documented
def collective_permute_implicit_current_processing_rank_id(
    iteration_id: Any, replica_group: Any, channel_id: Any = 0, name: Any = None
) -> VirtualRegister:
    """The rank whose data this iteration of a ring processes."""
    _collectives.claim_groups(replica_group)
    _collectives.claim_channel(channel_id)
    return _collectives.rank_register()


@documented
def rank_id(name: Any = None) -> VirtualRegister:
    """The rank that runs the kernel."""
    return _collectives.rank_register()


#: Documented functions without a model: none.
_DOCUMENTED: frozenset[str] = frozenset()
