"""Controls of contracts about the collectives."""

import nki
import nki.collectives as cc
import nki.language as nl

tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)


def cc__list__right():
    tile2 = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    cc.all_reduce([tile], [tile2], cc.ReplicaGroup([[0, 1], [2, 3]]), nl.add)


@nki.jit
def cc__list__wrong(x: "f32[2, 4]"):
    cc.all_reduce([x], [tile], cc.ReplicaGroup([[0, 1], [2, 3]]), nl.add)


@nki.jit
def cc__op(x: "f32[2, 4]", x2: "f32[2, 4]"):
    cc.all_reduce([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), either(right=nl.maximum, wrong=nl.multiply))


def cc__permute_hbm():
    one, other = (nl.ndarray((2, 4), dtype=nl.float32, buffer=either(right=nl.hbm, wrong=nl.sbuf)) for _ in range(2))
    cc.collective_permute_implicit([[one]], [[other]], cc.ReplicaGroup([[0, 1], [2, 3]]))


@nki.jit
def cc__dtype(x: "f32[2, 4]", x2: either(right="f32[2, 4]", wrong="bf16[2, 4]")):
    cc.all_reduce([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), nl.add)


@nki.jit
def cc__shape_eq(x: "f32[2, 4]", x2: "f32[4, 4]"):
    cc.all_gather([x], [x2], cc.ReplicaGroup(either(right=[[0, 1], [2, 3]], wrong=[[0, 1, 2, 3]])), 0)


@nki.jit
def cc__groups_disjoint(x: "f32[2, 4]", x2: "f32[2, 4]"):
    cc.all_reduce([x], [x2], cc.ReplicaGroup([[0, 1], either(right=[2, 3], wrong=[1, 2])]), nl.add)


@nki.jit
def cc__metadata(x: "f32[2, 4]", x2: "f32[8, 4]", x3: either(right="u32[3, 4]", wrong="u32[4, 4]")):
    cc.all_gather_v([x], [x2], cc.ReplicaGroup([[0, 1, 2, 3]]), x3)


@nki.jit
def cc__channels(x: "f32[2, 4]"):
    cc.collective_permute_implicit(
        [[x], [x]], [[x], [x]], cc.ReplicaGroup([[0, 1], [2, 3]]), [0, either(right=1, wrong=2)]
    )


@nki.jit
def cc__permute_implicit(x: "f32[2, 4]"):
    cc.collective_permute_implicit(
        either(right=[[x], [x]], wrong=[[x], [x], [x]]),
        either(right=[[x], [x]], wrong=[[x], [x], [x]]),
        cc.ReplicaGroup([[0, 1], [2, 3]]),
        [0, 1],
    )


@nki.jit
def cc__pairs(x: "f32[2, 4]", x2: "f32[2, 4]"):
    cc.collective_permute([x], [x2], either(right=[(0, 1), (1, 0)], wrong=[(0, 1, 2)]))


@control(on="trn3")
@nki.jit
def cc__priority_gen4(x: "f32[2, 4]", x2: "f32[2, 4]"):
    cc.all_reduce([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), nl.add, priority=either(right=3, wrong=4))


def cc__all_gather__dim__right():
    tile2 = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    cc.all_gather([tile], [tile2], cc.ReplicaGroup([[0, 1], [2, 3]]), 1)


@nki.jit
def cc__all_gather__dim__wrong(x: "f32[2, 4]", x2: "f32[2, 8]"):
    cc.all_gather([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), 1)


@nki.jit
def cc__reduce_scatter__dim(x: "f32[4, 4]", x2: "f32[2, 4]"):
    cc.reduce_scatter([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), either(right=0, wrong=1), nl.add)


@nki.jit
def cc__all_to_all__dim(x: "f32[2, 4]", x2: "f32[2, 4]"):
    cc.all_to_all([x], [x2], cc.ReplicaGroup([[0, 1], [2, 3]]), either(right=0, wrong=1))


@nki.jit
def cc__all_gather_v__limits(x: "f32[2, 4]", x2: "f32[8, 4]", x3: either(right="u32[3, 4]", wrong="u32[3, 2]")):
    cc.all_gather_v([x], [x2], cc.ReplicaGroup(either(right=[[0, 1, 2, 3]], wrong=[[0, 1], [2, 3]])), x3)
