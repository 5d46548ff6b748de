"""Random kernels: what is live for all shapes at once is never less than in a concrete run of one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from nkiverify.manifest import Verification
from nkiverify.phases.memory.claims import REGIONS
from tests.memory.kernels import concrete_peak, explored, symbolic_peak, target_of

SEEDS = range(16)
SHAPES = [{"n": n, "m": m} for n in (1, 2, 4) for m in (1, 3)]


class _Writer:
    """Writes a kernel of n and m: loops, branches, tiles used at once, later, in a loop, or kept by a list."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._names = 0

    def kernel(self) -> str:
        return "def kernel(n, m):\n" + "\n".join(f"    {line}" for line in self._block(3, [], []))

    def _new(self, stem: str) -> str:
        self._names += 1
        return f"{stem}{self._names}"

    def _block(self, depth: int, tiles: list[str], indices: list[str]) -> Iterator[str]:
        tiles = list(tiles)
        for _ in range(self._random.randint(2, 4)):
            kind = self._random.choice(["tile", "use", "loop", "list", "branch"] if depth else ["tile", "use"])
            if kind == "tile":
                name = self._new("t")
                yield from self._allocate(name)
                tiles.append(name)
            elif kind == "use" and tiles:
                one, two = self._random.choice(tiles), self._random.choice(tiles)
                yield f"nisa.tensor_copy({one}[:, 0:1], {two}[:, 0:1])"
            elif kind == "loop":
                index = self._new("i")
                yield f"for {index} in range({self._extent()}):"
                yield from self._indented(self._block(depth - 1, tiles, [*indices, index]))
            elif kind == "list":
                yield from self._list(depth, tiles, indices)
            elif kind == "branch" and indices:
                yield f"if {self._random.choice(indices)} % 2 == 0:"
                yield from self._indented(self._block(0, tiles, indices))
        yield "pass"

    def _list(self, depth: int, tiles: list[str], indices: list[str]) -> Iterator[str]:
        kept, index, extent = self._new("kept"), self._new("i"), self._extent()
        name = self._new("t")
        yield f"{kept} = []"
        yield f"for {index} in range({extent}):"
        yield from self._indented(self._allocate(name))
        yield from self._indented(self._block(0, [*tiles, name], [*indices, index]))
        yield f"    {kept}.append({name})"
        if self._random.random() < 0.8:
            yield f"for {index} in range({extent}):"
            yield from self._indented(self._block(max(0, depth - 2), [*tiles, f"{kept}[{index}]"], [*indices, index]))
            yield f"    nisa.tensor_copy({kept}[{index}], {kept}[{index}])"

    def _allocate(self, name: str) -> Iterator[str]:
        columns = self._random.choice(["4", "32", "8 * n", "2 * n * m"])
        memory = self._random.choice(["nl.sbuf", "nl.sbuf", "nl.psum"])
        yield f"{name} = tile({columns}, memory={memory})"
        if self._random.random() < 0.8:
            yield f"nisa.memset({name}, 0)"

    def _extent(self) -> str:
        return self._random.choice(["n", "m", "2 * n", "3"])

    @staticmethod
    def _indented(lines: Iterator[str]) -> Iterator[str]:
        return (f"    {line}" for line in lines)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", SEEDS)
def test_no_concrete_run_has_more_live(seed: int, tmp_path: Path) -> None:
    source = _Writer(seed).kernel()

    def call(v: Verification) -> None:
        v.call(v.dim("n"), v.dim("m"))

    target = target_of(source, call, tmp_path)
    program, memory = explored(target)
    assert not memory.gap and not memory.unbounded
    for values in SHAPES:
        for region in REGIONS:
            symbolic = symbolic_peak(program, memory, region, values)
            concrete = concrete_peak(target, region, values)
            assert symbolic >= concrete, f"{values}: {source}"
