"""Rewritings that must not move a verdict: they change no run, and a verdict that moves is seen."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from lab import metamorphic
from lab import subject as subjects
from lab.fuzz import subject_number
from lab.metamorphic import REWRITINGS, rewritten, try_rewritings, widened
from lab.subject import PHASES, Bench, Subject, concrete, fails
from nkiverify.foundation.records import Basis, Run, Verdict
from nkiverify.frontend.target import Target

SEED = 2027


def failing(subject: Subject, bench: Bench) -> list[tuple[dict[str, int], int]]:
    """The values and phases in which the kernel fails."""
    with bench.target(subject) as target:
        played = [(values, concrete(target, values)) for values in subject.assignments()]
    return [(values, phase) for values, run in played for phase in PHASES if fails(run, phase)]


@pytest.mark.campaign
@pytest.mark.parametrize("name", sorted(REWRITINGS))
def test_a_rewriting_changes_no_run(name: str, bench: Bench) -> None:
    rewrote = 0
    for number in range(6):
        subject = subject_number(number, SEED, bench)
        variant = rewritten(subject, name, random.Random(number)) if subject is not None else None
        if subject is None or variant is None:
            continue
        rewrote += variant.kernel != subject.kernel
        assert failing(variant, bench) == failing(subject, bench), variant.kernel
    assert rewrote > 0


def test_a_wider_domain_contains_the_first_one(bench: Bench) -> None:
    subject = subject_number(0, SEED, bench)
    assert subject is not None
    wide = widened(subject)
    assert wide.kernel == subject.kernel
    assert wide.harness != subject.harness
    assert failing(wide, bench) == failing(subject, bench)


@pytest.mark.campaign
def test_no_rewriting_moves_a_verdict(bench: Bench) -> None:
    compared = 0
    for number in range(8):
        subject = subject_number(number, SEED, bench)
        if subject is not None:
            moved, count = try_rewritings(subject, bench, random.Random(number), count=2)
            assert moved == []
            compared += count
    assert compared > 20


def test_a_verdict_that_moves_is_seen(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = "def kernel(n):\n    assert n != 5\n"
    subject = Subject(kernel, "def target(v):\n    v.call(v.dim('n', 0, 7))\n", axes=())

    def gullible(target: Target, seconds: float) -> list[Run]:
        runs = subjects.verdicts(target, seconds)
        if "outlined" in (target.root / "kernel.py").read_text():
            return [replace(run, verdict=Verdict.SUCCESSFUL, basis=Basis.PROVED) for run in runs]
        return runs

    monkeypatch.setattr(metamorphic, "verdicts", gullible)
    moved, _ = try_rewritings(subject, bench, random.Random(1), count=len(REWRITINGS))
    assert [(one.rewriting, one.phase) for one in moved] == [("outlined", 1)]
