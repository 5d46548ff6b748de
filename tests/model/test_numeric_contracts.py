"""Contracts of statistics, random numbers and fused element-wise instructions: last legal and first illegal use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nkiverify.model.dtypes import bfloat16, bool_, int8, int32, tfloat32, uint8, uint16, uint32
from tests.model.stub_library import Control, hbm, nisa, nl, psum, sbuf

LOAD = nisa.reduce_cmd.load_reduce


def find(**changes: Any) -> None:
    """A legal nc_find_index8, with changes."""
    arguments: dict[str, Any] = {"dst": sbuf(2, 8, dtype=uint32), "data": sbuf(2, 64), "vals": sbuf(2, 8)}
    nisa.nc_find_index8(**{**arguments, **changes})


def match(**changes: Any) -> None:
    """A legal nc_match_replace8, with changes."""
    arguments: dict[str, Any] = {"dst": sbuf(2, 64), "data": sbuf(2, 64), "vals": sbuf(2, 8), "imm": 0.0}
    nisa.nc_match_replace8(**{**arguments, **changes})


def bounds(**changes: Any) -> None:
    """A legal sequence_bounds, with changes."""
    arguments: dict[str, Any] = {"dst": sbuf(1, 2, 8, dtype=int32), "segment_ids": sbuf(1, 8, dtype=int32)}
    nisa.sequence_bounds(**{**arguments, **changes})


def topk(**changes: Any) -> None:
    """A legal topk, with changes."""
    arguments: dict[str, Any] = {
        "val_dst": sbuf(16, 4, dtype=bfloat16), "idx_dst": sbuf(16, 4, dtype=uint32),
        "src": sbuf(16, 2, dtype=bfloat16), "n": 32,
    }  # fmt: skip
    nisa.topk(**{**arguments, **changes})


def nonzero(**changes: Any) -> None:
    """A legal nonzero_with_count, with changes."""
    arguments: dict[str, Any] = {"dst": sbuf(16, 9, dtype=int32), "src": sbuf(16, 8)}
    nisa.nonzero_with_count(**{**arguments, **changes})


def activate(**changes: Any) -> None:
    """A legal activate2, with changes."""
    arguments: dict[str, Any] = {
        "dst": sbuf(2, 8), "op": nl.exp, "data": sbuf(2, 8), "imm0": 1.0, "imm1": 0.0, "op0": nl.multiply,
        "op1": nl.add,
    }  # fmt: skip
    nisa.activate2(**{**arguments, **changes})


def exponential(**changes: Any) -> None:
    """A legal exponential, with changes."""
    nisa.exponential(**{"dst": sbuf(2, 8), "src": sbuf(2, 8), **changes})


def cumulate(**changes: Any) -> None:
    """A legal tensor_scalar_cumulative, with changes."""
    arguments: dict[str, Any] = {
        "dst": sbuf(2, 8), "src": sbuf(2, 8), "op0": nl.multiply, "op1": nl.add, "imm0": 1.0,
    }  # fmt: skip
    nisa.tensor_scalar_cumulative(**{**arguments, **changes})


def state(elements: int = 6, **changes: Any) -> None:
    """A legal rand_set_state, with changes."""
    nisa.rand_set_state(sbuf(2, elements, dtype=uint32), **changes)


CONTROLS = [
    Control(
        "bn_stats.f512",
        lambda: nisa.bn_stats(sbuf(2, 6), sbuf(2, 512)),
        lambda: nisa.bn_stats(sbuf(2, 6), sbuf(2, 513)),
    ),
    Control(
        "bn_stats.dst6", lambda: nisa.bn_stats(sbuf(2, 6), sbuf(2, 8)), lambda: nisa.bn_stats(sbuf(2, 7), sbuf(2, 8))
    ),
    Control("bn_aggr.mod3", lambda: nisa.bn_aggr(sbuf(2, 2), sbuf(2, 6)), lambda: nisa.bn_aggr(sbuf(2, 2), sbuf(2, 7))),
    Control("bn_aggr.dst2", lambda: nisa.bn_aggr(sbuf(2, 2), sbuf(2, 6)), lambda: nisa.bn_aggr(sbuf(2, 3), sbuf(2, 6))),
    Control("max8.n", lambda: nisa.max8(sbuf(2, 8), sbuf(2, 8)), lambda: nisa.max8(sbuf(2, 8), sbuf(2, 7))),
    Control("max8.n", lambda: nisa.max8(sbuf(2, 8), sbuf(2, 16384)), lambda: nisa.max8(sbuf(2, 8), sbuf(2, 16385))),
    Control("max8.rank", lambda: nisa.max8(sbuf(2, 8), sbuf(2, 4, 4)), lambda: nisa.max8(sbuf(2, 8), sbuf(2, 2, 2, 4))),
    Control("max8.dst", lambda: nisa.max8(sbuf(2, 8), sbuf(2, 16)), lambda: nisa.max8(sbuf(2, 9), sbuf(2, 16))),
    Control("find8.n", lambda: find(data=sbuf(2, 8)), lambda: find(data=sbuf(2, 7))),
    Control("find8.rank", lambda: find(vals=sbuf(2, 2, 4)), lambda: find(vals=sbuf(2, 2, 2, 2))),
    Control("find8.vals", lambda: find(), lambda: find(vals=sbuf(2, 9))),
    Control("find8.dst", lambda: find(), lambda: find(dst=sbuf(2, 9, dtype=uint32))),
    Control("find8.dst_dtype", lambda: find(dst=sbuf(2, 8, dtype=uint16)), lambda: find(dst=sbuf(2, 8, dtype=int32))),
    Control(
        "match8.n",
        lambda: match(dst=sbuf(2, 16384), data=sbuf(2, 16384)),
        lambda: match(dst=sbuf(2, 16385), data=sbuf(2, 16385)),
    ),
    Control("match8.vals", lambda: match(), lambda: match(vals=sbuf(2, 7))),
    Control("match8.shape", lambda: match(), lambda: match(dst=sbuf(2, 63))),
    Control("match8.imm", lambda: match(), lambda: match(imm=None)),
    Control(
        "match8.dst_idx",
        lambda: match(dst_idx=sbuf(2, 8, dtype=uint32)),
        lambda: match(dst_idx=sbuf(2, 9, dtype=uint32)),
    ),
    Control(
        "tpr.op",
        lambda: nisa.tensor_partition_reduce(sbuf(1, 4), nl.average, sbuf(8, 4)),
        lambda: nisa.tensor_partition_reduce(sbuf(1, 4), nl.multiply, sbuf(8, 4)),
    ),
    Control(
        "tpr.sbuf",
        lambda: nisa.tensor_partition_reduce(sbuf(1, 4), nl.add, sbuf(8, 4)),
        lambda: nisa.tensor_partition_reduce(sbuf(1, 4), nl.add, psum(8, 4)),
    ),
    Control(
        "tpr.shape",
        lambda: nisa.tensor_partition_reduce(sbuf(1, 4), nl.add, sbuf(8, 4)),
        lambda: nisa.tensor_partition_reduce(sbuf(2, 4), nl.add, sbuf(8, 4)),
    ),
    Control("seqb.sbuf", lambda: bounds(), lambda: bounds(dst=psum(1, 2, 8, dtype=int32))),
    Control("seqb.p1", lambda: bounds(), lambda: bounds(segment_ids=sbuf(2, 8, dtype=int32))),
    Control("seqb.dtype", lambda: bounds(), lambda: bounds(segment_ids=sbuf(1, 8, dtype=uint32))),
    Control("seqb.dst", lambda: bounds(), lambda: bounds(dst=sbuf(1, 2, 9, dtype=int32))),
    Control("topk.sbuf", lambda: topk(), lambda: topk(val_dst=psum(16, 4, dtype=bfloat16))),
    Control("topk.dtypes", lambda: topk(), lambda: topk(src=sbuf(16, 2))),
    Control("topk.shape", lambda: topk(n=32), lambda: topk(n=33)),
    Control("topk.dst", lambda: topk(), lambda: topk(idx_dst=sbuf(16, 5, dtype=uint32))),
    Control("topk.n", lambda: topk(n=8), lambda: topk(n=7)),
    Control("nzc.gen3", lambda: nonzero(), lambda: nonzero(), hardware="trn1", legal_on="trn2"),
    Control("nzc.sbuf", lambda: nonzero(), lambda: nonzero(src=psum(16, 8))),
    Control("nzc.dtypes", lambda: nonzero(), lambda: nonzero(src=sbuf(16, 8, dtype=uint32))),
    Control("nzc.shape", lambda: nonzero(), lambda: nonzero(dst=sbuf(16, 8, dtype=int32))),
    Control("nzc.constants", lambda: nonzero(padding_val=0), lambda: nonzero(padding_val=None)),
    Control("rng.dst", lambda: nisa.rng(sbuf(2, 8, dtype=uint32)), lambda: nisa.rng(sbuf(2, 8))),
    Control("rng.dst", lambda: nisa.rng(sbuf(2, 8, dtype=uint8)), lambda: nisa.rng(sbuf(2, 8, dtype=bool_))),
    Control(
        "rng.engine",
        lambda: nisa.rng(sbuf(2, 8, dtype=uint32), nisa.engine.gpsimd),
        lambda: nisa.rng(psum(2, 8, dtype=uint32), nisa.engine.gpsimd),
    ),
    Control(
        "rng.engine",
        lambda: nisa.rng(sbuf(2, 8, dtype=uint32), nisa.engine.gpsimd),
        lambda: nisa.rng(sbuf(2, 8, dtype=uint32), nisa.engine.gpsimd),
        hardware="trn1",
        legal_on="trn2",
    ),
    Control(
        "set_rng_seed.src",
        lambda: nisa.set_rng_seed(sbuf(1, 1, dtype=uint32)),
        lambda: nisa.set_rng_seed(sbuf(1, 2, dtype=uint32)),
    ),
    Control("rand_set_state.src", lambda: state(6), lambda: state(7)),
    Control(
        "rand_set_state.engine",
        lambda: state(24, engine=nisa.engine.vector),
        lambda: state(24, engine=nisa.engine.vector),
        hardware="trn2",
        legal_on="trn3",
    ),
    Control(
        "rand_get_state.dst",
        lambda: nisa.rand_get_state(sbuf(2, 6, dtype=uint32)),
        lambda: nisa.rand_get_state(psum(2, 6, dtype=uint32)),
    ),
    Control(
        "rand_get_state.engine",
        lambda: nisa.rand_get_state(sbuf(2, 6, dtype=uint32)),
        lambda: nisa.rand_get_state(sbuf(2, 6, dtype=uint32)),
        hardware="trn1",
        legal_on="trn2",
    ),
    Control(
        "rand2.gen4",
        lambda: nisa.rand2(sbuf(2, 8), 0.0, 1.0),
        lambda: nisa.rand2(sbuf(2, 8), 0.0, 1.0),
        hardware="trn2",
        legal_on="trn3",
    ),
    Control(
        "rand2.dtype",
        lambda: nisa.rand2(sbuf(2, 8), 0.0, 1.0),
        lambda: nisa.rand2(sbuf(2, 8, dtype=bool_), 0.0, 1.0),
        hardware="trn3",
    ),
    Control(
        "rand2.bounds",
        lambda: nisa.rand2(sbuf(2, 8), sbuf(2, 1), 1.0),
        lambda: nisa.rand2(sbuf(2, 8), sbuf(2, 2), 1.0),
        hardware="trn3",
    ),
    Control(
        "rand2.order",
        lambda: nisa.rand2(sbuf(2, 8), 0.0, 0.5),
        lambda: nisa.rand2(sbuf(2, 8), 0.5, 0.5),
        hardware="trn3",
    ),
    Control(
        "dropout.shape",
        lambda: nisa.dropout(sbuf(2, 8), sbuf(2, 8), 0.5),
        lambda: nisa.dropout(sbuf(2, 9), sbuf(2, 8), 0.5),
    ),
    Control(
        "dropout.prob",
        lambda: nisa.dropout(sbuf(2, 8), sbuf(2, 8), 1.0),
        lambda: nisa.dropout(sbuf(2, 8), sbuf(2, 8), 1.5),
    ),
    Control(
        "dropout.prob",
        lambda: nisa.dropout(sbuf(2, 8, dtype=int8), sbuf(2, 8, dtype=int8), sbuf(2, 1)),
        lambda: nisa.dropout(sbuf(2, 8, dtype=int8), sbuf(2, 8, dtype=int8), sbuf(2, 1, dtype=bfloat16)),
    ),
    Control("dropout.prob", lambda: nl.dropout(sbuf(2, 8), 0.5), lambda: nl.dropout(sbuf(2, 8), -0.5)),
    Control(
        "dropout.dtype",
        lambda: nisa.dropout(sbuf(2, 8), sbuf(2, 8), 0.5),
        lambda: nisa.dropout(sbuf(2, 8, dtype=bfloat16), sbuf(2, 8), 0.5),
    ),
    Control(
        "nl.random_seed", lambda: nl.random_seed(sbuf(1, 1, dtype=int32)), lambda: nl.random_seed(7), hardware="trn3"
    ),
    Control(
        "nl.random_seed",
        lambda: nl.random_seed(sbuf(1, 1, dtype=int32)),
        lambda: nl.random_seed(hbm(1, 1, dtype=int32)),
        hardware="trn3",
    ),
    Control(
        "nl.shared_constant",
        lambda: nl.shared_constant(np.zeros((2, 3), np.float32)),
        lambda: nl.shared_constant(np.zeros((2, 3), np.bool_)),
    ),
    Control(
        "nl.gather_flattened",
        lambda: nl.gather_flattened(sbuf(2, 8), sbuf(2, 3, dtype=uint32)),
        lambda: nl.gather_flattened(sbuf(2, 8), sbuf(3, 3, dtype=uint32)),
    ),
    Control("activate2.gen4", lambda: activate(), lambda: activate(), hardware="trn2", legal_on="trn3"),
    Control("activate2.combos", lambda: activate(op1=nl.bypass), lambda: activate(op0=nl.add), hardware="trn3"),
    Control("activate2.imm", lambda: activate(imm0=sbuf(2, 1)), lambda: activate(imm0=sbuf(2, 2)), hardware="trn3"),
    Control(
        "activate2.imm",
        lambda: activate(imm0=sbuf(2, 1), imm1=sbuf(2, 1)),
        lambda: activate(imm0=sbuf(2, 1), imm1=sbuf(2, 1, dtype=bfloat16)),
        hardware="trn3",
    ),
    Control(
        "activate2.relu_param",
        lambda: activate(relu_param=0.5),
        lambda: activate(relu_param=sbuf(2, 2)),
        hardware="trn3",
    ),
    Control(
        "activate2.reduce_op",
        lambda: activate(reduce_op=nl.abs_max),
        lambda: activate(reduce_op=nl.multiply),
        hardware="trn3",
    ),
    Control(
        "activate2.reduce_res",
        lambda: activate(reduce_res=sbuf(2, 1)),
        lambda: activate(reduce_res=sbuf(2, 2)),
        hardware="trn3",
    ),
    Control("activate2.reduce_cmd", lambda: activate(), lambda: activate(reduce_cmd=LOAD), hardware="trn3"),
    Control("activate2.shape", lambda: activate(), lambda: activate(dst=sbuf(2, 9)), hardware="trn3"),
    Control("exponential.gen4", lambda: exponential(), lambda: exponential(), hardware="trn2", legal_on="trn3"),
    Control("exponential.shape", lambda: exponential(), lambda: exponential(dst=sbuf(2, 9)), hardware="trn3"),
    Control(
        "exponential.rank",
        lambda: exponential(dst=sbuf(2, 2, 2, 2)),
        lambda: exponential(dst=sbuf(2, 2, 2, 2, 1)),
        hardware="trn3",
    ),
    Control(
        "exponential.max",
        lambda: exponential(max_value=sbuf(2, 1)),
        lambda: exponential(max_value=sbuf(2, 1, dtype=bfloat16)),
        hardware="trn3",
    ),
    Control(
        "exponential.dtypes",
        lambda: exponential(src=sbuf(2, 8, dtype=uint32)),
        lambda: exponential(dst=sbuf(2, 8, dtype=uint32)),
        hardware="trn3",
    ),
    Control(
        "exponential.reduce_res",
        lambda: exponential(reduce_res=sbuf(2, 1)),
        lambda: exponential(reduce_res=sbuf(2, 1, dtype=int32)),
        hardware="trn3",
    ),
    Control(
        "exponential.init",
        lambda: exponential(reduce_cmd=LOAD, reduce_init=1.0),
        lambda: exponential(reduce_init=1.0),
        hardware="trn3",
    ),
    Control("tsc.ops", lambda: cumulate(op1=nl.subtract), lambda: cumulate(op1=nl.power)),
    Control("tsc.shape", lambda: cumulate(), lambda: cumulate(dst=sbuf(2, 9))),
    Control("tsc.dtypes", lambda: cumulate(), lambda: cumulate(src=sbuf(2, 8, dtype=tfloat32))),
    Control("tsc.imm", lambda: cumulate(imm0=sbuf(2, 1)), lambda: cumulate(imm0=sbuf(2, 1, dtype=bfloat16))),
    Control("tsc.load", lambda: cumulate(reduce_cmd=LOAD, imm1=0.0), lambda: cumulate(reduce_cmd=LOAD)),
]


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_the_contract_is_broken_by_the_first_illegal_use_only(control: Control) -> None:
    control.check()
