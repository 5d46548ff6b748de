"""Random views of one tile, some written and one read: what is proved for all shapes holds in every concrete run."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float32
from tests.dataflow.subject import Subject

#: Elements of a row of the tile by the type they are seen as, and the most that the dimension n is.
WIDTHS = {"float32": 24, "bfloat16": 48, "uint8": 96}
MOST = 3


def domain(v: Verification) -> None:
    v.call(v.tensor("x", (4, 4), float32), v.dim("n", 1, MOST))


def axes(choose: random.Random) -> str:
    """Steps and counts of one or two axes along a row."""
    counts = ["2", "3", "n", "n", "n + 1", "2 * n"]
    found = [f"[{choose.choice([1, 1, 2, 2, 3, 4])}, {choose.choice(counts)}]" for _ in range(choose.choice([1, 2, 2]))]
    return ", ".join(found)


def view(choose: random.Random) -> str:
    """A view of the tile."""
    dtype = choose.choice(["float32", "float32", "bfloat16", "uint8"])
    width = WIDTHS[dtype]
    base = "tile" if dtype == "float32" else f"tile.view(nl.{dtype})"
    low = choose.choice(["0", "0", "0", "1", "n", f"{width // 8} * n"])
    high = choose.choice([f"{width}", f"{width // 2}", f"{width // 4} * n", f"{width} - n"])
    return choose.choice(
        [
            f"{base}[:, {low}:{high}:{choose.choice([2, 3, 4])}]",
            f"{base}[:, {low}:{high}]",
            f"{base}.ap([[{width}, 4], {axes(choose)}], offset={choose.choice(['0', '0', '1', 'n', 'n - 1'])})",
            f"{base}.ap([[{width}, 4], {axes(choose)}], offset={choose.choice(['0', '0', '1', 'n', 'n - 1'])})",
            f"{base}.reshape((4, 4, {width // 4}))[:, {choose.choice(['1:3', '0:n', 'n - 1', '0:4:2'])}, :]",
        ]
    )


def kernel(seed: int) -> str:
    choose = random.Random(seed)
    written = [f"    nisa.memset({view(choose)}, 0)" for _ in range(choose.randint(1, 3))]
    if choose.random() < 0.3:
        written.append(
            "    nisa.memset(tile, 0)" if choose.random() < 0.1 else "    nisa.memset(tile[:, 0 : 6 * n], 0)"
        )
    return "\n".join(
        [
            "@nki.jit",
            "def kernel(x, n):",
            f"    tile = nl.ndarray((4, {WIDTHS['float32']}), dtype=nl.float32, buffer=nl.sbuf)",
            *written,
            f"    read = {view(choose)}",
            "    out = nl.ndarray(read.shape, dtype=read.dtype, buffer=nl.shared_hbm)",
            "    nisa.dma_copy(out, read)",
            "    return out",
        ]
    )


@pytest.mark.campaign
@pytest.mark.parametrize("block", range(2))
def test_what_is_proved_of_views_holds_in_every_concrete_run(tmp_path: Path, block: int) -> None:
    proved = refuted = 0
    for seed in range(100 * block, 100 * block + 100):
        folder = tmp_path / str(seed)
        folder.mkdir()
        subject = Subject.of(folder, kernel(seed), domain)
        trials = [subject.trial(n=each) for each in range(1, MOST + 1)]
        if all(trial.unusable for trial in trials):
            continue
        faulty = [trial.values["n"] for trial in trials if not trial.unusable and trial.findings.faults]
        still_open = subject.proof().open
        assert not (faulty and not still_open), (seed, faulty, kernel(seed))
        proved += not still_open
        refuted += bool(faulty)
    assert proved > 10
    assert refuted > 10
