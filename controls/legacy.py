"""Controls of contracts about the legacy API."""

import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from neuronxcc import nki


@nki.jit
def _empty():
    pass


tile = nl.ndarray((4, 6), dtype=nl.float32)


@control(on=either(right="trn2", wrong="trn3"))
@nki.jit
def leg__generation():
    pass


@nki.jit
def leg__indirect(x: "f32[8, 6]", idx: either(right="i32[4] in 0..7", wrong="i32[4] in 0..5")):
    if RIGHT:
        rows = nl.load(idx[nl.arange(4)[:, None]])
        nl.load(x[rows[nl.arange(4)[:, None], 0], nl.arange(6)[None, :]])
    else:
        columns = nl.load(idx[nl.arange(4)[:, None]])
        nl.load(x[nl.arange(6)[None, :], columns[nl.arange(4)[:, None], 0]])


@nki.jit
def leg__indirect_mgrid(x: "f32[8, 6]", idx: "i32[4] in 0..7"):
    rows = nl.load(idx[nl.arange(4)[:, None]])
    nl.load(x[rows[nl.arange(4)[:, None], 0], either(right=nl.arange(6)[None, :], wrong=nl.mgrid[0:4, 0:6][1])])


@nki.jit
def leg__mask_and(x: "f32[8, 6]"):
    rows, columns = nl.arange(128)[:, None], nl.arange(512)[None, :]
    if RIGHT:
        nl.load(x[rows, columns], mask=(rows < 8) & (columns < 6))
    else:
        nl.load(x[rows, columns], mask=rows < 8 and columns < 6)


@nki.jit
def leg__tensor_truth(x: "f32[8, 6]"):
    if either(right=x is not None, wrong=x):
        nl.load(x)


@nki.jit
def leg__dma_copy__rmw(x: "f32[8, 6]", idx: "i32[4] in 0..7"):
    rows, tile = nl.load(idx[nl.arange(4)[:, None]]), nl.zeros((4, 6), dtype=nl.float32)
    nisa.dma_copy(
        dst=x[rows[nl.arange(4)[:, None], 0], nl.arange(6)[None, :]],
        src=tile,
        dst_rmw_op=either(right=nl.add, wrong=nl.multiply),
    )


@nki.jit
def leg__atomic_rmw(x: "f32[8, 6]", idx: "i32[4] in 0..7"):
    rows, tile = nl.load(idx[nl.arange(4)[:, None]]), nl.zeros((4, 6), dtype=nl.float32)
    nl.atomic_rmw(
        x[rows[nl.arange(4)[:, None], 0], nl.arange(6)[None, :]], tile, op=either(right=nl.add, wrong=nl.multiply)
    )


@nki.jit
def leg__oob_dynamic(x: "f32[8, 6]", idx: either(right="i32[4] in 0..7", wrong="i32[4] in 0..8")):
    rows = nl.load(idx[nl.arange(4)[:, None]])
    nl.load(x[rows[nl.arange(4)[:, None], 0], nl.arange(6)[None, :]])


def leg__tile_rank():
    nl.ndarray(either(right=(2, 1), wrong=(2,)), dtype=nl.float32)


def leg__operand_rank():
    nl.ndarray((2, 1), dtype=nl.float32).reshape(either(right=(2, 1, 1), wrong=(2,)))


@nki.jit
def leg__oob_static(x: "f32[8, 6]"):
    src = either(
        right=x[nl.arange(4, 8)[:, None], nl.arange(0, 6)[None, :]],
        wrong=x[nl.arange(5, 9)[:, None], nl.arange(0, 6)[None, :]],
    )
    nl.load(src)


def leg__tile():
    tile = nl.ndarray((2, nl.par_dim(4), 6), nl.float32)
    nl.exp(either(right=tile[1], wrong=tile))


@nki.jit
def leg__arange(x: either(right="f32[8, 6]", wrong="f32[8]")):
    if RIGHT:
        src = x[nl.arange(0, 4)[:, None], nl.arange(0, 6)[None, :]]
        nl.load(src)
    else:
        nl.load(x[nl.arange(4)])


@nki.jit
def leg__no_mix(x: "f32[8, 6]"):
    either(right=x[nl.arange(0, 4)[:, None], nl.arange(0, 6)[None, :]], wrong=x[nl.arange(0, 4)[:, None], 0:6])


def leg__index_const():
    if RIGHT:
        nl.arange(4)[:, None]
    else:
        nl.arange(4)[0] = 1


def leg__index_broadcast():
    either(
        right=nl.arange(0, 4)[:, None] + nl.arange(0, 6)[None, :],
        wrong=nl.arange(0, 4)[:, None] + nl.arange(0, 5)[:, None],
    )


def leg__affine_index():
    either(right=(2 * nl.arange(4)) + 1, wrong=nl.arange(4) // 2)


def leg__mask_form():
    either(right=(nl.arange(4) < 2) & (nl.arange(4) > 0), wrong=(nl.arange(4) < 2) | (nl.arange(4) > 2))


def leg__control_arange__right():
    (nl.arange(4) < 2) & (nl.arange(4) > 0)


def leg__control_arange__wrong():
    bool(nl.arange(4) < 2)
    nl.arange(4) > 0


def leg__partition_bcast():
    tile2 = nl.ndarray(either(right=(4, 1), wrong=(1, 6)), dtype=nl.float32)
    tile + tile2


def leg__assign_shape():
    tile2 = nl.ndarray((4, either(right=1, wrong=2)), dtype=nl.float32)
    tile[...] = tile2


def leg__assign_buffer__right():
    tile[...] = 0


@nki.jit
def leg__assign_buffer__wrong(x: "f32[4, 6]"):
    x[...] = 0


def leg__assert_shape():
    tile.assert_shape((4, either(right=6, wrong=5)))


def leg__par_dim():
    either(
        right=nl.exp(nl.zeros((2, nl.par_dim(4), 6), dtype=nl.float32)[0]),
        wrong=nl.zeros((nl.par_dim(2), nl.par_dim(4)), dtype=nl.float32),
    )


def leg__mod_alloc__right():
    place = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
    tile = nl.ndarray((2, nl.par_dim(4), 6), dtype=nl.float32, buffer=place)
    nl.exp(tile[0])


def leg__mod_alloc__wrong():
    place = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2, 2))
    nl.ndarray((2, nl.par_dim(4), 6), dtype=nl.float32, buffer=place)


def leg__psum_fmax():
    nl.ndarray((2, either(right=512, wrong=513)), dtype=nl.float32, buffer=nl.psum)


def leg__hbm_no_init():
    either(right=nl.zeros((2, 2), nl.float32), wrong=nl.zeros((2, 2), nl.float32, buffer=nl.shared_hbm))


def leg__transpose():
    tile = nl.ndarray((8, either(right=128, wrong=129)), dtype=nl.float32)
    nl.transpose(tile)


def leg__spmd():
    either(right=_empty[1, 1], wrong=_empty[1, 0])()


def leg__mask_bn():
    i_p, i_f = nl.mgrid[0:4, 0:6]
    nisa.bn_stats(nl.ndarray((4, 6), dtype=nl.float32)[i_p, i_f], mask=either(right=i_p < 3, wrong=i_f < 5))


def leg__mask_matmul():
    tile = nl.ndarray((8, 16), dtype=nl.float32)
    part = tile[nl.arange(8)[:, None] < 4]
    nisa.nc_matmul(part, either(right=part, wrong=nisa.tensor_copy(part)))


def leg__mask_subscript():
    tile = nl.ndarray((8, 16), dtype=nl.float32)
    column = nl.arange(either(right=16, wrong=32))[None, :]
    nisa.nc_matmul(tile, tile[nl.arange(8)[:, None], column][column < 16])


def leg__compute_dtype():
    nl.softmax(
        nl.ndarray((4, 6), dtype=nl.bfloat16),
        axis=1,
        dtype=either(right=nl.float32, wrong=nl.bfloat16),
        compute_dtype=nl.float32,
    )


def leg__gather_flattened():
    nl.gather_flattened(
        nl.ndarray((4, 6), dtype=nl.float32), nl.ndarray((4, 3), dtype=either(right=nl.uint32, wrong=nl.int32))
    )


@nki.jit
def leg__store__value__right(x: "f32[2, 4]"):
    value = nl.ndarray((2, 4), dtype=nl.float32)
    nl.store(x, value)


@nki.jit
def leg__store__value__wrong(x: "f32[2, 4]", x2: "f32[2, 4]"):
    nl.store(x, x2)


def leg__activation__bias():
    data = nl.ndarray((4, 6), dtype=nl.float32)
    bias = nl.ndarray((4, 1), dtype=either(right=nl.bfloat16, wrong=nl.int32))
    nisa.activation(nl.exp, data, bias=bias)


def leg__tensor_reduce__axis():
    data = nl.ndarray((4, 2, 3, 4), dtype=nl.float32)
    nisa.tensor_reduce(nl.add, data, axis=either(right=[1, 2], wrong=[2]))


def leg__reduce__axis():
    data = nl.ndarray((4, 6), dtype=nl.float32)
    nisa.tensor_reduce(nl.add, data, axis=either(right=1, wrong=0))


def tensor__dtypes():
    src = nl.ndarray((4, 6), dtype=nl.float32)
    nl.copy(src, dtype=either(right=nl.float32, wrong=float))


def leg__binary__broadcast():
    y = nl.ndarray((4, either(right=1, wrong=2)), dtype=nl.float32)
    nl.add(tile, y)


def idx__oob():
    tile = nl.ndarray((2, nl.par_dim(4), 6), nl.float32)
    tile[either(right=1, wrong=2), 3, 5]


def mem__partition_contiguous():
    tile = nl.zeros((8, 4), nl.float32)
    x = either(
        right=tile[nl.arange(4)[:, None], nl.arange(4)[None, :]],
        wrong=tile[2 * nl.arange(4)[:, None], nl.arange(4)[None, :]],
    )
    nl.exp(x)


def mem__ap_uniform():
    tile = nl.zeros((4, 8), nl.float32)
    x = either(
        right=tile[nl.arange(4)[:, None], nl.arange(4)[None, :]],
        wrong=tile[nl.arange(4)[:, None], nl.arange(4)[:, None] + nl.arange(4)[None, :]],
    )
    nl.exp(x)


def leg__matmul__shape():
    tile = nl.ndarray((8, 16), dtype=nl.float32)
    y = nl.ndarray((either(right=16, wrong=8), 4), dtype=nl.float32)
    nl.matmul(tile, y)


out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)


@nki.jit
def df__affine_range(x: "f32[128, 512]"):
    if RIGHT:
        for i in nl.affine_range(4):
            nl.store(out[:, 128 * i : 128 * i + 128], nl.load(x[:, 128 * i : 128 * i + 128]))
    else:
        nl.store(out, nl.load(x))
        for i in nl.affine_range(4):
            nl.store(out[:, 64 * i : 64 * i + 128], nl.load(x[:, 64 * i : 64 * i + 128]))
    return out


@nki.jit
def df__input_written(x: "f32[128, 512]"):
    nl.store(out, nl.load(x))
    nl.store(x, nl.load(out))
    return either(right=(out, x), wrong=out)


@nki.jit
def df__sum_unwritten(a: "f32[8, 4]", b: "f32[8, 6]"):
    out = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.shared_hbm)
    total = either(right=nl.zeros, wrong=nl.ndarray)((4, 6), dtype=nl.float32, buffer=nl.psum)
    total += nisa.nc_matmul(nl.load(a), nl.load(b))
    nl.store(out, nl.copy(total))
    return out


def nl__expand_dims__axis():
    nl.expand_dims(nl.ndarray((4, 6), dtype=nl.float32), either(right=2, wrong=1))


def leg__affine_select__pred():
    i_p, i_f = nl.mgrid[0:4, 0:6]
    nisa.affine_select(
        either(right=i_f <= i_p, wrong=(i_f <= i_p) & (i_f > 0)), nl.ndarray((4, 6), dtype=nl.float32), 0.0
    )


def leg__affine_select__dtype():
    i_p, i_f = nl.mgrid[0:4, 0:6]
    nisa.affine_select(i_f <= i_p, nl.ndarray((4, 6), dtype=either(right=nl.int16, wrong=nl.int32)), 0.0)


def leg__iota__expr__right():
    i_p, i_f = nl.mgrid[0:4, 0:6]
    nisa.iota(6 * i_p + i_f, dtype=nl.int32)


def leg__iota__expr__wrong():
    nisa.iota(6, dtype=nl.int32)


def leg__dropout__rate():
    nl.dropout(nl.ndarray((4, 6), dtype=nl.float32), rate=either(right=1.0, wrong=1.5))
