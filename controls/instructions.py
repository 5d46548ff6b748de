"""Controls of contracts about all instructions."""

import nki
import nki.isa as nisa
import nki.language as nl

dst = src = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)


def isa__on_chip__right():
    nisa.memset(dst, 0)


@nki.jit
def isa__on_chip__wrong(x: "f32[2, 4]"):
    nisa.memset(x, 0)


def isa__kwargs_checked():
    either(right=nisa.tensor_copy(dst=dst, src=src), wrong=nisa.tensor_copy(dst=dst, src=src, mask=None))


def isa__bitvec_int():
    dst = nl.ndarray((4, 6), dtype=either(right=nl.int32, wrong=nl.float32), buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=either(right=nl.int32, wrong=nl.float32), buffer=nl.sbuf)
    data2 = nl.ndarray((4, 6), dtype=either(right=nl.int32, wrong=nl.float32), buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.bitwise_and)


@control(on=either(right="trn3", wrong="trn2"))
def isa__operator_gen():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data2 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.abs_max)


def isa__alu_op():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, either(right=nl.multiply, wrong=nl.divide), 2.0)


def isa__enum_values():
    either(right=nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.sbuf), wrong=nl.ndarray((2, 2), nl.float32, "sbuf"))


def isa__operator_name():
    nisa.tensor_tensor(dst, src, src, either(right=nl.add, wrong="add"))


def isa__enum_members():
    nisa.tensor_copy(dst, src, engine=either(right=nisa.engine.vector, wrong=5))


@control(nki="0.5")
@nki.jit
def api__version(x: "f32[4, 6]"):
    if RIGHT:
        tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(tile, x)
    else:
        nl.fori_loop(0, 2, lambda i: None)


def device_print__prefix():
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(tile, 0.0)
    nl.device_print(either(right="tile", wrong=1), tile)


def device_print__tensor():
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.memset(tile, 0.0)
    nl.device_print("tile", tile)
