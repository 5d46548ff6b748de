"""What other processes do to the machine changes no verdict, where nobody has named a time-out."""

from __future__ import annotations

import itertools
import time

import pytest

from nkiverify.cli.arguments import selection
from nkiverify.cli.main import parser_of
from nkiverify.foundation import resources
from nkiverify.foundation.records import Verdict
from nkiverify.project.manifest import load_targets
from nkiverify.project.repository import here_or_ours
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


@pytest.mark.parametrize(("words", "unhurried"), [([], True), (["--timeout", "60"], False)])
def test_a_time_out_that_was_asked_for_is_the_walls(words: list[str], unhurried: bool) -> None:
    arguments = parser_of("run").parse_args(words)
    options = selection(arguments, here_or_ours())
    assert options.unhurried is unhurried
    assert options.hard_deadline >= (600 if unhurried else 60)
