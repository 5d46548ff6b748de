"""Legacy selects, searches, statistics and gathers: their results and the indices they record."""

from __future__ import annotations

from typing import Any

import pytest

from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.model import recorded
from nkiverify.model.contents import held
from nkiverify.model.dtypes import bfloat16, float32, int32, uint8, uint16, uint32
from nkiverify.model.hardware import hardware_named
from nkiverify.symbolic.execution import running
from tests.model.stub_library import broken, old_hbm, old_nisa, old_nl, old_sbuf, value

arange = old_nl.arange


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


def copy_where(**changes: Any) -> None:
    """A legal tensor_copy_predicated, with changes."""
    arguments: dict[str, Any] = {
        "dst": old_sbuf(2, 8), "src": old_sbuf(2, 8), "predicate": old_sbuf(2, 8, dtype=uint8),
    }  # fmt: skip
    old_nisa.tensor_copy_predicated(**{**arguments, **changes})


def gather(index_dtype: Any = uint16, nelem: int = 1, valid: int | None = None) -> Any:
    """A gather by each GpSimd core."""
    return old_nisa.local_gather(old_sbuf(16, 8), old_sbuf(16, 2, dtype=index_dtype), nelem, valid)


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
