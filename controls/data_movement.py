"""Controls of contracts about loads, stores, copies and memset."""

import nki
import nki.isa as nisa
import nki.language as nl

dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)


@nki.jit
def dma_copy__buffers(x: "f32[2, 4]"):
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.dma_copy(dst, x)


@nki.jit
def dma_copy__count(x: either(right="f32[3, 4]", wrong="f32[3, 5]")):
    dst = nl.ndarray((2, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst, x)


@nki.jit
def dma_copy__dtype(x: either(right="float8_e5m2_x4[2, 4]", wrong="u32[2, 4]")):
    dst = nl.ndarray((2, 4), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    nisa.dma_copy(dst, x)


@nki.jit
def dma_copy__hwdge_same_dtype(x: either(right="f32[2, 4]", wrong="bf16[2, 4]")):
    nisa.dma_copy(dst, x, dge_mode=nisa.dge_mode.hwdge)


@control(on=either(right="trn2", wrong="trn1"))
@nki.jit
def dma_copy__hwdge_gen3(x: "f32[2, 4]"):
    nisa.dma_copy(dst, x, dge_mode=nisa.dge_mode.hwdge)


@nki.jit
def dma_copy__engine(x: "f32[2, 4]"):
    either(
        right=nisa.dma_copy(dst, x, dge_mode=nisa.dge_mode.hwdge, engine=nisa.engine.sync),
        wrong=nisa.dma_copy(dst, x, engine=nisa.engine.sync),
    )


@control(on="trn3")
@nki.jit
def dma_copy__priority_gen4(x: "f32[2, 4]"):
    nisa.dma_copy(dst, x, priority=either(right=3, wrong=4))


src = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)


def tensor_copy__buffers__right():
    src = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.psum)
    nisa.tensor_copy(dst, src)


@nki.jit
def tensor_copy__buffers__wrong(x: "f32[2, 4]"):
    nisa.tensor_copy(dst, x)


def tensor_copy__shape():
    dst = nl.ndarray((2, either(right=12, wrong=13)), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 3, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst, src)


def tensor_copy__dtype():
    dst = nl.ndarray((2, 4), dtype=nl.bfloat16, buffer=nl.sbuf)
    either(right=nisa.tensor_copy(dst, src), wrong=nisa.tensor_copy(dst, src, dtype=nl.bfloat16))


@control(on=either(right="trn2", wrong="trn1"))
def tensor_copy__engine():
    nisa.tensor_copy(dst, src, nisa.engine.scalar)


def memset__value_dtype():
    dst = nl.ndarray((2, 4), dtype=either(right=nl.float32, wrong=nl.int32), buffer=nl.sbuf)
    nisa.memset(dst, 1.5)


def memset__value_kind():
    dst = nl.ndarray((2, 4), dtype=either(right=nl.float32, wrong=nl.int32), buffer=nl.sbuf)
    nisa.memset(dst, 1.0)


def memset__x4_zero():
    dst = nl.ndarray((2, 4), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    nisa.memset(dst, either(right=0, wrong=1))


def memset__engine():
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.memset(dst, 0, nisa.engine.gpsimd)


def memset__const__right():
    nisa.memset(nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf), 0.5)


def memset__const__wrong():
    value = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf), value)


@nki.jit
def nl__load__src__right(x: "f32[2, 4]"):
    nl.load(x)


def nl__load__src__wrong():
    nl.load(src)


value = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)


@nki.jit
def nl__store__dst__right(x: "f32[2, 4]"):
    nl.store(x, value)


def nl__store__dst__wrong():
    nl.store(dst, value)


@nki.jit
def nl__store__value(x: "f32[2, 4]"):
    value = nl.ndarray((2, 4), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nl.store(x, value)


@control(nki="0.5")
@nki.jit
def nl__copy__int32(x: either(right="i32[2, 4] in 0..8388608", wrong="i32[2, 4] in 0..8388609")):
    nl.copy(nl.load(x))


@control(nki="0.5")
def nl__copy__psum():
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nl.copy(tile)
