"""Controls of contracts about reductions."""

import nki
import nki.isa as nisa
import nki.language as nl

data = nl.ndarray((4, 2, 3), dtype=nl.float32, buffer=nl.sbuf)
dst = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)


def tensor_reduce__axis_free():
    nisa.tensor_reduce(dst, nl.add, data, either(right=(1, 2), wrong=(0, 1, 2)))


def tensor_reduce__axis_last():
    dst = nl.ndarray((4, either(right=2, wrong=3)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst, nl.add, data, (either(right=2, wrong=1),))


def tensor_reduce__dst():
    dst = nl.ndarray((4, either(right=1, wrong=6)), dtype=nl.float32, buffer=either(right=nl.psum, wrong=nl.sbuf))
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst, nl.add, data, 1)


def tensor_reduce__op():
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst, either(right=nl.logical_or, wrong=nl.power), data, 1)


def tensor_reduce__buffers__right():
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    nisa.tensor_reduce(dst, nl.add, data, 1)


@nki.jit
def tensor_reduce__buffers__wrong(x: "f32[4, 6]"):
    nisa.tensor_reduce(dst, nl.add, x, 1)
