"""Contracts of collective communication: last legal and first illegal use."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from nkiverify.model.dtypes import DType, bfloat16, float32, uint32
from nkiverify.model.tensor import Tensor
from tests.model.stub_library import LIBRARY, Control, hbm, nl, sbuf

with LIBRARY.active():
    cc: Any = importlib.import_module("nki.collectives")

PAIR = cc.ReplicaGroup([[0, 1], [2, 3]])
FOUR = cc.ReplicaGroup([[0, 1, 2, 3]])


def permute(channels: list[int], lists: int) -> None:
    """An implicit permute over channels, with that many lists of one tensor."""
    tensors = [[hbm(2, 4)]] * lists
    cc.collective_permute_implicit(tensors, tensors, PAIR, channels)


def gather_v(rows: int = 3, group: Any = FOUR, dtype: DType = uint32, **changes: Any) -> None:
    """A legal all_gather_v, with changes."""
    ranks = len(group.groups[0])
    cc.all_gather_v([hbm(2, 4)], [hbm(8, 4)], group, hbm(rows, ranks, dtype=dtype), **changes)


def reduce(source: Tensor, target: Tensor, group: Any = PAIR, op: Any = nl.add, **changes: Any) -> None:
    """An all_reduce of one tensor."""
    cc.all_reduce([source], [target], group, op, **changes)


CONTROLS = [
    Control("cc.list", lambda: reduce(sbuf(2, 4), sbuf(2, 4)), lambda: reduce(hbm(2, 4), sbuf(2, 4))),
    Control(
        "cc.list",
        lambda: cc.all_reduce([hbm(2, 4)] * 2, [hbm(2, 4)] * 2, PAIR, nl.add),
        lambda: cc.all_reduce([sbuf(2, 4)] * 2, [sbuf(2, 4)] * 2, PAIR, nl.add),
    ),
    Control(
        "cc.list",
        lambda: cc.all_to_all([hbm(2, 4)], [hbm(2, 4)], PAIR, 0),
        lambda: cc.all_to_all([sbuf(2, 4)], [sbuf(2, 4)], PAIR, 0),
    ),
    Control(
        "cc.op",
        lambda: reduce(hbm(2, 4), hbm(2, 4), op=nl.maximum),
        lambda: reduce(hbm(2, 4), hbm(2, 4), op=nl.multiply),
    ),
    Control(
        "cc.dtype",
        lambda: reduce(hbm(2, 4), hbm(2, 4, dtype=float32)),
        lambda: reduce(hbm(2, 4), hbm(2, 4, dtype=bfloat16)),
    ),
    Control(
        "cc.all_gather.dim",
        lambda: cc.all_gather([sbuf(2, 4)], [sbuf(2, 8)], PAIR, 1),
        lambda: cc.all_gather([hbm(2, 4)], [hbm(2, 8)], PAIR, 1),
    ),
    Control(
        "cc.reduce_scatter.dim",
        lambda: cc.reduce_scatter([hbm(4, 4)], [hbm(2, 4)], PAIR, 0, nl.add),
        lambda: cc.reduce_scatter([hbm(4, 4)], [hbm(2, 4)], PAIR, 1, nl.add),
    ),
    Control(
        "cc.all_to_all.dim",
        lambda: cc.all_to_all([hbm(2, 4)], [hbm(2, 4)], PAIR, 0),
        lambda: cc.all_to_all([hbm(2, 4)], [hbm(2, 4)], PAIR, 1),
    ),
    Control(
        "cc.shape_eq",
        lambda: cc.all_gather([hbm(2, 4)], [hbm(4, 4)], PAIR, 0),
        lambda: cc.all_gather([hbm(2, 4)], [hbm(4, 4)], FOUR, 0),
    ),
    Control("cc.shape_eq", lambda: reduce(hbm(2, 4), hbm(2, 4)), lambda: reduce(hbm(2, 4), hbm(2, 5))),
    Control(
        "cc.groups_disjoint",
        lambda: reduce(hbm(2, 4), hbm(2, 4), PAIR),
        lambda: reduce(hbm(2, 4), hbm(2, 4), cc.ReplicaGroup([[0, 1], [1, 2]])),
    ),
    Control("cc.metadata", lambda: gather_v(), lambda: gather_v(rows=4)),
    Control("cc.metadata", lambda: gather_v(), lambda: gather_v(dtype=float32)),
    Control("cc.all_gather_v.limits", lambda: gather_v(), lambda: gather_v(group=PAIR)),
    Control("cc.channels", lambda: permute([0, 1], 2), lambda: permute([0, 2], 2)),
    Control("cc.channels", lambda: permute([0, 1, 2, 3], 4), lambda: permute([0, 1, 2, 3, 4], 5)),
    Control("cc.permute_implicit", lambda: permute([0, 1], 2), lambda: permute([0, 1], 3)),
    Control(
        "cc.pairs",
        lambda: cc.collective_permute([hbm(2, 4)], [hbm(2, 4)], [(0, 1), (1, 0)]),
        lambda: cc.collective_permute([hbm(2, 4)], [hbm(2, 4)], [(0, 1, 2)]),
    ),
    Control(
        "cc.priority_gen4",
        lambda: reduce(hbm(2, 4), hbm(2, 4), priority=3),
        lambda: reduce(hbm(2, 4), hbm(2, 4), priority=4),
        hardware="trn3",
    ),
]


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_the_contract_is_broken_by_the_first_illegal_use_only(control: Control) -> None:
    control.check()
