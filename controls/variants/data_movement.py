"""Further controls of contracts of DMA, copies and fills."""

import neuronxcc.nki.isa as old_nisa
import neuronxcc.nki.language as old_nl
import nki.isa as nisa
import nki.language as nl
from _tiles import _hbm, _old_hbm, _old_sbuf, _psum, _sbuf


def dma_copy__buffers__2():
    nisa.dma_copy(_hbm(2, 4), either(right=_sbuf, wrong=_psum)(2, 4))


def dma_copy__count__2():
    old_nisa.dma_copy(dst=_old_sbuf(2, 6), src=_old_hbm(either(right=12, wrong=13)))


def dma_copy__engine__2():
    nisa.dma_copy(
        _sbuf(2, 4),
        _hbm(2, 4),
        dge_mode=nisa.dge_mode.hwdge,
        engine=either(right=nisa.engine.scalar, wrong=nisa.engine.vector),
    )


@control(on=either(right="trn3", wrong="trn2"))
def dma_copy__priority_gen4__2():
    nisa.dma_copy(_sbuf(2, 4), _hbm(2, 4), priority=0)


def tensor_copy__buffers__2():
    nisa.tensor_copy(_sbuf(2, 4), _psum(2, 4), either(right=nisa.engine.vector, wrong=nisa.engine.gpsimd))


def tensor_copy__shape__2():
    nisa.tensor_copy(_sbuf(either(right=2, wrong=4), either(right=4, wrong=2)), _sbuf(2, 4))


def tensor_copy__engine__2():
    nisa.tensor_copy(_sbuf(2, 4), _sbuf(2, 4), either(right=nisa.engine.gpsimd, wrong=nisa.engine.tensor))


def memset__value_dtype__2():
    nl.full((2, 4), either(right=0, wrong=0.5), nl.uint8)


def memset__engine__2():
    nisa.memset(_psum(2, 4), 0, either(right=nisa.engine.vector, wrong=nisa.engine.scalar))


def nl__load__src__2():
    old_nl.load(either(right=_old_hbm, wrong=_old_sbuf)(2, 4))


def dma_copy__count__3():
    nl.store(_hbm(2, 4), _sbuf(2, either(right=4, wrong=5)))


def leg__store__value__2():
    old_nl.store(_old_hbm(2, 4), either(right=old_nl.ndarray((2, 4), nl.float32, buffer=nl.psum), wrong=_old_hbm(2, 4)))


def isa__kwargs_checked__2():
    either(
        right=nl.ndarray((2, 4), nl.float32, buffer=nl.sbuf),
        wrong=nl.ndarray((2, 4), nl.float32, buffer=nl.sbuf, mask=None),
    )


def isa__kwargs_checked__3():
    either(
        right=old_nisa.dma_copy(dst=_old_sbuf(2, 4), src=_old_hbm(2, 4)),
        wrong=old_nisa.dma_copy(dst=_old_sbuf(2, 4), src=_old_hbm(2, 4), priority=0),
    )
