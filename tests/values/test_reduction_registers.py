"""What the reduction registers of an engine hold, partition by partition, and that it is defined."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nkiverify.products.simulate.simulator import UndefinedResultWarning
from tests.values.library import nisa, nki, nl, simulate

RESET = nisa.reduce_cmd.reset_reduce
GO_ON = nisa.reduce_cmd.reduce
IDLE = nisa.reduce_cmd.idle
ONES = np.ones((32, 4), dtype=np.float32)


def _sums(body: Callable[[Any, Any, Any], None], x: Any = ONES) -> Any:
    """What `body(scratch, tile, sums)` leaves in `sums`; NaN where it is undefined, and a warning for that."""

    def kernel(x: Any) -> Any:
        result = nl.ndarray((32, 1), dtype=nl.float32, buffer=nl.shared_hbm)
        tile, scratch = (nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf) for _ in range(2))
        sums = nl.ndarray((32, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=sums, value=0.0)
        nisa.dma_copy(dst=tile, src=x)
        body(scratch, tile, sums)
        nisa.dma_copy(dst=result, src=sums)
        return result

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UndefinedResultWarning)
        found = simulate(kernel, x)
    assert bool(caught) == bool(np.isnan(found).any())
    return found[:, 0].tolist()


def _reduce(scratch: Any, tile: Any, sums: Any, command: Any, rows: int = 32) -> None:
    nisa.activation(
        scratch[0:rows, :], nl.copy, tile[0:rows, :], reduce_op=nl.add, reduce_res=sums[0:rows, :], reduce_cmd=command
    )


@pytest.mark.parametrize(("first", "defined"), [(32, 32), (31, 31), (1, 1)])
def test_a_reduction_that_goes_on_with_more_partitions_is_undefined_there(first: int, defined: int) -> None:
    def body(scratch: Any, tile: Any, sums: Any) -> None:
        _reduce(scratch, tile, sums, RESET, first)
        _reduce(scratch, tile, sums, GO_ON)

    np.testing.assert_array_equal(_sums(body), [8.0] * defined + [np.nan] * (32 - defined))


def test_a_reduction_may_go_on_with_fewer_partitions_and_then_with_all() -> None:
    def body(scratch: Any, tile: Any, sums: Any) -> None:
        _reduce(scratch, tile, sums, RESET)
        _reduce(scratch, tile, sums, GO_ON, 16)
        _reduce(scratch, tile, sums, GO_ON)

    assert _sums(body) == [12.0] * 16 + [8.0] * 16


def test_a_reduction_that_nothing_began_is_undefined() -> None:
    assert np.isnan(_sums(lambda scratch, tile, sums: _reduce(scratch, tile, sums, GO_ON))).all()


@pytest.mark.parametrize(("again", "undefined"), [(RESET, 0), (GO_ON, 8)])
def test_undefined_elements_stay_in_the_registers_until_a_reset(again: Any, undefined: int) -> None:
    def body(scratch: Any, tile: Any, sums: Any) -> None:
        partly = nl.ndarray((32, 4), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=partly[8:32, :], value=1.0)
        _reduce(scratch, partly, sums, RESET)
        _reduce(scratch, tile, sums, again)

    assert np.isnan(_sums(body)).sum() == undefined


def test_a_reset_without_undefined_elements_after_one_with_them_is_all_there_is() -> None:
    def body(scratch: Any, tile: Any, sums: Any) -> None:
        nothing = nl.ndarray((32, 4), dtype=nl.float32, buffer=nl.sbuf)
        _reduce(scratch, nothing, sums, RESET)
        _reduce(scratch, tile, sums, RESET)
        _reduce(scratch, tile, sums, GO_ON)

    assert _sums(body) == [8.0] * 32


@pytest.mark.parametrize(("rows", "defined"), [(32, 32), (31, 31)])
def test_a_cumulative_operation_goes_on_with_the_registers(rows: int, defined: int) -> None:
    def body(scratch: Any, tile: Any, sums: Any) -> None:
        for command, part in ((RESET, rows), (GO_ON, 32)):
            nisa.tensor_scalar_cumulative(
                scratch[0:part, :], tile[0:part, :], nl.multiply, nl.add, imm0=1.0, reduce_cmd=command
            )
        nisa.tensor_copy(sums, scratch[:, 3:4])

    np.testing.assert_array_equal(_sums(body), [8.0] * defined + [np.nan] * (32 - defined))


@pytest.mark.parametrize("rows", [0, 16])
def test_an_idle_exponential_leaves_nothing_known_in_its_registers(rows: int) -> None:
    def body(scratch: Any, tile: Any, sums: Any) -> None:
        nisa.exponential(scratch, tile, tile[:, 0:1], sums, RESET)
        if rows:
            nisa.exponential(scratch[0:rows, :], tile[0:rows, :], tile[0:rows, 0:1], reduce_cmd=IDLE)
        nisa.exponential(scratch, tile, tile[:, 0:1], sums, GO_ON)

    np.testing.assert_array_equal(_sums(body), [np.nan] * rows + [8.0] * (32 - rows))


def test_each_program_has_registers_of_its_own() -> None:
    def kernel(x: Any) -> Any:
        result = nl.ndarray((2, 32, 1), dtype=nl.float32, buffer=nl.shared_hbm)
        tile, scratch = (nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf) for _ in range(2))
        sums = nl.ndarray((32, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x)
        _reduce(scratch, tile, sums, RESET if nl.program_id(0) == 0 else GO_ON)
        nisa.dma_copy(dst=result[nl.program_id(0)], src=sums)
        return result

    with pytest.warns(UndefinedResultWarning, match="acc.reduce_needs_init"):
        found = nki.simulate(nki.jit(kernel)[2])(ONES)
    np.testing.assert_array_equal(found[:, :, 0], [[4.0] * 32, [np.nan] * 32])


def test_each_engine_has_registers_of_its_own() -> None:
    def body(scratch: Any, tile: Any, sums: Any) -> None:
        _reduce(scratch, tile, sums, RESET)
        nisa.exponential(scratch, tile, tile[:, 0:1], sums, GO_ON)

    assert np.isnan(_sums(body)).all()
