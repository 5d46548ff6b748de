"""Further controls of contracts of index tensors, masks and tiles of the legacy API."""

import neuronxcc.nki.compiler as old_ncc
import neuronxcc.nki.isa as old_nisa
import neuronxcc.nki.language as old_nl
import nki.language as nl
from _tiles import _old_hbm, _old_psum, _old_sbuf


def _rows(count, start=0):
    """Indices along the partitions."""
    return old_nl.arange(start, start + count)[:, None]


def _columns(count, start=0):
    """Indices along the free axis."""
    return old_nl.arange(start, start + count)[None, :]


def _load(extent, bound, base=0, offset=0, count=4):
    """Load rows base + i + offset, i < count, of a tensor of `extent` rows where base + i < bound."""
    i_p, i_f = (old_nl.arange(count)[:, None], old_nl.arange(6)[None, :])
    old_nl.load(_old_hbm(extent, 6)[base + i_p + offset, i_f], mask=base + i_p < bound)


def _correlated(extent, bound):
    """Load rows 2 * i of a tensor of `extent` rows where i < bound, index and mask made separately."""
    old_nl.load(
        _old_hbm(extent, 6)[2 * old_nl.arange(8)[:, None], old_nl.arange(6)[None, :]],
        mask=old_nl.arange(8)[:, None] < bound,
    )


def _store_masked(extent, bound):
    """Store a tile of 4 rows to a tensor of `extent` rows where i < bound."""
    i_p, i_f = old_nl.mgrid[0:4, 0:6]
    old_nl.store(_old_hbm(extent, 6)[i_p, i_f], _old_sbuf(4, 6)[i_p, i_f], mask=i_p < bound)


def _assign_masked(extent, bound):
    """Assign what an operation with a mask has computed."""
    i_p, i_f = old_nl.mgrid[0:4, 0:6]
    _old_sbuf(extent, 6)[i_p, i_f] = old_nl.exp(_old_sbuf(4, 6)[i_p, i_f], mask=i_p < bound)


def _assign(tensor, key, value):
    """tensor[key] = value."""
    tensor[key] = value


def _places(low, high, dtype=nl.int32, memory=nl.sbuf, width=1):
    """A column of 4 indices from `low` to `high`."""
    return old_nl.full((4, width), low if low < 0 else high, dtype, buffer=memory)


def _gather(extent, low, high, data=nl.shared_hbm, **kwargs):
    """Load 4 of `extent` rows, which indices from `low` to `high` choose."""
    chosen = _places(low, high, **kwargs)
    index = chosen[_rows(4), 0] if chosen.shape[1] == 1 else chosen
    old_nl.load(old_nl.ndarray((extent, 6), nl.float32, buffer=data)[index, _columns(6)])


def _gather_by_mgrid(index, free):
    """Load rows with indices of nl.mgrid beside those known at run time."""
    old_nl.load(_old_hbm(8, 6)[_places(0, 7)[index, 0], free])


def _gather_columns(extent):
    """Load elements whose columns are known at run time."""
    old_nl.load(_old_hbm(extent, 6)[_columns(extent), _places(0, 5)[_rows(4), 0]])


def _scatter(extent, low, high):
    """Store 4 rows at places that indices from `low` to `high` choose."""
    old_nl.store(_old_hbm(extent, 6)[_places(low, high)[_rows(4), 0], _columns(6)], _old_sbuf(4, 6))


def _multiplied(*, left, rows=8, columns=16):
    """A product of an operand behind whose subscript a mask leaves 8 rows, and `left` columns."""
    tile, i, j = (_old_sbuf(8, 16), old_nl.arange(rows)[:, None], old_nl.arange(columns)[None, :])
    old_nisa.nc_matmul(_old_sbuf(8, 4), tile[i, j][(i < 8) & (j < left)])


def _blocks():
    return old_nl.ndarray((2, old_nl.par_dim(4), 6), nl.float32)


def _placed(tiles, shape=()):
    place = old_ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=tiles)
    return old_nl.ndarray(shape or (2, old_nl.par_dim(4), 6), nl.float32, buffer=place)


def _accumulate(shape):
    accumulator = _old_psum(4, 6)
    accumulator += _old_sbuf(*shape)


def leg__oob_static__2():
    old_nl.load(_old_hbm(8, 6)[either(right=_rows(4), wrong=_rows(4, -1)), _columns(6)])


def leg__oob_static__3():
    old_nl.load(_old_hbm(8, 6)[either(right=7, wrong=6) - old_nl.arange(8)[:, None], _columns(6)])


def leg__oob_static__4():
    _load(extent=8, bound=either(right=8, wrong=9), base=6)


def leg__oob_static__5():
    _load(extent=8, bound=either(right=6, wrong=7), base=6, offset=2)


def leg__oob_static__6():
    _correlated(extent=7, bound=either(right=4, wrong=5))


def leg__oob_static__7():
    _store_masked(extent=3, bound=either(right=3, wrong=4))


def leg__oob_static__8():
    _assign_masked(extent=3, bound=either(right=3, wrong=4))


def leg__oob_static__9():
    _load(extent=8, bound=either(right=0, wrong=101), base=100)


def idx__empty__2():
    old_nl.mgrid[0:2, either(right=0, wrong=1) : 1]


def leg__indirect__2():
    either(right=_gather(4, 0, 3), wrong=_gather(4, 0, 3, dtype=nl.float32))


@control(also=("leg.index_broadcast",))
def leg__indirect__3():
    either(right=_gather(4, 0, 3), wrong=_gather(4, 0, 3, width=2))


@control(also=("nl.load.src",))
def leg__indirect__4():
    either(right=_gather(4, 0, 3), wrong=_gather(4, 0, 3, data=nl.sbuf))


def leg__indirect__5():
    either(right=_gather(8, 0, 7), wrong=_gather_columns(8))


def leg__indirect_mgrid__2():
    either(right=_gather(8, 0, 7), wrong=_gather_by_mgrid(_rows(4), old_nl.mgrid[0:4, 0:6][1] * 1))


def leg__indirect_mgrid__3():
    either(right=_gather(8, 0, 7), wrong=_gather_by_mgrid(_rows(4), 5 - old_nl.mgrid[0:4, 0:6][1]))


def leg__oob_dynamic__2():
    _gather(8, either(right=0, wrong=-1), 7)


def leg__oob_dynamic__3():
    _scatter(8, 0, either(right=7, wrong=8))


def leg__mask_subscript__2():
    _multiplied(rows=either(right=8, wrong=9), left=16)


@control(also=("leg.mask_subscript",))
def leg__oob_static__10():
    _multiplied(columns=either(right=16, wrong=17), left=either(right=16, wrong=17))


def leg__index_const__2():
    either(right=old_nl.arange(4)[None, :, None], wrong=old_nl.arange(4)[0:2])


def leg__index_broadcast__2():
    _old_hbm(8, either(right=6, wrong=8))[_rows(4), either(right=_columns, wrong=_rows)(6)]


def leg__index_broadcast__3():
    old_nl.load(_old_hbm(8, 6)[_rows(4), _columns(6)], mask=_rows(either(right=4, wrong=5)) < 3)


def leg__affine_index__2():
    old_nl.arange(4) * either(right=3, wrong=old_nl.arange(4))


def leg__affine_index__3():
    either(right=-old_nl.arange(4), wrong=old_nl.arange(4) % 2)


def leg__mask_form__2():
    either(right=_load(8, 8), wrong=old_nl.load(_old_hbm(4, 6), mask=_old_sbuf(4, 6)))


def leg__control_arange__2():
    either(right=_old_sbuf(4, 6) + 1, wrong=bool(_old_sbuf(4, 6) + 1))


def leg__partition_bcast__2():
    either(right=old_nl.add(_old_sbuf(4, 6), _old_sbuf(1, 6)), wrong=_old_sbuf(4, 6) + _old_sbuf(1, 6))


def isa__on_chip__3():
    old_nl.add(either(right=_old_sbuf, wrong=_old_hbm)(4, 6), 1)


def isa__bitvec_int__4():
    either(right=_old_sbuf(4, 6, dtype=nl.int32), wrong=_old_sbuf(4, 6)) & 1


def leg__assign_shape__2():
    _assign(_blocks(), 1, _old_sbuf(4, either(right=6, wrong=5)))


def leg__assign_shape__3():
    old_nl.store(_old_hbm(4, 6), _old_sbuf(either(right=4, wrong=3), 6))


def leg__assign_shape__4():
    _accumulate((4, either(right=6, wrong=5)))


def mem__partitions_128__2():
    old_nl.ndarray((either(right=129, wrong=2), old_nl.par_dim(either(right=128, wrong=129)), 1), nl.float32)


def leg__mod_alloc__2():
    _placed(either(right=(), wrong=(2, 2)))


def leg__mod_alloc__3():
    _placed(either(right=(32,), wrong=(2, 2)), (4, 32, 6))


def leg__mod_alloc__4():
    place = old_ncc.sbuf.mod_alloc(base_addr=0, base_partition=either(right=0, wrong=32))
    old_nl.ndarray((old_nl.par_dim(4), 6), old_nl.float32, buffer=place)


def leg__mod_alloc__5():
    place = old_ncc.psum.mod_alloc(base_bank=0, num_free_tiles=(either(right=1, wrong=2),))
    old_nl.ndarray((2, old_nl.par_dim(4), 6), old_nl.float32, buffer=place)


def leg__reduce__axis__2():
    old_nl.sum(_old_sbuf(4, 2, 3, 4), axis=[either(right=1, wrong=0), 3])


def leg__reduce__axis__3():
    old_nl.softmax(_old_sbuf(4, 6), axis=either(right=1, wrong=2))
