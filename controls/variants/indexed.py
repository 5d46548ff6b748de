"""Further controls of contracts of selects, gathers, indirect views, registers, device loops and other DMAs."""

import nki.isa as nisa
import nki.language as nl
from _tiles import _hbm, _psum, _sbuf


def _indices(*shape, high=0, dtype=nl.uint32):
    tile = _sbuf(*shape, dtype=dtype)
    nisa.memset(dst=tile, value=high)
    return tile


def _register(number=0):
    """A register that holds `number`."""
    return nisa.register_alloc(number)


def _rows(count=4, *, of=8, width=2, high=None, dtype=nl.float32):
    """`count` rows of an HBM tensor of `of` rows, chosen by indices up to `high`."""
    return _hbm(of, width, dtype=dtype).ap(
        [[width, count], [1, width]], vector_offset=_indices(count, 1, high=of - 1 if high is None else high)
    )


def _select(**changes):
    """A legal range_select, with changes."""
    arguments = {
        "dst": _sbuf(2, 8),
        "on_true_tile": _sbuf(2, 8),
        "comp_op0": nl.greater_equal,
        "comp_op1": nl.less,
        "bound0": _sbuf(2, 1),
        "bound1": _sbuf(2, 1),
        "on_false_value": -3.4028235e38,
    }
    nisa.range_select(**{**arguments, **changes})


def _reduce(**changes):
    """A legal select_reduce, with changes."""
    arguments = {"dst": _sbuf(2, 8), "predicate": _sbuf(2, 8, dtype=nl.uint8), "on_true": _sbuf(2, 8), "on_false": 0.0}
    nisa.select_reduce(**{**arguments, **changes})


def _gather(**changes):
    """A legal local_gather, with changes."""
    arguments = {"dst": _sbuf(16, 32), "src_buffer": _sbuf(16, 8), "index": _sbuf(16, 2, dtype=nl.uint16)}
    nisa.local_gather(**{**arguments, **changes})


def _affine(**changes):
    """A legal affine_select, with changes."""
    arguments = {
        "dst": _sbuf(2, 8),
        "pattern": [[1, 8]],
        "channel_multiplier": 1,
        "on_true_tile": _sbuf(2, 8),
        "on_false_value": 0.0,
    }
    nisa.affine_select(**{**arguments, **changes})


def _gathering_transpose(count=16, lanes=16, dtype=nl.bfloat16, **changes):
    """A dma_transpose of chosen rows."""
    source = _hbm(32, 8, dtype=dtype).ap([[8, count], [1, 8]], vector_offset=_indices(lanes, 1, high=31))
    nisa.dma_transpose(_sbuf(8, count, dtype=dtype), source, **changes)


def _add(count=2, **changes):
    """A legal dma_compute, with changes."""
    arguments = {"dst": _hbm(2, 4), "srcs": [_sbuf(2, 4)] * count, "reduce_op": nl.add}
    nisa.dma_compute(**{**arguments, **changes})


def _gathered(tile):
    """Free elements of a tile, by a tile of indices."""
    return tile.indirect(_sbuf(int(tile.shape[0]), 4, dtype=nl.uint16), 4)


def _product(**options):
    """A matmul whose moving operand is chosen by indices."""
    wide = _sbuf(64, 128, dtype=nl.bfloat16)
    nisa.nc_matmul(_psum(32, 4), _sbuf(64, 32, dtype=nl.bfloat16), _gathered(wide), **options)


def _predicated(**changes):
    """A legal tensor_copy_predicated, with changes."""
    arguments = {"dst": _sbuf(2, 8), "src": _sbuf(2, 8), "predicate": _sbuf(2, 8, dtype=nl.uint8)}
    nisa.tensor_copy_predicated(**{**arguments, **changes})


def affine_select__count__2():
    either(right=_affine(), wrong=_affine(on_true_tile=_sbuf(3, 8)))


def iota__count__2():
    nisa.iota(_sbuf(2, either(right=16, wrong=32)), [[1, 2]] * either(right=4, wrong=5))


def range_select__bounds__2():
    either(right=_select(), wrong=_select(bound1=_sbuf(2, 1, dtype=nl.bfloat16)))


def select_reduce__dtypes__2():
    either(right=_reduce(), wrong=_reduce(predicate=_sbuf(2, 8, dtype=nl.uint32)))


def tcp__shape__2():
    either(right=_predicated(src=1.0), wrong=_predicated(src=1.0, dst=_sbuf(2, 9)))


def shuffle__mask_len__2():
    nisa.nc_stream_shuffle(_sbuf(2, 8), _sbuf(2, 8), [0] * either(right=32, wrong=31))


def local_gather__oob__2():
    _gather(
        index=_indices(16, 2, high=either(right=6, wrong=7), dtype=nl.uint16), num_elem_per_idx=2, dst=_sbuf(16, 64)
    )


def dma_transpose__indirect__2():
    either(right=_gathering_transpose(), wrong=_gathering_transpose(16, 17))


def dma_compute__op__2():
    either(right=_add(), wrong=_add(reduce_op=nl.multiply))


def dma_compute__count__2():
    either(right=_add(), wrong=_add(dst=_hbm(2, 5)))


def dma_copy__oob__2():
    either(
        right=nisa.dma_copy(_sbuf(4, 2), _rows(high=8), oob_mode=nisa.oob_mode.skip),
        wrong=nisa.dma_copy(_sbuf(4, 2), _rows(high=8)),
    )


def dma_copy__oob__3():
    nisa.dma_copy(_sbuf(2, 4), _hbm(8, 4).ap([[4, 2], [1, 4]], scalar_offset=_register(either(right=6, wrong=7))))


def ap__dynamic_oob__2():
    nl.load(_hbm(4, 2, 3).select(0, _indices(1, 1, high=either(right=3, wrong=4))))


def ap__vector_offset__2():
    either(right=_rows(), wrong=_sbuf(8, 2).ap([[2, 4], [1, 2]], vector_offset=_indices(4, 1)))


@control(also=("view.reshape_dim.count",))
def view__rearrange__2():
    _hbm(6, 4).rearrange((("a", "b"), "c"), ("b", "a", "c"), {"a": either(right=3, wrong=4)})


def reg__python__2():
    either(right=_register(), wrong=list(range(_register())))


def reg__python__3():
    either(right=_register(), wrong=_register() < 3)


def loop__dynamic_range__2():
    nl.dynamic_range(either(right=0, wrong=4), either(right=4, wrong=0), either(right=2, wrong=-1))


@control(on="trn3")
def ti__operands__2():
    nisa.tensor_copy(_sbuf(2, 4), _gathered(_sbuf(2, 8)), either(right=nisa.engine.vector, wrong=nisa.engine.gpsimd))


@control(on="trn3")
def nc_matmul__ti__2():
    either(right=_product(), wrong=_product(is_transpose=True))


@control(on="trn3")
def ti__scalar_dst_psum__2():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.tensor_copy(_gathered(dst), _sbuf(2, 4), nisa.engine.scalar)


@control(on="trn3")
def ti__scalar_dst_psum__3():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.tensor_scalar(_gathered(dst), _sbuf(2, 4), nl.add, 1.0, engine=nisa.engine.scalar)


@control(on="trn3")
def ti__scalar_dst_psum__4():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.activate2(_gathered(dst), nl.exp, _sbuf(2, 4), 1.0, 0.0, nl.multiply, nl.add)
