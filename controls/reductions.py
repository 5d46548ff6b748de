"""Controls of contracts about reductions."""

import nki
import nki.isa as nisa
import nki.language as nl


def tensor_reduce__axis_last__right():
    data = nl.ndarray((4, 2, 3), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst, nl.add, data, (2,))


def tensor_reduce__axis_last__wrong():
    data = nl.ndarray((4, 2, 3), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 3), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst, nl.add, data, (1,))


def tensor_reduce__dst__right():
    dst = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.psum)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst, nl.add, data, 1)


def tensor_reduce__dst__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst, nl.add, data, 1)


def tensor_reduce__op__right():
    dst = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst, nl.logical_or, data, 1)


def tensor_reduce__op__wrong():
    dst = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst, nl.power, data, 1)


def tensor_reduce__buffers__right():
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    dst = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst, nl.add, data, 1)


@nki.jit
def tensor_reduce__buffers__wrong(x: "f32[4, 6]"):
    dst = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst, nl.add, x, 1)
