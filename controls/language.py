"""Controls of contracts about functions of nki.language."""

import nki.language as nl
import numpy as np


def nl__binary__same_shape__right():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    y = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.add(tile, y)


def nl__binary__same_shape__wrong():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    y = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
    nl.add(tile, y)


def nl__binary__one_tile__right():
    y = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.add(1, y)


def nl__binary__one_tile__wrong():
    nl.add(1, 2)


def nl__bitwise__int__right():
    tile = nl.ndarray((4, 6), dtype=nl.int32, buffer=nl.sbuf)
    nl.bitwise_and(tile, 1)


def nl__bitwise__int__wrong():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.bitwise_and(tile, 1)


def nl__divide__unsupported__right():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.multiply(tile, 0.5)


def nl__divide__unsupported__wrong():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.divide(tile, 2)


def nl__mod__unsupported__right():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.subtract(tile, 1)


def nl__mod__unsupported__wrong():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.mod(tile, 2)


def nl__fmod__unsupported__right():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.subtract(tile, 1)


def nl__fmod__unsupported__wrong():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.fmod(tile, 2)


def nl__power__tile__right():
    y = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.power(2, y)


def nl__power__tile__wrong():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.power(tile, 2)


def nl__abs_max__gen4__right():
    """On trn3."""
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.abs_max(tile, 1)


def nl__abs_max__gen4__wrong():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.abs_max(tile, 1)


def nl__rsqrt__psum__right():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.rsqrt(tile)


def nl__rsqrt__psum__wrong():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    nl.rsqrt(tile)


def nl__reduce__axis__right():
    tile = nl.ndarray((4, 2, 3), dtype=nl.float32, buffer=nl.sbuf)
    nl.sum(tile, axis=[1, 2])


def nl__reduce__axis__wrong():
    tile = nl.ndarray((4, 2, 3), dtype=nl.float32, buffer=nl.sbuf)
    nl.sum(tile, axis=[1])


def nl__where__shape__right():
    condition = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.where(condition, tile, 0.0)


def nl__where__shape__wrong():
    condition = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    tile = nl.ndarray((4, 5), dtype=nl.float32, buffer=nl.sbuf)
    nl.where(condition, tile, 0.0)


def nl__rms_norm__weight__right():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    w = nl.ndarray((1, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.rms_norm(tile, w, axis=1, n=6)


def nl__rms_norm__weight__wrong():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    w = nl.ndarray((1, 5), dtype=nl.float32, buffer=nl.sbuf)
    nl.rms_norm(tile, w, axis=1, n=6)


def nl__broadcast_to__shape__right():
    tile = nl.ndarray((1, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.broadcast_to(tile, (4, 6))


def nl__broadcast_to__shape__wrong():
    tile = nl.ndarray((2, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.broadcast_to(tile, (4, 6))


def nl__shared_identity_matrix__right():
    dst = nl.ndarray((8, 8), dtype=nl.uint8, buffer=nl.sbuf)
    nl.shared_identity_matrix(8, dst=dst)


def nl__shared_identity_matrix__wrong():
    dst = nl.ndarray((8, 9), dtype=nl.uint8, buffer=nl.sbuf)
    nl.shared_identity_matrix(8, dst=dst)


def nl__shared_constant__right():
    nl.shared_constant(np.zeros((2, 3), dtype=np.float32))


def nl__shared_constant__wrong():
    nl.shared_constant(np.zeros((2, 3), dtype=np.bool_))


def nl__gather_flattened__right():
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    indices = nl.ndarray((2, 3), dtype=nl.uint32, buffer=nl.sbuf)
    nl.gather_flattened(data, indices)


def nl__gather_flattened__wrong():
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    indices = nl.ndarray((3, 3), dtype=nl.uint32, buffer=nl.sbuf)
    nl.gather_flattened(data, indices)
