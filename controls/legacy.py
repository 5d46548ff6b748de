"""Controls of contracts about the legacy API."""

import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from neuronxcc import nki


@nki.jit
def leg__store__value__right(x: "f32[2, 4]"):
    value = nl.ndarray((2, 4), dtype=nl.float32)
    nl.store(x, value)


@nki.jit
def leg__store__value__wrong(x: "f32[2, 4]", x2: "f32[2, 4]"):
    nl.store(x, x2)


@nki.jit
def leg__indirect__right(x: "f32[8, 6]", idx: "i32[4] in 0..7"):
    rows = nl.load(idx[nl.arange(4)[:, None]])
    nl.load(x[rows[nl.arange(4)[:, None], 0], nl.arange(6)[None, :]])


@nki.jit
def leg__indirect__wrong(x: "f32[8, 6]", idx: "i32[4] in 0..5"):
    columns = nl.load(idx[nl.arange(4)[:, None]])
    nl.load(x[nl.arange(6)[None, :], columns[nl.arange(4)[:, None], 0]])


@nki.jit
def leg__oob_dynamic__right(x: "f32[8, 6]", idx: "i32[4] in 0..7"):
    rows = nl.load(idx[nl.arange(4)[:, None]])
    nl.load(x[rows[nl.arange(4)[:, None], 0], nl.arange(6)[None, :]])


@nki.jit
def leg__oob_dynamic__wrong(x: "f32[8, 6]", idx: "i32[4] in 0..8"):
    rows = nl.load(idx[nl.arange(4)[:, None]])
    nl.load(x[rows[nl.arange(4)[:, None], 0], nl.arange(6)[None, :]])


def leg__tile_rank__right():
    nl.ndarray((2, 1), dtype=nl.float32)


def leg__tile_rank__wrong():
    nl.ndarray((2,), dtype=nl.float32)


def leg__activation__bias__right():
    data = nl.ndarray((4, 6), dtype=nl.float32)
    bias = nl.ndarray((4, 1), dtype=nl.bfloat16)
    nisa.activation(nl.exp, data, bias=bias)


def leg__activation__bias__wrong():
    data = nl.ndarray((4, 6), dtype=nl.float32)
    bias = nl.ndarray((4, 1), dtype=nl.int32)
    nisa.activation(nl.exp, data, bias=bias)


def leg__tensor_reduce__axis__right():
    data = nl.ndarray((4, 2, 3, 4), dtype=nl.float32)
    nisa.tensor_reduce(nl.add, data, axis=[1, 2])


def leg__tensor_reduce__axis__wrong():
    data = nl.ndarray((4, 2, 3, 4), dtype=nl.float32)
    nisa.tensor_reduce(nl.add, data, axis=[2])


def leg__reduce__axis__right():
    data = nl.ndarray((4, 6), dtype=nl.float32)
    nisa.tensor_reduce(nl.add, data, axis=1)


def leg__reduce__axis__wrong():
    data = nl.ndarray((4, 6), dtype=nl.float32)
    nisa.tensor_reduce(nl.add, data, axis=0)


def tensor__dtypes__right():
    src = nl.ndarray((4, 6), dtype=nl.float32)
    nl.copy(src, dtype=nl.float32)


def tensor__dtypes__wrong():
    src = nl.ndarray((4, 6), dtype=nl.float32)
    nl.copy(src, dtype=float)


@nki.jit
def leg__oob_static__right(x: "f32[8, 6]"):
    src = x[nl.arange(4, 8)[:, None], nl.arange(0, 6)[None, :]]
    nl.load(src)


@nki.jit
def leg__oob_static__wrong(x: "f32[8, 6]"):
    src = x[nl.arange(5, 9)[:, None], nl.arange(0, 6)[None, :]]
    nl.load(src)


def leg__tile__right():
    tile = nl.ndarray((2, nl.par_dim(4), 6), nl.float32)
    nl.exp(tile[1])


def leg__tile__wrong():
    tile = nl.ndarray((2, nl.par_dim(4), 6), nl.float32)
    nl.exp(tile)


@nki.jit
def leg__arange__right(x: "f32[8, 6]"):
    src = x[nl.arange(0, 4)[:, None], nl.arange(0, 6)[None, :]]
    nl.load(src)


@nki.jit
def leg__arange__wrong(x: "f32[8]"):
    nl.load(x[nl.arange(4)])


@nki.jit
def leg__no_mix__right(x: "f32[8, 6]"):
    x[nl.arange(0, 4)[:, None], nl.arange(0, 6)[None, :]]


@nki.jit
def leg__no_mix__wrong(x: "f32[8, 6]"):
    x[nl.arange(0, 4)[:, None], 0:6]


def leg__index_const__right():
    nl.arange(4)[:, None]


def leg__index_const__wrong():
    nl.arange(4)[0] = 1


def leg__index_broadcast__right():
    nl.arange(0, 4)[:, None] + nl.arange(0, 6)[None, :]


def leg__index_broadcast__wrong():
    nl.arange(0, 4)[:, None] + nl.arange(0, 5)[:, None]


def leg__affine_index__right():
    (2 * nl.arange(4)) + 1


def leg__affine_index__wrong():
    nl.arange(4) // 2


def leg__mask_form__right():
    (nl.arange(4) < 2) & (nl.arange(4) > 0)


def leg__mask_form__wrong():
    (nl.arange(4) < 2) | (nl.arange(4) > 2)


def leg__control_arange__right():
    (nl.arange(4) < 2) & (nl.arange(4) > 0)


def leg__control_arange__wrong():
    bool(nl.arange(4) < 2)
    nl.arange(4) > 0


def leg__partition_bcast__right():
    tile = nl.ndarray((4, 6), dtype=nl.float32)
    tile2 = nl.ndarray((4, 1), dtype=nl.float32)
    tile + tile2


def leg__partition_bcast__wrong():
    tile = nl.ndarray((4, 6), dtype=nl.float32)
    tile2 = nl.ndarray((1, 6), dtype=nl.float32)
    tile + tile2


def leg__binary__broadcast__right():
    tile = nl.ndarray((4, 6), dtype=nl.float32)
    y = nl.ndarray((4, 1), dtype=nl.float32)
    nl.add(tile, y)


def leg__binary__broadcast__wrong():
    tile = nl.ndarray((4, 6), dtype=nl.float32)
    y = nl.ndarray((4, 2), dtype=nl.float32)
    nl.add(tile, y)


def leg__assign_shape__right():
    tile = nl.ndarray((4, 6), dtype=nl.float32)
    tile2 = nl.ndarray((4, 1), dtype=nl.float32)
    tile[...] = tile2


def leg__assign_shape__wrong():
    tile = nl.ndarray((4, 6), dtype=nl.float32)
    tile2 = nl.ndarray((4, 2), dtype=nl.float32)
    tile[...] = tile2


def leg__assign_buffer__right():
    tile = nl.ndarray((4, 6), dtype=nl.float32)
    tile[...] = 0


@nki.jit
def leg__assign_buffer__wrong(x: "f32[4, 6]"):
    x[...] = 0


def leg__assert_shape__right():
    tile = nl.ndarray((4, 6), dtype=nl.float32)
    tile.assert_shape((4, 6))


def leg__assert_shape__wrong():
    tile = nl.ndarray((4, 6), dtype=nl.float32)
    tile.assert_shape((4, 5))


def leg__par_dim__right():
    nl.exp(nl.zeros((2, nl.par_dim(4), 6), dtype=nl.float32)[0])


def leg__par_dim__wrong():
    nl.zeros((nl.par_dim(2), nl.par_dim(4)), dtype=nl.float32)


def leg__mod_alloc__right():
    place = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
    tile = nl.ndarray((2, nl.par_dim(4), 6), dtype=nl.float32, buffer=place)
    nl.exp(tile[0])


def leg__mod_alloc__wrong():
    place = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2, 2))
    nl.ndarray((2, nl.par_dim(4), 6), dtype=nl.float32, buffer=place)


def idx__oob__right():
    tile = nl.ndarray((2, nl.par_dim(4), 6), nl.float32)
    tile[1, 3, 5]


def idx__oob__wrong():
    tile = nl.ndarray((2, nl.par_dim(4), 6), nl.float32)
    tile[2, 3, 5]


def leg__psum_fmax__right():
    nl.ndarray((2, 512), dtype=nl.float32, buffer=nl.psum)


def leg__psum_fmax__wrong():
    nl.ndarray((2, 513), dtype=nl.float32, buffer=nl.psum)


def mem__partition_contiguous__right():
    tile = nl.zeros((8, 4), nl.float32)
    x = tile[nl.arange(4)[:, None], nl.arange(4)[None, :]]
    nl.exp(x)


def mem__partition_contiguous__wrong():
    tile = nl.zeros((8, 4), nl.float32)
    x = tile[2 * nl.arange(4)[:, None], nl.arange(4)[None, :]]
    nl.exp(x)


def mem__ap_uniform__right():
    tile = nl.zeros((4, 8), nl.float32)
    x = tile[nl.arange(4)[:, None], nl.arange(4)[None, :]]
    nl.exp(x)


def mem__ap_uniform__wrong():
    tile = nl.zeros((4, 8), nl.float32)
    x = tile[nl.arange(4)[:, None], nl.arange(4)[:, None] + nl.arange(4)[None, :]]
    nl.exp(x)


def leg__hbm_no_init__right():
    nl.zeros((2, 2), nl.float32)


def leg__hbm_no_init__wrong():
    nl.zeros((2, 2), nl.float32, buffer=nl.shared_hbm)


def leg__matmul__shape__right():
    tile = nl.ndarray((8, 16), dtype=nl.float32)
    y = nl.ndarray((16, 4), dtype=nl.float32)
    nl.matmul(tile, y)


def leg__matmul__shape__wrong():
    tile = nl.ndarray((8, 16), dtype=nl.float32)
    y = nl.ndarray((8, 4), dtype=nl.float32)
    nl.matmul(tile, y)


def leg__transpose__right():
    tile = nl.ndarray((8, 128), dtype=nl.float32)
    nl.transpose(tile)


def leg__transpose__wrong():
    tile = nl.ndarray((8, 129), dtype=nl.float32)
    nl.transpose(tile)


@nki.jit
def _empty():
    pass


def leg__spmd__right():
    _empty[1, 1]()


def leg__spmd__wrong():
    _empty[1, 0]()


@nki.jit
def df__affine_range__right(x: "f32[128, 512]"):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        nl.store(out[:, 128 * i : 128 * i + 128], nl.load(x[:, 128 * i : 128 * i + 128]))
    return out


@nki.jit
def df__affine_range__wrong(x: "f32[128, 512]"):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    for i in nl.affine_range(4):
        nl.store(out[:, 64 * i : 64 * i + 128], nl.load(x[:, 64 * i : 64 * i + 128]))
    return out


@nki.jit
def df__input_written__right(x: "f32[128, 512]"):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    nl.store(x, nl.load(out))
    return out, x


@nki.jit
def df__input_written__wrong(x: "f32[128, 512]"):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    nl.store(x, nl.load(out))
    return out


def nl__expand_dims__axis__right():
    nl.expand_dims(nl.ndarray((4, 6), dtype=nl.float32), 2)


def nl__expand_dims__axis__wrong():
    nl.expand_dims(nl.ndarray((4, 6), dtype=nl.float32), 1)


def leg__affine_select__pred__right():
    i_p, i_f = nl.mgrid[0:4, 0:6]
    nisa.affine_select(i_f <= i_p, nl.ndarray((4, 6), dtype=nl.float32), 0.0)


def leg__affine_select__pred__wrong():
    i_p, i_f = nl.mgrid[0:4, 0:6]
    nisa.affine_select((i_f <= i_p) & (i_f > 0), nl.ndarray((4, 6), dtype=nl.float32), 0.0)


def leg__affine_select__dtype__right():
    i_p, i_f = nl.mgrid[0:4, 0:6]
    nisa.affine_select(i_f <= i_p, nl.ndarray((4, 6), dtype=nl.int16), 0.0)


def leg__affine_select__dtype__wrong():
    i_p, i_f = nl.mgrid[0:4, 0:6]
    nisa.affine_select(i_f <= i_p, nl.ndarray((4, 6), dtype=nl.int32), 0.0)


def leg__iota__expr__right():
    i_p, i_f = nl.mgrid[0:4, 0:6]
    nisa.iota(6 * i_p + i_f, dtype=nl.int32)


def leg__iota__expr__wrong():
    nisa.iota(6, dtype=nl.int32)


def leg__mask_bn__right():
    i_p, i_f = nl.mgrid[0:4, 0:6]
    nisa.bn_stats(nl.ndarray((4, 6), dtype=nl.float32)[i_p, i_f], mask=i_p < 3)


def leg__mask_bn__wrong():
    i_p, i_f = nl.mgrid[0:4, 0:6]
    nisa.bn_stats(nl.ndarray((4, 6), dtype=nl.float32)[i_p, i_f], mask=i_f < 5)


def leg__compute_dtype__right():
    nl.softmax(nl.ndarray((4, 6), dtype=nl.bfloat16), axis=1, dtype=nl.float32, compute_dtype=nl.float32)


def leg__compute_dtype__wrong():
    nl.softmax(nl.ndarray((4, 6), dtype=nl.bfloat16), axis=1, dtype=nl.bfloat16, compute_dtype=nl.float32)


def leg__gather_flattened__right():
    nl.gather_flattened(nl.ndarray((4, 6), dtype=nl.float32), nl.ndarray((4, 3), dtype=nl.uint32))


def leg__gather_flattened__wrong():
    nl.gather_flattened(nl.ndarray((4, 6), dtype=nl.float32), nl.ndarray((4, 3), dtype=nl.int32))


def leg__dropout__rate__right():
    nl.dropout(nl.ndarray((4, 6), dtype=nl.float32), rate=1.0)


def leg__dropout__rate__wrong():
    nl.dropout(nl.ndarray((4, 6), dtype=nl.float32), rate=1.5)
