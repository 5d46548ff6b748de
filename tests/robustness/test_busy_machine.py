"""What other processes do to the machine changes no verdict, where nobody has named a time-out."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time

import pytest

from nkiverify.cli.command_arguments import selection
from nkiverify.cli.main import parser_of
from nkiverify.foundation import resources
from nkiverify.foundation.budget import SecondEngineBudget, TargetBudget
from nkiverify.foundation.clock import by_the_wall, counting, spent
from nkiverify.foundation.records import Verdict
from nkiverify.project.manifest_targets import load_targets
from nkiverify.project.repository import here_or_ours
from nkiverify.verify.case import Case
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify


@pytest.mark.parametrize(
    ("unhurried", "expected"), [(True, {Verdict.SUCCESSFUL}), (False, {Verdict.UNKNOWN})], ids=["default", "asked for"]
)
def test_the_walls_clock_ends_only_what_was_given_a_time_out(
    monkeypatch: pytest.MonkeyPatch, unhurried: bool, expected: set[Verdict]
) -> None:
    (target,) = (one for one in load_targets(resources.root()) if one.name == "matmul_tiled_all")
    hours = itertools.count(step=3600.0)
    monkeypatch.setattr(time, "monotonic", lambda: next(hours))
    runs = verify(target, Options(root=target.root, unhurried=unhurried))
    assert {run.verdict for run in runs} == expected


def test_phases_share_the_time_that_esbmc_takes_in_its_own_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    (target,) = (one for one in load_targets(resources.root()) if one.name == "matmul_tiled_all")
    used = [0.0]
    shares: list[float] = []

    def asked(target: object, phase: int, ask: object, options: Options, seconds: float) -> None:
        shares.append(seconds)
        used[0] += seconds

    monkeypatch.setattr("nkiverify.products.esbmc.second.spent", lambda: used[0])
    monkeypatch.setattr("nkiverify.products.esbmc.second._entry", asked)
    monkeypatch.setattr("nkiverify.products.esbmc.second_opinion.prepare", lambda names, lowering: None)
    verify(target, Options(root=target.root, engine="auto", phases=(1, 2), unhurried=True))
    assert len(shares) == 2
    assert sum(shares) <= SecondEngineBudget.SECONDS


def test_what_others_do_takes_no_time_of_processes_that_are_waited_for() -> None:
    with counting(processor=True):
        began = spent()
        subprocess.run([sys.executable, "-c", "import time; time.sleep(1)"], check=True)
        assert spent() - began < 0.9
        computing = "import time\nwhile time.process_time() < 0.5: pass"
        subprocess.run([sys.executable, "-c", computing], check=True)
        assert spent() - began >= 0.5


def test_a_solver_is_given_as_much_more_of_the_wall_as_others_take() -> None:
    assert by_the_wall(2.0) == 2.0
    with counting(processor=True):
        time.sleep(0.3)
        assert 2.0 < by_the_wall(2.0) <= 2.0 * TargetBudget.BUSY_FACTOR


def test_a_phase_whose_share_of_the_time_is_up_has_what_the_others_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    (target,) = (one for one in load_targets(resources.root()) if one.name == "matmul_tiled_all")
    monkeypatch.setattr(Case, "seconds_of", lambda case, phase: 0.0)
    runs = verify(target, Options(root=target.root, phases=(1, 2)))
    assert [run.verdict for run in runs] == [Verdict.SUCCESSFUL] * 2


@pytest.mark.parametrize(("words", "unhurried"), [([], True), (["--timeout", "60"], False)])
def test_a_time_out_that_was_asked_for_is_the_walls(words: list[str], unhurried: bool) -> None:
    arguments = parser_of("run").parse_args(words)
    options = selection(arguments, here_or_ours())
    assert options.unhurried is unhurried
    assert options.hard_deadline >= (10 * TargetBudget.SECONDS if unhurried else 60)
    # What uses the processor for longer is stopped on every machine alike.
    assert options.processor_deadline == (TargetBudget.SECONDS if unhurried else float("inf"))
