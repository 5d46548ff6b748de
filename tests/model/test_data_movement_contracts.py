"""Contracts of DMA, copies and fills: last legal and first illegal use."""

from __future__ import annotations

import pytest

from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import bfloat16, float8_e5m2_x4, float32, int32, uint8, uint32
from nkiverify.model.memory import PSUM, SBUF
from tests.model.stub_library import (
    Control,
    hbm,
    nisa,
    nl,
    old_hbm,
    old_nisa,
    old_nl,
    old_sbuf,
    psum,
    sbuf,
    value,
)

HWDGE = nisa.dge_mode.hwdge

CONTROLS = [
    Control(
        "dma_copy.buffers", lambda: nisa.dma_copy(sbuf(2, 4), hbm(2, 4)), lambda: nisa.dma_copy(psum(2, 4), hbm(2, 4))
    ),
    Control(
        "dma_copy.buffers", lambda: nisa.dma_copy(hbm(2, 4), sbuf(2, 4)), lambda: nisa.dma_copy(hbm(2, 4), psum(2, 4))
    ),
    Control(
        "dma_copy.count", lambda: nisa.dma_copy(sbuf(2, 6), hbm(3, 4)), lambda: nisa.dma_copy(sbuf(2, 6), hbm(3, 5))
    ),
    Control(
        "dma_copy.count",
        lambda: old_nisa.dma_copy(dst=old_sbuf(2, 6), src=old_hbm(12)),
        lambda: old_nisa.dma_copy(dst=old_sbuf(2, 6), src=old_hbm(13)),
    ),
    Control(
        "dma_copy.dtype",
        lambda: nisa.dma_copy(sbuf(2, 4, dtype=float8_e5m2_x4), hbm(2, 4, dtype=float8_e5m2_x4)),
        lambda: nisa.dma_copy(sbuf(2, 4, dtype=float8_e5m2_x4), hbm(2, 4, dtype=uint32)),
    ),
    Control(
        "dma_copy.hwdge_same_dtype",
        lambda: nisa.dma_copy(sbuf(2, 4), hbm(2, 4), dge_mode=HWDGE),
        lambda: nisa.dma_copy(sbuf(2, 4), hbm(2, 4, dtype=bfloat16), dge_mode=HWDGE),
    ),
    Control(
        "dma_copy.hwdge_gen3",
        lambda: nisa.dma_copy(sbuf(2, 4), hbm(2, 4), dge_mode=HWDGE),
        lambda: nisa.dma_copy(sbuf(2, 4), hbm(2, 4), dge_mode=HWDGE),
        hardware="trn1",
        legal_on="trn2",
    ),
    Control(
        "dma_copy.engine",
        lambda: nisa.dma_copy(sbuf(2, 4), hbm(2, 4), dge_mode=HWDGE, engine=nisa.engine.sync),
        lambda: nisa.dma_copy(sbuf(2, 4), hbm(2, 4), engine=nisa.engine.sync),
    ),
    Control(
        "dma_copy.engine",
        lambda: nisa.dma_copy(sbuf(2, 4), hbm(2, 4), dge_mode=HWDGE, engine=nisa.engine.scalar),
        lambda: nisa.dma_copy(sbuf(2, 4), hbm(2, 4), dge_mode=HWDGE, engine=nisa.engine.vector),
    ),
    Control(
        "dma_copy.priority_gen4",
        lambda: nisa.dma_copy(sbuf(2, 4), hbm(2, 4), priority=3),
        lambda: nisa.dma_copy(sbuf(2, 4), hbm(2, 4), priority=4),
        hardware="trn3",
    ),
    Control(
        "dma_copy.priority_gen4",
        lambda: nisa.dma_copy(sbuf(2, 4), hbm(2, 4), priority=0),
        lambda: nisa.dma_copy(sbuf(2, 4), hbm(2, 4), priority=0),
        hardware="trn2",
        legal_on="trn3",
    ),
    Control(
        "tensor_copy.buffers",
        lambda: nisa.tensor_copy(sbuf(2, 4), psum(2, 4)),
        lambda: nisa.tensor_copy(sbuf(2, 4), hbm(2, 4)),
    ),
    Control(
        "tensor_copy.buffers",
        lambda: nisa.tensor_copy(sbuf(2, 4), psum(2, 4), nisa.engine.vector),
        lambda: nisa.tensor_copy(sbuf(2, 4), psum(2, 4), nisa.engine.gpsimd),
    ),
    Control(
        "tensor_copy.shape",
        lambda: nisa.tensor_copy(sbuf(2, 12), sbuf(2, 3, 4)),
        lambda: nisa.tensor_copy(sbuf(2, 13), sbuf(2, 3, 4)),
    ),
    Control(
        "tensor_copy.shape",
        lambda: nisa.tensor_copy(sbuf(2, 4), sbuf(2, 4)),
        lambda: nisa.tensor_copy(sbuf(4, 2), sbuf(2, 4)),
    ),
    Control(
        "tensor_copy.engine",
        lambda: nisa.tensor_copy(sbuf(2, 4), sbuf(2, 4), nisa.engine.scalar),
        lambda: nisa.tensor_copy(sbuf(2, 4), sbuf(2, 4), nisa.engine.scalar),
        hardware="trn1",
        legal_on="trn2",
    ),
    Control(
        "tensor_copy.engine",
        lambda: nisa.tensor_copy(sbuf(2, 4), sbuf(2, 4), nisa.engine.gpsimd),
        lambda: nisa.tensor_copy(sbuf(2, 4), sbuf(2, 4), nisa.engine.tensor),
    ),
    Control(
        "memset.value_dtype", lambda: nisa.memset(sbuf(2, 4), 1.5), lambda: nisa.memset(sbuf(2, 4, dtype=int32), 1.5)
    ),
    Control(
        "memset.value_kind", lambda: nisa.memset(sbuf(2, 4), 1.0), lambda: nisa.memset(sbuf(2, 4, dtype=int32), 1.0)
    ),
    Control("memset.value_dtype", lambda: nl.full((2, 4), 0, uint8), lambda: nl.full((2, 4), 0.5, uint8)),
    Control(
        "memset.x4_zero",
        lambda: nisa.memset(sbuf(2, 4, dtype=float8_e5m2_x4), 0),
        lambda: nisa.memset(sbuf(2, 4, dtype=float8_e5m2_x4), 1),
    ),
    Control(
        "memset.engine",
        lambda: nisa.memset(sbuf(2, 4), 0, nisa.engine.gpsimd),
        lambda: nisa.memset(psum(2, 4), 0, nisa.engine.gpsimd),
    ),
    Control(
        "memset.engine",
        lambda: nisa.memset(psum(2, 4), 0, nisa.engine.vector),
        lambda: nisa.memset(psum(2, 4), 0, nisa.engine.scalar),
    ),
    Control("memset.const", lambda: nisa.memset(sbuf(2, 4), 0.5), lambda: _fill_with_a_tensor()),
    Control("isa.on_chip", lambda: nisa.memset(sbuf(2, 4), 0), lambda: nisa.memset(hbm(2, 4), 0)),
    Control("nl.load.src", lambda: nl.load(hbm(2, 4)), lambda: nl.load(sbuf(2, 4))),
    Control("nl.load.src", lambda: old_nl.load(old_hbm(2, 4)), lambda: old_nl.load(old_sbuf(2, 4))),
    Control("nl.store.dst", lambda: nl.store(hbm(2, 4), sbuf(2, 4)), lambda: nl.store(sbuf(2, 4), sbuf(2, 4))),
    Control("nl.store.value", lambda: nl.store(hbm(2, 4), sbuf(2, 4)), lambda: nl.store(hbm(2, 4), psum(2, 4))),
    Control("dma_copy.count", lambda: nl.store(hbm(2, 4), sbuf(2, 4)), lambda: nl.store(hbm(2, 4), sbuf(2, 5))),
    Control(
        "leg.store.value",
        lambda: old_nl.store(old_hbm(2, 4), old_sbuf(2, 4)),
        lambda: old_nl.store(old_hbm(2, 4), old_hbm(2, 4)),
    ),
    Control(
        "leg.store.value",
        lambda: old_nl.store(old_hbm(2, 4), old_nl.ndarray((2, 4), float32, buffer=PSUM)),
        lambda: old_nl.store(old_hbm(2, 4), old_hbm(2, 4)),
    ),
    Control(
        "tensor_copy.dtype",
        lambda: nisa.tensor_copy(dst=sbuf(2, 4), src=sbuf(2, 4)),
        lambda: nisa.tensor_copy(sbuf(2, 4), sbuf(2, 4), dtype=float32),
    ),
    Control(
        "isa.kwargs_checked",
        lambda: nisa.tensor_copy(dst=sbuf(2, 4), src=sbuf(2, 4)),
        lambda: nisa.tensor_copy(dst=sbuf(2, 4), src=sbuf(2, 4), mask=None),
    ),
    Control(
        "isa.kwargs_checked",
        lambda: nl.ndarray((2, 4), float32, buffer=SBUF),
        lambda: nl.ndarray((2, 4), float32, buffer=SBUF, mask=None),
    ),
    Control(
        "isa.kwargs_checked",
        lambda: old_nisa.dma_copy(dst=old_sbuf(2, 4), src=old_hbm(2, 4)),
        lambda: old_nisa.dma_copy(dst=old_sbuf(2, 4), src=old_hbm(2, 4), priority=0),
    ),
]


def _fill_with_a_tensor() -> None:
    with pytest.raises(UnsupportedConstruct):
        nisa.memset(sbuf(2, 4), sbuf(1, 1))


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_the_contract_is_broken_by_the_first_illegal_use_only(control: Control) -> None:
    control.check()


def test_wrong_arguments_are_said_of_the_documented_function() -> None:
    with pytest.raises(TypeError, match=r"^dma_copy\(\): missing a required argument: 'src'"):
        value(lambda: nisa.dma_copy(sbuf(2, 4)))
