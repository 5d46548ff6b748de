"""What is told to be live at each line: tensor by tensor, the same for a launch of numbers as for all shapes."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.records import MemoryPeak
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float32
from tests.bundled import BY_NAME as TARGETS
from tests.memory.kernels import HEADER, target_of
from tests.soundness.trap import verdict

SOURCE = """
def kernel(n):
    for i in range(n):
        first = nl.ndarray((128, 16), nl.float32, nl.sbuf)
        nisa.memset(first, 0)
        second = nl.ndarray((128, 32), nl.float32, nl.sbuf)
        nisa.tensor_copy(second[:, 0:16], first)
        nisa.memset(second, 0)
"""
#: The line of the first statement of the kernel's loop.
FIRST = HEADER.count("\n") + 4


def at_lines(peak: MemoryPeak) -> dict[int, dict[str, int]]:
    """By line, the bytes of each tensor that is live there."""
    found: dict[int, dict[str, int]] = {one.line: {} for one in peak.places}
    for tile in peak.tiles:
        for span in tile.spans:
            for place in peak.places[span.first : span.last + 1]:
                found[place.line][tile.name] = found[place.line].get(tile.name, 0) + span.bytes
    return found


def all_shapes(v: Verification) -> None:
    v.call(v.dim("n"))


def three(v: Verification) -> None:
    v.call(3)


@pytest.mark.parametrize("function", [all_shapes, three])
def test_a_tile_is_live_from_its_first_line_to_its_last(function: object, tmp_path: Path) -> None:
    (peak,) = verdict(target_of(SOURCE, function, tmp_path), 3).memory  # type: ignore[arg-type]
    first, second = 4 * 16, 4 * 32
    assert at_lines(peak) == {
        FIRST + 1: {"first": first},
        FIRST + 3: {"first": first, "second": second},
        FIRST + 4: {"second": second},
    }
    assert [(one.shape, one.dtype, one.bytes) for one in peak.tiles] == [
        (("128", "16"), "float32", "64"),
        (("128", "32"), "float32", "128"),
    ]
    assert [one.place.line for one in peak.tiles if one.place is not None] == [FIRST, FIRST + 2]


@pytest.mark.parametrize(
    "name", ["matmul_hoist_load_all", "matmul_fully_optimized_all", "tensor_add_all", "matmul_tiled_all"]
)
def test_the_line_with_most_is_the_peak(name: str) -> None:
    peaks = verdict(TARGETS[name], 3).memory
    assert peaks
    for peak in peaks:
        assert peak.bytes == max(sum(taken.values()) for taken in at_lines(peak).values())


def test_sizes_are_those_of_a_shape_of_the_domain(tmp_path: Path) -> None:
    def multiples(v: Verification) -> None:
        n = v.dim("n")
        v.assume(n % 128 == 0)
        v.call(v.tensor("x", (n, 4), float32))

    source = """
    def kernel(x):
        n, columns = x.shape
        for i in range(n // 128):
            one = nl.ndarray((128, columns), nl.float32, nl.sbuf)
            nisa.dma_copy(dst=one, src=x[i * 128 : (i + 1) * 128, :])
    """
    (peak,) = verdict(target_of(source, multiples, tmp_path), 3).memory
    assert (peak.at["n"] % 128, peak.bytes) == (0, 16)
    assert [(one.name, one.spans[0].bytes) for one in peak.tiles] == [("one", 16)]
