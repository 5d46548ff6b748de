"""Kernels that are wrong at few shapes are never proved, and those that are wrong nowhere never refuted."""

from __future__ import annotations

import pytest

from lab.adversaries import Adversary, adversaries, verdict
from lab.subject import Bench
from nkiverify.foundation.records import Verdict

#: 200 kernels in parts of five, of which one is in `make test`.
_SEED, _COUNT, _PART = 1127, 200, 5
_PARTS = range(_COUNT // _PART)


def part(number: int) -> list[Adversary]:
    return list(adversaries(_COUNT, _SEED))[number * _PART : (number + 1) * _PART]


@pytest.mark.parametrize("number", _PARTS)
def test_what_is_wrong_at_few_shapes_is_not_proved(number: int, bench: Bench) -> None:
    for adversary in part(number):
        run = verdict(adversary.source, adversary.phase, bench)
        assert run.verdict in (Verdict.FAILED, Verdict.UNKNOWN) or run.qualifier, adversary
        assert all(found.replayed for found in run.violations), adversary


@pytest.mark.parametrize("number", _PARTS)
def test_what_is_wrong_nowhere_is_not_refuted(number: int, bench: Bench) -> None:
    for adversary in part(number):
        run = verdict(adversary.twin, adversary.phase, bench)
        assert run.verdict in (Verdict.SUCCESSFUL, Verdict.UNKNOWN), (adversary, run.violations)


@pytest.mark.parametrize("number", _PARTS)
def test_the_shape_that_is_named_is_one_of_those(number: int, bench: Bench) -> None:
    for adversary in part(number):
        run = verdict(adversary.source, adversary.phase, bench, adversary.at)
        assert run.verdict is Verdict.FAILED, adversary
