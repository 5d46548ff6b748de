"""Controls of contracts about allocation and engines."""

import nki.isa as nisa
import nki.language as nl


def mem__gpsimd_no_psum__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, 2.0, engine=nisa.engine.gpsimd)


def mem__gpsimd_no_psum__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, 2.0, engine=nisa.engine.gpsimd)


def mem__partitions_128__right():
    tile = nl.ndarray((1, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.broadcast_to(tile, (128, 6))


def mem__partitions_128__wrong():
    tile = nl.ndarray((1, 6), dtype=nl.float32, buffer=nl.sbuf)
    nl.broadcast_to(tile, (129, 6))


def mem__address_form__right():
    nl.ndarray((2, 2), nl.float32, nl.sbuf, address=(0, 0))


def mem__address_form__wrong():
    nl.ndarray((2, 2), nl.float32, nl.sbuf, address=(0, -4))
