"""Controls of contracts about the collectives."""

import nki
import nki.collectives as cc
import nki.language as nl


def cc__list__right():
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    tile2 = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    cc.all_reduce([tile], [tile2], cc.ReplicaGroup([[0, 1], [2, 3]]), nl.add)


@nki.jit
def cc__list__wrong(x: "f32[2, 4]"):
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    cc.all_reduce([x], [tile], cc.ReplicaGroup([[0, 1], [2, 3]]), nl.add)


@nki.jit
def cc__op__right(x: "f32[2, 4]", x2: "f32[2, 4]"):
    cc.all_reduce([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), nl.maximum)


@nki.jit
def cc__op__wrong(x: "f32[2, 4]", x2: "f32[2, 4]"):
    cc.all_reduce([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), nl.multiply)


@nki.jit
def cc__dtype__right(x: "f32[2, 4]", x2: "f32[2, 4]"):
    cc.all_reduce([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), nl.add)


@nki.jit
def cc__dtype__wrong(x: "f32[2, 4]", x2: "bf16[2, 4]"):
    cc.all_reduce([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), nl.add)


def cc__all_gather__dim__right():
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    tile2 = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    cc.all_gather([tile], [tile2], cc.ReplicaGroup([[0, 1], [2, 3]]), 1)


@nki.jit
def cc__all_gather__dim__wrong(x: "f32[2, 4]", x2: "f32[2, 8]"):
    cc.all_gather([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), 1)


@nki.jit
def cc__reduce_scatter__dim__right(x: "f32[4, 4]", x2: "f32[2, 4]"):
    cc.reduce_scatter([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), 0, nl.add)


@nki.jit
def cc__reduce_scatter__dim__wrong(x: "f32[4, 4]", x2: "f32[2, 4]"):
    cc.reduce_scatter([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), 1, nl.add)


@nki.jit
def cc__all_to_all__dim__right(x: "f32[2, 4]", x2: "f32[2, 4]"):
    cc.all_to_all([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), 0)


@nki.jit
def cc__all_to_all__dim__wrong(x: "f32[2, 4]", x2: "f32[2, 4]"):
    cc.all_to_all([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), 1)


@nki.jit
def cc__shape_eq__right(x: "f32[2, 4]", x2: "f32[4, 4]"):
    cc.all_gather([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), 0)


@nki.jit
def cc__shape_eq__wrong(x: "f32[2, 4]", x2: "f32[4, 4]"):
    cc.all_gather([x], [x2], cc.ReplicaGroup([[0, 1, 2, 3]]), 0)


@nki.jit
def cc__groups_disjoint__right(x: "f32[2, 4]", x2: "f32[2, 4]"):
    cc.all_reduce([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), nl.add)


@nki.jit
def cc__groups_disjoint__wrong(x: "f32[2, 4]", x2: "f32[2, 4]"):
    cc.all_reduce([x], [x2], cc.ReplicaGroup([[0, 1], [1, 2]]), nl.add)


@nki.jit
def cc__metadata__right(x: "f32[2, 4]", x2: "f32[8, 4]", x3: "u32[3, 4]"):
    cc.all_gather_v([x], [x2], cc.ReplicaGroup([[0, 1, 2, 3]]), x3)


@nki.jit
def cc__metadata__wrong(x: "f32[2, 4]", x2: "f32[8, 4]", x3: "u32[4, 4]"):
    cc.all_gather_v([x], [x2], cc.ReplicaGroup([[0, 1, 2, 3]]), x3)


@nki.jit
def cc__all_gather_v__limits__right(x: "f32[2, 4]", x2: "f32[8, 4]", x3: "u32[3, 4]"):
    cc.all_gather_v([x], [x2], cc.ReplicaGroup([[0, 1, 2, 3]]), x3)


@nki.jit
def cc__all_gather_v__limits__wrong(x: "f32[2, 4]", x2: "f32[8, 4]", x3: "u32[3, 2]"):
    cc.all_gather_v([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), x3)


@nki.jit
def cc__channels__right(x: "f32[2, 4]"):
    cc.collective_permute_implicit([[x], [x]], [[x], [x]], cc.ReplicaGroup([[0, 1], [2, 3]]), [0, 1])


@nki.jit
def cc__channels__wrong(x: "f32[2, 4]"):
    cc.collective_permute_implicit([[x], [x]], [[x], [x]], cc.ReplicaGroup([[0, 1], [2, 3]]), [0, 2])


@nki.jit
def cc__permute_implicit__right(x: "f32[2, 4]"):
    cc.collective_permute_implicit([[x], [x]], [[x], [x]], cc.ReplicaGroup([[0, 1], [2, 3]]), [0, 1])


@nki.jit
def cc__permute_implicit__wrong(x: "f32[2, 4]"):
    cc.collective_permute_implicit([[x], [x], [x]], [[x], [x], [x]], cc.ReplicaGroup([[0, 1], [2, 3]]), [0, 1])


@nki.jit
def cc__pairs__right(x: "f32[2, 4]", x2: "f32[2, 4]"):
    cc.collective_permute([x], [x2], [(0, 1), (1, 0)])


@nki.jit
def cc__pairs__wrong(x: "f32[2, 4]", x2: "f32[2, 4]"):
    cc.collective_permute([x], [x2], [(0, 1, 2)])


@nki.jit
def cc__priority_gen4__right(x: "f32[2, 4]", x2: "f32[2, 4]"):
    """On trn3."""
    cc.all_reduce([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), nl.add, priority=3)


@nki.jit
def cc__priority_gen4__wrong(x: "f32[2, 4]", x2: "f32[2, 4]"):
    """On trn3."""
    cc.all_reduce([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), nl.add, priority=4)
