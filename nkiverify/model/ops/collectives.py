"""Collective communication between ranks (reference section c.6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nkiverify.model.contents import overwritten
from nkiverify.model.contracts import require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import uint32
from nkiverify.model.extents import as_extent, is_sequence
from nkiverify.model.memory import SBUF
from nkiverify.model.operators import Operator
from nkiverify.model.ops.dma import claim_priority
from nkiverify.model.ops.operands import on_chip, tile
from nkiverify.model.registers import VirtualRegister
from nkiverify.model.registry import operation
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import Extent, all_of, any_of, equal
from nkiverify.symbolic.execution import unsupported

ALL_REDUCE = operation("ncc.all_reduce", dependence=Dependence(Link.EVERYTHING), engine="dma", side_effect=True)
ALL_GATHER = operation("ncc.all_gather", dependence=Dependence(Link.EVERYTHING), engine="dma", side_effect=True)
ALL_GATHER_V = operation(
    "ncc.all_gather_v", dependence=Dependence(Link.EVERYTHING), engine="dma", side_effect=True, counted=True
)
REDUCE_SCATTER = operation("ncc.reduce_scatter", dependence=Dependence(Link.EVERYTHING), engine="dma", side_effect=True)
ALL_TO_ALL = operation("ncc.all_to_all", dependence=Dependence(Link.EVERYTHING), engine="dma", side_effect=True)
ALL_TO_ALL_V = operation(
    "ncc.all_to_all_v", dependence=Dependence(Link.EVERYTHING), engine="dma", side_effect=True, counted=True
)
COLLECTIVE_PERMUTE = operation(
    "ncc.collective_permute", dependence=Dependence(Link.EVERYTHING), engine="dma", side_effect=True
)
COLLECTIVE_PERMUTE_IMPLICIT = operation(
    "ncc.collective_permute_implicit", dependence=Dependence(Link.EVERYTHING), engine="dma", side_effect=True
)
COLLECTIVE_PERMUTE_IMPLICIT_REDUCE = operation(
    "ncc.collective_permute_implicit_reduce", dependence=Dependence(Link.EVERYTHING), engine="dma", side_effect=True
)
COLLECTIVE_PERMUTE_IMPLICIT_CURRENT_PROCESSING_RANK_ID = operation(
    "ncc.collective_permute_implicit_current_processing_rank_id",
    dependence=Dependence(Link.EVERYTHING),
    engine="dma",
    side_effect=True,
)
RANK_ID = operation("ncc.rank_id", dependence=Dependence(Link.EVERYTHING), engine="dma", side_effect=True)


_CHANNELS = 4
#: Ranks in each list of an all_gather_v.
_GATHERED_RANKS = 4


@dataclass(frozen=True, slots=True)
class Lists:
    """The tensors of a collective, read and written pair by pair."""

    sources: tuple[Tensor, ...]
    targets: tuple[Tensor, ...]

    @property
    def pairs(self) -> Iterable[tuple[Tensor, Tensor]]:
        """Source and destination, as far as there are both."""
        return zip(self.sources, self.targets, strict=False)


def _tensors(value: object, argument: str) -> tuple[Tensor, ...]:
    require("cc.list", is_sequence(value) and len(value) > 0, argument=argument, value=type(value).__name__)
    if not is_sequence(value):
        raise TypeError(f"{argument} is a list of tensors, not {type(value).__name__}")
    return tuple(tile(part, argument) for part in value)


def claim_lists(srcs: object, dsts: object, *, hbm_only: bool, single: bool = False) -> Lists:
    """Claim that sources and destinations are lists of tensors in one kind of memory."""
    lists = Lists(_tensors(srcs, "srcs"), _tensors(dsts, "dsts"))
    operands = lists.sources + lists.targets
    in_hbm = all(not operand.on_chip for operand in operands)
    alone = len(lists.sources) == len(lists.targets) == 1
    placed = in_hbm or (not hbm_only and alone and all(operand.buffer is SBUF for operand in operands))
    require(
        "cc.list",
        placed and len(lists.sources) == len(lists.targets) and (alone or not single),
        srcs=len(lists.sources),
        dsts=len(lists.targets),
        buffers=tuple(operand.buffer for operand in operands),
    )
    for target in lists.targets:
        overwritten(target)
    return lists


def claim_groups(replica_group: object) -> int | None:
    """Claim that no rank is in two groups; returns the ranks of each group where all have as many."""
    groups = getattr(replica_group, "groups", None)
    if not is_sequence(groups) or not all(is_sequence(group) for group in groups):
        return None
    ranks = [rank for group in groups for rank in group]
    if not all(isinstance(rank, int) for rank in ranks):
        return None
    require("cc.groups_disjoint", len(set(ranks)) == len(ranks), groups=groups)
    sizes = {len(group) for group in groups}
    return sizes.pop() if len(sizes) == 1 else None


def claim_operator(op: Operator) -> None:
    """Claim that a collective can reduce with `op`."""
    require("cc.op", op.name in ("add", "minimum", "maximum"), op=op)


def _claim_sizes(lists: Lists, ranks: int | None, *, grows: bool = False, shrinks: bool = False) -> None:
    for source, target in lists.pairs:
        require("cc.dtype", source.dtype == target.dtype, src=source.dtype, dst=target.dtype)
        if (grows or shrinks) and ranks is None:
            continue
        factor = ranks or 1
        left: Extent = source.size * factor if grows else source.size
        right: Extent = target.size * factor if shrinks else target.size
        require("cc.shape_eq", equal(left, right), src=source.shape, dst=target.shape, ranks=ranks)


def all_reduce(srcs: object, dsts: object, replica_group: object, op: Operator, priority: object) -> None:
    """Every dst = the reduction of src over all ranks."""
    lists = claim_lists(srcs, dsts, hbm_only=False)
    claim_operator(op)
    claim_groups(replica_group)
    _claim_sizes(lists, 1)
    claim_priority("cc.priority_gen4", priority)


def all_gather(srcs: object, dsts: object, replica_group: object, dim: object, priority: object) -> None:
    """Every dst = the sources of all ranks, one after the other along a dimension."""
    lists = claim_lists(srcs, dsts, hbm_only=False)
    for source in lists.sources:
        legal = (dim in (0, 1) and source.ndim == 2) if on_chip(source) else dim == 0
        require("cc.all_gather.dim", legal, collective_dim=dim, src=source.shape, buffer=source.buffer)
    _claim_sizes(lists, claim_groups(replica_group), grows=True)
    claim_priority("cc.priority_gen4", priority)


def reduce_scatter(
    srcs: object, dsts: object, replica_group: object, dim: object, op: Operator, priority: object
) -> None:
    """Every dst = a rank's part of the reduction of src over all ranks."""
    lists = claim_lists(srcs, dsts, hbm_only=False)
    claim_operator(op)
    require("cc.reduce_scatter.dim", dim == 0, collective_dim=dim)
    _claim_sizes(lists, claim_groups(replica_group), shrinks=True)
    claim_priority("cc.priority_gen4", priority)


def all_to_all(srcs: object, dsts: object, replica_group: object, dim: object, priority: object) -> None:
    """Every rank gets its part of the source of every other."""
    lists = claim_lists(srcs, dsts, hbm_only=True)
    require("cc.all_to_all.dim", dim == 0, collective_dim=dim)
    claim_groups(replica_group)
    _claim_sizes(lists, 1)
    claim_priority("cc.priority_gen4", priority)


def varying(
    srcs: object, dsts: object, replica_group: object, metadata: object, has_rdispls: object, priority: object
) -> int | None:
    """What all_gather_v and all_to_all_v share: counts known at run time; returns the ranks of each group."""
    claim_lists(srcs, dsts, hbm_only=True, single=True)
    ranks = claim_groups(replica_group)
    table = tile(metadata, "metadata_tensor")
    rows: Extent = 4 if has_rdispls is True else 3
    shape = table.shape
    if on_chip(table):
        shaped = all_of(
            table.buffer is SBUF, len(shape) == 3, equal(shape[0], 1), equal(shape[min(1, len(shape) - 1)], rows)
        )
    else:
        shaped = all_of(len(shape) == 2, equal(shape[0], rows))
    fits = True if ranks is None else equal(shape[-1], ranks)
    require(
        "cc.metadata",
        all_of(table.dtype == uint32, shaped, fits),
        metadata=shape,
        dtype=table.dtype,
        has_rdispls=has_rdispls,
        ranks=ranks,
    )
    claim_priority("cc.priority_gen4", priority)
    return ranks


def all_gather_v(
    srcs: object, dsts: object, replica_group: object, metadata: object, has_rdispls: object, priority: object
) -> None:
    """all_gather with counts known at run time."""
    ranks = varying(srcs, dsts, replica_group, metadata, has_rdispls, priority)
    legal = has_rdispls is False and (ranks is None or ranks == _GATHERED_RANKS)
    require("cc.all_gather_v.limits", legal, has_rdispls=has_rdispls, ranks=ranks)


def collective_permute(srcs: object, dsts: object, pairs: object, priority: object) -> None:
    """Each source goes to the rank its pair names."""
    lists = claim_lists(srcs, dsts, hbm_only=True, single=True)
    formed = is_sequence(pairs) and all(is_sequence(pair) and len(pair) == 2 for pair in pairs)
    require("cc.pairs", formed, source_target_pairs=pairs)
    _claim_sizes(lists, 1)
    claim_priority("cc.priority_gen4", priority)


def permute_implicit(
    operands: tuple[object, ...], dsts: object, replica_group: object, channel_ids: object, priority: object
) -> None:
    """Each channel's source goes to the next rank of a ring."""
    claim_groups(replica_group)
    channels = [as_extent(channel) for channel in channel_ids] if is_sequence(channel_ids) else []
    consecutive = channels == list(range(len(channels))) and 1 <= len(channels) <= _CHANNELS
    require("cc.channels", consecutive, channel_ids=channel_ids)
    by_channel = (*operands, dsts)
    formed = all(is_sequence(lists) and len(lists) == len(channels) for lists in by_channel)
    require("cc.permute_implicit", formed, channels=len(channels))
    if not formed:
        raise TypeError("there is one list of tensors for each channel")
    for sources in operands:
        for srcs, targets in zip(sources, dsts, strict=True):  # type: ignore[call-overload]
            _claim_sizes(claim_lists(srcs, targets, hbm_only=True, single=True), 1)
    claim_priority("cc.priority_gen4", priority)


def rank_register() -> VirtualRegister:
    """A register with a rank that is known at run time."""
    return VirtualRegister.holding(None)


def claim_channel(channel_id: object) -> None:
    """Claim that a channel exists."""
    channel = as_extent(channel_id)
    if channel is None:
        raise unsupported(f"a channel of type {type(channel_id).__name__}")
    require("cc.channels", any_of(*(equal(channel, number) for number in range(_CHANNELS))), channel_id=channel)
