"""Random kernels of loads, fills, copies and stores: what is proved for all shapes holds in every concrete run."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float32
from tests.dataflow.subject import Subject

ROWS, PIECE = 9, 3


def domain(v: Verification) -> None:
    v.call(v.tensor("x", (v.dim("R", 1, ROWS), 4), float32))


def bound(choose: random.Random, index: str) -> str:
    """A place in the columns of a tile, mostly at an edge."""
    return choose.choice(
        ["0", "R", "R", f"min(R, {PIECE} * {index} + {PIECE})", f"{PIECE} * {index}", "min(R, 2)", "R // 2"]
    )


def statement(choose: random.Random, index: str) -> str:
    """One operation on a range of columns of tiles that hold x transposed in thought: (4, R)."""
    low, high = bound(choose, index), bound(choose, index)
    where = choose.choice(["one", "two"])
    operation = choose.choice(
        [
            f"nisa.dma_copy({where}[:, a:b], flat[:, a:b])",
            f"nisa.memset({where}[:, a:b], 0.0)",
            "nisa.tensor_copy(two[:, a:b], one[:, a:b])",
            "nisa.tensor_copy(one[:, a:b], two[:, a:b])",
            f"nisa.dma_copy(out[:, a:b], {where}[:, a:b])",
            f"nisa.dma_copy(out[:, a:b], {where}[:, a:b])",
        ]
    )
    return f"a, b = {low}, {high}\n{{indent}}if a < b:\n{{indent}}    {operation}"


def kernel(seed: int) -> str:
    choose = random.Random(seed)
    lines = [
        "@nki.jit",
        "def kernel(x):",
        "    R = x.shape[0]",
        "    flat = x.reshape((4, R))",
        "    out = nl.ndarray((4, R), dtype=x.dtype, buffer=nl.shared_hbm)",
        "    one = nl.ndarray((4, R), dtype=x.dtype, buffer=nl.sbuf)",
        "    two = nl.ndarray((4, R), dtype=x.dtype, buffer=nl.sbuf)",
    ]
    if choose.random() < 0.6:
        lines.append("    nisa.dma_copy(one, flat)")
    for _ in range(choose.randint(1, 3)):
        if choose.random() < 0.6:
            lines.append(f"    for i in range((R + {PIECE - 1}) // {PIECE}):")
            lines += [
                "        " + statement(choose, "i").replace("{indent}", "        ") for _ in range(choose.randint(1, 3))
            ]
        else:
            lines.append("    " + statement(choose, "0").replace("{indent}", "    "))
    if choose.random() < 0.7:
        lines.append(f"    nisa.dma_copy(out, {choose.choice(['one', 'two'])})")
    lines.append("    return out")
    return "\n".join(lines)


@pytest.mark.campaign
@pytest.mark.parametrize("block", range(3))
def test_what_is_proved_holds_in_every_concrete_run(tmp_path: Path, block: int) -> None:
    proved = refuted = 0
    for seed in range(20 * block, 20 * block + 20):
        folder = tmp_path / str(seed)
        folder.mkdir()
        subject = Subject.of(folder, kernel(seed), domain)
        trials = [subject.trial(R=rows) for rows in range(1, ROWS + 1)]
        if any(trial.unusable for trial in trials):
            continue
        faulty = [trial.values["R"] for trial in trials if trial.findings.faults]
        still_open = subject.proof().open
        assert not (faulty and not still_open), (seed, faulty, kernel(seed))
        proved += not still_open
        refuted += bool(faulty)
    assert proved
    assert refuted
