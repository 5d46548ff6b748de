"""What indexing and views give: shapes, strides, offsets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import bfloat16, float8_e5m2_x4, int32, uint8
from nkiverify.model.memory import SBUF
from nkiverify.model.nki_tensor import NkiTensor
from tests.model.stub_library import hbm, nl, sbuf, value

Shape = tuple[int, ...]


def layout(tensor: NkiTensor) -> tuple[Any, Any, Any]:
    return tensor.shape, tensor.strides, tensor.offset


@pytest.mark.parametrize(
    ("view", "shape", "strides", "offset"),
    [
        (lambda: sbuf(128, 64), (128, 64), (64, 1), 0),
        # Integers on chip: the partition dimension stays, free dimensions go, but one.
        (lambda: sbuf(64, 64, 64)[0, 0, 10], (1, 1), (4096, 1), 10),
        (lambda: sbuf(64, 64, 64)[:, 0], (64, 64), (4096, 1), 0),
        (lambda: sbuf(64, 64, 64)[:, 0, 10], (64, 1), (4096, 1), 10),
        (lambda: sbuf(64, 64, 64)[..., 10], (64, 64), (4096, 64), 10),
        (lambda: sbuf(64, 8)[5], (1, 8), (8, 1), 40),
        # In HBM they go, down to one dimension.
        (lambda: hbm(4, 5, 6)[1], (5, 6), (6, 1), 30),
        (lambda: hbm(4, 5, 6)[1, 2, 3], (1,), (1,), 45),
        (lambda: hbm(4, 5, 6)[-1, :, -2], (5,), (6,), 94),
        (lambda: sbuf(2, 64)[:, ::2], (2, 32), (64, 2), 0),
        (lambda: sbuf(2, 65)[:, 1::2], (2, 32), (65, 2), 1),
        (lambda: sbuf(2, 64)[:, nl.ds(3, 5)], (2, 5), (64, 1), 3),
        (lambda: hbm(4, 8)[:-1, -3:], (3, 3), (8, 1), 5),
        (lambda: hbm(4, 8)[1:3][1:2, 2:4], (1, 2), (8, 1), 18),
        (lambda: hbm(2, 3, 4).permute((2, 0, 1)), (4, 2, 3), (1, 12, 4), 0),
        (lambda: sbuf(2, 1).broadcast(1, 5), (2, 5), (1, 0), 0),
        (lambda: sbuf(2, 3).expand_dim(1), (2, 1, 3), (3, 1, 1), 0),
        (lambda: sbuf(2, 3).expand_dim(2), (2, 3, 1), (3, 1, 1), 0),
        (lambda: sbuf(2, 1, 3).squeeze_dim(1), (2, 3), (3, 1), 0),
        (lambda: sbuf(2, 12).reshape_dim(1, (3, 4)), (2, 3, 4), (12, 4, 1), 0),
        (lambda: sbuf(2, 12).reshape_dim(1, (3, -1)), (2, 3, 4), (12, 4, 1), 0),
        (lambda: sbuf(2, 3, 4).flatten_dims(1, 2), (2, 12), (12, 1), 0),
        (lambda: hbm(4, 6).reshape((2, 12)), (2, 12), (12, 1), 0),
        (lambda: hbm(4, 6)[:, 0:4].reshape((4, 2, 2)), (4, 2, 2), (6, 2, 1), 0),
        (lambda: hbm(4, 6)[:, 0:4].reshape((2, 2, 4)), (2, 2, 4), (12, 6, 1), 0),
        (lambda: sbuf(4, 2, 6)[:, :, 0:3].reshape((4, 2, 3, 1)), (4, 2, 3, 1), (12, 6, 1, 1), 0),
        (lambda: hbm(8).slice(0, 1, 8, 3), (3,), (3,), 1),
        (lambda: hbm(4, 8).select(1, 3), (4,), (8,), 3),
        (lambda: sbuf(4, 8).select(1, 3), (4, 1), (8, 1), 3),
        (lambda: sbuf(4, 3, 8).select(1, 2), (4, 8), (24, 1), 16),
        (lambda: sbuf(4, 8, dtype=int32).view(bfloat16), (4, 16), (16, 1), 0),
        (lambda: sbuf(4, 8, dtype=uint8)[:, 4:8].view(float8_e5m2_x4), (4, 1), (2, 1), 1),
        (lambda: sbuf(4, 8).ap([[8, 4], [2, 4], [1, 2]]), (4, 4, 2), (8, 2, 1), 0),
        (lambda: hbm(4, 8).ap([[1, 8], [8, 4]], offset=0), (8, 4), (1, 8), 0),
    ],
)
def test_views_have_the_documented_layout(
    view: Callable[[], NkiTensor], shape: Shape, strides: Shape, offset: int
) -> None:
    assert value(lambda: layout(view())) == (shape, strides, offset)


def test_documented_attributes() -> None:
    tensor = value(lambda: nl.ndarray((4, 6), int32, SBUF, name="acc"))
    assert (tensor.ndim, tensor.size, tensor.name, tensor.dtype, tensor.buffer) == (2, 24, "acc", int32, nl.sbuf)
    assert tensor.get_pattern() == [[6, 4], [1, 6]]


def test_a_tensor_is_true() -> None:
    assert value(lambda: bool(hbm(4, 4)))


def test_contiguity_does_not_look_at_the_partitions_on_chip() -> None:
    assert value(lambda: sbuf(4, 6)[0:2].is_contiguous())
    assert not value(lambda: sbuf(4, 6)[:, 0:4].reshape((4, 2, 2)).permute((0, 2, 1)).is_contiguous())
    assert value(lambda: hbm(4, 6).is_contiguous())
    assert not value(lambda: hbm(4, 6)[:, 0:4].is_contiguous())


def test_views_share_the_storage() -> None:
    tensor = value(lambda: sbuf(4, 6))
    assert value(lambda: tensor[:, 0:2].permute((0, 1)).storage) is tensor.storage


@pytest.mark.parametrize(
    "use",
    [
        lambda: list(hbm(4, 4)),
        lambda: len(hbm(4, 4)),
        lambda: hbm(4, 4) == hbm(4, 4),
        lambda: hbm(4, 4) + hbm(4, 4),  # type: ignore[operator]
        lambda: 2 * sbuf(4, 4),  # type: ignore[operator]
        lambda: hbm(4, 4).rearrange("a b", "b a"),
        lambda: nl.NkiTensor((4, 4), "float32", None),
    ],
)
def test_what_is_not_modelled_is_said_to_be(use: Callable[[], object]) -> None:
    with pytest.raises(UnsupportedConstruct):
        value(use)


def test_a_tensor_compares_unequal_to_none() -> None:
    assert value(lambda: (hbm(4, 4) == None, hbm(4, 4) != None)) == (False, True)  # noqa: E711 (lang.no_is)


@pytest.mark.parametrize("key", [lambda: sbuf(1, 1), lambda: slice(sbuf(1, 1), None), lambda: nl.ds(sbuf(1, 1), 2)])
def test_an_index_known_at_run_time_only_is_not_modelled(key: Callable[[], Any]) -> None:
    with pytest.raises(UnsupportedConstruct):
        value(lambda: hbm(4, 4)[key()])
