"""Further controls of contracts of collective communication."""

import nki.collectives as cc
import nki.language as nl
from _tiles import _hbm, _sbuf


def _permute(channels, lists):
    """An implicit permute over channels, with that many lists of one tensor."""
    tensors = [[_hbm(2, 4)]] * lists
    cc.collective_permute_implicit(tensors, tensors, cc.ReplicaGroup([[0, 1], [2, 3]]), channels)


def _gather_v(rows=3, group=cc.ReplicaGroup([[0, 1, 2, 3]]), dtype=nl.uint32, **changes):
    """A legal all_gather_v, with changes."""
    ranks = len(group.groups[0])
    cc.all_gather_v([_hbm(2, 4)], [_hbm(8, 4)], group, _hbm(rows, ranks, dtype=dtype), **changes)


def _reduce(source, target, group=cc.ReplicaGroup([[0, 1], [2, 3]]), op=nl.add, **changes):
    """An all_reduce of one tensor."""
    cc.all_reduce([source], [target], group, op, **changes)


def cc__list__2():
    cc.all_reduce(
        [either(right=_hbm, wrong=_sbuf)(2, 4)] * 2,
        [either(right=_hbm, wrong=_sbuf)(2, 4)] * 2,
        cc.ReplicaGroup([[0, 1], [2, 3]]),
        nl.add,
    )


def cc__list__3():
    cc.all_to_all(
        [either(right=_hbm, wrong=_sbuf)(2, 4)],
        [either(right=_hbm, wrong=_sbuf)(2, 4)],
        cc.ReplicaGroup([[0, 1], [2, 3]]),
        0,
    )


def cc__shape_eq__2():
    _reduce(_hbm(2, 4), _hbm(2, either(right=4, wrong=5)))


def cc__metadata__2():
    either(right=_gather_v(), wrong=_gather_v(dtype=nl.float32))


def cc__channels__2():
    _permute(either(right=[0, 1, 2, 3], wrong=[0, 1, 2, 3, 4]), either(right=4, wrong=5))
