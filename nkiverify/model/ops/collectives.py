"""Collective communication between ranks (reference section c.6).

What other ranks send is not known in one: none of these operations has values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.contents import overwritten
from nkiverify.model.contracts import define, require, require_if_open
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import uint32
from nkiverify.model.extents import as_extent, is_sequence
from nkiverify.model.known_numbers import Interval
from nkiverify.model.memory import SBUF
from nkiverify.model.operators import Operator
from nkiverify.model.ops.dma import claim_priority
from nkiverify.model.ops.operands import on_chip, tile
from nkiverify.model.register_contents import VirtualRegister
from nkiverify.model.registry import OVERWRITES, Declaration, operation
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import Extent, all_of, any_of, equal
from nkiverify.symbolic.execution import unsupported

NKI = ("nki",)
_CHANNELS = 4
#: Ranks in each list of an all_gather_v.
_GATHERED_RANKS = 4


def _collective(name: str, *, counted: bool = False) -> Declaration:
    return operation(
        f"ncc.{name}",
        dependence=Dependence(Link.EVERYTHING),
        engine="dma",
        behaviour=OVERWRITES.but(side_effect=True, counted=counted),
        no_values="what other ranks send is not known in one",
    )


# --- what they share --------------------------------------------------------------------------------------------------

define(
    "cc.list",
    "srcs and dsts must be lists of equally many tensors, all in HBM; one tensor each may be in SBUF where that"
    " is documented.",
    "cc.all_reduce; cc.all_to_all; cc.collective_permute",
    api=NKI,
    same_elements=True,
)
define(
    "cc.op",
    "The operator of a collective must be add, minimum or maximum.",
    "cc.all_reduce",
    api=NKI,
    takes={"op": ("add", "minimum", "maximum")},
)
define(
    "cc.dtype",
    "Source and destination of a collective must have the same dtype.",
    "cc.all_reduce (implied)",
    api=NKI,
    takes={"dst": "src"},
)
define(
    "cc.shape_eq",
    "A gather's destination must have the source's elements times the ranks, a scatter's source the "
    "destination's; in other collectives both must have equally many.",
    "cc.all_gather; cc.reduce_scatter; cc.all_reduce (implied)",
    api=NKI,
)
define("cc.groups_disjoint", "No rank may be in two groups.", "ReplicaGroup", api=NKI)
define("cc.priority_gen4", "priority must be 0 to 3, and needs gen4 or later.", "cc.all_reduce", api=NKI)


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
    """The tensors of a list; one that stands alone is a list of itself."""
    require("cc.list", is_sequence(value) and len(value) > 0, argument=argument, value=type(value).__name__)
    if isinstance(value, Tensor):
        return (tile(value, argument),)
    if not is_sequence(value):
        raise TypeError(f"{argument} is a list of tensors, not {type(value).__name__}")
    return tuple(tile(part, argument) for part in value)


def _claim_lists(srcs: object, dsts: object, *, hbm_only: bool, single: bool = False) -> Lists:
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


def _groups(replica_group: object) -> Sequence[Sequence[int]] | None:
    """The ranks of each group; None where they are not all known."""
    groups = getattr(replica_group, "groups", None)
    if not is_sequence(groups) or not all(is_sequence(group) or isinstance(group, range) for group in groups):
        return None
    return groups if all(isinstance(rank, int) for group in groups for rank in group) else None


def _claim_groups(replica_group: object) -> int | None:
    """Claim that no rank is in two groups; returns the ranks of each group where all have as many."""
    groups = _groups(replica_group)
    if groups is None:
        return None
    ranks = [rank for group in groups for rank in group]
    require("cc.groups_disjoint", len(set(ranks)) == len(ranks), groups=groups)
    sizes = {len(group) for group in groups}
    return sizes.pop() if len(sizes) == 1 else None


def _claim_operator(op: Operator) -> None:
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


# --- between all ranks of a group -------------------------------------------------------------------------------------

ALL_REDUCE = _collective("all_reduce")


@ALL_REDUCE.current
def _(
    srcs: object,
    dsts: object,
    replica_group: object,
    op: Operator,
    priority: object = None,
    name: object = None,
) -> None:
    """Every dst = the reduction of src over all ranks."""
    lists = _claim_lists(srcs, dsts, hbm_only=False)
    _claim_operator(op)
    _claim_groups(replica_group)
    _claim_sizes(lists, 1)
    claim_priority("cc.priority_gen4", priority)


ALL_GATHER = _collective("all_gather")

define("cc.all_gather.dim", "collective_dim must be 0; in SBUF 0 or 1 of a 2-D tensor.", "cc.all_gather", api=NKI)


@ALL_GATHER.current
def _(
    srcs: object,
    dsts: object,
    replica_group: object,
    collective_dim: object,
    priority: object = None,
    name: object = None,
) -> None:
    """Every dst = the sources of all ranks, one after the other along a dimension."""
    lists = _claim_lists(srcs, dsts, hbm_only=False)
    for source in lists.sources:
        legal = (collective_dim in (0, 1) and source.ndim == 2) if on_chip(source) else collective_dim == 0
        require("cc.all_gather.dim", legal, collective_dim=collective_dim, src=source.shape, buffer=source.buffer)
    _claim_sizes(lists, _claim_groups(replica_group), grows=True)
    claim_priority("cc.priority_gen4", priority)


REDUCE_SCATTER = _collective("reduce_scatter")

define("cc.reduce_scatter.dim", "collective_dim of reduce_scatter must be 0.", "cc.reduce_scatter", api=NKI)


@REDUCE_SCATTER.current
def _(
    srcs: object,
    dsts: object,
    replica_group: object,
    collective_dim: object,
    op: Operator,
    priority: object = None,
    name: object = None,
) -> None:
    """Every dst = a rank's part of the reduction of src over all ranks."""
    lists = _claim_lists(srcs, dsts, hbm_only=False)
    _claim_operator(op)
    require("cc.reduce_scatter.dim", collective_dim == 0, collective_dim=collective_dim)
    _claim_sizes(lists, _claim_groups(replica_group), shrinks=True)
    claim_priority("cc.priority_gen4", priority)


ALL_TO_ALL = _collective("all_to_all")

define("cc.all_to_all.dim", "collective_dim of all_to_all must be 0.", "cc.all_to_all", api=NKI)


@ALL_TO_ALL.current
def _(
    srcs: object,
    dsts: object,
    replica_group: object,
    collective_dim: object,
    priority: object = None,
    name: object = None,
) -> None:
    """Every rank gets its part of the source of every other."""
    lists = _claim_lists(srcs, dsts, hbm_only=True)
    require("cc.all_to_all.dim", collective_dim == 0, collective_dim=collective_dim)
    _claim_groups(replica_group)
    _claim_sizes(lists, 1)
    claim_priority("cc.priority_gen4", priority)


ALL_TO_ALL_V = _collective("all_to_all_v", counted=True)

define(
    "cc.metadata",
    "metadata must be uint32, 3 rows (4 with has_rdispls) of an element per rank: 2-D in HBM, (1, rows, ranks) "
    "in SBUF.",
    "cc.all_gather_v; cc.all_to_all_v",
    api=NKI,
)


@ALL_TO_ALL_V.current
def _(
    srcs: object,
    dsts: object,
    replica_group: object,
    metadata_tensor: object,
    recv_counts_known: object = False,
    has_rdispls: object = False,
    priority: object = None,
    name: object = None,
) -> None:
    """all_to_all with counts known at run time."""
    _claim_varying(srcs, dsts, replica_group, metadata_tensor, has_rdispls, priority)


ALL_GATHER_V = _collective("all_gather_v", counted=True)

define(
    "cc.all_gather_v.limits",
    "all_gather_v must be given rank lists of 4 and no has_rdispls.",
    "cc.all_gather_v",
    api=NKI,
)


@ALL_GATHER_V.current
def _(
    srcs: object,
    dsts: object,
    replica_group: object,
    metadata_tensor: object,
    recv_counts_known: object = False,
    has_rdispls: object = False,
    priority: object = None,
    name: object = None,
) -> None:
    """all_gather with counts known at run time."""
    ranks = _claim_varying(srcs, dsts, replica_group, metadata_tensor, has_rdispls, priority)
    legal = has_rdispls is False and (ranks is None or ranks == _GATHERED_RANKS)
    require("cc.all_gather_v.limits", legal, has_rdispls=has_rdispls, ranks=ranks)


def _claim_varying(
    srcs: object, dsts: object, replica_group: object, metadata: object, has_rdispls: object, priority: object
) -> int | None:
    """The common claims of all_gather_v and all_to_all_v: counts known at run time; returns the ranks of each group."""
    _claim_lists(srcs, dsts, hbm_only=True, single=True)
    ranks = _claim_groups(replica_group)
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


# --- from rank to rank ------------------------------------------------------------------------------------------------

COLLECTIVE_PERMUTE = _collective("collective_permute")

define("cc.pairs", "source_target_pairs must be pairs of ranks.", "cc.collective_permute", api=NKI)


@COLLECTIVE_PERMUTE.current
def _(
    srcs: object,
    dsts: object,
    source_target_pairs: object,
    priority: object = None,
    name: object = None,
) -> None:
    """Each source goes to the rank its pair names."""
    lists = _claim_lists(srcs, dsts, hbm_only=True, single=True)
    formed = is_sequence(source_target_pairs) and all(
        is_sequence(pair) and len(pair) == 2 for pair in source_target_pairs
    )
    require("cc.pairs", formed, source_target_pairs=source_target_pairs)
    _claim_sizes(lists, 1)
    claim_priority("cc.priority_gen4", priority)


COLLECTIVE_PERMUTE_IMPLICIT = _collective("collective_permute_implicit")

define(
    "cc.channels",
    "channel_ids must count from 0, at most 4 of them.",
    "cc.collective_permute_implicit",
    api=NKI,
)
define(
    "cc.permute_implicit",
    "An implicit permute must have one list of one tensor for each channel.",
    "cc.collective_permute_implicit",
    api=NKI,
)
define(
    "cc.permute_hbm",
    "The tensors of collective_permute_implicit must be in HBM.",
    "cc.collective_permute_implicit",
    api=NKI,
    contested="reported of published kernels: they give it tensors in SBUF, as all_gather and all_reduce take them, and"
    " run",
)


@COLLECTIVE_PERMUTE_IMPLICIT.current
def _(
    srcs_by_channel: object,
    dsts_by_channel: object,
    replica_group: object,
    channel_ids: object = [0],
    priority: object = None,
    name: object = None,
) -> None:
    """Each channel's source goes to the next rank of a ring."""
    _claim_implicit((srcs_by_channel,), dsts_by_channel, replica_group, channel_ids, priority)


COLLECTIVE_PERMUTE_IMPLICIT_REDUCE = _collective("collective_permute_implicit_reduce")


@COLLECTIVE_PERMUTE_IMPLICIT_REDUCE.current
def _(
    srcs0_by_channel: object,
    srcs1_by_channel: object,
    dsts_by_channel: object,
    replica_group: object,
    op: Operator,
    channel_ids: object = [0],
    priority: object = None,
    name: object = None,
) -> None:
    """The reduction of two sources sent to the next rank of a ring."""
    _claim_operator(op)
    _claim_implicit((srcs0_by_channel, srcs1_by_channel), dsts_by_channel, replica_group, channel_ids, priority)


def _claim_implicit(
    operands: tuple[object, ...], dsts: object, replica_group: object, channel_ids: object, priority: object
) -> None:
    """Each channel's source goes to the next rank of a ring."""
    _claim_groups(replica_group)
    channels = [as_extent(channel) for channel in channel_ids] if is_sequence(channel_ids) else []
    consecutive = channels == list(range(len(channels))) and 1 <= len(channels) <= _CHANNELS
    require("cc.channels", consecutive, channel_ids=channel_ids)
    by_channel = (*operands, dsts)
    formed = all(is_sequence(lists) and len(lists) == len(channels) for lists in by_channel)
    require("cc.permute_implicit", formed, channels=len(channels))
    if not formed:
        raise TypeError("there is one list of tensors for each channel")
    # What kernels are reported to do they do without a reduction.
    hbm_only = len(operands) > 1
    for sources in operands:
        for srcs, targets in zip(sources, dsts, strict=True):  # type: ignore[call-overload]
            lists = _claim_lists(srcs, targets, hbm_only=hbm_only, single=True)
            buffers = tuple(tensor.buffer for tensor in lists.sources + lists.targets)
            in_hbm = all(not tensor.on_chip for tensor in lists.sources + lists.targets)
            require_if_open("cc.permute_hbm", hbm_only or in_hbm, buffers=buffers)
            _claim_sizes(lists, 1)
    claim_priority("cc.priority_gen4", priority)


# --- ranks -----------------------------------------------------------------------------------------------------------

PROCESSED_RANK_ID = _collective("collective_permute_implicit_current_processing_rank_id")


@PROCESSED_RANK_ID.current
def _(iteration_id: object, replica_group: object, channel_id: object = 0, name: object = None) -> VirtualRegister:
    """The rank whose data this iteration of a ring processes."""
    _claim_groups(replica_group)
    channel = as_extent(channel_id)
    if channel is None:
        raise unsupported(f"a channel of type {type(channel_id).__name__}")
    require("cc.channels", any_of(*(equal(channel, number) for number in range(_CHANNELS))), channel_id=channel)
    groups = _groups(replica_group)
    if not groups or not all(groups):
        return VirtualRegister.holding(None)
    # No page says whether ranks count in their group or in all of them ("cc.rank_reg"): where these differ, it may be
    # either.
    last = max(max(max(group), len(group) - 1) for group in groups)
    same = all(sorted(group) == list(range(last + 1)) for group in groups)
    return VirtualRegister.holding(Interval(0, last), exact=same)


RANK_ID = _collective("rank_id")


@RANK_ID.current
def _(name: object = None) -> VirtualRegister:
    """The rank that runs the kernel, known at run time."""
    return VirtualRegister.holding(None)
