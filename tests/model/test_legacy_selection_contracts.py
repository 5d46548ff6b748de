"""Contracts of legacy selects, searches, statistics and gathers: last legal and first illegal use, and the results."""

from __future__ import annotations

from typing import Any

import pytest

from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.model import recorded
from nkiverify.model.contents import held
from nkiverify.model.dtypes import bfloat16, float32, int8, int32, uint8, uint16, uint32
from nkiverify.model.hardware import hardware_named
from nkiverify.symbolic.execution import running
from tests.model.stub_library import Control, broken, old_hbm, old_nisa, old_nl, old_psum, old_sbuf, value

arange = old_nl.arange
MASK_OF_32 = [*range(32)]


def grid(rows: int = 4, columns: int = 6) -> tuple[Any, Any]:
    """Indices along the partitions and the free axis."""
    return arange(rows)[:, None], arange(columns)[None, :]


def causal(on_true: Any = None, off: Any = 0.0, columns: int = 6, both: bool = False, **more: Any) -> Any:
    """An affine_select that keeps what is not above the diagonal."""
    i_p, i_f = grid(4, columns)
    pred = (i_f <= i_p) & (i_f > 0) if both else i_f <= i_p
    return old_nisa.affine_select(pred, old_sbuf(4, 6) if on_true is None else on_true, off, **more)


def select(**changes: Any) -> Any:
    """A legal range_select, with changes."""
    arguments: dict[str, Any] = {
        "on_true_tile": old_sbuf(2, 8), "comp_op0": old_nl.greater_equal, "comp_op1": old_nl.less,
        "bound0": old_sbuf(2, 1), "bound1": old_sbuf(2, 1),
    }  # fmt: skip
    return old_nisa.range_select(**{**arguments, **changes})


def select_reduce(**changes: Any) -> None:
    """A legal select_reduce, with changes."""
    arguments: dict[str, Any] = {
        "dst": old_sbuf(2, 8), "predicate": old_sbuf(2, 8, dtype=uint8), "on_true": old_sbuf(2, 8), "on_false": 0.0,
    }  # fmt: skip
    old_nisa.select_reduce(**{**arguments, **changes})


def copy_where(**changes: Any) -> None:
    """A legal tensor_copy_predicated, with changes."""
    arguments: dict[str, Any] = {
        "dst": old_sbuf(2, 8), "src": old_sbuf(2, 8), "predicate": old_sbuf(2, 8, dtype=uint8),
    }  # fmt: skip
    old_nisa.tensor_copy_predicated(**{**arguments, **changes})


def masked_operand() -> Any:
    """Four of eight partitions."""
    return old_sbuf(8, 16)[old_nl.arange(8)[:, None] < 4]


def masked_stats(rows: int, columns: int) -> Any:
    """Statistics of the first rows and columns of a (4, 6) tile."""
    i_p, i_f = grid()
    mask = (i_p < rows) if columns == 6 else (i_p < rows) & (i_f < columns)
    return old_nisa.bn_stats(old_sbuf(4, 6)[i_p, i_f], mask=mask)


def gather(index_dtype: Any = uint16, nelem: int = 1, valid: int | None = None) -> Any:
    """A gather by each GpSimd core."""
    return old_nisa.local_gather(old_sbuf(16, 8), old_sbuf(16, 2, dtype=index_dtype), nelem, valid)


def iota_of_a_number() -> None:
    """What is left to go on with is a TypeError."""
    old_nisa.iota(3, int32)


CONTROLS = [
    Control("leg.affine_select.pred", causal, lambda: causal(columns=5)),
    Control("leg.affine_select.pred", causal, lambda: causal(both=True)),
    Control(
        "leg.affine_select.dtype",
        lambda: causal(old_sbuf(4, 6, dtype=int8)),
        lambda: causal(old_sbuf(4, 6, dtype=int32)),
    ),
    Control("affine_select.false_fp32", causal, lambda: causal(off="0")),
    # In PSUM as well: that it is in SBUF is a rule of the current API.
    Control("isa.on_chip", lambda: causal(old_psum(4, 6)), lambda: causal(old_hbm(4, 6))),
    Control("leg.iota.expr", lambda: old_nisa.iota(sum(grid()), int32), iota_of_a_number),
    Control(
        "mem.partitions_128",
        lambda: old_nisa.iota(arange(128)[:, None], int32),
        lambda: old_nisa.iota(arange(129)[:, None], int32),
    ),
    Control("range_select.gen3", select, select, hardware="trn1", legal_on="trn2"),
    Control("range_select.ops", select, lambda: select(comp_op0=old_nl.not_equal)),
    Control("range_select.bounds", select, lambda: select(bound0=old_sbuf(2, 2))),
    Control("range_select.false", select, lambda: select(on_false_value=0.0)),
    Control(
        "select_reduce.psum",
        select_reduce,
        lambda: select_reduce(on_true=old_psum(2, 8), predicate=old_psum(2, 8, dtype=uint8)),
    ),
    Control("select_reduce.shape", select_reduce, lambda: select_reduce(predicate=old_sbuf(2, 7, dtype=uint8))),
    Control("tcp.same_dtype", copy_where, lambda: copy_where(src=old_sbuf(2, 8, dtype=bfloat16))),
    Control("tcp.pred_dtype", copy_where, lambda: copy_where(predicate=old_sbuf(2, 8))),
    Control(
        "shuffle.mask_len",
        lambda: old_nisa.nc_stream_shuffle(old_sbuf(32, 4), old_sbuf(32, 4), MASK_OF_32),
        lambda: old_nisa.nc_stream_shuffle(old_sbuf(32, 4), old_sbuf(32, 4), MASK_OF_32[1:]),
    ),
    Control(
        "shuffle.dtype",
        lambda: old_nisa.nc_stream_shuffle(old_sbuf(32, 4), old_sbuf(32, 4), MASK_OF_32),
        lambda: old_nisa.nc_stream_shuffle(old_sbuf(32, 4), old_sbuf(32, 5), MASK_OF_32),
    ),
    Control("local_gather.index_dtype", gather, lambda: gather(uint32)),
    Control("local_gather.nelem", lambda: gather(nelem=2), lambda: gather(nelem=3)),
    Control(
        "dma_transpose.axes",
        lambda: old_nisa.dma_transpose(old_hbm(4, 2, 6), axes=(2, 1, 0)),
        lambda: old_nisa.dma_transpose(old_hbm(4, 2, 6), axes=(1, 0, 2)),
    ),
    Control("local_gather.count", lambda: gather(valid=32), lambda: gather(valid=33)),
    Control("bn_stats.f512", lambda: old_nisa.bn_stats(old_sbuf(4, 512)), lambda: old_nisa.bn_stats(old_sbuf(4, 513))),
    Control(
        "leg.mask_matmul",
        lambda: old_nisa.nc_matmul(masked_operand(), masked_operand()),
        lambda: old_nisa.nc_matmul(old_nisa.tensor_copy(masked_operand()), masked_operand()),
    ),
    Control("leg.mask_bn", lambda: masked_stats(3, 6), lambda: masked_stats(3, 5)),
    Control("bn_aggr.mod3", lambda: old_nisa.bn_aggr(old_sbuf(4, 6)), lambda: old_nisa.bn_aggr(old_sbuf(4, 5))),
    Control("max8.n", lambda: old_nisa.max8(src=old_sbuf(4, 8)), lambda: old_nisa.max8(src=old_sbuf(4, 7))),
    Control(
        "max8.rank",
        lambda: old_nisa.max8(src=old_sbuf(4, 1, 1, 1, 8)),
        lambda: old_nisa.max8(src=old_sbuf(4, 1, 1, 1, 1, 8)),
    ),
    Control(
        "find8.vals",
        lambda: old_nisa.nc_find_index8(data=old_sbuf(4, 9), vals=old_sbuf(4, 8)),
        lambda: old_nisa.nc_find_index8(data=old_sbuf(4, 9), vals=old_sbuf(4, 7)),
    ),
    Control(
        "match8.vals",
        lambda: old_nisa.nc_match_replace8(data=old_sbuf(4, 9), vals=old_sbuf(4, 8), imm=0.0),
        lambda: old_nisa.nc_match_replace8(data=old_sbuf(4, 9), vals=old_sbuf(3, 8), imm=0.0),
    ),
    Control(
        "tpr.sbuf",
        lambda: old_nisa.tensor_partition_reduce(old_nl.add, old_sbuf(4, 6)),
        lambda: old_nisa.tensor_partition_reduce(old_nl.add, old_psum(4, 6)),
    ),
    Control(
        "tpr.op",
        lambda: old_nisa.tensor_partition_reduce(old_nl.max, old_sbuf(4, 6)),
        lambda: old_nisa.tensor_partition_reduce(old_nl.multiply, old_sbuf(4, 6)),
    ),
    Control(
        "seqb.p1",
        lambda: old_nisa.sequence_bounds(segment_ids=old_sbuf(1, 6)),
        lambda: old_nisa.sequence_bounds(segment_ids=old_sbuf(2, 6)),
    ),
    Control(
        "dropout.prob",
        lambda: old_nisa.dropout(old_sbuf(4, 6), old_sbuf(4, 1)),
        lambda: old_nisa.dropout(old_sbuf(4, 6), old_sbuf(4, 2)),
    ),
    Control(
        "dropout.dtype",
        lambda: old_nisa.dropout(old_sbuf(4, 6), 0.5, dtype=bfloat16),
        lambda: old_nisa.dropout(old_sbuf(4, 6, dtype=int32), 0.5, dtype=float32),
    ),
    Control(
        "leg.dropout.rate", lambda: old_nl.dropout(old_sbuf(4, 6), 1.0), lambda: old_nl.dropout(old_sbuf(4, 6), 1.5)
    ),
    Control(
        "leg.dropout.rate",
        lambda: old_nl.dropout(old_sbuf(4, 6), old_sbuf(1, 1)),
        lambda: old_nl.dropout(old_sbuf(4, 6), old_sbuf(4, 1)),
    ),
    Control(
        "leg.gather_flattened",
        lambda: old_nl.gather_flattened(old_sbuf(4, 6), old_sbuf(4, 3, dtype=uint32)),
        lambda: old_nl.gather_flattened(old_sbuf(4, 6), old_sbuf(4, 3, dtype=int32)),
    ),
    Control(
        "leg.gather_flattened",
        lambda: old_nl.gather_flattened(old_sbuf(4, 2, 3, 2), old_sbuf(4, 3, dtype=uint32)),
        lambda: old_nl.gather_flattened(old_sbuf(4, 2, 3, 2, 2), old_sbuf(4, 3, dtype=uint32)),
    ),
    Control(
        "leg.compute_dtype",
        lambda: old_nl.softmax(old_sbuf(4, 6), 1, dtype=float32, compute_dtype=float32),
        lambda: old_nl.softmax(old_sbuf(4, 6), 1, dtype=bfloat16, compute_dtype=float32),
    ),
    Control(
        "leg.compute_dtype",
        lambda: old_nl.rms_norm(old_sbuf(4, 6), old_sbuf(1, 6), axis=1, n=6, compute_dtype=float32),
        lambda: old_nl.rms_norm(old_sbuf(4, 6), old_sbuf(1, 6), axis=1, n=6, dtype=bfloat16, compute_dtype=float32),
    ),
    Control(
        "leg.reduce.axis",
        lambda: old_nl.rms_norm(old_sbuf(4, 6), old_sbuf(1, 6), axis=1, n=6),
        lambda: old_nl.rms_norm(old_sbuf(4, 6), old_sbuf(1, 6), axis=0, n=6),
    ),
    Control("tensor.shape_positive", lambda: old_nl.rand((4, 1)), lambda: old_nl.rand((4, 0))),
]


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_the_contract_is_broken_by_the_first_illegal_use_only(control: Control) -> None:
    control.check()


@pytest.mark.parametrize(
    ("action", "shape", "dtype"),
    [
        (causal, (4, 6), float32),
        (lambda: causal(dtype=bfloat16), (4, 6), bfloat16),
        (lambda: old_nisa.iota(2 * arange(4)[:, None] + arange(6)[None, :], int32), (4, 6), int32),
        (select, (2, 8), float32),
        (gather, (16, 32), float32),
        (lambda: gather(nelem=4, valid=8), (16, 8, 4), float32),
        (lambda: old_nisa.dma_transpose(old_hbm(4, 6)), (6, 4), float32),
        (lambda: old_nisa.dma_transpose(old_sbuf(4, 2, 6), axes=(2, 1, 0), dtype=bfloat16), (6, 2, 4), bfloat16),
        (lambda: old_nisa.bn_stats(old_sbuf(4, 8, 8)), (4, 6), float32),
        (lambda: old_nisa.bn_aggr(old_sbuf(4, 12)), (4, 2), float32),
        (lambda: old_nisa.max8(src=old_sbuf(4, 2, 8)), (4, 8), float32),
        (lambda: old_nisa.nc_find_index8(data=old_sbuf(4, 9), vals=old_sbuf(4, 8)), (4, 8), uint32),
        (lambda: old_nisa.nc_match_replace8(data=old_sbuf(4, 9), vals=old_sbuf(4, 8), imm=0.0), (4, 9), float32),
        (lambda: old_nisa.tensor_partition_reduce(old_nl.add, old_sbuf(4, 2, 3)), (1, 2, 3), float32),
        (lambda: old_nisa.sequence_bounds(segment_ids=old_sbuf(1, 6)), (1, 2, 6), float32),
        (lambda: old_nisa.dropout(old_sbuf(4, 6), 0.5), (4, 6), float32),
        (lambda: old_nl.rand((4, 6), bfloat16), (4, 6), bfloat16),
        (
            lambda: old_nl.gather_flattened(old_sbuf(4, 6, dtype=bfloat16), old_sbuf(4, 3, dtype=uint32)),
            (4, 3),
            bfloat16,
        ),
        (lambda: old_nl.softmax(old_sbuf(4, 2, 3), [1, 2]), (4, 2, 3), float32),
    ],
)
def test_results(action: Any, shape: tuple[int, ...], dtype: object) -> None:
    result = value(action)
    assert (result.shape, result.dtype) == (shape, dtype)


def test_indices_of_iota_are_known_to_what_they_move() -> None:
    def known() -> Any:
        found = held(old_nisa.iota(2 * arange(4)[:, None] + arange(6)[None, :], int32))
        return None if found is None else found.known

    (one,) = value(known)
    assert (one.low, one.high) == (0, 11)


def test_another_dtype_beside_a_destination_is_refused() -> None:
    with pytest.raises(UnsupportedConstruct, match="a dtype beside a destination"):
        value(lambda: copy_where(dtype=bfloat16))


def test_what_is_not_documented_enough_is_refused_with_the_reason() -> None:
    with pytest.raises(UnsupportedConstruct, match=r"neuronxcc\.nki\.isa\.builtin_custom_op: its page"):
        broken(lambda: old_nisa.builtin_custom_op("f", "l", 0, 0, [], []))


def test_index_expressions_are_recorded_as_the_patterns_of_the_current_api() -> None:
    run = ConcreteExecution(hardware_named("trn2"), stop_at_first=False, records=True)
    with running(run):
        i_p, i_f = grid()
        old_nisa.iota(2 * i_p + i_f + 3, int32)
        old_nisa.affine_select(i_f <= i_p, old_sbuf(4, 6), 0.0)
    iota, select_ = [
        item.operation.attributes
        for item in run.recorded
        if isinstance(item, recorded.Executed) and item.operation.name in ("nisa.iota", "nisa.affine_select")
    ]
    assert [iota[name] for name in ("pattern", "channel_multiplier", "offset")] == [[[1, 6]], 2, 3]
    assert [select_[name] for name in ("pattern", "channel_multiplier", "offset")] == [[[1, 6]], -1, 0]
    assert select_["cmp_op"].name == "less_equal"
    assert "expr" not in iota and "pred" not in select_
