"""Index tensors of the legacy API: the numbers they hold, memories by name, shapes of results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from nkiverify.model.contents import wrote
from nkiverify.model.dtypes import float32, int32
from nkiverify.model.known_numbers import Value
from nkiverify.model.memory import PSUM, SBUF, SHARED_HBM
from tests.model.stub_library import broken, old_hbm, old_nl, old_sbuf, value

arange = old_nl.arange


def rows(count: int, start: int = 0) -> Any:
    """Indices along the partitions."""
    return arange(start, start + count)[:, None]


def columns(count: int, start: int = 0) -> Any:
    """Indices along the free axis."""
    return arange(start, start + count)[None, :]


def places(low: int, high: int, dtype: Any = int32, memory: Any = SBUF, width: int = 1) -> Any:
    """A column of 4 indices from `low` to `high`."""
    tensor = old_nl.ndarray((4, width), dtype, buffer=memory)
    wrote(tensor, Value.between(low, high))
    return tensor


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


def _blocks() -> Any:
    return old_nl.ndarray((2, old_nl.par_dim(4), 6), float32)


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
