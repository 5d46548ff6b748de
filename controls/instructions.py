"""Controls of contracts about all instructions."""

import nki
import nki.isa as nisa
import nki.language as nl


def isa__on_chip__right():
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst, 0)


@nki.jit
def isa__on_chip__wrong(x: "f32[2, 4]"):
    nisa.memset(x, 0)


def isa__kwargs_checked__right():
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=dst, src=src)


def isa__kwargs_checked__wrong():
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=dst, src=src, dtype=nl.float32)


def isa__bitvec_int__right():
    dst = nl.ndarray((4, 6), dtype=nl.int32, buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=nl.int32, buffer=nl.sbuf)
    data2 = nl.ndarray((4, 6), dtype=nl.int32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.bitwise_and)


def isa__bitvec_int__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data2 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.bitwise_and)


def isa__operator_gen__right():
    """On trn3."""
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data2 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.abs_max)


def isa__operator_gen__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data2 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.abs_max)


def isa__alu_op__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, 2.0)


def isa__alu_op__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.divide, 2.0)


def isa__enum_members__right():
    nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.sbuf)


def isa__enum_members__wrong():
    nl.ndarray((2, 2), nl.float32, "sbuf")
