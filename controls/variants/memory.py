"""Further controls of contracts of memories and allocation."""

import neuronxcc.nki.language as old_nl
import nki
import nki.isa as nisa
import nki.language as nl
from _tiles import _hbm, _psum, _sbuf


def mem__partitions_128__4():
    _sbuf(either(right=128, wrong=129), 1)


def mem__partitions_128__5():
    _psum(either(right=128, wrong=129), 1)


def mem__partitions_128__6():
    nl.load(_hbm(either(right=128, wrong=129), 2))


def mem__partitions_128__7():
    old_nl.zeros((either(right=128, wrong=129), 2), nl.float32)


def mem__partitions_128__8():
    either(right=nl.ndarray((129, 1), nl.float32, nl.shared_hbm), wrong=_sbuf(129, 1))


def mem__gpsimd_no_psum__2():
    nisa.tensor_tensor(either(right=_sbuf, wrong=_psum)(2, 2), _sbuf(2, 2), _sbuf(2, 2), nl.add, nisa.engine.gpsimd)


def mem__io_hbm__2():
    nki.jit(lambda x: x)(either(right=_hbm, wrong=_sbuf)(2, 2))


def mem__address_form__2():
    nl.ndarray((2, 2), nl.float32, nl.sbuf, address=either(right=(32, 64), wrong=64))


def isa__enum_values__2():
    nisa.tensor_copy(_sbuf(2, 2), _sbuf(2, 2), either(right=nisa.engine.vector, wrong=7))


def tensor__rank_onchip_ge2__2():
    either(right=_sbuf, wrong=_psum)(either(right=1, wrong=2))


@control(also=("tensor.rank_onchip_ge2",))
def tensor__operand_rank__2():
    either(right=_sbuf(2, 1)[0:1], wrong=nisa.memset(_sbuf(2)[0:1], 0.0))


def tensor__operand_rank__3():
    _sbuf(2, either(right=3, wrong=1)).reshape(either(right=(2, 3, 1), wrong=(2,)))


def tensor__shape_positive__3():
    _sbuf(1, either(right=1, wrong=0))


def tensor__shape_positive__4():
    either(right=_sbuf(1, 1), wrong=nl.ndarray((1, 0.5), nl.float32, nl.sbuf))


def tensor__dtypes__2():
    nl.ndarray((1, 1), either(right="float32", wrong="int64"), nl.sbuf)


def leg__psum_fmax__2():
    old_nl.ndarray((2, either(right=512, wrong=513)), nl.float32, buffer=nl.psum)


def leg__psum_fmax__3():
    old_nl.ndarray((2, either(right=1024, wrong=1025)), nl.bfloat16, buffer=nl.psum)
