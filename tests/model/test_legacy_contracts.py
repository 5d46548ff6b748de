"""Contracts of index tensors, masks and tiles of the legacy API: last legal and first illegal use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from nkiverify.model.contents import wrote
from nkiverify.model.dtypes import float32, int32
from nkiverify.model.known_numbers import Value
from nkiverify.model.memory import PSUM, SBUF, SHARED_HBM
from tests.model.stub_library import Control, broken, old_hbm, old_ncc, old_nisa, old_nl, old_psum, old_sbuf, value

arange = old_nl.arange


def rows(count: int, start: int = 0) -> Any:
    """Indices along the partitions."""
    return arange(start, start + count)[:, None]


def columns(count: int, start: int = 0) -> Any:
    """Indices along the free axis."""
    return arange(start, start + count)[None, :]


def load(extent: int, bound: int, base: int = 0, offset: int = 0, count: int = 4) -> None:
    """Load rows base + i + offset, i < count, of a tensor of `extent` rows where base + i < bound."""
    i_p, i_f = arange(count)[:, None], arange(6)[None, :]
    old_nl.load(old_hbm(extent, 6)[base + i_p + offset, i_f], mask=base + i_p < bound)


def correlated(extent: int, bound: int) -> None:
    """Load rows 2 * i of a tensor of `extent` rows where i < bound, index and mask made separately."""
    old_nl.load(old_hbm(extent, 6)[2 * arange(8)[:, None], arange(6)[None, :]], mask=arange(8)[:, None] < bound)


def store_masked(extent: int, bound: int) -> None:
    """Store a tile of 4 rows to a tensor of `extent` rows where i < bound."""
    i_p, i_f = old_nl.mgrid[0:4, 0:6]
    old_nl.store(old_hbm(extent, 6)[i_p, i_f], old_sbuf(4, 6)[i_p, i_f], mask=i_p < bound)


def assign_masked(extent: int, bound: int) -> None:
    """Assign what an operation with a mask has computed."""
    i_p, i_f = old_nl.mgrid[0:4, 0:6]
    old_sbuf(extent, 6)[i_p, i_f] = old_nl.exp(old_sbuf(4, 6)[i_p, i_f], mask=i_p < bound)


def assign(tensor: Any, key: object, value: object) -> None:
    """tensor[key] = value."""
    tensor[key] = value


def places(low: int, high: int, dtype: Any = int32, memory: Any = SBUF, width: int = 1) -> Any:
    """A column of 4 indices from `low` to `high`."""
    tensor = old_nl.ndarray((4, width), dtype, buffer=memory)
    wrote(tensor, Value.between(low, high))
    return tensor


def gather(extent: int, low: int, high: int, data: Any = SHARED_HBM, **kwargs: Any) -> None:
    """Load 4 of `extent` rows, which indices from `low` to `high` choose."""
    chosen = places(low, high, **kwargs)
    index = chosen[rows(4), 0] if chosen.shape[1] == 1 else chosen
    old_nl.load(old_nl.ndarray((extent, 6), float32, buffer=data)[index, columns(6)])


def gather_by_mgrid(index: Any, free: Any) -> None:
    """Load rows with indices of nl.mgrid beside those known at run time."""
    old_nl.load(old_hbm(8, 6)[places(0, 7)[index, 0], free])


def gather_columns(extent: int) -> None:
    """Load elements whose columns are known at run time."""
    old_nl.load(old_hbm(extent, 6)[columns(extent), places(0, 5)[rows(4), 0]])


def scatter(extent: int, low: int, high: int) -> None:
    """Store 4 rows at places that indices from `low` to `high` choose."""
    old_nl.store(old_hbm(extent, 6)[places(low, high)[rows(4), 0], columns(6)], old_sbuf(4, 6))


def test_indices_that_an_operator_changes_are_followed() -> None:
    def changed(by: int) -> None:
        chosen = places(0, 3)
        if by:
            chosen += by
        old_nl.load(old_hbm(8, 6)[chosen[rows(4), 0], columns(6)])

    value(lambda: changed(0))
    value(lambda: changed(4))
    assert broken(lambda: changed(5)) == ["leg.oob_dynamic"]


def test_indices_assigned_are_those_of_the_value() -> None:
    def assigned(number: int) -> None:
        chosen = places(0, 99)
        chosen[...] = number
        old_nl.load(old_hbm(8, 6)[chosen[rows(4), 0], columns(6)])

    assert broken(lambda: assigned(7)) == []
    assert broken(lambda: assigned(8)) == ["leg.oob_dynamic"]


def multiplied(*, left: int, rows: int = 8, columns: int = 16) -> None:
    """A product of an operand behind whose subscript a mask leaves 8 rows, and `left` columns."""
    tile, i, j = old_sbuf(8, 16), arange(rows)[:, None], arange(columns)[None, :]
    old_nisa.nc_matmul(old_sbuf(8, 4), tile[i, j][(i < 8) & (j < left)])


CONTROLS = [
    Control(
        "leg.oob_static",
        lambda: old_nl.load(old_hbm(8, 6)[rows(4, 4), columns(6)]),
        lambda: old_nl.load(old_hbm(8, 6)[rows(4, 5), columns(6)]),
    ),
    Control(
        "leg.oob_static",
        lambda: old_nl.load(old_hbm(8, 6)[rows(4), columns(6)]),
        lambda: old_nl.load(old_hbm(8, 6)[rows(4, -1), columns(6)]),
    ),
    Control(
        "leg.oob_static",
        lambda: old_nl.load(old_hbm(8, 6)[7 - arange(8)[:, None], columns(6)]),
        lambda: old_nl.load(old_hbm(8, 6)[6 - arange(8)[:, None], columns(6)]),
    ),
    # The mask filters the base row; an offset on top of it has to fit as well.
    Control("leg.oob_static", lambda: load(extent=8, bound=8, base=6), lambda: load(extent=8, bound=9, base=6)),
    Control(
        "leg.oob_static",
        lambda: load(extent=8, bound=6, base=6, offset=2),
        lambda: load(extent=8, bound=7, base=6, offset=2),
    ),
    Control("leg.oob_static", lambda: correlated(extent=7, bound=4), lambda: correlated(extent=7, bound=5)),
    Control("leg.oob_static", lambda: store_masked(extent=3, bound=3), lambda: store_masked(extent=3, bound=4)),
    Control("leg.oob_static", lambda: assign_masked(extent=3, bound=3), lambda: assign_masked(extent=3, bound=4)),
    Control("leg.oob_static", lambda: load(extent=8, bound=0, base=100), lambda: load(extent=8, bound=101, base=100)),
    Control("idx.empty", lambda: arange(1), lambda: arange(0)),
    Control("idx.empty", lambda: old_nl.mgrid[0:2, 0:1], lambda: old_nl.mgrid[0:2, 1:1]),
    Control("leg.tile", lambda: old_nl.exp(_blocks()[1]), lambda: old_nl.exp(_blocks())),
    Control(
        "leg.arange",
        lambda: old_nl.load(old_hbm(8, 6)[rows(4), columns(6)]),
        lambda: old_nl.load(old_hbm(8)[arange(4)]),
    ),
    Control("leg.no_mix", lambda: old_hbm(8, 6)[rows(4), columns(6)], lambda: old_hbm(8, 6)[rows(4), 0:6]),
    Control("leg.indirect", lambda: gather(4, 0, 3), lambda: gather(4, 0, 3, memory=SHARED_HBM)),
    Control("leg.indirect", lambda: gather(4, 0, 3), lambda: gather(4, 0, 3, dtype=float32)),
    Control("leg.indirect", lambda: gather(4, 0, 3), lambda: gather(4, 0, 3, width=2), ("leg.index_broadcast",)),
    Control("leg.indirect", lambda: gather(4, 0, 3), lambda: gather(4, 0, 3, data=SBUF), ("nl.load.src",)),
    Control("leg.indirect", lambda: gather(8, 0, 7), lambda: gather_columns(8)),
    Control(
        "leg.indirect_mgrid", lambda: gather(8, 0, 7), lambda: gather_by_mgrid(old_nl.mgrid[0:4, 0:6][0], columns(6))
    ),
    Control(
        "leg.indirect_mgrid", lambda: gather(8, 0, 7), lambda: gather_by_mgrid(rows(4), old_nl.mgrid[0:4, 0:6][1] * 1)
    ),
    Control(
        "leg.indirect_mgrid", lambda: gather(8, 0, 7), lambda: gather_by_mgrid(rows(4), 5 - old_nl.mgrid[0:4, 0:6][1])
    ),
    Control("leg.oob_dynamic", lambda: gather(8, 0, 7), lambda: gather(8, 0, 8)),
    Control("leg.oob_dynamic", lambda: gather(8, 0, 7), lambda: gather(8, -1, 7)),
    Control("leg.oob_dynamic", lambda: scatter(8, 0, 7), lambda: scatter(8, 0, 8)),
    Control(
        "leg.tile_rank", lambda: old_nl.ndarray((4, 1), dtype=float32), lambda: old_nl.ndarray((4,), dtype=float32)
    ),
    Control(
        "leg.operand_rank",
        lambda: old_nl.exp(old_nl.ndarray((4, 1), dtype=float32)),
        lambda: old_nl.exp(old_nl.ndarray((4,), dtype=float32)),
        ("leg.tile_rank",),
    ),
    Control(
        "leg.operand_rank",
        lambda: old_nl.zeros((4, 1), dtype=float32),
        lambda: old_nl.zeros((4,), dtype=float32),
        ("leg.tile_rank",),
    ),
    Control("leg.mask_subscript", lambda: multiplied(columns=16, left=16), lambda: multiplied(columns=17, left=16)),
    Control("leg.mask_subscript", lambda: multiplied(rows=8, left=16), lambda: multiplied(rows=9, left=16)),
    Control(
        "leg.oob_static",
        lambda: multiplied(columns=16, left=16),
        lambda: multiplied(columns=17, left=17),
        ("leg.mask_subscript",),
    ),
    Control("leg.index_const", lambda: arange(4)[:, None], lambda: assign(arange(4), 0, 1)),
    Control("leg.index_const", lambda: arange(4)[None, :, None], lambda: arange(4)[0:2]),
    Control("leg.index_broadcast", lambda: rows(4) + columns(6), lambda: rows(4) + rows(5)),
    Control("leg.index_broadcast", lambda: old_hbm(8, 6)[rows(4), columns(6)], lambda: old_hbm(8, 8)[rows(4), rows(6)]),
    Control(
        "leg.index_broadcast",
        lambda: old_nl.load(old_hbm(8, 6)[rows(4), columns(6)], mask=rows(4) < 3),
        lambda: old_nl.load(old_hbm(8, 6)[rows(4), columns(6)], mask=rows(5) < 3),
    ),
    Control("leg.affine_index", lambda: 2 * arange(4) + 1, lambda: arange(4) // 2),
    Control("leg.affine_index", lambda: arange(4) * 3, lambda: arange(4) * arange(4)),
    Control("leg.affine_index", lambda: -arange(4), lambda: arange(4) % 2),
    Control("leg.mask_form", lambda: (arange(4) < 2) & (arange(4) > 0), lambda: (arange(4) < 2) | (arange(4) > 2)),
    Control("leg.mask_form", lambda: load(8, 8), lambda: old_nl.load(old_hbm(4, 6), mask=old_sbuf(4, 6))),
    Control(
        "leg.control_arange", lambda: (arange(4) < 2) & (arange(4) > 0), lambda: (arange(4) < 2) and (arange(4) > 0)
    ),
    Control("leg.control_arange", lambda: old_sbuf(4, 6) + 1, lambda: bool(old_sbuf(4, 6) + 1)),
    Control("leg.partition_bcast", lambda: old_sbuf(4, 6) + old_sbuf(4, 1), lambda: old_sbuf(4, 6) + old_sbuf(1, 6)),
    Control(
        "leg.partition_bcast",
        lambda: old_nl.add(old_sbuf(4, 6), old_sbuf(1, 6)),
        lambda: old_sbuf(4, 6) + old_sbuf(1, 6),
    ),
    Control(
        "leg.binary.broadcast",
        lambda: old_nl.add(old_sbuf(4, 6), old_sbuf(4, 1)),
        lambda: old_nl.add(old_sbuf(4, 6), old_sbuf(4, 2)),
    ),
    Control("isa.on_chip", lambda: old_nl.add(old_sbuf(4, 6), 1), lambda: old_nl.add(old_hbm(4, 6), 1)),
    Control("isa.bitvec_int", lambda: old_sbuf(4, 6, dtype=int32) & 1, lambda: old_sbuf(4, 6) & 1),
    Control(
        "leg.assign_shape",
        lambda: assign(old_sbuf(4, 6), ..., old_sbuf(4, 1)),
        lambda: assign(old_sbuf(4, 6), ..., old_sbuf(4, 2)),
    ),
    Control(
        "leg.assign_shape", lambda: assign(_blocks(), 1, old_sbuf(4, 6)), lambda: assign(_blocks(), 1, old_sbuf(4, 5))
    ),
    Control(
        "leg.assign_shape",
        lambda: old_nl.store(old_hbm(4, 6), old_sbuf(4, 6)),
        lambda: old_nl.store(old_hbm(4, 6), old_sbuf(3, 6)),
    ),
    Control("leg.assign_shape", lambda: _accumulate((4, 6)), lambda: _accumulate((4, 5))),
    Control("leg.assign_buffer", lambda: assign(old_sbuf(4, 6), ..., 0), lambda: assign(old_hbm(4, 6), ..., 0)),
    Control(
        "leg.assert_shape", lambda: old_sbuf(4, 6).assert_shape((4, 6)), lambda: old_sbuf(4, 6).assert_shape((4, 5))
    ),
    Control("leg.par_dim", lambda: _blocks(), lambda: old_nl.ndarray((old_nl.par_dim(2), old_nl.par_dim(4)), float32)),
    Control(
        "mem.partitions_128",
        lambda: old_nl.ndarray((129, old_nl.par_dim(128), 1), float32),
        lambda: old_nl.ndarray((2, old_nl.par_dim(129), 1), float32),
    ),
    Control("leg.mod_alloc", lambda: _placed((2,)), lambda: _placed((2, 2))),
    Control("leg.mod_alloc", lambda: _placed(()), lambda: _placed((2, 2))),
    Control("leg.mod_alloc", lambda: _placed((32,), (4, 32, 6)), lambda: _placed((2, 2), (4, 32, 6))),
    Control(
        "leg.reduce.axis",
        lambda: old_nl.sum(old_sbuf(4, 2, 3, 4), axis=[1, 3]),
        lambda: old_nl.sum(old_sbuf(4, 2, 3, 4), axis=[0, 3]),
    ),
    Control(
        "leg.reduce.axis",
        lambda: old_nl.softmax(old_sbuf(4, 6), axis=1),
        lambda: old_nl.softmax(old_sbuf(4, 6), axis=2),
    ),
    Control("idx.oob", lambda: _blocks()[1, 3, 5], lambda: _blocks()[2, 3, 5]),
    Control(
        "leg.psum_fmax",
        lambda: old_nl.zeros((4, old_nl.par_dim(8), 512), float32, buffer=PSUM),
        lambda: old_nl.zeros((4, old_nl.par_dim(8), 513), float32, buffer=PSUM),
    ),
]


def _blocks() -> Any:
    return old_nl.ndarray((2, old_nl.par_dim(4), 6), float32)


def _placed(tiles: tuple[int, ...], shape: tuple[int, ...] = ()) -> object:
    place = old_ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=tiles)
    return old_nl.ndarray(shape or (2, old_nl.par_dim(4), 6), float32, buffer=place)


def _accumulate(shape: tuple[int, ...]) -> None:
    accumulator = old_psum(4, 6)
    accumulator += old_sbuf(*shape)


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_the_contract_is_broken_by_the_first_illegal_use_only(control: Control) -> None:
    control.check()


@pytest.mark.parametrize("buffer", [None, SBUF, PSUM, SHARED_HBM])
def test_every_memory_can_be_named(buffer: object) -> None:
    tensor = value(lambda: old_nl.ndarray((4, 6), float32, buffer=buffer))
    assert tensor.buffer is (SBUF if buffer is None else buffer)


@pytest.mark.parametrize(
    ("action", "shape"),
    [
        (lambda: old_nl.load(old_hbm(4, 6)), (4, 6)),
        (lambda: old_nl.load(old_hbm(4, 6)[:, 2]), (4, 1)),
        (lambda: old_nl.load(old_hbm(8, 6, 5)[rows(4), 2, columns(3)]), (4, 3)),
        (lambda: old_sbuf(4, 6) + old_sbuf(4, 1), (4, 6)),
        (lambda: 2 - old_sbuf(4, 6), (4, 6)),
        (lambda: old_nl.max(old_sbuf(4, 2, 3, 5), axis=[1, 3]), (4, 3)),
        (lambda: old_nl.max(old_sbuf(4, 2, 3, 5), axis=[1, 3], keepdims=True), (4, 1, 3, 1)),
        (lambda: old_nl.sum(old_sbuf(4, 6), axis=1), (4, 1)),
        (lambda: old_nl.matmul(old_sbuf(8, 16), old_sbuf(16, 4)), (8, 4)),
        (lambda: old_nl.matmul(old_sbuf(8, 16), old_sbuf(8, 4), transpose_x=True), (16, 4)),
        (lambda: old_nl.transpose(old_sbuf(8, 16)), (16, 8)),
        (lambda: _blocks()[1], (4, 6)),
        (lambda: old_nl.ndarray((3, 2, old_nl.par_dim(4), 6), float32)[1, 1], (4, 6)),
        (lambda: old_nl.ndarray((3, 2, old_nl.par_dim(4), 6), float32)[1, 1, :, 0:2], (4, 2)),
        (lambda: old_nl.ndarray((3, 2, old_nl.par_dim(4), 6), float32)[1, 1, 0, 0], (1, 1)),
        (
            lambda: old_sbuf(4, 12)[rows(4)[:, :, None], 4 * arange(3)[None, :, None] + arange(4)[None, None, :]],
            (4, 3, 4),
        ),
    ],
)
def test_shapes_of_results(action: Callable[[], object], shape: tuple[int, ...]) -> None:
    assert value(action).shape == shape
