"""What is said to fail besides the witness does fail, shape by shape, in plain Python."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from nkiverify.foundation.records import Violation
from nkiverify.model.hardware import hardware_named
from nkiverify.phases.witness_replay import replay
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.witness.seeded import SEEDED, Seeded

STATEMENT = re.compile(
    r"any (?P<name>\w+)( > (?P<above>\d+)| that is no multiple of (?P<tile>\d+))? fails"
    r"(?P<fixed>, the others being as they are)?"
)

#: How far beyond a bound shapes are run, and the values of the other dimensions.
BEYOND = (1, 2, 3, 127, 128, 129, 256, 300)
OTHERS = (1, 2, 5, 128)


def covered(name: str, words: str, violation: Violation) -> Iterator[dict[str, int]]:
    """Some of the values that a statement is about."""
    said = STATEMENT.fullmatch(words)
    assert said is not None and said["name"] == name, words
    start = int(said["above"] or 0)
    others = [other for other in violation.values if other != name]
    for value in (start + step for step in BEYOND):
        if said["tile"] and value % int(said["tile"]) == 0:
            continue
        for choice in itertools.product(OTHERS, repeat=len(others)):
            fixed = said["fixed"] is not None
            yield {
                name: value,
                **{other: violation.values[other] if fixed else at for other, at in zip(others, choice, strict=True)},
            }


@pytest.mark.parametrize("seeded", SEEDED, ids=str)
def test_what_is_said_to_fail_fails(seeded: Seeded, tmp_path: Path) -> None:
    target = seeded.target(tmp_path)
    (run,) = verify(target, Options(root=tmp_path))
    first = run.violations[0]
    for name, words in first.generalises.items():
        for values in covered(name, words, first):
            played = replay(target, values, hardware_named("trn2"), checked=seeded.phase == 2)
            assert played.failed or played.excluded, f"{words}, but {values} passes"


@pytest.mark.parametrize(
    ("name", "dimension", "words"),
    [
        ("over_128_partitions", "K", "any K > 128 fails"),
        ("fp32_tile_over_a_bank", "n", "any n > 512 fails"),
        ("slice_off_by_one", "K", "any K fails"),
        ("tail_of_a_tile", "K", "any K that is no multiple of 128 fails"),
        ("free_size_limit", "M", "any M > 512 fails"),
        ("slab_too_wide", "K", "any K fails"),
        ("product_of_two", "M", "any M > 1000 fails"),
        ("prefetch_past_the_end", "K", "any K > 1 fails"),
    ],
)
def test_what_is_known_is_said(name: str, dimension: str, words: str, tmp_path: Path) -> None:
    seeded = next(seeded for seeded in SEEDED if seeded.name == name)
    (run,) = verify(seeded.target(tmp_path), Options(root=tmp_path))
    assert run.violations[0].generalises.get(dimension) == words


@pytest.mark.parametrize("name", ["stride_of_four", "square", "remainder_in_a_range", "division_by_zero"])
def test_nothing_is_said_where_a_larger_value_passes(name: str, tmp_path: Path) -> None:
    seeded = next(seeded for seeded in SEEDED if seeded.name == name)
    (run,) = verify(seeded.target(tmp_path), Options(root=tmp_path))
    moved = [name for name in run.violations[0].generalises if seeded.witness[name] != 1]
    assert moved == []
