"""The canary set: what it tries, and that the builds we know pass it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from lab.programs import truth
from nkiverify.engines.embedded import Outcome
from nkiverify.engines.esbmc import canary, locate
from nkiverify.engines.esbmc.lowering import Arithmetic
from tests.engines.esbmc.scripts import build, installation

on_linux = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="the wheel is for Linux on x86-64"
)


@on_linux
def test_the_build_of_the_wheel_gets_everything_right() -> None:
    found = locate.find({"PATH": os.defpath})
    assert found is not None
    assert canary.check(found) == ()


@pytest.mark.skipif("ESBMC" not in os.environ, reason="$ESBMC names no other build to try")
def test_the_build_that_the_environment_names_gets_everything_right() -> None:
    found = locate.find()
    assert found is not None
    assert canary.check(found) == ()


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
    first = canary.check_once(installation(path), environment)
    assert first
    count = tries.stat().st_size
    assert canary.check_once(installation(path), environment) == first
    assert tries.stat().st_size == count
    build(path, counting + "\n# another build")
    canary.check_once(installation(path), environment)
    assert tries.stat().st_size > count


def test_a_cache_that_cannot_be_read_or_written_is_done_without(tmp_path: Path) -> None:
    path = build(tmp_path / "esbmc", "")
    (tmp_path / "file").touch()
    assert canary.check_once(installation(path), {"XDG_CACHE_HOME": str(tmp_path / "file")})
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    canary.check_once(installation(path), environment)
    (entry,) = (tmp_path / "cache" / "nkiverify").iterdir()
    entry.write_text("torn")
    assert canary.check_once(installation(path), environment)
