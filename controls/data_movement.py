"""Controls of contracts about loads, stores, copies and memset."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def dma_copy__buffers__right(x: "f32[2, 4]"):
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst, x)


@nki.jit
def dma_copy__buffers__wrong(x: "f32[2, 4]"):
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.psum)
    nisa.dma_copy(dst, x)


@nki.jit
def dma_copy__count__right(x: "f32[3, 4]"):
    dst = nl.ndarray((2, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst, x)


@nki.jit
def dma_copy__count__wrong(x: "f32[3, 5]"):
    dst = nl.ndarray((2, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst, x)


@nki.jit
def dma_copy__dtype__right(x: "float8_e5m2_x4[2, 4]"):
    dst = nl.ndarray((2, 4), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    nisa.dma_copy(dst, x)


@nki.jit
def dma_copy__dtype__wrong(x: "u32[2, 4]"):
    dst = nl.ndarray((2, 4), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    nisa.dma_copy(dst, x)


@nki.jit
def dma_copy__hwdge_same_dtype__right(x: "f32[2, 4]"):
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst, x, dge_mode=nisa.dge_mode.hwdge)


@nki.jit
def dma_copy__hwdge_same_dtype__wrong(x: "bf16[2, 4]"):
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst, x, dge_mode=nisa.dge_mode.hwdge)


@nki.jit
def dma_copy__hwdge_gen3__right(x: "f32[2, 4]"):
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst, x, dge_mode=nisa.dge_mode.hwdge)


@nki.jit
def dma_copy__hwdge_gen3__wrong(x: "f32[2, 4]"):
    """On trn1."""
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst, x, dge_mode=nisa.dge_mode.hwdge)


@nki.jit
def dma_copy__engine__right(x: "f32[2, 4]"):
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst, x, dge_mode=nisa.dge_mode.hwdge, engine=nisa.engine.sync)


@nki.jit
def dma_copy__engine__wrong(x: "f32[2, 4]"):
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst, x, engine=nisa.engine.sync)


@nki.jit
def dma_copy__priority_gen4__right(x: "f32[2, 4]"):
    """On trn3."""
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst, x, priority=3)


@nki.jit
def dma_copy__priority_gen4__wrong(x: "f32[2, 4]"):
    """On trn3."""
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst, x, priority=4)


def tensor_copy__buffers__right():
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.psum)
    nisa.tensor_copy(dst, src)


@nki.jit
def tensor_copy__buffers__wrong(x: "f32[2, 4]"):
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst, x)


def tensor_copy__shape__right():
    dst = nl.ndarray((2, 12), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 3, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst, src)


def tensor_copy__shape__wrong():
    dst = nl.ndarray((2, 13), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 3, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst, src)


def tensor_copy__engine__right():
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst, src, nisa.engine.scalar)


def tensor_copy__engine__wrong():
    """On trn1."""
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst, src, nisa.engine.scalar)


def memset__value_dtype__right():
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst, 1.0)


def memset__value_dtype__wrong():
    dst = nl.ndarray((2, 4), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst, 1.0)


def memset__x4_zero__right():
    dst = nl.ndarray((2, 4), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    nisa.memset(dst, 0)


def memset__x4_zero__wrong():
    dst = nl.ndarray((2, 4), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    nisa.memset(dst, 1)


def memset__engine__right():
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst, 0, nisa.engine.gpsimd)


def memset__engine__wrong():
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(dst, 0, nisa.engine.gpsimd)


@nki.jit
def nl__load__src__right(x: "f32[2, 4]"):
    nl.load(x)


def nl__load__src__wrong():
    src = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nl.load(src)


@nki.jit
def nl__store__dst__right(x: "f32[2, 4]"):
    value = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nl.store(x, value)


def nl__store__dst__wrong():
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    value = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nl.store(dst, value)


@nki.jit
def nl__store__value__right(x: "f32[2, 4]"):
    value = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nl.store(x, value)


@nki.jit
def nl__store__value__wrong(x: "f32[2, 4]"):
    value = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.psum)
    nl.store(x, value)


def memset__const__right():
    nisa.memset(nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf), 0.5)


def memset__const__wrong():
    value = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf), value)
