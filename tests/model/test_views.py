"""A pattern that crosses partitions: it stays inside the allocation, and is refused."""

from __future__ import annotations

from nkiverify.model.dtypes import float32
from nkiverify.model.memory import SBUF
from nkiverify.model.tensor import Tensor
from tests.model.stub_library import broken, nisa, nl


def used(view: Tensor) -> None:
    """Read all of a view: where it goes is claimed there, and not where it is made."""
    same = nl.ndarray(view.shape, view.dtype, view.buffer)
    (nisa.tensor_copy if view.on_chip else nisa.dma_copy)(dst=same, src=view)


def test_the_partition_crossing_pattern_stays_inside_the_allocation_and_is_refused() -> None:
    pattern = [[1, 128], [0, 1], [0, 1], [0, 1], [0, 1]]
    found = broken(lambda: nl.ndarray((1, 4, 32), float32, SBUF).ap(pattern))
    assert found == ["ap.first_pair_partition"]
    assert broken(lambda: used(nl.ndarray((1, 4, 32), float32, SBUF).ap(pattern))) == [
        "ap.first_pair_partition",
        "ap.partition_overflow",
    ]
