"""Controls of contracts about indirect views, registers and loops on the device."""

import nki
import nki.isa as nisa
import nki.language as nl


def ap__dynamic_oob():
    tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    dst = tile.ap([[8, 2], [1, 4]], scalar_offset=nisa.register_alloc(either(right=4, wrong=5)), indirect_dim=1)
    nisa.memset(dst, 0)


@nki.jit
def ap__scalar_offset(x: "f32[8, 4]", indices: either(right="u32[1, 1] in 0..0", wrong="u32[2, 1] in 0..0")):
    dst = nl.ndarray((either(right=1, wrong=2), 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.ap([[4, 2], [1, 4]], scalar_offset=dst)


@nki.jit
def ap__vector_offset(x: "f32[8, 2]", indices: either(right="u32[4, 1] in 0..7", wrong="u32[4, 1] in 0..0")):
    dst = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.ap([[2, either(right=4, wrong=5)], [1, 2]], vector_offset=dst)


@nki.jit
def ap__vector_offset_rank(x: "f32[8, 2]", indices: either(right="u32[4, 1] in 0..7", wrong="u32[4, 1, 1] in 0..7")):
    dst = nl.ndarray(either(right=(4, 1), wrong=(4, 1, 1)), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    x.ap([[2, 4], [1, 2]], vector_offset=dst)


tile = nl.ndarray((2, 4, 3), dtype=nl.float32, buffer=nl.sbuf)
dst = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)


@nki.jit
def view__one_indirection(x: "f32[4, 2, 3]"):
    x.select(0, nisa.register_alloc(0)).select(0, either(right=1, wrong=nisa.register_alloc(0)))


def view__select_dynamic__right():
    tile.select(1, nisa.register_alloc(0))


@nki.jit
def view__select_dynamic__wrong(indices: "u32[2, 1] in 0..0"):
    dst = nl.ndarray((2, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst, indices)
    tile.select(1, dst)


@nki.jit
def view__vector_select(x: "f32[8, 2]", indices: either(right="u32[4, 1] in 0..7", wrong="u32[4, 1] in 0..0")):
    nisa.dma_copy(dst, indices)
    x.vector_select(either(right=0, wrong=1), dst)


@nki.jit
def view__indirect_dim(x: "f32[8, 2]", indices: "u32[4, 1] in 0..0"):
    nisa.dma_copy(dst, indices)
    x.vector_select(0, dst).slice(either(right=1, wrong=0), 0, 1)


@nki.jit
def view__rearrange(x: "f32[6, 4]"):
    x.rearrange((("a", "b"), "c"), ("b", either(right=("a", "c"), wrong="a")), either(right={"a": 1}, wrong={"a": 2}))


@nki.jit
def view__cast__indirect(x: "f32[8, 2]", indices: "u32[4, 1] in 0..0"):
    nisa.dma_copy(dst, indices)
    either(right=x.view(nl.uint32).vector_select(0, dst), wrong=x.vector_select(0, dst).view(nl.uint32))


tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
index = nl.ndarray((2, 4), dtype=nl.uint16, buffer=nl.sbuf)


@control(on=either(right="trn3", wrong="trn2"))
def ti__gen4():
    tile.indirect(index, 4)


@control(on="trn3")
def ti__index():
    tile2 = nl.ndarray((2, 4), dtype=nl.uint16, buffer=nl.sbuf)
    tile.indirect(tile2, either(right=8, wrong=9))


@control(on="trn3")
def ti__operands():
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    if RIGHT:
        data2 = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor(dst, tile.indirect(index, 4), data2, nl.add)
    else:
        data1 = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor(dst, data1, tile.indirect(index, 4), nl.add)


@control(on="trn3")
def ti__scalar_dst_psum():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    data = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst.indirect(index, 4), nl.exp, data)


@control(on="trn3")
def ti__index_quadrant():
    at = either(right=32, wrong=16)
    places = nl.ndarray((16, 4), dtype=nl.uint16, buffer=nl.sbuf, address=(at, 0))
    src = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((16, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst, src.indirect(places, 64), nisa.engine.vector)


@control(on="trn3")
def ti__src_same_partition():
    places = nl.ndarray((16, 4), dtype=nl.uint16, buffer=nl.sbuf, address=(32, 0))
    src = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf, address=(either(right=32, wrong=0), 64))
    dst = nl.ndarray((16, 64), dtype=nl.float32, buffer=nl.sbuf, address=(0, 1024))
    nisa.tensor_copy(dst, src.indirect(places, 64), nisa.engine.vector)


@control(on="trn3")
def ti__dst_same_partition():
    places = nl.ndarray((16, 4), dtype=nl.uint16, buffer=nl.sbuf, address=(32, 0))
    src = nl.ndarray((16, 64), dtype=nl.float32, buffer=nl.sbuf, address=(either(right=32, wrong=0), 64))
    dst = nl.ndarray((16, 64), dtype=nl.float32, buffer=nl.sbuf, address=(0, 1024))
    nisa.tensor_copy(dst.indirect(places, 64), src, nisa.engine.vector)


def reg__python():
    either(right=nisa.register_alloc(0), wrong=nisa.register_alloc(0) + 1)


def register__operand():
    nisa.register_move(either(right=nisa.register_alloc(0), wrong=3), either(right=3, wrong=nisa.register_alloc(0)))


def register_alloc__x():
    nisa.register_alloc(either(right=3, wrong=0.5))


def register_move__src():
    nisa.register_move(nisa.register_alloc(0), either(right=5, wrong=0.5))


@nki.jit
def register_load__src(x: either(right="i32[1]", wrong="i32[2]")):
    nisa.register_load(nisa.register_alloc(0), x)


def register_store__dst():
    dst = nl.ndarray((1, 1), dtype=nl.int32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.register_store(dst, nisa.register_alloc(0))


def loop__dynamic_range():
    either(right=nl.dynamic_range(nisa.register_alloc(0)), wrong=nl.dynamic_range(0, 4, nisa.register_alloc(0)))


@control(nki="0.4")
def loop__dynamic_nested():
    for _i in nl.dynamic_range(0, 4):
        for _j in either(right=range(2), wrong=nl.dynamic_range(0, 2)):
            pass
    if RIGHT:
        for _j in nl.dynamic_range(0, 2):
            pass


def loop__dynamic_frozen():
    if RIGHT:
        nl.fori_loop(0, 4, lambda i: nisa.register_move(i, 1))
    else:
        for i in nl.dynamic_range(0, 4):
            nisa.register_move(i, 1)


def loop__dynamic_no_reorder():
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    if RIGHT:
        with nl.no_reorder():
            nisa.memset(tile, 0.0)

    def body(i):
        nisa.memset(tile, 1.0)

    if RIGHT:
        nl.fori_loop(0, 4, body)
    else:
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


def loop__dep_edges():
    tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
    before = nisa.memset(tile, 0.0)
    inside = []

    def body(i):
        made = nisa.memset(tile, 1.0)
        made.depends_on(before)
        inside.append(made)

    nl.fori_loop(0, 4, body)
    nisa.memset(tile, 2.0).depends_on(either(right=before, wrong=inside[0]))


def loop__escape():
    if RIGHT:

        def body(i):
            dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
            nisa.memset(dst, 0)
    else:
        tiles = []

        def body(i):
            tile = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.sbuf)
            nisa.memset(tile, 0)
            tiles.append(tile)

    nl.fori_loop(0, 4, body)
    if WRONG:
        nisa.memset(tiles[0], 0)


@control(on="trn3")
def nc_matmul__ti():
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((64, 32), dtype=either(right=nl.bfloat16, wrong=nl.float32), buffer=nl.sbuf)
    moving = nl.ndarray((64, 128), dtype=either(right=nl.bfloat16, wrong=nl.float32), buffer=nl.sbuf)
    index = nl.ndarray((64, 16), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.nc_matmul(dst, stationary, moving.indirect(index, 16))


@control(on="trn3")
def matmul_mx__ti_pairs():
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((32, 32), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((32, 128), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((32, 32), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((32, either(right=128, wrong=16)), dtype=nl.uint8, buffer=nl.sbuf)
    index = nl.ndarray((32, 16), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.nc_matmul_mx(
        dst,
        stationary,
        moving.indirect(index, 16),
        stationary_scale,
        either(right=moving_scale.indirect(index, 16), wrong=moving_scale),
    )
