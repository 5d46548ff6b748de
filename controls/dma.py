"""Controls of contracts about DMA instructions."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def dma_transpose__axes__right(x: "bf16[16, 8]"):
    dst = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x, axes=(1, 0))


@nki.jit
def dma_transpose__axes__wrong(x: "bf16[16, 8]"):
    dst = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x, axes=(0, 1))


@nki.jit
def dma_transpose__dst_shape__right(x: "bf16[16, 8]"):
    dst = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x)


@nki.jit
def dma_transpose__dst_shape__wrong(x: "bf16[16, 8]"):
    dst = nl.ndarray((16, 8), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x)


@nki.jit
def dma_transpose__dtype__right(x: "bf16[16, 8]"):
    dst = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x)


@nki.jit
def dma_transpose__dtype__wrong(x: "bf16[16, 8]"):
    dst = nl.ndarray((8, 16), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x)


@nki.jit
def dma_transpose__src_buffer__right(x: "bf16[16, 8]"):
    dst = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x)


@nki.jit
def dma_transpose__src_buffer__wrong(x: "bf16[16, 8]"):
    src = nl.ndarray((16, 8), dtype=nl.bfloat16, buffer=nl.psum)
    dst = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=src)


@nki.jit
def dma_transpose__dst_buffer__right(x: "bf16[16, 8]"):
    dst = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x)


@nki.jit
def dma_transpose__dst_buffer__wrong(x: "bf16[16, 8]"):
    dst = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.psum)
    nisa.dma_transpose(dst=dst, src=x)


@nki.jit
def dma_transpose__mode_direct__right(x: "bf16[16, 8]"):
    dst = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x)


@nki.jit
def dma_transpose__mode_direct__wrong(x: "bf16[16, 8]"):
    dst = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x, dge_mode=nisa.dge_mode.swdge)


@nki.jit
def dma_transpose__hwdge_shape__right(x: "bf16[16, 8]"):
    dst = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x, dge_mode=nisa.dge_mode.hwdge)


@nki.jit
def dma_transpose__hwdge_shape__wrong(x: "bf16[17, 8]", x2: "bf16[16, 8]"):
    dst = nl.ndarray((8, 17), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x, dge_mode=nisa.dge_mode.hwdge)


@nki.jit
def dma_transpose__hwdge_2byte__right(x: "bf16[16, 8]"):
    dst = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x, dge_mode=nisa.dge_mode.hwdge)


@nki.jit
def dma_transpose__hwdge_2byte__wrong(x: "f32[16, 8]", x2: "bf16[16, 8]"):
    dst = nl.ndarray((8, 16), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x, dge_mode=nisa.dge_mode.hwdge)


@nki.jit
def dma_transpose__indirect__right(x: "bf16[32, 8]", indices: "u32[16, 1] in 0..31"):
    dst = nl.ndarray((16, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    dst2 = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst2, x.ap([[8, 16], [1, 8]], vector_offset=dst))


@nki.jit
def dma_transpose__indirect__wrong(x: "bf16[32, 8]", indices: "u32[16, 1] in 0..31"):
    dst = nl.ndarray((16, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    dst2 = nl.ndarray((8, 15), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst2, x.ap([[8, 15], [1, 8]], vector_offset=dst))


@nki.jit
def dma_transpose__indirect_mode__right(x: "bf16[32, 8]", indices: "u32[16, 1] in 0..31"):
    dst = nl.ndarray((16, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    dst2 = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst2, x.ap([[8, 16], [1, 8]], vector_offset=dst))


@nki.jit
def dma_transpose__indirect_mode__wrong(x: "f32[32, 8]", indices: "u32[16, 1] in 0..31"):
    dst = nl.ndarray((16, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    dst2 = nl.ndarray((8, 16), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_transpose(dst2, x.ap([[8, 16], [1, 8]], vector_offset=dst))


@nki.jit
def dma_transpose__oob_skip__right(x: "bf16[32, 8]", indices: "u32[16, 1] in 0..31"):
    dst = nl.ndarray((16, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    dst2 = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst2, x.ap([[8, 16], [1, 8]], vector_offset=dst), oob_mode=nisa.oob_mode.skip)


@nki.jit
def dma_transpose__oob_skip__wrong(x: "bf16[16, 8]"):
    dst = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x, oob_mode=nisa.oob_mode.skip)


@nki.jit
def dma_transpose__priority_gen4__right(x: "bf16[16, 8]"):
    """On trn3."""
    dst = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x, priority=3)


@nki.jit
def dma_transpose__priority_gen4__wrong(x: "bf16[16, 8]"):
    """On trn3."""
    dst = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=dst, src=x, priority=4)


@nki.jit
def dma_compute__op__right(x: "f32[2, 4]"):
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_compute(dst=x, srcs=[tile, tile], reduce_op=nl.add, scales=[1.0, 1.0])


@nki.jit
def dma_compute__op__wrong(x: "f32[2, 4]"):
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_compute(dst=x, srcs=[tile, tile], reduce_op=nl.add, scales=[1.0, 2.0])


@nki.jit
def dma_compute__count__right(x: "f32[2, 4]"):
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_compute(
        dst=x,
        srcs=[tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile],
        reduce_op=nl.add,
    )


@nki.jit
def dma_compute__count__wrong(x: "f32[2, 4]"):
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_compute(
        dst=x,
        srcs=[tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile, tile],
        reduce_op=nl.add,
    )


@nki.jit
def dma_compute__buffers__right(x: "f32[2, 4]"):
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_compute(dst=x, srcs=[tile, tile], reduce_op=nl.add)


@nki.jit
def dma_compute__buffers__wrong(x: "f32[2, 4]"):
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.psum)
    nisa.dma_compute(dst=x, srcs=[tile], reduce_op=nl.add)


@nki.jit
def dma_compute__rmw__right(x: "f32[8, 2]", indices: "u32[4, 1] in 0..7"):
    dst = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.dma_compute(dst=dst, srcs=[dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2)], reduce_op=nl.add)


@nki.jit
def dma_compute__rmw__wrong(x: "f32[8, 2]", indices: "u32[4, 1] in 0..7"):
    dst = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.dma_compute(
        dst=dst, srcs=[dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2)], reduce_op=nl.add, unique_indices=False
    )


@nki.jit
def dma_compute__oob_skip__right(x: "f32[8, 2]", indices: "u32[4, 1] in 0..7"):
    dst = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.dma_compute(
        dst=dst, srcs=[dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2)], reduce_op=nl.add, oob_mode=nisa.oob_mode.skip
    )


@nki.jit
def dma_compute__oob_skip__wrong(x: "f32[2, 4]"):
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_compute(dst=x, srcs=[tile, tile], reduce_op=nl.add, oob_mode=nisa.oob_mode.skip)


@nki.jit
def dma_copy__none_static__right(x: "f32[8, 2]", indices: "u32[4, 1] in 0..7"):
    dst = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.dma_copy(dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2))


@nki.jit
def dma_copy__none_static__wrong(x: "f32[8, 2]", indices: "u32[4, 1] in 0..7"):
    dst = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.dma_copy(dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2), dge_mode=nisa.dge_mode.none)


@nki.jit
def dma_copy__hwdge_no_indirect__right(x: "f32[8, 2]", indices: "u32[4, 1] in 0..7"):
    dst = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.dma_copy(dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2), dge_mode=nisa.dge_mode.swdge)


@nki.jit
def dma_copy__hwdge_no_indirect__wrong(x: "f32[8, 2]", indices: "u32[4, 1] in 0..7"):
    dst = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.dma_copy(dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2), dge_mode=nisa.dge_mode.hwdge)


@nki.jit
def dma_copy__vector_offset__right(x: "f32[8, 2]", indices: "u32[4, 1] in 0..7"):
    dst = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.dma_copy(dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2))


@nki.jit
def dma_copy__vector_offset__wrong(x: "f32[8, 2]", indices: "u32[2, 2] in 0..0"):
    dst = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((2, 2), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.dma_copy(dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2))


@nki.jit
def dma_copy__oob__right(x: "f32[8, 2]", indices: "u32[4, 1] in 0..7"):
    dst = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.dma_copy(dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2))


@nki.jit
def dma_copy__oob__wrong(x: "f32[8, 2]", indices: "u32[4, 1] in 0..8"):
    dst = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst2 = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst2, indices)
    nisa.dma_copy(dst, x.ap([[2, 4], [1, 2]], vector_offset=dst2))
