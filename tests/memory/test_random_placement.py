"""Random kernels that place their tiles: a verdict for all shapes contradicts no concrete run."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from nkiverify.foundation.records import Verdict
from nkiverify.manifest import Verification
from nkiverify.model.hardware import TRN2
from nkiverify.phases import MEMORY
from tests.memory.kernels import target_of
from tests.soundness.trap import verdict

SEEDS = range(14)


class _Writer:
    """Writes a kernel of n: tiles at fixed places, in turn, one behind the other, used at once or kept by a list."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._lines = ["def kernel(n):"]
        self._names = 0

    def kernel(self) -> str:
        self._block(1, 2, "0", [])
        return "\n".join(self._lines)

    def _write(self, indent: int, *lines: str) -> None:
        self._lines += [f"{'    ' * indent}{line}" for line in lines]

    def _new(self, stem: str) -> str:
        self._names += 1
        return f"{stem}{self._names}"

    def _place(self, index: str) -> str:
        base = 32 * self._random.randint(0, 4)
        turns = self._random.choice([2, 3])
        return self._random.choice([f"{base}", f"{base} + 32 * ({index} % {turns})", f"{base} + 32 * {index}"])

    def _block(self, indent: int, depth: int, index: str, tiles: list[str]) -> None:
        tiles = list(tiles)
        for _ in range(self._random.randint(2, 4)):
            kind = self._random.choice(["tile", "tile", "use", "use", *(["loop", "list"] if depth else [])])
            if kind == "tile":
                name, columns = self._new("t"), self._random.choice([4, 8, 16])
                self._write(indent, f"{name} = tile({columns}, address=(0, {self._place(index)}))")
                self._write(indent, f"nisa.memset({name}, 0)")
                tiles.append(name)
            elif kind == "use" and tiles:
                one, two = self._random.choice(tiles), self._random.choice(tiles)
                self._write(indent, f"nisa.tensor_copy({one}[:, 0:1], {two}[:, 0:1])")
            elif kind == "loop":
                inner = self._new("i")
                self._write(indent, f"for {inner} in range({self._random.choice(['n', '3'])}):")
                self._block(indent + 1, depth - 1, inner, tiles)
            elif kind == "list":
                self._list(indent)
        self._write(indent, "pass")

    def _list(self, indent: int) -> None:
        kept, inner, extent = self._new("kept"), self._new("i"), self._random.choice(["n", "3"])
        self._write(indent, f"{kept} = []", f"for {inner} in range({extent}):")
        self._write(indent + 1, f"one = tile(8, address=(0, {self._place(inner)}))", "nisa.memset(one, 0)")
        self._write(indent + 1, f"{kept}.append(one)")
        self._write(indent, f"for {inner} in range({extent}):")
        self._write(indent + 1, f"nisa.tensor_copy({kept}[{inner}], {kept}[{inner}])")


@pytest.mark.campaign
@pytest.mark.parametrize("seed", SEEDS)
def test_no_concrete_run_contradicts_the_verdict(seed: int, tmp_path: Path) -> None:
    source = _Writer(seed).kernel()

    def call(v: Verification) -> None:
        v.call(v.dim("n", high=12))

    target = target_of(source, call, tmp_path)
    run = verdict(target, MEMORY.number)
    broken = {
        n
        for n in range(1, 13)
        for found in MEMORY.confirm(target, {"n": n}, TRN2).broken
        if found.contract.phase == MEMORY.number
    }
    if run.verdict is Verdict.FAILED:
        assert broken, source
    elif run.verdict is Verdict.UNKNOWN:
        assert run.qualifier == "may not fit", run.reason
    else:
        assert run.verdict in (Verdict.SUCCESSFUL, Verdict.VACUOUS), run.reason
        assert not broken, source
