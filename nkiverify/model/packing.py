"""Tensors that are on chip together: the least bytes of a partition in which the compiler can place them side by side.

It errs on the side of a placement: what is said not to fit fits in no way. An engine reaches tensors that start at
partition 0, 32, 64 or 96 ("mem.start_partition"), so that one takes a number of whole quarters of the partitions; a
DMA reaches every partition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product
from operator import le
from typing import Any

from nkiverify.model.extents import same
from nkiverify.symbolic import Extent, all_of, any_of, constant_value

PARTITIONS = 128
#: Partitions between those at which an engine's access can start.
QUARTER = 32
#: Engines whose operands start at any partition, and what is no instruction.
ANY_START = ("dma", "none")
#: The quarters at which a tensor of one to four quarters can start.
_STARTS = {1: (0, 1, 2, 3), 2: (0, 2), 3: (0,), 4: (0,)}
#: Tensors that lie side by side, for which every placement is tried; those of one operation are fewer.
_MOST = 6

#: Partitions of a tensor, and the bytes that it takes in each.
Tile = tuple[Extent, Extent]
#: Sums of sizes that must fit, each as the positions of its sizes.
_Sums = frozenset[tuple[int, ...]]


def fit(tiles: Sequence[Tile], limit: int, in_quarters: bool) -> Any:
    """True if `tiles` can lie in a memory of `limit` bytes a partition at one time.

    `in_quarters`: an engine reaches each, so that they start where a quarter does.
    """
    total = sum_of([size for _, size in tiles])
    if len(tiles) < 2 or (isinstance(total, int) and total <= limit):
        return total <= limit
    return all_of(*(_quarters(tiles, limit) if in_quarters and len(tiles) <= _MOST else _anywhere(tiles, limit)))


def sum_of(sizes: Sequence[Extent]) -> Extent:
    """The sum of `sizes`; no addition where there is only one."""
    total = sizes[0]
    for size in sizes[1:]:
        total = total + size
    return total


def _anywhere(tiles: Sequence[Tile], limit: int) -> Iterator[Any]:
    """The conditions of a placement where each tile may start at any partition.

    Two that have more than all partitions together share one; all that have more than half of them share one as well.
    """
    for _, size in tiles:
        yield size <= limit
    for (rows, size), (others, other) in combinations(tiles, 2):
        yield any_of(rows + others <= PARTITIONS, size + other <= limit)
    half = PARTITIONS // 2
    for many in range(3, len(tiles) + 1 if len(tiles) <= _MOST else 3):
        for some in combinations(tiles, many):
            yield any_of(*(rows <= half for rows, _ in some), sum_of([size for _, size in some]) <= limit)


def _quarters(tiles: Sequence[Tile], limit: int) -> Iterator[Any]:
    """The conditions of a placement by quarters, for each number of quarters that a tile of a symbolic number of
    partitions can have: whatever is needed for fewer is needed for more."""
    groups: list[Extent] = []
    group_of = [_position(groups, rows) for rows, _ in tiles]
    sizes: list[Extent] = []
    size_of = tuple(_position(sizes, size) for _, size in tiles)
    known = [constant_value(rows) for rows in groups]
    possible = [range(1, 5) if count is None else (min(4, -(-max(count, 1) // QUARTER)),) for count in known]
    stated: list[tuple[tuple[int, ...], frozenset[_Sums]]] = []
    for counts in sorted(product(*possible), key=sum):
        ways = _ways(tuple(counts[group] for group in group_of), size_of)
        # Stated for fewer quarters of each, it is stated for these.
        if any(ways == known_ways and all(map(le, less, counts)) for less, known_ways in stated):
            continue
        stated.append((counts, ways))
        fewer = (
            rows <= QUARTER * (count - 1)
            for rows, count, number in zip(groups, counts, known, strict=True)
            if number is None and count > 1
        )
        needed = any_of(
            *(all_of(*(sum_of([sizes[at] for at in one]) <= limit for one in sorted(way))) for way in _ordered(ways))
        )
        yield any_of(*fewer, needed)


def _position(known: list[Extent], value: Extent) -> int:
    """The position of `value` among those that are `known`, where it is put if it is new."""
    for position, one in enumerate(known):
        if same(one, value):
            return position
    known.append(value)
    return len(known) - 1


def _ordered(ways: frozenset[_Sums]) -> list[_Sums]:
    return sorted(ways, key=sorted)


@lru_cache(maxsize=1024)
def _ways(quarters: tuple[int, ...], sizes: tuple[int, ...]) -> frozenset[_Sums]:
    """The sums that must fit, for each placement that no other one is as good as."""
    found: set[_Sums] = set()
    for starts in product(*(_STARTS[count] for count in quarters)):
        loads: list[list[int]] = [[], [], [], []]
        for start, count, size in zip(starts, quarters, sizes, strict=True):
            for quarter in range(start, start + count):
                loads[quarter].append(size)
        sums = {tuple(sorted(one)) for one in loads if one}
        found.add(frozenset(one for one in sums if not any(one != other and _within(one, other) for other in sums)))
    return frozenset(one for one in found if not any(one != other and _as_good(other, one) for other in found))


def _as_good(one: _Sums, other: _Sums) -> bool:
    """True if `one` fits wherever `other` does."""
    return all(any(_within(mine, theirs) for theirs in other) for mine in one)


def _within(part: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """True if every size of `part` is one of `whole`, each counted as often as it occurs."""
    return all(part.count(size) <= whole.count(size) for size in set(part))
