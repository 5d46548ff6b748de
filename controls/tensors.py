"""Controls of contracts about tensors, indexing and views."""

import nki
import nki.isa as nisa
import nki.language as nl

tile = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.sbuf)


@nki.jit
def ap__exclusive(x: "f32[8, 2]", indices: either(right="u32[4, 1] in 0..7", wrong="u32[1, 1] in 0..0")):
    dst = nl.ndarray((either(right=4, wrong=1), 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    either(
        right=x.ap([[2, 4], [1, 2]], vector_offset=dst),
        wrong=x.ap([[2, 1], [1, 2]], scalar_offset=nisa.register_alloc(0), vector_offset=dst),
    )


@nki.jit
def ap__pattern(x: "f32[4, 8]"):
    x.ap([[8, 4], [1, either(right=1, wrong=0)]])


def ap__first_pair_partition():
    tile.ap([[either(right=8, wrong=7), 4], [1, 8]])


def ap__in_bounds():
    nisa.memset(tile.ap([[8, 4], [2, 4], [1, either(right=2, wrong=3)]]), value=0)


def ap__partition_overflow():
    nisa.memset(tile.ap([[8, either(right=2, wrong=3)], [1, 8]], offset=16), value=0)


def ap__offset_semantics():
    either(right=tile[:, 0:4].ap, wrong=tile[:, 1:5].ap)([[8, 4], [1, 4]])


@nki.jit
def view__permute__partition(x: "f32[8, 2, 3]", indices: "u32[4, 1] in 0..0"):
    dst = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.vector_select(0, dst).permute(either(right=(0, 2, 1), wrong=(1, 0, 2)))


@nki.jit
def view__permute__dims(x: "f32[2, 3]"):
    x.permute((1, either(right=0, wrong=1)))


tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)


def tensor__shape_positive():
    nl.zeros((1, either(right=1, wrong=0)), nl.float32, nl.shared_hbm)


def tensor__rank_onchip_ge2():
    nl.ndarray(either(right=(2, 1), wrong=(2,)), dtype=nl.float32, buffer=nl.sbuf)


def tensor__operand_rank():
    nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf).reshape(either(right=(2, 1, 1), wrong=(2,)))


def tensor__rank_le5():
    nl.ndarray(either(right=(1, 1, 1, 1, 2), wrong=(1, 1, 1, 1, 1, 2)), dtype=nl.float32, buffer=nl.sbuf)


@nki.jit
def tensor__setitem__right(x: "f32[4, 6]"):
    nisa.dma_copy(tile, x)


def tensor__setitem__wrong():
    tile[:, 0:2] = 0.0


@control(also=("tensor.setitem",))
def tensor__setitem_shape():
    if RIGHT:
        other = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(other, tile)
    else:
        other = nl.ndarray((4, 5), dtype=nl.float32, buffer=nl.sbuf)
        other[...] = tile


@nki.jit
def idx__empty(x: "f32[4]"):
    either(right=x[2:3], wrong=x[2:2])


@nki.jit
def idx__keys(x: "f32[4, 4]"):
    either(right=x[1, 2], wrong=x[1, 2, 3])


@nki.jit
def idx__range(x: "f32[4]"):
    either(right=x[1:3], wrong=x[range(1, 3)])


@control(also=("idx.empty",))
@nki.jit
def idx__step_positive(x: "f32[4]"):
    either(right=x[0:4:2], wrong=x[0:4:-1])


def idx__partition_step():
    tile = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.sbuf)
    either(right=tile[0:2:1, ::2], wrong=tile[::2])


@nki.jit
def view__dim(x: "f32[1, 3]"):
    x.broadcast(either(right=-2, wrong=2), 5)


@nki.jit
def view__reshape_after_permute(x: "f32[4, 6]"):
    x[:, 0:3].reshape(either(right=(2, 2, 3), wrong=(12,)))


@nki.jit
def view__slice(x: "f32[4]"):
    x.slice(0, 1, either(right=4, wrong=5))


@nki.jit
def view__select(x: "f32[4, 2]"):
    x.select(0, either(right=3, wrong=4))


def view__broadcast__extent():
    tile = nl.ndarray((2, either(right=1, wrong=2)), dtype=nl.float32, buffer=nl.sbuf)
    tile.broadcast(1, 5)


@nki.jit
def view__broadcast__partition__right():
    tile = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    tile.broadcast(1, 5)


def view__broadcast__partition__wrong():
    tile = nl.ndarray((1, 2), dtype=nl.float32, buffer=nl.sbuf)
    tile.broadcast(0, 5)


def view__expand_dim__partition():
    tile = nl.ndarray((2, 3), dtype=nl.float32, buffer=nl.sbuf)
    tile.expand_dim(either(right=1, wrong=0))


def view__squeeze_dim__extent():
    tile = nl.ndarray((2, either(right=1, wrong=2), 3), dtype=nl.float32, buffer=nl.sbuf)
    tile.squeeze_dim(1)


@nki.jit
def view__squeeze_dim__partition__right():
    tile = nl.ndarray((2, 1, 3), dtype=nl.float32, buffer=nl.sbuf)
    tile.squeeze_dim(1)


def view__squeeze_dim__partition__wrong():
    tile = nl.ndarray((1, 2, 3), dtype=nl.float32, buffer=nl.sbuf)
    tile.squeeze_dim(0)


def view__reshape_dim__count():
    tile = nl.ndarray((2, either(right=6, wrong=7)), dtype=nl.float32, buffer=nl.sbuf)
    tile.reshape_dim(1, (2, 3))


def view__reshape_dim__partition():
    tile = nl.ndarray((6, 2), dtype=nl.float32, buffer=nl.sbuf)
    tile.reshape_dim(0, either(right=(6, 1), wrong=(3, 2)))


@nki.jit
def view__flatten_dims__range(x: "f32[2, 3]"):
    x.flatten_dims(either(right=0, wrong=1), either(right=1, wrong=0))


@nki.jit
def view__flatten_dims__contiguous(x: "f32[2, 3, 4]"):
    either(right=x[:, 0:3].flatten_dims, wrong=x[:, 0:2].flatten_dims)(0, 1)


def view__flatten_dims__partition():
    tile = nl.ndarray((2, 3, 4), dtype=nl.float32, buffer=nl.sbuf)
    tile.flatten_dims(either(right=1, wrong=0), either(right=2, wrong=1))


@nki.jit
def view__reshape__count(x: "f32[4, 6]"):
    x.reshape((3, either(right=8, wrong=7)))


def view__reshape__partition():
    tile.reshape(either(right=(4, 2, 3), wrong=(2, 12)))


def view__cast__contiguous():
    tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    either(right=tile.view, wrong=tile[:, ::2].view)(nl.bfloat16)


def view__cast__divisible():
    tile = nl.ndarray((2, either(right=8, wrong=6)), dtype=nl.uint8, buffer=nl.sbuf)
    tile.view(nl.float8_e5m2_x4)
