"""Contracts of memories and allocation: last legal and first illegal use."""

from __future__ import annotations

from typing import Any

import pytest

from nkiverify.model.dtypes import bfloat16, float32
from nkiverify.model.memory import PRIVATE_HBM, PSUM, SBUF, SHARED_HBM
from tests.model.stub_library import Control, hbm, nisa, nki, nl, old_nl, psum, sbuf

_returns: Any = nki.jit(lambda buffer: nl.ndarray((2, 2), float32, buffer))
_identity: Any = nki.jit(lambda x: x)


CONTROLS = [
    Control("mem.partitions_128", lambda: sbuf(128, 1), lambda: sbuf(129, 1)),
    Control("mem.partitions_128", lambda: psum(128, 1), lambda: psum(129, 1)),
    Control("mem.partitions_128", lambda: nl.load(hbm(128, 2)), lambda: nl.load(hbm(129, 2))),
    Control("mem.partitions_128", lambda: old_nl.zeros((128, 2), float32), lambda: old_nl.zeros((129, 2), float32)),
    Control("mem.partitions_128", lambda: nl.ndarray((129, 1), float32, SHARED_HBM), lambda: sbuf(129, 1)),
    Control(
        "mem.gpsimd_no_psum",
        lambda: nisa.tensor_tensor(sbuf(2, 2), sbuf(2, 2), sbuf(2, 2), nl.add, nisa.engine.gpsimd),
        lambda: nisa.tensor_tensor(psum(2, 2), sbuf(2, 2), sbuf(2, 2), nl.add, nisa.engine.gpsimd),
    ),
    Control("mem.io_hbm", lambda: _returns(SHARED_HBM), lambda: _returns(SBUF)),
    Control("mem.io_hbm", lambda: _identity(hbm(2, 2)), lambda: _identity(sbuf(2, 2))),
    Control("mem.output_shared_hbm", lambda: _returns(SHARED_HBM), lambda: _returns(PRIVATE_HBM)),
    Control(
        "mem.partition_contiguous",
        lambda: old_nl.exp(old_nl.zeros((8, 4), float32)[old_nl.arange(4)[:, None], old_nl.arange(4)[None, :]]),
        lambda: old_nl.exp(old_nl.zeros((8, 4), float32)[2 * old_nl.arange(4)[:, None], old_nl.arange(4)[None, :]]),
    ),
    Control(
        "mem.ap_uniform",
        lambda: old_nl.exp(old_nl.zeros((4, 8), float32)[old_nl.arange(4)[:, None], old_nl.arange(4)[None, :]]),
        lambda: old_nl.exp(
            old_nl.zeros((4, 8), float32)[
                old_nl.arange(4)[:, None], old_nl.arange(4)[:, None] + old_nl.arange(4)[None, :]
            ]
        ),
    ),
    Control(
        "mem.address_form",
        lambda: nl.ndarray((2, 2), float32, SBUF, address=(0, 0)),
        lambda: nl.ndarray((2, 2), float32, SBUF, address=(0, -4)),
    ),
    Control(
        "mem.address_form",
        lambda: nl.ndarray((2, 2), float32, SBUF, address=(32, 64)),
        lambda: nl.ndarray((2, 2), float32, SBUF, address=64),
    ),
    Control("isa.enum_values", lambda: nl.ndarray((2, 2), float32, SBUF), lambda: nl.ndarray((2, 2), float32, "sbuf")),
    Control(
        "isa.enum_members",
        lambda: nisa.tensor_copy(sbuf(2, 2), sbuf(2, 2), nisa.engine.vector),
        lambda: nisa.tensor_copy(sbuf(2, 2), sbuf(2, 2), 5),
    ),
    Control(
        "isa.enum_values",
        lambda: nisa.tensor_copy(sbuf(2, 2), sbuf(2, 2), nisa.engine.vector),
        lambda: nisa.tensor_copy(sbuf(2, 2), sbuf(2, 2), 7),
    ),
    Control("tensor.rank_onchip_ge2", lambda: sbuf(2, 1), lambda: sbuf(2)),
    Control("tensor.rank_onchip_ge2", lambda: sbuf(1), lambda: psum(2)),
    Control(
        "tensor.operand_rank",
        lambda: nisa.memset(sbuf(1), 0.0),
        lambda: nisa.memset(sbuf(2), 0.0),
        ("tensor.rank_onchip_ge2",),
    ),
    Control(
        "tensor.operand_rank",
        lambda: sbuf(2, 1)[0:1],
        lambda: nisa.memset(sbuf(2)[0:1], 0.0),
        ("tensor.rank_onchip_ge2",),
    ),
    Control("tensor.operand_rank", lambda: sbuf(2, 3).reshape((2, 3, 1)), lambda: sbuf(2, 1).reshape((2,))),
    Control(
        "tensor.operand_rank",
        lambda: nl.zeros((1,), float32, SBUF),
        lambda: nl.zeros((2,), float32, SBUF),
        ("tensor.rank_onchip_ge2",),
    ),
    Control("tensor.rank_le5", lambda: sbuf(1, 1, 1, 1, 2), lambda: sbuf(1, 1, 1, 1, 1, 2)),
    Control("tensor.shape_positive", lambda: sbuf(1, 1), lambda: sbuf(1, 0)),
    Control("tensor.shape_positive", lambda: sbuf(1, 1), lambda: nl.ndarray((1, 0.5), float32, SBUF)),
    Control("tensor.dtypes", lambda: nl.ndarray((1, 1), "float32", SBUF), lambda: nl.ndarray((1, 1), "int64", SBUF)),
    Control(
        "leg.psum_fmax",
        lambda: old_nl.ndarray((2, 512), float32, buffer=PSUM),
        lambda: old_nl.ndarray((2, 513), float32, buffer=PSUM),
    ),
    Control(
        "leg.psum_fmax",
        lambda: old_nl.ndarray((2, 1024), bfloat16, buffer=PSUM),
        lambda: old_nl.ndarray((2, 1025), bfloat16, buffer=PSUM),
    ),
    Control(
        "leg.hbm_no_init",
        lambda: old_nl.zeros((2, 2), float32),
        lambda: old_nl.zeros((2, 2), float32, buffer=SHARED_HBM),
    ),
]


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_the_contract_is_broken_by_the_first_illegal_use_only(control: Control) -> None:
    control.check()
