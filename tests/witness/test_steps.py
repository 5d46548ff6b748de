"""What is found beside a verdict is bounded by steps: a machine that is a hundred times slower finds the same."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from pathlib import Path

import pytest

from nkiverify.foundation.clock import Allowance, count_steps, counting, now
from nkiverify.foundation.records import Run
from nkiverify.project.manifest_targets import load_targets
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

ROOT = Path(__file__).parents[2]


def _verified(name: str) -> list[Run]:
    (target,) = (one for one in load_targets(ROOT) if one.name == name)
    runs = verify(target, Options(ROOT, phases=(1, 2)))
    return [replace(run, milliseconds=0.0) for run in runs]


def test_a_slow_machine_finds_the_same_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = _verified("maxpooling_buggy_all")
    assert any(one.smallest for run in usual for one in run.violations)
    seconds = itertools.count(step=0.5)
    monkeypatch.setattr(time, "process_time", lambda: next(seconds))
    assert _verified("maxpooling_buggy_all") == usual


def test_an_allowance_is_used_up_by_steps_and_shares_are_parts_of_it() -> None:
    whole = Allowance(2)
    part, more = whole.share(1), whole.share(5)
    count_steps(6_000)
    assert (whole.used_up, part.used_up, more.used_up) == (False, True, False)
    count_steps(6_000)
    assert whole.used_up and more.used_up


def test_processor_time_is_at_most_a_millisecond_old_and_that_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    # The first of each block is asked for where it begins.
    wall, processor = iter([9.0, 10.0, 10.0005, 10.0015, 10.0, 10.0016]), iter([6.0, 7.0, 7.2, 0.0, 0.1])
    monkeypatch.setattr(time, "monotonic", lambda: next(wall))
    monkeypatch.setattr(time, "process_time", lambda: next(processor))
    with counting(True):
        assert [now(), now(), now()] == [7.0, 7.0, 7.2]
    with counting(True):  # in a process that has been forked since, a moment later
        assert now() == 0.1
