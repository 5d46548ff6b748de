"""Controls of contracts about DMA instructions."""

import nki
import nki.isa as nisa
import nki.language as nl

dst = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)


@nki.jit
def dma_transpose__axes(x: "bf16[16, 8]"):
    nisa.dma_transpose(dst=dst, src=x, axes=either(right=(1, 0), wrong=(0, 1)))


@nki.jit
def dma_transpose__dst_shape(x: "bf16[16, 8]"):
    dst = nl.ndarray(either(right=(8, 16), wrong=(16, 8)), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x)


@nki.jit
def dma_transpose__dtype(x: "bf16[16, 8]"):
    dst = nl.ndarray((8, 16), dtype=either(right=nl.bfloat16, wrong=nl.float32), buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x)


@nki.jit
def dma_transpose__src_buffer(x: "bf16[16, 8]"):
    if WRONG:
        src = nl.ndarray((16, 8), dtype=nl.bfloat16, buffer=nl.psum)
    nisa.dma_transpose(dst=dst, src=either(right=x, wrong=src))


@nki.jit
def dma_transpose__dst_buffer(x: "bf16[16, 8]"):
    dst = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.dma_transpose(dst=dst, src=x)


@nki.jit
def dma_transpose__mode_direct(x: "bf16[16, 8]"):
    either(
        right=nisa.dma_transpose(dst=dst, src=x), wrong=nisa.dma_transpose(dst=dst, src=x, dge_mode=nisa.dge_mode.swdge)
    )


@nki.jit
def dma_transpose__hwdge_shape__right(x: "bf16[16, 8]"):
    nisa.dma_transpose(dst=dst, src=x, dge_mode=nisa.dge_mode.hwdge)


@nki.jit
def dma_transpose__hwdge_shape__wrong(x: "bf16[17, 8]", x2: "bf16[16, 8]"):
    dst = nl.ndarray((8, 17), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x, dge_mode=nisa.dge_mode.hwdge)


@nki.jit
def dma_transpose__hwdge_2byte__right(x: "bf16[16, 8]"):
    nisa.dma_transpose(dst=dst, src=x, dge_mode=nisa.dge_mode.hwdge)


@nki.jit
def dma_transpose__hwdge_2byte__wrong(x: "f32[16, 8]", x2: "bf16[16, 8]"):
    dst = nl.ndarray((8, 16), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x, dge_mode=nisa.dge_mode.hwdge)


@nki.jit
def dma_transpose__indirect(x: "bf16[32, 8]", indices: "u32[16, 1] in 0..31"):
    dst = nl.ndarray((16, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    dst2 = nl.ndarray((8, either(right=16, wrong=15)), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst2, x.ap([[8, either(right=16, wrong=15)], [1, 8]], vector_offset=dst))


@nki.jit
def dma_transpose__indirect_mode(x: either(right="bf16[32, 8]", wrong="f32[32, 8]"), indices: "u32[16, 1] in 0..31"):
    dst = nl.ndarray((16, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    dst2 = nl.ndarray((8, 16), dtype=either(right=nl.bfloat16, wrong=nl.float32), buffer=nl.sbuf)
    nisa.dma_transpose(dst2, x.ap([[8, 16], [1, 8]], vector_offset=dst))


@nki.jit
def dma_transpose__oob_skip__right(x: "bf16[32, 8]", indices: "u32[16, 1] in 0..31"):
    dst = nl.ndarray((16, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    dst2 = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst2, x.ap([[8, 16], [1, 8]], vector_offset=dst), oob_mode=nisa.oob_mode.skip)


@nki.jit
def dma_transpose__oob_skip__wrong(x: "bf16[16, 8]"):
    nisa.dma_transpose(dst=dst, src=x, oob_mode=nisa.oob_mode.skip)


@control(on="trn3")
@nki.jit
def dma_transpose__priority_gen4(x: "bf16[16, 8]"):
    nisa.dma_transpose(dst=dst, src=x, priority=either(right=3, wrong=4))


tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
dst = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
dst2 = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)


@nki.jit
def dma_compute__op(x: "f32[2, 4]"):
    nisa.dma_compute(dst=x, srcs=[tile, tile], reduce_op=nl.add, scales=[1.0, either(right=1.0, wrong=2.0)])


@nki.jit
def dma_compute__count(x: "f32[2, 4]"):
    nisa.dma_compute(
        dst=x,
        srcs=either(
            right=[tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile],
            wrong=[
                tile,
                tile,
                tile,
                tile,
                tile,
                tile,
                tile,
                tile,
                tile,
                tile,
                tile,
                tile,
                tile,
                tile,
                tile,
                tile,
                tile,
            ],
        ),
        reduce_op=nl.add,
    )


@nki.jit
def dma_compute__buffers(x: "f32[2, 4]"):
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.dma_compute(dst=x, srcs=either(right=[tile, tile], wrong=[tile]), reduce_op=nl.add)


@nki.jit
def dma_compute__rmw(x: "f32[8, 2]", indices: "u32[4, 1] in 0..7"):
    nisa.dma_copy(dst2, indices)
    either(
        right=nisa.dma_compute(dst=dst, srcs=[dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2)], reduce_op=nl.add),
        wrong=nisa.dma_compute(
            dst=dst, srcs=[dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2)], reduce_op=nl.add, unique_indices=False
        ),
    )


@nki.jit
def dma_compute__rmw_unique(x: "f32[8, 2]", indices: either(right="u32[4, 1] in 0..7", wrong="u32[4, 1] in 0..2")):
    nisa.dma_copy(dst2, indices)
    nisa.dma_compute(dst=dst, srcs=[dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2)], reduce_op=nl.add)


@nki.jit
def dma_compute__oob_skip__right(x: "f32[8, 2]", indices: "u32[4, 1] in 0..7"):
    nisa.dma_copy(dst2, indices)
    nisa.dma_compute(
        dst=dst, srcs=[dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2)], reduce_op=nl.add, oob_mode=nisa.oob_mode.skip
    )


@nki.jit
def dma_compute__oob_skip__wrong(x: "f32[2, 4]"):
    nisa.dma_compute(dst=x, srcs=[tile, tile], reduce_op=nl.add, oob_mode=nisa.oob_mode.skip)


@nki.jit
def dma_copy__none_static(x: "f32[8, 2]", indices: "u32[4, 1] in 0..7"):
    nisa.dma_copy(dst2, indices)
    either(
        right=nisa.dma_copy(dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2)),
        wrong=nisa.dma_copy(dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2), dge_mode=nisa.dge_mode.none),
    )


@nki.jit
def dma_copy__hwdge_no_indirect(x: "f32[8, 2]", indices: "u32[4, 1] in 0..7"):
    nisa.dma_copy(dst2, indices)
    nisa.dma_copy(
        dst,
        x.ap([[2, 4], [1, 2]], vector_offset=dst2),
        dge_mode=either(right=nisa.dge_mode.swdge, wrong=nisa.dge_mode.hwdge),
    )


@nki.jit
def dma_copy__vector_offset(x: "f32[8, 2]", indices: either(right="u32[4, 1] in 0..7", wrong="u32[2, 2] in 0..0")):
    dst2 = nl.ndarray(either(right=(4, 1), wrong=(2, 2)), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.dma_copy(dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2))


@nki.jit
def dma_copy__oob(x: "f32[8, 2]", indices: either(right="u32[4, 1] in 0..7", wrong="u32[4, 1] in 0..8")):
    nisa.dma_copy(dst2, indices)
    nisa.dma_copy(dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2))
