"""Random kernels whose addresses are products of dimensions: what is proved for all shapes holds in every run."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float32
from tests.dataflow.subject import Subject

HIGH = 4


def tiles(choose: random.Random) -> str:
    """A flat row written element by element, or piece by piece, at products of the indices of two loops."""
    one, other = choose.choice(["A", "A", "B", "A - 1"]), choose.choice(["B", "B", "A", "B - 1"])
    place = choose.choice(
        ["i * B + j", "i * B + j", "j * A + i", "i * A + j", "i * B + B - 1 - j", "A * B - 1 - i * B - j"]
    )
    width = choose.choice(["1", "1", "1", "min(2, A * B - at)"])
    buffer = choose.choice(["out", "row"])
    return f"""
    for i in range({one}):
        for j in range({other}):
            at = {place}
            if 0 <= at and at < A * B:
                nisa.dma_copy(dst={buffer}[:, nl.ds(at, {width})], src=x[:, nl.ds(at, {width})])
    {"" if buffer == "out" else "nisa.dma_copy(dst=out, src=row)"}
"""


def blocks(choose: random.Random) -> str:
    """Blocks of a flat row, each of some tiles."""
    start = choose.choice(["b * A", "b * A", "(B - 1 - b) * A", "b * B"])
    size = choose.choice(["A", "A", "A - 1", "B"])
    inner = choose.choice(["block", "block", "tiles", "skip"])
    body = f"""
    for b in range(B):
        start = {start}
        size = {size}
        if start + size <= A * B and size > 0:
"""
    if inner == "block":
        return body + "            nisa.dma_copy(dst=out[:, nl.ds(start, size)], src=x[:, nl.ds(start, size)])\n"
    first = "1" if inner == "skip" else "0"
    return (
        body
        + f"""
            for t in range({first}, size):
                nisa.dma_copy(dst=out[:, start + t : start + t + 1], src=x[:, start + t : start + t + 1])
"""
    )


def windows(choose: random.Random) -> str:
    """Windows of the first B + 3 columns, A apart or so."""
    size = choose.choice(["A", "A + 1", "A + 1", "A + 2", "A - 1"])
    count = choose.choice(["(length + A - 1) // A", "(length + A - 1) // A", "length // A", "(length + A - 2) // A"])
    skip = choose.choice(["0", "0", "0 if start == 0 else 1"])
    return f"""
    length = A * B
    for w in range({count}):
        start = w * A
        stop = min(start + {size}, length)
        skip = {skip}
        if start + skip < stop:
            nisa.dma_copy(dst=out[:, start + skip : stop], src=x[:, start + skip : stop])
"""


def kernel(seed: int) -> str:
    choose = random.Random(seed)
    parts = [choose.choice([tiles, blocks, windows])(choose) for _ in range(choose.choice([1, 1, 1, 2]))]
    return (
        """
    @nki.jit
    def kernel(x, A, B):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        row = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
"""
        + "".join(parts).replace("\n", "\n    ")
        + "\n        return out\n"
    )


def domain(v: Verification) -> None:
    one, other = v.dim("A", 1, HIGH), v.dim("B", 1, HIGH)
    v.call(v.tensor("x", (2, one * other), float32), one, other)


@pytest.mark.campaign
@pytest.mark.parametrize("block", range(2))
def test_what_is_proved_holds_in_every_concrete_run(tmp_path: Path, block: int) -> None:
    proved = refuted = 0
    for seed in range(12 * block, 12 * block + 12):
        folder = tmp_path / str(seed)
        folder.mkdir()
        subject = Subject.of(folder, kernel(seed), domain)
        still_open = subject.proof().open
        proved += not still_open
        for a, b in itertools.product(range(1, HIGH + 1), repeat=2):
            trial = subject.trial(A=a, B=b)
            if trial.unusable:
                continue
            if trial.findings.faults:
                refuted += 1
                assert still_open, (seed, a, b, kernel(seed))
                break
    assert proved
    assert refuted
