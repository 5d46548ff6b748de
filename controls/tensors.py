"""Controls of contracts about tensors, indexing and views."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def ap__exclusive__right(x: "f32[8, 2]", indices: "u32[4, 1] in 0..7"):
    dst = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.ap([[2, 4], [1, 2]], vector_offset=dst)


@nki.jit
def ap__exclusive__wrong(x: "f32[8, 2]", indices: "u32[1, 1] in 0..0"):
    dst = nl.ndarray((1, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.ap([[2, 1], [1, 2]], scalar_offset=nisa.register_alloc(0), vector_offset=dst)


@nki.jit
def view__permute__partition__right(x: "f32[8, 2, 3]", indices: "u32[4, 1] in 0..0"):
    dst = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.vector_select(0, dst).permute((0, 2, 1))


@nki.jit
def view__permute__partition__wrong(x: "f32[8, 2, 3]", indices: "u32[4, 1] in 0..0"):
    dst = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.vector_select(0, dst).permute((1, 0, 2))


def tensor__shape_positive__right():
    nl.zeros((1, 1), nl.float32, nl.shared_hbm)


def tensor__shape_positive__wrong():
    nl.zeros((1, 0), nl.float32, nl.shared_hbm)


@nki.jit
def idx__empty__right(x: "f32[4]"):
    x[2:3]


@nki.jit
def idx__empty__wrong(x: "f32[4]"):
    x[2:2]


def tensor__rank_onchip_ge2__right():
    nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)


def tensor__rank_onchip_ge2__wrong():
    nl.ndarray((2,), dtype=nl.float32, buffer=nl.sbuf)


def tensor__rank_le5__right():
    nl.ndarray((1, 1, 1, 1, 2), dtype=nl.float32, buffer=nl.sbuf)


def tensor__rank_le5__wrong():
    nl.ndarray((1, 1, 1, 1, 1, 2), dtype=nl.float32, buffer=nl.sbuf)


@nki.jit
def idx__keys__right(x: "f32[4, 4]"):
    x[1, 2]


@nki.jit
def idx__keys__wrong(x: "f32[4, 4]"):
    x[1, 2, 3]


@nki.jit
def idx__step_positive__right(x: "f32[4]"):
    x[0:4:2]


@nki.jit
def idx__step_positive__wrong(x: "f32[4]"):
    """Also breaks idx.empty."""
    x[0:4:-1]


def idx__partition_step__right():
    tile = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.sbuf)
    tile[0:2:1, ::2]


def idx__partition_step__wrong():
    tile = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.sbuf)
    tile[::2]


@nki.jit
def view__permute__dims__right(x: "f32[2, 3]"):
    x.permute((1, 0))


@nki.jit
def view__permute__dims__wrong(x: "f32[2, 3]"):
    x.permute((1, 1))


@nki.jit
def view__dim__right(x: "f32[1, 3]"):
    x.broadcast(-2, 5)


@nki.jit
def view__dim__wrong(x: "f32[1, 3]"):
    x.broadcast(2, 5)


def view__broadcast__extent__right():
    tile = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    tile.broadcast(1, 5)


def view__broadcast__extent__wrong():
    tile = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.sbuf)
    tile.broadcast(1, 5)


@nki.jit
def view__broadcast__partition__right():
    tile = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    tile.broadcast(1, 5)


def view__broadcast__partition__wrong():
    tile = nl.ndarray((1, 2), dtype=nl.float32, buffer=nl.sbuf)
    tile.broadcast(0, 5)


def view__expand_dim__partition__right():
    tile = nl.ndarray((2, 3), dtype=nl.float32, buffer=nl.sbuf)
    tile.expand_dim(1)


def view__expand_dim__partition__wrong():
    tile = nl.ndarray((2, 3), dtype=nl.float32, buffer=nl.sbuf)
    tile.expand_dim(0)


def view__squeeze_dim__extent__right():
    tile = nl.ndarray((2, 1, 3), dtype=nl.float32, buffer=nl.sbuf)
    tile.squeeze_dim(1)


def view__squeeze_dim__extent__wrong():
    tile = nl.ndarray((2, 2, 3), dtype=nl.float32, buffer=nl.sbuf)
    tile.squeeze_dim(1)


@nki.jit
def view__squeeze_dim__partition__right():
    tile = nl.ndarray((2, 1, 3), dtype=nl.float32, buffer=nl.sbuf)
    tile.squeeze_dim(1)


def view__squeeze_dim__partition__wrong():
    tile = nl.ndarray((1, 2, 3), dtype=nl.float32, buffer=nl.sbuf)
    tile.squeeze_dim(0)


def view__reshape_dim__count__right():
    tile = nl.ndarray((2, 6), dtype=nl.float32, buffer=nl.sbuf)
    tile.reshape_dim(1, (2, 3))


def view__reshape_dim__count__wrong():
    tile = nl.ndarray((2, 7), dtype=nl.float32, buffer=nl.sbuf)
    tile.reshape_dim(1, (2, 3))


def view__reshape_dim__partition__right():
    tile = nl.ndarray((6, 2), dtype=nl.float32, buffer=nl.sbuf)
    tile.reshape_dim(0, (6, 1))


def view__reshape_dim__partition__wrong():
    tile = nl.ndarray((6, 2), dtype=nl.float32, buffer=nl.sbuf)
    tile.reshape_dim(0, (3, 2))


@nki.jit
def view__flatten_dims__range__right(x: "f32[2, 3]"):
    x.flatten_dims(0, 1)


@nki.jit
def view__flatten_dims__range__wrong(x: "f32[2, 3]"):
    x.flatten_dims(1, 0)


@nki.jit
def view__flatten_dims__contiguous__right(x: "f32[2, 3, 4]"):
    x[:, 0:3].flatten_dims(0, 1)


@nki.jit
def view__flatten_dims__contiguous__wrong(x: "f32[2, 3, 4]"):
    x[:, 0:2].flatten_dims(0, 1)


def view__flatten_dims__partition__right():
    tile = nl.ndarray((2, 3, 4), dtype=nl.float32, buffer=nl.sbuf)
    tile.flatten_dims(1, 2)


def view__flatten_dims__partition__wrong():
    tile = nl.ndarray((2, 3, 4), dtype=nl.float32, buffer=nl.sbuf)
    tile.flatten_dims(0, 1)


@nki.jit
def view__reshape__count__right(x: "f32[4, 6]"):
    x.reshape((3, 8))


@nki.jit
def view__reshape__count__wrong(x: "f32[4, 6]"):
    x.reshape((3, 7))


def view__reshape__partition__right():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    tile.reshape((4, 2, 3))


def view__reshape__partition__wrong():
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    tile.reshape((2, 12))


@nki.jit
def view__reshape_after_permute__right(x: "f32[4, 6]"):
    x[:, 0:3].reshape((2, 2, 3))


@nki.jit
def view__reshape_after_permute__wrong(x: "f32[4, 6]"):
    x[:, 0:3].reshape((12,))


@nki.jit
def view__slice__right(x: "f32[4]"):
    x.slice(0, 1, 4)


@nki.jit
def view__slice__wrong(x: "f32[4]"):
    x.slice(0, 1, 5)


@nki.jit
def view__select__right(x: "f32[4, 2]"):
    x.select(0, 3)


@nki.jit
def view__select__wrong(x: "f32[4, 2]"):
    x.select(0, 4)


def view__cast__contiguous__right():
    tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    tile.view(nl.bfloat16)


def view__cast__contiguous__wrong():
    tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    tile[:, ::2].view(nl.bfloat16)


def view__cast__divisible__right():
    tile = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    tile.view(nl.float8_e5m2_x4)


def view__cast__divisible__wrong():
    tile = nl.ndarray((2, 6), dtype=nl.uint8, buffer=nl.sbuf)
    tile.view(nl.float8_e5m2_x4)


@nki.jit
def ap__pattern__right(x: "f32[4, 8]"):
    x.ap([[8, 4], [1, 1]])


@nki.jit
def ap__pattern__wrong(x: "f32[4, 8]"):
    x.ap([[8, 4], [1, 0]])


def ap__first_pair_partition__right():
    tile = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.sbuf)
    tile.ap([[8, 4], [1, 8]])


def ap__first_pair_partition__wrong():
    tile = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.sbuf)
    tile.ap([[7, 4], [1, 8]])


def ap__in_bounds__right():
    tile = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.sbuf)
    tile.ap([[8, 4], [2, 4], [1, 2]])


def ap__in_bounds__wrong():
    tile = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.sbuf)
    tile.ap([[8, 4], [2, 4], [1, 3]])


def ap__partition_overflow__right():
    tile = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.sbuf)
    tile.ap([[8, 2], [1, 8]], offset=16)


def ap__partition_overflow__wrong():
    tile = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.sbuf)
    tile.ap([[8, 3], [1, 8]], offset=16)


def ap__offset_semantics__right():
    tile = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.sbuf)
    tile[:, 0:4].ap([[8, 4], [1, 4]])


def ap__offset_semantics__wrong():
    tile = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.sbuf)
    tile[:, 1:5].ap([[8, 4], [1, 4]])
