"""Contracts of indexing, views and access patterns: last legal and first illegal use."""

from __future__ import annotations

import pytest

from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import bfloat16, float8_e5m2_x4, float32, int32, uint8
from nkiverify.model.memory import SBUF
from nkiverify.model.tensor import Tensor
from tests.model.stub_library import Control, broken, hbm, nisa, nl, sbuf


def used(view: Tensor) -> None:
    """Read all of a view: where it goes is claimed there, and not where it is made."""
    same = nl.ndarray(view.shape, view.dtype, view.buffer)
    (nisa.tensor_copy if view.on_chip else nisa.dma_copy)(dst=same, src=view)


CONTROLS = [
    Control("idx.keys", lambda: hbm(4, 4)[1, 2], lambda: hbm(4, 4)[1, 2, 3]),
    Control("idx.keys", lambda: hbm(4, 4)[..., 1], lambda: hbm(4, 4)[..., 1, ...]),
    Control("idx.keys", lambda: hbm(4, 4)[1], lambda: hbm(4, 4)[None]),
    Control("idx.keys", lambda: hbm(4, 4)[0:2], lambda: hbm(4, 4)[0:2.0]),
    Control("idx.oob", lambda: hbm(4)[3], lambda: hbm(4)[4]),
    Control("idx.oob", lambda: hbm(4)[-4], lambda: hbm(4)[-5]),
    Control("idx.oob", lambda: hbm(4)[1:4], lambda: hbm(4)[1:5]),
    Control("idx.oob", lambda: hbm(4)[-4:2], lambda: hbm(4)[-5:2]),
    Control("idx.oob", lambda: sbuf(4, 8)[:, nl.ds(4, 4)], lambda: sbuf(4, 8)[:, nl.ds(5, 4)]),
    Control("idx.oob", lambda: sbuf(4, 8)[0:4], lambda: sbuf(4, 8)[0:5]),
    Control("idx.oob", lambda: sbuf(4, 8)[3, 7], lambda: sbuf(4, 8)[4, 7]),
    Control("idx.empty", lambda: hbm(4)[2:3], lambda: hbm(4)[2:2]),
    Control("idx.empty", lambda: hbm(4)[1:-2], lambda: hbm(4)[2:-2]),
    Control("idx.empty", lambda: hbm(4)[nl.ds(1, 1)], lambda: hbm(4)[nl.ds(1, 0)]),
    Control("idx.step_positive", lambda: hbm(4)[0:4:1], lambda: hbm(4)[0:4:-1], also=("idx.empty",)),
    Control("idx.partition_step", lambda: sbuf(4, 8)[:, ::2], lambda: sbuf(4, 8)[::2]),
    Control("idx.partition_step", lambda: hbm(4, 8)[::2], lambda: sbuf(4, 8)[::2]),
    Control("view.permute.dims", lambda: hbm(2, 3).permute((1, 0)), lambda: hbm(2, 3).permute((1, 1))),
    Control("view.permute.partition", lambda: sbuf(2, 3, 4).permute((0, 2, 1)), lambda: sbuf(2, 3).permute((1, 0))),
    Control("view.dim", lambda: hbm(1, 3).broadcast(-2, 5), lambda: hbm(1, 3).broadcast(2, 5)),
    Control("view.broadcast.extent", lambda: sbuf(2, 1).broadcast(1, 5), lambda: sbuf(2, 2).broadcast(1, 5)),
    Control("view.broadcast.partition", lambda: hbm(1, 2).broadcast(0, 5), lambda: sbuf(1, 2).broadcast(0, 5)),
    Control("view.expand_dim.partition", lambda: sbuf(2, 3).expand_dim(1), lambda: sbuf(2, 3).expand_dim(0)),
    Control("view.squeeze_dim.extent", lambda: sbuf(2, 1, 3).squeeze_dim(1), lambda: sbuf(2, 2, 3).squeeze_dim(1)),
    Control("view.squeeze_dim.partition", lambda: hbm(1, 2, 3).squeeze_dim(0), lambda: sbuf(1, 2, 3).squeeze_dim(0)),
    Control("tensor.operand_rank", lambda: sbuf(2, 1, 3).squeeze_dim(1), lambda: sbuf(2, 1).squeeze_dim(1)),
    Control("tensor.rank_le5", lambda: hbm(1, 1, 1, 2).expand_dim(0), lambda: hbm(1, 1, 1, 1, 2).expand_dim(0)),
    Control(
        "view.reshape_dim.count", lambda: sbuf(2, 6).reshape_dim(1, (2, 3)), lambda: sbuf(2, 7).reshape_dim(1, (2, 3))
    ),
    Control(
        "view.reshape_dim.count", lambda: sbuf(2, 6).reshape_dim(1, (2, -1)), lambda: sbuf(2, 7).reshape_dim(1, (2, -1))
    ),
    Control(
        "view.reshape_dim.partition",
        lambda: sbuf(6, 2).reshape_dim(0, (6, 1)),
        lambda: sbuf(6, 2).reshape_dim(0, (3, 2)),
    ),
    Control("view.flatten_dims.range", lambda: hbm(2, 3).flatten_dims(0, 1), lambda: hbm(2, 3).flatten_dims(1, 0)),
    Control(
        "view.flatten_dims.contiguous",
        lambda: hbm(2, 3, 4)[:, 0:3].flatten_dims(0, 1),
        lambda: hbm(2, 3, 4)[:, 0:2].flatten_dims(0, 1),
    ),
    Control(
        "view.flatten_dims.partition",
        lambda: sbuf(2, 3, 4).flatten_dims(1, 2),
        lambda: sbuf(2, 3, 4).flatten_dims(0, 1),
    ),
    Control("view.reshape.count", lambda: hbm(4, 6).reshape((3, 8)), lambda: hbm(4, 6).reshape((3, 7))),
    Control("view.reshape.partition", lambda: sbuf(4, 6).reshape((4, 2, 3)), lambda: sbuf(4, 6).reshape((2, 12))),
    Control(
        "view.reshape_after_permute",
        lambda: hbm(4, 6)[:, 0:3].reshape((2, 2, 3)),
        lambda: hbm(4, 6)[:, 0:3].reshape((12,)),
    ),
    Control("view.slice", lambda: hbm(4).slice(0, 1, 4), lambda: hbm(4).slice(0, 1, 5)),
    Control("view.slice", lambda: hbm(4).slice(0, 0, 1), lambda: hbm(4).slice(0, -1, 1)),
    Control("view.slice", lambda: hbm(4).slice(0, 1, 2), lambda: hbm(4).slice(0, 2, 2)),
    Control("idx.partition_step", lambda: sbuf(4, 2).slice(0, 0, 4), lambda: sbuf(4, 2).slice(0, 0, 4, 2)),
    Control("view.select", lambda: hbm(4, 2).select(0, 3), lambda: hbm(4, 2).select(0, 4)),
    Control("view.select", lambda: hbm(4, 2).select(0, 0), lambda: hbm(4, 2).select(0, -1)),
    Control("view.cast.contiguous", lambda: sbuf(2, 8).view(bfloat16), lambda: sbuf(2, 8)[:, ::2].view(bfloat16)),
    Control(
        "view.cast.divisible",
        lambda: sbuf(2, 8, dtype=uint8).view(float8_e5m2_x4),
        lambda: sbuf(2, 6, dtype=uint8).view(float8_e5m2_x4),
    ),
    Control(
        "view.cast.divisible",
        lambda: sbuf(2, 8, dtype=uint8)[:, 4:8].view(int32),
        lambda: sbuf(2, 8, dtype=uint8)[:, 2:6].view(int32),
    ),
    Control("tensor.dtypes", lambda: sbuf(2, 8).view("float16"), lambda: sbuf(2, 8).view("float64")),
    Control("ap.pattern", lambda: hbm(4, 8).ap([[8, 4], [1, 1]]), lambda: hbm(4, 8).ap([[8, 4], [1, 0]])),
    Control("ap.pattern", lambda: hbm(4, 8).ap([[8, 4]]), lambda: hbm(4, 8).ap([[8, 4, 1]])),
    Control(
        "ap.first_pair_partition", lambda: sbuf(4, 8).ap([[8, 4], [1, 8]]), lambda: sbuf(4, 8).ap([[7, 4], [1, 8]])
    ),
    Control(
        "ap.first_pair_partition",
        lambda: sbuf(4, 8)[:, 0:4].ap([[8, 4], [1, 4]]),
        lambda: sbuf(4, 8)[:, 0:4].ap([[4, 4], [1, 4]]),
    ),
    Control(
        "ap.in_bounds",
        lambda: used(sbuf(4, 8).ap([[8, 4], [2, 4], [1, 2]])),
        lambda: used(sbuf(4, 8).ap([[8, 4], [2, 4], [1, 3]])),
    ),
    Control(
        "ap.in_bounds",
        lambda: used(sbuf(4, 8).ap([[8, 2], [1, 7]], offset=9)),
        lambda: used(sbuf(4, 8).ap([[8, 2], [1, 8]], offset=9)),
    ),
    Control(
        "ap.in_bounds",
        lambda: used(sbuf(4, 8).ap([[8, 4], [-1, 8]], offset=7)),
        lambda: used(sbuf(4, 8).ap([[8, 4], [-1, 8]], offset=6)),
    ),
    Control("ap.in_bounds", lambda: used(hbm(4, 8).ap([[8, 4], [1, 8]])), lambda: used(hbm(4, 8).ap([[8, 4], [1, 9]]))),
    Control(
        "ap.in_bounds",
        lambda: used(nl.ndarray((128, 256), int32, SBUF).ap([[512, 128], [1, 512]], dtype=bfloat16)),
        lambda: used(nl.ndarray((128, 256), int32, SBUF).ap([[512, 128], [1, 513]], dtype=bfloat16)),
    ),
    Control(
        "ap.partition_overflow",
        lambda: used(sbuf(4, 8).ap([[8, 2], [1, 8]], offset=16)),
        lambda: used(sbuf(4, 8).ap([[8, 3], [1, 8]], offset=16)),
    ),
    Control("ap.exclusive", lambda: sbuf(4, 8).ap([[8, 4], [1, 8]]), lambda: _both_offsets()),
    Control(
        "ap.offset_semantics",
        lambda: sbuf(4, 8)[:, 0:4].ap([[8, 4], [1, 4]]),
        lambda: sbuf(4, 8)[:, 1:5].ap([[8, 4], [1, 4]]),
    ),
]


def _both_offsets() -> None:
    with pytest.raises(UnsupportedConstruct):
        sbuf(4, 8).ap([[8, 4], [1, 8]], scalar_offset=sbuf(1, 1), vector_offset=sbuf(4, 1))


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_the_contract_is_broken_by_the_first_illegal_use_only(control: Control) -> None:
    control.check()


def test_the_partition_crossing_pattern_stays_inside_the_allocation_and_is_refused() -> None:
    pattern = [[1, 128], [0, 1], [0, 1], [0, 1], [0, 1]]
    found = broken(lambda: nl.ndarray((1, 4, 32), float32, SBUF).ap(pattern))
    assert found == ["ap.first_pair_partition"]
    assert broken(lambda: used(nl.ndarray((1, 4, 32), float32, SBUF).ap(pattern))) == [
        "ap.first_pair_partition",
        "ap.partition_overflow",
    ]
