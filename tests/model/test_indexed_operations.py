"""The numbers that tiles of indices and registers hold, and device loops over them."""

from __future__ import annotations

from typing import Any

import pytest

from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.allocation import argument
from nkiverify.model.dtypes import DType, float32, uint8, uint32
from nkiverify.model.following import following
from nkiverify.model.memory import SHARED_HBM
from nkiverify.model.nki_tensor import NkiTensor
from nkiverify.model.registry import OVERWRITES, Declaration
from tests.model.stub_library import broken, hbm, left_open, nisa, nl, sbuf, value

HWDGE, SWDGE, STATIC = nisa.dge_mode.hwdge, nisa.dge_mode.swdge, nisa.dge_mode.none


def indices(*shape: int, low: int = 0, high: int = 0, dtype: DType = uint32) -> NkiTensor:
    """A tile of indices loaded from an argument whose elements are from `low` to `high`."""
    source = argument("indices", shape, dtype, SHARED_HBM, (low, high))
    loaded = sbuf(*shape, dtype=dtype)
    nisa.dma_copy(loaded, source)
    return loaded


def register(number: int = 0) -> Any:
    """A register that holds `number`."""
    return nisa.register_alloc(number)


def rows(count: int = 4, *, of: int = 8, width: int = 2, high: int | None = None, dtype: DType = float32) -> NkiTensor:
    """`count` rows of an HBM tensor of `of` rows, chosen by indices up to `high`."""
    return hbm(of, width, dtype=dtype).ap(
        [[width, count], [1, width]], vector_offset=indices(count, 1, high=of - 1 if high is None else high)
    )


def add(count: int = 2, **changes: Any) -> None:
    """A legal dma_compute, with changes."""
    arguments: dict[str, Any] = {"dst": hbm(2, 4), "srcs": [sbuf(2, 4)] * count, "reduce_op": nl.add}
    nisa.dma_compute(**{**arguments, **changes})


def test_indices_without_a_range_leave_it_open_and_say_what_would_close_it() -> None:
    def unbounded() -> None:
        loaded = sbuf(4, 1, dtype=uint32)
        nisa.dma_copy(loaded, argument("indices", (4, 1), uint32))
        nisa.dma_copy(sbuf(4, 2), hbm(8, 2).ap([[2, 4], [1, 2]], vector_offset=loaded))

    ((rule, why),) = left_open(unbounded)
    assert rule == "dma_copy.oob"
    assert why.endswith("--arg indices='uint32[4, 1] in 0..7'")


def test_indices_without_a_range_that_all_fit_are_legal() -> None:
    def bytes_of(rows_in_table: int) -> None:
        loaded = sbuf(4, 1, dtype=uint8)
        nisa.dma_copy(loaded, argument("indices", (4, 1), uint8))
        nisa.dma_copy(sbuf(4, 2), hbm(rows_in_table, 2).ap([[2, 4], [1, 2]], vector_offset=loaded))

    assert left_open(lambda: bytes_of(256)) == []
    assert [rule for rule, _ in left_open(lambda: bytes_of(255))] == ["dma_copy.oob"]


def test_indices_that_nothing_has_written_are_not_known() -> None:
    def unwritten() -> None:
        nisa.dma_copy(sbuf(4, 2), hbm(8, 2).ap([[2, 4], [1, 2]], vector_offset=sbuf(4, 1, dtype=uint32)))

    assert [rule for rule, _ in left_open(unwritten)] == ["dma_copy.oob"]


def test_what_is_written_after_the_use_does_not_count() -> None:
    def rewritten(first: int, second: int) -> None:
        loaded = indices(4, 1, high=first)
        nisa.dma_copy(sbuf(4, 2), hbm(8, 2).ap([[2, 4], [1, 2]], vector_offset=loaded))
        nisa.memset(loaded, second)
        nisa.dma_copy(sbuf(4, 2), hbm(10, 2).ap([[2, 4], [1, 2]], vector_offset=loaded))

    assert broken(lambda: rewritten(7, 9)) == []
    assert broken(lambda: rewritten(8, 9)) == ["dma_copy.oob"]
    assert broken(lambda: rewritten(7, 10)) == ["dma_copy.oob"]


def test_what_overwrites_a_part_of_the_indices_joins_them() -> None:
    def rewritten(rows: int) -> None:
        loaded = indices(4, 1, high=9)
        nisa.memset(loaded[0:rows, :], 2)
        nisa.dma_copy(sbuf(4, 2), hbm(9, 2).ap([[2, 4], [1, 2]], vector_offset=loaded))

    # A concrete run says no more than it knows: 9 may have been overwritten, or not.
    assert broken(lambda: rewritten(2)) == []
    assert broken(lambda: rewritten(4)) == []


def _unheard_of(dst: NkiTensor, src: NkiTensor) -> None:
    """An operation that writes and does not say what."""


unheard_of = following(
    _unheard_of,
    Declaration(name="nisa.unheard_of", dependence=None, engine="any", host=False, behaviour=OVERWRITES),
)


@pytest.mark.parametrize("by_name", [False, True])
def test_an_operation_that_says_nothing_of_what_it_writes_leaves_it_unknown(by_name: bool) -> None:
    def selected() -> None:
        loaded, chosen = indices(4, 1, high=7), indices(4, 1, high=3)
        if by_name:
            unheard_of(src=chosen, dst=loaded[0:1, :])
        else:
            unheard_of(loaded, chosen)
        nisa.dma_copy(sbuf(4, 2), hbm(8, 2).ap([[2, 4], [1, 2]], vector_offset=loaded))

    assert [rule for rule, _ in left_open(selected)] == ["dma_copy.oob"]


def test_what_a_function_returns_counts_where_a_part_is_filled() -> None:
    def added(rows_in_table: int) -> None:
        rows = nl.add(indices(4, 1, high=7), indices(4, 1, high=7))
        nisa.memset(rows[0:1, :], 0)
        nisa.dma_copy(sbuf(4, 2), hbm(rows_in_table, 2).ap([[2, 4], [1, 2]], vector_offset=rows))

    assert left_open(lambda: added(15)) == []
    assert [rule for rule, _ in left_open(lambda: added(14))] == ["dma_copy.oob"]


def test_patterns_and_constants_bound_indices() -> None:
    def counted(rows_in_table: int) -> None:
        places = sbuf(4, 1, dtype=uint32)
        nisa.iota(places, [[1, 1]], 3, 2)
        nisa.dma_copy(sbuf(4, 2), hbm(rows_in_table, 2).ap([[2, 4], [1, 2]], vector_offset=places))

    assert broken(lambda: counted(10)) == []
    assert broken(lambda: counted(9)) == ["dma_copy.oob"]


def test_the_body_of_a_device_loop_runs_once_for_every_iteration() -> None:
    def loop(stop: int) -> None:
        for i in nl.dynamic_range(0, stop, 2):
            nisa.dma_copy(sbuf(2, 4), hbm(8, 4).ap([[4, 2], [1, 4]], scalar_offset=i))

    assert broken(lambda: loop(8)) == []
    assert broken(lambda: loop(9)) == ["dma_copy.oob"]
    assert broken(lambda: loop(0)) == []


def test_the_truth_value_of_a_register_is_not_modelled() -> None:
    with pytest.raises(UnsupportedConstruct):
        value(lambda: bool(register()))


def test_an_operator_that_must_be_given_is_not_none() -> None:
    with pytest.raises(UnsupportedConstruct, match="None as an operator"):
        broken(lambda: add(reduce_op=None))


def test_a_register_indexes_a_dimension() -> None:
    def row(number: int) -> None:
        nisa.dma_copy(sbuf(1, 8), hbm(4, 8)[register(number), :])

    def columns(number: int) -> None:
        nisa.dma_copy(sbuf(4, 3), hbm(4, 8)[:, nl.ds(register(number), 3)])

    assert broken(lambda: columns(5)) == []
    assert broken(lambda: columns(6)) == ["dma_copy.oob"]
    assert broken(lambda: row(3)) == []
    assert broken(lambda: row(4)) == ["dma_copy.oob"]
    with pytest.raises(UnsupportedConstruct):
        value(lambda: sbuf(4, 8)[register(0), :])


def test_a_register_is_allocated_with_the_element_of_a_tile() -> None:
    def rows(high: int) -> None:
        index = nisa.register_alloc(indices(1, 1, high=high))
        nisa.dma_copy(sbuf(2, 4), hbm(8, 4).ap([[4, 2], [1, 4]], scalar_offset=index))

    assert broken(lambda: rows(6)) == []
    assert broken(lambda: rows(7)) == ["dma_copy.oob"]


@pytest.mark.parametrize(
    ("between", "known"), [("nothing", True), ("other data", False), ("changed data", False), ("changed values", False)]
)
def test_values_that_max8_took_are_found_in_the_same_data(between: str, known: bool) -> None:
    def searched() -> None:
        data, best, places = sbuf(4, 16), sbuf(4, 8), sbuf(4, 8, dtype=uint32)
        nisa.dma_copy(data, hbm(4, 16))
        nisa.max8(best, data)
        if between == "changed data":
            nisa.memset(data, 0.0)
        elif between == "changed values":
            nisa.memset(best[0:1, :], 0.0)
        nisa.nc_find_index8(places, sbuf(4, 16) if between == "other data" else data, best)
        nisa.dma_copy(sbuf(4, 2), hbm(16, 2).ap([[2, 4], [1, 2]], vector_offset=places[:, 0:1]))

    assert (left_open(searched) == []) == known
