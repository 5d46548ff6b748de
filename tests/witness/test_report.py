"""What a user reads about typical mistakes, letter for letter.

The texts are in `snapshots/`; `pytest --new-answers` writes them anew, to be read before they are committed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from nkiverify.report import diagnostic
from nkiverify.report.style import Style
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.witness.seeded import SEEDED

SNAPSHOTS = Path(__file__).parent / "snapshots"

MISTAKES = (
    "slab_too_wide",
    "slice_off_by_one",
    "swapped_operands",
    "transposed_output",
    "loose_mask",
    "over_128_partitions",
    "fp32_tile_over_a_bank",
    "wrong_buffer",
    "division_by_zero",
    "overflow",
    "inconsistent_arguments",
    "one_dtype",
)


def shown(name: str, folder: Path, style: Style) -> str:
    seeded = next(seeded for seeded in SEEDED if seeded.name == name)
    (run,) = verify(seeded.target(folder), Options(root=folder))
    groups = diagnostic.grouped(run.violations)
    return "\n".join(line for group in groups for line in diagnostic.violations(group, folder, style=style)) + "\n"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows no columns: whole lines are underlined")
@pytest.mark.parametrize("name", MISTAKES)
def test_a_typical_mistake_is_told_so(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    text = shown(name, tmp_path, Style())
    file = SNAPSHOTS / f"{name}.txt"
    if request.config.getoption("--new-answers"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", MISTAKES)
def test_eighty_columns_hold(name: str, tmp_path: Path) -> None:
    long = [line.strip() for line in shown(name, tmp_path, Style(unicode=True)).splitlines() if len(line) > 80]
    # An address stays whole, so that a terminal can follow it.
    assert [line for line in long if not line.startswith("https://")] == []


def test_colour_adds_nothing_but_colour(tmp_path: Path) -> None:
    import re

    plain = shown("loose_mask", tmp_path, Style())
    coloured = shown("loose_mask", tmp_path, Style(colour=True))
    assert "\x1b[1;31m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
