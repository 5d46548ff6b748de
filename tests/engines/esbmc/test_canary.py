"""The canary set: what it tries, and that the builds we know pass it."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lab.programs import truth
from nkiverify.engines.embedded import Outcome
from nkiverify.engines.esbmc import canary, locate
from nkiverify.engines.esbmc.engine import EsbmcEngine
from nkiverify.engines.esbmc.flags import Flags, Strategy
from nkiverify.engines.esbmc.lowering import Arithmetic
from nkiverify.foundation.budget import SecondEngineBudget
from tests.engines.esbmc.scripts import build, installation

on_linux = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="the wheel is for Linux on x86-64"
)


@pytest.mark.campaign
@on_linux
def test_the_builds_of_the_wheels_get_everything_right() -> None:
    installed = list(locate.every({"PATH": os.defpath}))
    assert [found.version for found in installed] == [(8, 4, 0), (6, 7, 0)]
    for found in installed:
        # Tried now, unless this machine has tried this very build with this lowering.
        assert canary.check_once(found) == canary.CanaryResult()


@on_linux
def test_the_build_tells_the_inductive_claims_apart_by_k_induction_itself() -> None:
    found = next(locate.every({"PATH": os.defpath}))
    written = canary._inductive()
    engine = EsbmcEngine(found, written.program, "canary", Flags(strategy=Strategy.K_INDUCTION))
    result = engine.decide(1, 60.0)
    assert {one.claim.number: one.outcome for one in result.decisions} == written.expected
    # That the domain has values, both claims, and the one that is left: none is left to another way of asking.
    assert result.runs == 3


@on_linux
def test_a_binary_other_than_the_one_that_was_tried_is_refused(tmp_path: Path) -> None:
    (first, *_) = locate.every({"PATH": os.defpath})
    other = replace(first, path=build(tmp_path / "esbmc", ""))
    (wrong,) = canary.check(other).wrong
    assert (wrong.case, wrong.expected) == ("its SHA-256", locate.WHEELS[0].digest)


def test_a_build_that_comes_to_no_end_is_not_wrong_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SecondEngineBudget, "CANARY_SECONDS", 0.1)
    slow = installation(build(tmp_path / "esbmc", "import time\ntime.sleep(60)"))
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    announced: list[bool] = []
    for _ in range(2):
        trial = canary.check_once(slow, environment=environment, announce=lambda: announced.append(True))
        assert trial.wrong == () and "time-out" in trial.unfinished
    assert announced == [True, True]
    assert not (tmp_path / "cache").exists()


@pytest.mark.skipif("ESBMC" not in os.environ, reason="$ESBMC names no other build to try")
def test_the_build_that_the_environment_names_gets_everything_right() -> None:
    found = locate.find()
    assert found is not None
    assert canary.check(found) == canary.CanaryResult()


def test_there_are_a_few_dozen_cases_half_of_which_do_not_hold() -> None:
    programs = canary._programs(together=True, only=Arithmetic.INTEGERS)
    expected = [outcome for written in programs for outcome in written.expected.values()]
    assert len(expected) > 50
    assert expected.count(Outcome.REFUTED) >= 24
    assert expected.count(Outcome.PROVED) >= 24


def test_the_expected_verdicts_of_small_domains_are_the_true_ones() -> None:
    tried = 0
    for written in canary._programs(together=False, only=Arithmetic.INTEGERS):
        values = 1
        for described in written.program.dimensions:
            values *= (described.high or 0) - described.low + 1
        if values <= 1000:
            assert truth(written.program) == written.expected
            tried += 1
    assert tried >= 7


def test_the_verdict_on_a_build_is_remembered_until_it_changes(tmp_path: Path) -> None:
    tries = tmp_path / "tries"
    counting = f"open({str(tries)!r}, 'a').write('x')"
    path = build(tmp_path / "esbmc", counting)
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    first = canary.check_once(installation(path), environment=environment)
    assert first.wrong
    count = tries.stat().st_size
    assert canary.check_once(installation(path), environment=environment) == first
    assert tries.stat().st_size == count
    build(path, counting + "\n# another build")
    canary.check_once(installation(path), environment=environment)
    assert tries.stat().st_size > count


def test_a_cache_that_cannot_be_read_or_written_is_done_without(tmp_path: Path) -> None:
    path = build(tmp_path / "esbmc", "")
    (tmp_path / "file").touch()
    assert canary.check_once(installation(path), environment={"XDG_CACHE_HOME": str(tmp_path / "file")}).wrong
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    canary.check_once(installation(path), environment=environment)
    (entry,) = (tmp_path / "cache" / "nkiverify").iterdir()
    entry.write_text("torn")
    assert canary.check_once(installation(path), environment=environment).wrong
