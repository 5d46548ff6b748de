"""The tensors of one operation lie side by side as the compiler can place them, and no closer."""

from __future__ import annotations

import random
from itertools import combinations, product

import pytest

from nkiverify.model.packing import Tile, fit

#: Where an engine's operand of so many partitions can start ("mem.start_partition").
STARTS = {32: (0, 32, 64, 96), 64: (0, 64), 128: (0,)}


def placed(tiles: list[tuple[int, int]], limit: int, anywhere: bool) -> bool:
    """True if there is a placement, found by trying all of them."""
    starts = [
        range(128 - rows + 1) if anywhere else next(found for most, found in STARTS.items() if rows <= most)
        for rows, _ in tiles
    ]
    columns = [range(limit - size + 1) for _, size in tiles]
    for rows_at in product(*starts):
        apart = {
            (one, two)
            for one, two in combinations(range(len(tiles)), 2)
            if rows_at[one] + tiles[one][0] <= rows_at[two] or rows_at[two] + tiles[two][0] <= rows_at[one]
        }
        for at in product(*columns):
            if all(
                (one, two) in apart or at[one] + tiles[one][1] <= at[two] or at[two] + tiles[two][1] <= at[one]
                for one, two in combinations(range(len(tiles)), 2)
            ):
                return True
    return False


def test_what_fits_by_quarters_is_what_can_be_placed() -> None:
    source, fitting = random.Random(7), 0
    for _ in range(300):
        limit = source.randint(2, 5)
        tiles = [
            (source.choice((1, 31, 32, 33, 64, 65, 96, 97, 128)), source.randint(1, limit))
            for _ in range(source.randint(1, 4))
        ]
        expected = placed(tiles, limit, anywhere=False)
        fitting += expected
        assert fit(tiles, limit, True) is expected, (tiles, limit)
    assert 50 < fitting < 250


def test_what_can_be_placed_at_any_partition_is_not_refused() -> None:
    source, refused = random.Random(8), 0
    for _ in range(60):
        limit = source.randint(2, 3)
        tiles = [(source.choice((40, 64, 65, 88, 90, 128)), source.randint(1, limit)) for _ in range(2)]
        assert fit(tiles, limit, False) is placed(tiles, limit, anywhere=True), (tiles, limit)
        refused += not fit(tiles, limit, False)
    assert refused


@pytest.mark.parametrize(
    ("rows", "sizes", "limit", "fits"),
    [
        ((128, 128, 128), (4, 4, 4), 12, True),
        ((128, 128, 128), (4, 4, 4), 11, False),
        ((65, 128), (6, 6), 11, False),
        ((64, 64), (11, 11), 11, True),
        ((64, 64, 64), (6, 6, 6), 12, True),
        ((64, 64, 64), (6, 6, 6), 11, False),
        ((96, 32), (11, 11), 11, True),
        ((97, 32), (6, 6), 11, False),
        ((32,) * 5, (6,) * 5, 12, True),
        ((32,) * 5, (6,) * 5, 11, False),
        ((32,) * 4, (11,) * 4, 11, True),
        ((128, 64, 64, 32), (4, 4, 4, 3), 11, True),
        ((128, 64, 64, 32), (4, 4, 4, 4), 11, False),
    ],
)
def test_side_by_side(rows: tuple[int, ...], sizes: tuple[int, ...], limit: int, fits: bool) -> None:
    tiles: list[Tile] = list(zip(rows, sizes, strict=True))
    assert fit(tiles, limit, True) is fits


@pytest.mark.parametrize("rows", [(65, 65, 65), (100, 70, 66)])
def test_all_that_have_more_than_half_of_the_partitions_share_one(rows: tuple[int, ...]) -> None:
    # Any two fit beside one another within 5, all three do not.
    tiles: list[Tile] = [(count, 2) for count in rows]
    assert all(fit(two, 5, False) for two in combinations(tiles, 2))
    assert not fit(tiles, 5, False)
    assert fit(tiles, 6, False)
