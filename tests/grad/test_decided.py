"""`grad` says that a comparison, mask or branch went one way only, and which, where that leaves its answer open."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from nkiverify.project.request import parameters_of
from tests.quick import main

KERNELS = Path(__file__).parent / "kernels" / "decided.py"
RIGHT, WRONG, OPEN = 0, 1, 3
ONES = np.ones((8, 12), np.float32)
MIXED = (np.arange(96).reshape(8, 12) % 2).astype(np.float32)
LOW = 1000 * ONES
LOW[3, 4] = 0
FILES = {"ones": ONES, "zeros": 0 * ONES, "far": 1000 * ONES, "low": LOW, "mixed": MIXED, "twos": 2 * ONES}
FILES["signs"] = 1 - 2 * MIXED

#: The forward and the backward kernel, what is given in place of f32[8,12], and the exit status.
CASES = [
    ("leaky", "leaky_right", {}, RIGHT),
    ("leaky", "leaky_without_slope", {}, WRONG),
    ("leaky", "leaky_other_sign", {}, WRONG),
    ("near", "straight", {}, OPEN),
    ("near", "near_right", {}, OPEN),
    ("near", "straight", {"x": "f32[8,12] in -100..100"}, WRONG),
    ("near", "near_right", {"x": "f32[8,12] in -100..100"}, RIGHT),
    ("absolute", "absolute_right", {}, RIGHT),
    ("absolute", "straight", {}, WRONG),
    ("absolute", "straight", {"x": "f32[8,12] in 1..2"}, OPEN),
    ("hard", "hard_right", {}, RIGHT),
    ("hard", "hard_seven", {}, WRONG),
    ("sums_kept", "sums_straight", {"dy": "f32[8,1]"}, OPEN),
    ("guarded", "guarded_straight", {}, OPEN),
    ("up", "nothing", {}, RIGHT),
    ("up", "straight", {}, WRONG),
    # A helper compares with several constants, in one place.
    ("two_bounds", "two_straight", {}, OPEN),
    ("bounds_in_a_loop", "two_straight", {}, OPEN),
    # Integers are drawn, and none is the one that matters.
    ("plain", "label_5", {"label": "i32[8,1] in 0..3"}, OPEN),
    ("plain", "label_5", {"label": "i32[8,1] in 0..9"}, WRONG),
    ("plain", "label_far", {"label": "i32[8,1] in 0..100000"}, OPEN),
    ("plain", "label_less", {"label": "i32[8,1] in 0..100000"}, OPEN),
    ("pos_plain", "pos_times", {"pos": "i32[8,1] in 0..11"}, WRONG),
    ("pos_plain", "pos_times", {"pos": "i32[8,1] in 11..3000"}, OPEN),
    ("pos_plain", "pos_times", {"pos": "i32[8,1] in 10..300000"}, OPEN),
    # Branches that shapes decide.
    ("twice", "twice_right", {"x": "f32[8*m,4]", "dy": "f32[8*m,4]"}, RIGHT),
    ("twice", "twice_small", {"x": "f32[8*m,4]", "dy": "f32[8*m,4]"}, WRONG),
    ("twice", "twice_far", {"x": "f32[8*m,4]", "dy": "f32[8*m,4]"}, OPEN),
    ("twice", "twice_far", {"x": "f32[16,4]", "dy": "f32[16,4]"}, RIGHT),
    ("twice", "twice_third", {"x": "f32[8*m,4]", "dy": "f32[8*m,4]"}, WRONG),
    ("twice", "twice_seven", {"x": "f32[8*m,n]", "dy": "f32[8*m,n]"}, WRONG),
    ("twice", "twice_prime", {"x": "f32[8*m,n]", "dy": "f32[8*m,n]"}, WRONG),
    ("twice", "twice_max", {"x": "f32[8*m,4]", "dy": "f32[8*m,4]"}, OPEN),
    ("twice", "twice_quotient", {"x": "f32[8*m,4]", "dy": "f32[8*m,4]"}, OPEN),
    ("halves", "halves_right", {"x": "f32[m,4]", "dy": "f32[m,4]"}, OPEN),
    # Masks by position, which is not drawn.
    ("causal", "causal_right", {}, RIGHT),
    ("causal", "causal_next", {}, WRONG),
    ("causal", "causal_right", {"x": "f32[8,n]", "dy": "f32[8,n]"}, OPEN),
    ("window", "window_straight", {}, RIGHT),
    ("window", "window_straight", {"x": "f32[8,n]", "dy": "f32[8,n]"}, OPEN),
    # Contents of files.
    ("limited", "limited_straight", {"t": "@far.npy"}, OPEN),
    ("limited", "limited_right", {"t": "@low.npy"}, RIGHT),
    ("limited", "limited_straight", {"t": "@low.npy"}, WRONG),
    ("masked", "straight", {"m": "@ones.npy"}, RIGHT),
    ("masked", "masked_positive", {"m": "@twos.npy"}, WRONG),
    ("masked", "masked_positive", {"m": "@mixed.npy"}, RIGHT),
    ("masked", "masked_positive", {"m": "@signs.npy"}, WRONG),
    ("masked", "nothing", {"m": "@zeros.npy"}, RIGHT),
    ("squares", "squares_positive", {}, WRONG),
    ("squares", "squares_right", {}, RIGHT),
    ("squares", "squares_positive", {"x": "f32[8,12] in 1..2"}, OPEN),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("decided")
    shutil.copy(KERNELS, found)
    for name, contents in FILES.items():
        np.save(found / f"{name}.npy", contents)
    return found


@pytest.mark.parametrize(
    ("forward", "backward", "given", "status"),
    CASES,
    ids=["-".join([forward, backward, *given.values()]) for forward, backward, given, _ in CASES],
)
def test_status(
    forward: str,
    backward: str,
    given: dict[str, str],
    status: int,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    kernels = [f"decided.py::{name}" for name in (forward, backward)]
    names = dict.fromkeys(name for kernel in kernels for name in parameters_of(kernel, folder))
    words = [word for name in names for word in ("--arg", f"{name}={given.get(name, 'f32[8,12]')}")]
    assert main(["grad", *kernels, *words]) == status
    text = capsys.readouterr().out
    assert status != OPEN or "decided.py:" in text, "the line is named"
