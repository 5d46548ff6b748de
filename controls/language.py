"""Controls of contracts about functions of nki.language."""

import nki.language as nl
import numpy as np

tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)


def nl__binary__same_shape():
    y = nl.ndarray((4, either(right=6, wrong=2)), dtype=nl.float32, buffer=nl.sbuf)
    nl.add(tile, y)


def nl__binary__broadcast():
    y = nl.ndarray((4, either(right=6, wrong=1)), dtype=nl.float32, buffer=nl.sbuf)
    nl.add(tile, y)


def nl__binary__one_tile():
    if RIGHT:
        y = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
        nl.add(1, y)
    else:
        nl.add(1, 2)


def nl__bitwise__int():
    tile = nl.ndarray((4, 6), dtype=either(right=nl.int32, wrong=nl.float32), buffer=nl.sbuf)
    nl.bitwise_and(tile, 1)


def nl__divide__unsupported():
    either(right=nl.multiply(tile, 0.5), wrong=nl.divide(tile, 2))


def nl__mod__unsupported():
    either(right=nl.subtract(tile, 1), wrong=nl.mod(tile, 2))


def nl__fmod__unsupported():
    either(right=nl.subtract(tile, 1), wrong=nl.fmod(tile, 2))


def nl__power__tile__right():
    y = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.power(2, y)


def nl__power__tile__wrong():
    nl.power(tile, 2)


@control(on=either(right="trn3", wrong="trn2"))
def nl__abs_max__gen4():
    nl.abs_max(tile, 1)


def nl__operand_on_chip():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.shared_hbm))
    nl.add(tile, 1)


def nl__rsqrt__psum():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nl.rsqrt(tile)


tile = nl.ndarray((4, 2, 3), dtype=nl.float32, buffer=nl.sbuf)


def nl__reduce__axis():
    nl.sum(tile, axis=either(right=[1, 2], wrong=[0, 1]))


def nl__reduce__axis_last():
    nl.sum(tile, axis=[either(right=2, wrong=1)])


def nl__where__shape():
    condition = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    tile = nl.ndarray((4, either(right=6, wrong=5)), dtype=nl.float32, buffer=nl.sbuf)
    nl.where(condition, tile, 0.0)


def nl__rms_norm__weight():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    w = nl.ndarray((1, either(right=6, wrong=5)), dtype=nl.float32, buffer=nl.sbuf)
    nl.rms_norm(tile, w, axis=1, n=6)


def nl__broadcast_to__shape():
    tile = nl.ndarray((either(right=1, wrong=2), 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.broadcast_to(tile, (4, 6))


def nl__shared_identity_matrix():
    dst = nl.ndarray((8, either(right=8, wrong=9)), dtype=nl.uint8, buffer=nl.sbuf)
    nl.shared_identity_matrix(8, dst=dst)


def nl__shared_constant():
    nl.shared_constant(np.zeros((2, 3), dtype=either(right=np.float32, wrong=np.bool_)))


def nl__gather_flattened():
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    indices = nl.ndarray((either(right=2, wrong=3), 3), dtype=nl.uint32, buffer=nl.sbuf)
    nl.gather_flattened(data, indices)
