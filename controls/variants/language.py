"""Further controls of contracts of the language's functions and of launches."""

import neuronxcc.nki as old_nki
import neuronxcc.nki.language as old_nl
import nki
import nki.language as nl
from _tiles import _hbm, _old_hbm, _old_sbuf, _psum, _sbuf


def nl__binary__same_shape__2():
    nl.add(_sbuf(4, 6), _sbuf(either(right=4, wrong=1), 6))


def nl__binary__same_shape__3():
    nl.add(_sbuf(4, 6), either(right=1, wrong=_sbuf(4, 2, 3)))


def nl__bitwise__int__2():
    nl.invert(either(right=_sbuf(4, 6, dtype=nl.uint8), wrong=_sbuf(4, 6)))


def nl__power__tile__2():
    nl.power(either(right=_sbuf, wrong=_psum)(4, 6), _sbuf(4, 6))


def nl__operand_on_chip__2():
    nl.add(either(right=_sbuf, wrong=_hbm)(4, 6), 1)


def nl__reduce__axis__2():
    either(right=nl.softmax(_sbuf(4, 6)), wrong=nl.softmax(_sbuf(4, 6), axis=0))


def nl__broadcast_to__shape__2():
    nl.broadcast_to(either(right=_psum, wrong=_hbm)(1, 6), (4, 6))


def nl__broadcast_to__shape__3():
    _old_sbuf(either(right=1, wrong=2), 6).broadcast_to((4, 6))


def nl__expand_dims__axis__2():
    old_nl.expand_dims(_old_sbuf(4, 6), either(right=2, wrong=1))


def nl__shared_identity_matrix__2():
    nl.shared_identity_matrix(8, dst=_sbuf(8, either(right=8, wrong=9)))


def lnc__bracket__2():
    nki.jit(lambda: None)[either(right=1, wrong=(1, 2))]()


def leg__spmd__2():
    old_nki.jit(lambda: either(right=old_nki.jit(lambda: None), wrong=old_nki.jit(lambda: None)[2])())()


def leg__spmd__3():
    old_nki.jit(lambda: None)[either(right=old_nl.spmd_dim(1, old_nl.nc(2)), wrong=0.5)]()


def dma_copy__count__4():
    nl.store(_hbm(4, 6), nl.load(_hbm(4, either(right=6, wrong=5))))


def tensor_copy__buffers__3():
    either(right=nl.copy(_psum(4, 6), dtype=nl.bfloat16), wrong=nl.copy(_hbm(4, 6)))


def nl__load__src__3():
    nl.load_transpose2d(either(right=_hbm, wrong=_sbuf)(4, 6))


def nl__load__src__4():
    old_nl.load_transpose2d(either(right=_old_hbm, wrong=_old_sbuf)(4, 6))
