"""Collective communication: page nki.collectives."""

from __future__ import annotations

from nkiverify.model.contracts import define

NKI = ("nki",)

define(
    "cc.list",
    "srcs and dsts are lists of as many tensors, all in HBM; one tensor each may be in SBUF where that is documented.",
    "cc.all_reduce; cc.all_to_all; cc.collective_permute",
    api=NKI,
)
define("cc.op", "A collective reduces with add, minimum or maximum.", "cc.all_reduce", api=NKI)
define("cc.dtype", "Source and destination of a collective have the same dtype.", "cc.all_reduce (implied)", api=NKI)
define("cc.all_gather.dim", "collective_dim is 0; in SBUF 0 or 1 of a 2-D tensor.", "cc.all_gather", api=NKI)
define("cc.reduce_scatter.dim", "collective_dim of reduce_scatter is 0.", "cc.reduce_scatter", api=NKI)
define("cc.all_to_all.dim", "collective_dim of all_to_all is 0.", "cc.all_to_all", api=NKI)
define(
    "cc.shape_eq",
    "A gather's destination has the source's elements times the ranks, a scatter's source the destination's; in other"
    " collectives both have as many.",
    "cc.all_gather; cc.reduce_scatter; cc.all_reduce (implied)",
    api=NKI,
)
define("cc.groups_disjoint", "No rank is in two groups.", "ReplicaGroup", api=NKI)
define(
    "cc.metadata",
    "metadata is uint32, 3 rows (4 with has_rdispls) of an element per rank: 2-D in HBM, (1, rows, ranks) in SBUF.",
    "cc.all_gather_v; cc.all_to_all_v",
    api=NKI,
)
define("cc.all_gather_v.limits", "all_gather_v takes rank lists of 4 and no has_rdispls.", "cc.all_gather_v", api=NKI)
define(
    "cc.channels",
    "channel_ids count from 0, at most 4 of them.",
    "cc.collective_permute_implicit",
    api=NKI,
)
define("cc.pairs", "source_target_pairs are pairs of ranks.", "cc.collective_permute", api=NKI)
define(
    "cc.permute_implicit",
    "An implicit permute has one list of one tensor for each channel.",
    "cc.collective_permute_implicit",
    api=NKI,
)
define("cc.priority_gen4", "priority is 0 to 3 and needs gen4 or later.", "cc.all_reduce", api=NKI)
