"""Contracts of the language's functions and of launches: last legal and first illegal use."""

from __future__ import annotations

from typing import Any

import pytest

from nkiverify.model.dtypes import bfloat16, float32, int32, uint8
from nkiverify.model.memory import SHARED_HBM
from tests.model.stub_library import Control, hbm, nki, nl, old_hbm, old_nki, old_nl, old_sbuf, psum, sbuf

_empty: Any = nki.jit(lambda: None)
_calls_another: Any = nki.jit(lambda: _empty())
_for_one_platform: Any = nki.jit(platform_target="trn2")(lambda: None)
_takes: Any = nki.jit(lambda argument: None)
_asks_for_axis: Any = nki.jit(lambda axis: nl.program_id(axis))
_old_empty: Any = old_nki.jit(lambda: None)
_launches_a_grid: Any = old_nki.jit(lambda: _old_empty[2]())
_calls_without_a_grid: Any = old_nki.jit(lambda: _old_empty())


CONTROLS = [
    Control("nl.binary.same_shape", lambda: nl.add(sbuf(4, 6), sbuf(4, 6)), lambda: nl.add(sbuf(4, 6), sbuf(4, 2))),
    Control("nl.binary.same_shape", lambda: nl.add(sbuf(4, 6), sbuf(4, 6)), lambda: nl.add(sbuf(4, 6), sbuf(1, 6))),
    Control("nl.binary.broadcast", lambda: nl.add(sbuf(4, 6), sbuf(4, 6)), lambda: nl.add(sbuf(4, 1), sbuf(4, 6))),
    Control("nl.binary.same_shape", lambda: nl.add(sbuf(4, 6), 1), lambda: nl.add(sbuf(4, 6), sbuf(4, 2, 3))),
    Control("nl.binary.one_tile", lambda: nl.add(1, sbuf(4, 6)), lambda: nl.add(1, 2)),
    Control(
        "nl.bitwise.int", lambda: nl.bitwise_and(sbuf(4, 6, dtype=int32), 1), lambda: nl.bitwise_and(sbuf(4, 6), 1)
    ),
    Control("nl.bitwise.int", lambda: nl.invert(sbuf(4, 6, dtype=uint8)), lambda: nl.invert(sbuf(4, 6))),
    Control("nl.divide.unsupported", lambda: nl.multiply(sbuf(4, 6), 0.5), lambda: nl.divide(sbuf(4, 6), 2)),
    Control("nl.mod.unsupported", lambda: nl.subtract(sbuf(4, 6), 1), lambda: nl.mod(sbuf(4, 6), 2)),
    Control("nl.fmod.unsupported", lambda: nl.subtract(sbuf(4, 6), 1), lambda: nl.fmod(sbuf(4, 6), 2)),
    Control("nl.power.tile", lambda: nl.power(2, sbuf(4, 6)), lambda: nl.power(sbuf(4, 6), 2)),
    Control("nl.power.tile", lambda: nl.power(sbuf(4, 6), sbuf(4, 6)), lambda: nl.power(psum(4, 6), sbuf(4, 6))),
    Control("nl.abs_max.gen4", lambda: nl.abs_max(sbuf(4, 6), 1), lambda: nl.abs_max(sbuf(4, 6), 1), legal_on="trn3"),
    Control("nl.rsqrt.psum", lambda: nl.rsqrt(sbuf(4, 6)), lambda: nl.rsqrt(psum(4, 6))),
    Control("nl.operand_on_chip", lambda: nl.exp(psum(4, 6)), lambda: nl.exp(hbm(4, 6))),
    Control("nl.operand_on_chip", lambda: nl.add(sbuf(4, 6), 1), lambda: nl.add(hbm(4, 6), 1)),
    Control("nl.reduce.axis", lambda: nl.sum(sbuf(4, 2, 3), axis=[1, 2]), lambda: nl.sum(sbuf(4, 2, 3), axis=[0])),
    Control("nl.reduce.axis_last", lambda: nl.sum(sbuf(4, 2, 3), axis=[2]), lambda: nl.sum(sbuf(4, 2, 3), axis=[1])),
    Control("nl.reduce.axis", lambda: nl.softmax(sbuf(4, 6)), lambda: nl.softmax(sbuf(4, 6), axis=0)),
    Control(
        "nl.where.shape", lambda: nl.where(sbuf(4, 6), sbuf(4, 6), 0.0), lambda: nl.where(sbuf(4, 6), sbuf(4, 5), 0.0)
    ),
    Control(
        "nl.rms_norm.weight",
        lambda: nl.rms_norm(sbuf(4, 6), sbuf(1, 6), axis=1, n=6),
        lambda: nl.rms_norm(sbuf(4, 6), sbuf(1, 5), axis=1, n=6),
    ),
    Control(
        "nl.broadcast_to.shape",
        lambda: nl.broadcast_to(sbuf(1, 6), (4, 6)),
        lambda: nl.broadcast_to(sbuf(2, 6), (4, 6)),
    ),
    Control(
        "nl.broadcast_to.shape", lambda: nl.broadcast_to(psum(1, 6), (4, 6)), lambda: nl.broadcast_to(hbm(1, 6), (4, 6))
    ),
    Control(
        "mem.partitions_128",
        lambda: nl.broadcast_to(sbuf(1, 6), (128, 6)),
        lambda: nl.broadcast_to(sbuf(1, 6), (129, 6)),
    ),
    Control(
        "nl.broadcast_to.shape",
        lambda: old_sbuf(1, 6).broadcast_to((4, 6)),
        lambda: old_sbuf(2, 6).broadcast_to((4, 6)),
    ),
    Control(
        "nl.expand_dims.axis",
        lambda: nl.expand_dims(sbuf(4, 6), 1),
        lambda: nl.expand_dims(sbuf(4, 6), 0),
        also=("view.expand_dim.partition",),
    ),
    Control(
        "nl.expand_dims.axis",
        lambda: old_nl.expand_dims(old_sbuf(4, 6), 2),
        lambda: old_nl.expand_dims(old_sbuf(4, 6), 1),
    ),
    Control(
        "nl.shared_identity_matrix",
        lambda: nl.shared_identity_matrix(128),
        lambda: nl.shared_identity_matrix(129),
        also=("mem.partitions_128",),
    ),
    Control(
        "nl.shared_identity_matrix",
        lambda: nl.shared_identity_matrix(8, dst=sbuf(8, 8)),
        lambda: nl.shared_identity_matrix(8, dst=sbuf(8, 9)),
    ),
    Control("lnc.bracket", lambda: _empty[2](), lambda: _empty[3]()),
    Control("lnc.bracket", lambda: _empty[1](), lambda: _empty[1, 2]()),
    Control("lnc.ids", lambda: _asks_for_axis[2](0), lambda: _asks_for_axis[2](1)),
    Control("lang.no_nested_jit", _empty, _calls_another),
    Control("lang.target", _empty, _for_one_platform),
    Control("lang.no_list_args", lambda: _takes((1, 2)), lambda: _takes([1, 2])),
    Control("leg.spmd", lambda: _old_empty[1, 1](), lambda: _old_empty[1, 0]()),
    Control("leg.spmd", _calls_without_a_grid, _launches_a_grid),
    Control("leg.spmd", lambda: _old_empty[old_nl.spmd_dim(1, old_nl.nc(2))](), lambda: _old_empty[0.5]()),
    Control(
        "dma_copy.count",
        lambda: nl.store(hbm(4, 6), nl.load(hbm(4, 6))),
        lambda: nl.store(hbm(4, 6), nl.load(hbm(4, 5))),
    ),
    Control("tensor_copy.buffers", lambda: nl.copy(psum(4, 6), dtype=bfloat16), lambda: nl.copy(hbm(4, 6))),
    Control(
        "tensor.dtypes",
        lambda: old_nl.copy(old_sbuf(4, 6), dtype=float32),
        lambda: old_nl.copy(old_sbuf(4, 6), dtype=float),
    ),
    Control("nl.load.src", lambda: nl.load_transpose2d(hbm(4, 6)), lambda: nl.load_transpose2d(sbuf(4, 6))),
    Control(
        "nl.load.src", lambda: old_nl.load_transpose2d(old_hbm(4, 6)), lambda: old_nl.load_transpose2d(old_sbuf(4, 6))
    ),
    Control(
        "tensor.shape_positive",
        lambda: nl.zeros((1, 1), float32, SHARED_HBM),
        lambda: nl.zeros((1, 0), float32, SHARED_HBM),
    ),
]


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_the_contract_is_broken_by_the_first_illegal_use_only(control: Control) -> None:
    control.check()
