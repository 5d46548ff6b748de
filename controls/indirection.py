"""Controls of contracts about indirect views, registers and loops on the device."""

import nki
import nki.isa as nisa
import nki.language as nl


def ap__dynamic_oob__right():
    tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    dst = tile.ap([[8, 2], [1, 4]], scalar_offset=nisa.register_alloc(4), indirect_dim=1)
    nisa.memset(dst, 0)


def ap__dynamic_oob__wrong():
    tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    dst = tile.ap([[8, 2], [1, 4]], scalar_offset=nisa.register_alloc(5), indirect_dim=1)
    nisa.memset(dst, 0)


@nki.jit
def ap__scalar_offset__right(x: "f32[8, 4]", indices: "u32[1, 1] in 0..0"):
    dst = nl.ndarray((1, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.ap([[4, 2], [1, 4]], scalar_offset=dst)


@nki.jit
def ap__scalar_offset__wrong(x: "f32[8, 4]", indices: "u32[2, 1] in 0..0"):
    dst = nl.ndarray((2, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.ap([[4, 2], [1, 4]], scalar_offset=dst)


@nki.jit
def ap__vector_offset__right(x: "f32[8, 2]", indices: "u32[4, 1] in 0..7"):
    dst = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.ap([[2, 4], [1, 2]], vector_offset=dst)


@nki.jit
def ap__vector_offset__wrong(x: "f32[8, 2]", indices: "u32[4, 1] in 0..0"):
    dst = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.ap([[2, 5], [1, 2]], vector_offset=dst)


@nki.jit
def view__one_indirection__right(x: "f32[4, 2, 3]"):
    x.select(0, nisa.register_alloc(0)).select(0, 1)


@nki.jit
def view__one_indirection__wrong(x: "f32[4, 2, 3]"):
    x.select(0, nisa.register_alloc(0)).select(0, nisa.register_alloc(0))


def view__select_dynamic__right():
    tile = nl.ndarray((2, 4, 3), dtype=nl.float32, buffer=nl.sbuf)
    tile.select(1, nisa.register_alloc(0))


@nki.jit
def view__select_dynamic__wrong(indices: "u32[2, 1] in 0..0"):
    tile = nl.ndarray((2, 4, 3), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    tile.select(1, dst)


@nki.jit
def view__vector_select__right(x: "f32[8, 2]", indices: "u32[4, 1] in 0..7"):
    dst = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.vector_select(0, dst)


@nki.jit
def view__vector_select__wrong(x: "f32[8, 2]", indices: "u32[4, 1] in 0..0"):
    dst = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.vector_select(1, dst)


@nki.jit
def view__indirect_dim__right(x: "f32[8, 2]", indices: "u32[4, 1] in 0..0"):
    dst = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.vector_select(0, dst).slice(1, 0, 1)


@nki.jit
def view__indirect_dim__wrong(x: "f32[8, 2]", indices: "u32[4, 1] in 0..0"):
    dst = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.vector_select(0, dst).slice(0, 0, 1)


@nki.jit
def view__cast__indirect__right(x: "f32[8, 2]", indices: "u32[4, 1] in 0..0"):
    dst = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.view(nl.uint32).vector_select(0, dst)


@nki.jit
def view__cast__indirect__wrong(x: "f32[8, 2]", indices: "u32[4, 1] in 0..0"):
    dst = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.vector_select(0, dst).view(nl.uint32)


@nki.jit
def view__rearrange__right(x: "f32[6, 4]"):
    x.rearrange((("a", "b"), "c"), ("b", ("a", "c")), {"a": 1})


@nki.jit
def view__rearrange__wrong(x: "f32[6, 4]"):
    x.rearrange((("a", "b"), "c"), ("b", "a"), {"a": 2})


def ti__gen4__right():
    """On trn3."""
    tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((2, 4), dtype=nl.uint16, buffer=nl.sbuf)
    tile.indirect(index, 4)


def ti__gen4__wrong():
    tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((2, 4), dtype=nl.uint16, buffer=nl.sbuf)
    tile.indirect(index, 4)


def ti__index__right():
    """On trn3."""
    tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    tile2 = nl.ndarray((2, 4), dtype=nl.uint16, buffer=nl.sbuf)
    tile.indirect(tile2, 8)


def ti__index__wrong():
    """On trn3."""
    tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    tile2 = nl.ndarray((2, 4), dtype=nl.uint16, buffer=nl.sbuf)
    tile.indirect(tile2, 9)


def ti__operands__right():
    """On trn3."""
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((2, 4), dtype=nl.uint16, buffer=nl.sbuf)
    data2 = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, tile.indirect(index, 4), data2, nl.add)


def ti__operands__wrong():
    """On trn3."""
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((2, 4), dtype=nl.uint16, buffer=nl.sbuf)
    data1 = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, tile.indirect(index, 4), nl.add)


def reg__python__right():
    nisa.register_alloc(0)


def reg__python__wrong():
    nisa.register_alloc(0) + 1


def register__operand__right():
    nisa.register_move(nisa.register_alloc(0), 3)


def register__operand__wrong():
    nisa.register_move(3, nisa.register_alloc(0))


def register_alloc__x__right():
    nisa.register_alloc(3)


def register_alloc__x__wrong():
    nisa.register_alloc(0.5)


def register_move__src__right():
    nisa.register_move(nisa.register_alloc(0), 5)


def register_move__src__wrong():
    nisa.register_move(nisa.register_alloc(0), 0.5)


@nki.jit
def register_load__src__right(x: "i32[1]"):
    nisa.register_load(nisa.register_alloc(0), x)


@nki.jit
def register_load__src__wrong(x: "i32[2]"):
    nisa.register_load(nisa.register_alloc(0), x)


def register_store__dst__right():
    dst = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.register_store(dst, nisa.register_alloc(0))


def register_store__dst__wrong():
    dst = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.psum)
    nisa.register_store(dst, nisa.register_alloc(0))


def loop__dynamic_range__right():
    nl.dynamic_range(nisa.register_alloc(0))


def loop__dynamic_range__wrong():
    nl.dynamic_range(0, 4, nisa.register_alloc(0))


def loop__dynamic_frozen__right():
    def body(i):
        return nisa.register_move(nisa.register_alloc(0), 1)

    nl.fori_loop(0, 4, body)


def loop__dynamic_frozen__wrong():
    def body(i):
        return nisa.register_move(i, 1)

    nl.fori_loop(0, 4, body)


def loop__dynamic_no_reorder__right():
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    with nl.no_reorder():
        nisa.memset(tile, 0.0)

    def body(i):
        nisa.memset(tile, 1.0)

    nl.fori_loop(0, 4, body)


def loop__dynamic_no_reorder__wrong():
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)

    def body(i):
        nisa.memset(tile, 1.0)

    with nl.no_reorder():
        nl.fori_loop(0, 4, body)


def loop__while_loop__right():
    def body(r):
        return r

    nl.while_loop(nisa.register_alloc(0), body)


def loop__while_loop__wrong():
    def bool_of(condition):
        pass

    nl.while_loop(nisa.register_alloc(0), bool_of)


def loop__escape__right():
    def body(i):
        dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst, 0)

    nl.fori_loop(0, 4, body)


def loop__escape__wrong():
    tiles = []

    def body(i):
        tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(tile, 0)
        tiles.append(tile)

    nl.fori_loop(0, 4, body)
    nisa.memset(tiles[0], 0)


def ti__scalar_dst_psum__right():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((2, 4), dtype=nl.uint16, buffer=nl.sbuf)
    data = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst.indirect(index, 4), nl.exp, data)


def ti__scalar_dst_psum__wrong():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.psum)
    index = nl.ndarray((2, 4), dtype=nl.uint16, buffer=nl.sbuf)
    data = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst.indirect(index, 4), nl.exp, data)


def nc_matmul__ti__right():
    """On trn3."""
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((64, 128), dtype=nl.bfloat16, buffer=nl.sbuf)
    index = nl.ndarray((64, 16), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.nc_matmul(dst, stationary, moving.indirect(index, 16))


def nc_matmul__ti__wrong():
    """On trn3."""
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((64, 32), dtype=nl.float32, buffer=nl.sbuf)
    moving = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.sbuf)
    index = nl.ndarray((64, 16), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.nc_matmul(dst, stationary, moving.indirect(index, 16))


def matmul_mx__ti_pairs__right():
    """On trn3."""
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((32, 32), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((32, 128), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((32, 32), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((32, 128), dtype=nl.uint8, buffer=nl.sbuf)
    index = nl.ndarray((32, 16), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving.indirect(index, 16), stationary_scale, moving_scale.indirect(index, 16))


def matmul_mx__ti_pairs__wrong():
    """On trn3."""
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((32, 32), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((32, 128), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((32, 32), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((32, 16), dtype=nl.uint8, buffer=nl.sbuf)
    index = nl.ndarray((32, 16), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving.indirect(index, 16), stationary_scale, moving_scale)
