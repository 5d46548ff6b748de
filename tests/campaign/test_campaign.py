"""A small, fixed part of the soundness campaign, and what the campaign itself must be able to see."""

from __future__ import annotations

import ast
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace

import pytest

from lab import fuzz, unwinding
from lab.fuzz import Tally, subject_number, try_number
from lab.grammar import sameness_draft
from lab.oracle import Defect, try_subject
from lab.shrink import shrink
from lab.subject import Axis, Bench, OutOfTime, Subject, time_limit
from nkiverify.foundation.records import Basis, Run, Verdict

SEED = 2026
SAMPLE = 75


def subject(body: str, unwind: int = 8) -> Subject:
    """A kernel of one dimension, 0 to 7."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    harness = "def target(v):\n    v.call(v.dim('n', 0, 7))\n"
    return Subject(f"def kernel(n):\n{lines}", harness, (Axis("n", 0, 7, 1, tuple(range(8))),), unwind)


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(5))
def test_verdicts_agree_with_all_concrete_runs(part: int, bench: Bench) -> None:
    tally = Tally()
    for number in range(part * SAMPLE // 5, (part + 1) * SAMPLE // 5):
        tally.add(try_number(number, SEED, bench, shrinking=0.0))
    assert [(defect["number"], defect["defect"], defect["detail"]) for defect in tally.defects] == []
    # A sample that is not tried, or that has no verdicts, shows nothing.
    assert tally.concrete > 50
    decided = sum(count for what, count in tally.verdicts.items() if "SUCCESSFUL" in what or "FAILED" in what)
    assert decided > SAMPLE // 10


@pytest.mark.campaign
def test_what_loops_keep_and_replace_agrees_with_all_concrete_runs(bench: Bench) -> None:
    tally = Tally()
    kit = replace(fuzz.SHAPES, subject=lambda number, seed, made: subject_number(number, seed, made, sameness_draft))
    for number in range(40):
        tally.add(try_number(number, SEED, bench, shrinking=0.0, kit=kit))
    assert [(defect["number"], defect["defect"], defect["detail"]) for defect in tally.defects] == []
    decided = sum(count for what, count in tally.verdicts.items() if "SUCCESSFUL" in what or "FAILED" in what)
    assert decided > 40


def test_kernels_are_the_same_for_the_same_seed(bench: Bench) -> None:
    assert [subject_number(n, 5, bench) for n in range(5)] == [subject_number(n, 5, bench) for n in range(5)]


class _Drafted:
    """Drafts, the first of which has a loop of one round too many."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, source: random.Random) -> _Drafted:
        self.made += 1
        return self

    def probing(self) -> Subject:
        rounds = 51 if self.made == 1 else 50
        return subject(f"from lab.probes import note\nfor i in range({rounds}): pass\nnote(1, n)")

    def finish(self, noted: object, source: random.Random) -> Subject:
        return self.probing()


def test_a_draft_is_dropped_for_the_rounds_of_its_loops_whatever_the_clock_says(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzz, "DRAFT_ROUNDS", 50)
    monkeypatch.setattr(fuzz, "time_limit", lambda seconds: nullcontext())
    made = subject_number(1, 1, bench, _Drafted())  # type: ignore[arg-type]
    assert made is not None and "range(50)" in made.kernel


def test_what_leaves_a_block_is_not_interrupted() -> None:
    left = []

    @contextmanager
    def slow_to_leave() -> Iterator[None]:
        try:
            yield
        finally:
            until = time.process_time() + 0.2
            while time.process_time() < until:
                pass
            left.append(True)

    with pytest.raises(OutOfTime), time_limit(0.05):
        with slow_to_leave():
            pass
        assert left == [True]
        while True:
            pass


def test_a_wrong_verdict_is_seen(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from lab import oracle
    from lab import subject as subjects

    right = subjects.verdicts

    def wrong(*arguments: object) -> list[Run]:
        runs = right(*arguments)  # type: ignore[arg-type]
        return [replace(run, verdict=Verdict.SUCCESSFUL, basis=Basis.PROVED, qualifier="") for run in runs]

    failing = subject("assert n != 3")
    assert try_subject(failing, bench).complaints == ()
    monkeypatch.setattr(oracle, "verdicts", wrong)
    assert [one.defect for one in try_subject(failing, bench).complaints] == [Defect.UNSOUND]


@pytest.mark.parametrize(("limit", "seen"), [(2, [Defect.UNSOUND_BOUNDED]), (3, [])])
def test_a_bounded_verdict_speaks_of_as_many_iterations_as_it_says(
    limit: int, seen: list[Defect], bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lab import oracle
    from lab import subject as subjects

    right = subjects.verdicts

    def bounded(*arguments: object) -> list[Run]:
        runs = right(*arguments)  # type: ignore[arg-type]
        return [replace(run, verdict=Verdict.SUCCESSFUL, basis=Basis.BOUNDED, qualifier="bounded 2") for run in runs]

    monkeypatch.setattr(oracle, "verdicts", bounded)
    kernel = subject(f"for i in range(n):\n    pass\nassert n < {limit}", unwind=2)
    assert [one.defect for one in try_subject(kernel, bench).complaints] == seen


def test_integers_beyond_32_bits_are_seen_however_they_come_about(bench: Bench) -> None:
    kernel = subject("c = 500000000\nfor i in range(n):\n    c *= 2")
    assert try_subject(kernel, bench).failing == (0, 5)


def test_iterations_are_counted_in_every_kind_of_loop() -> None:
    source = "for i in range(3):\n    pass\nwhile n:\n    pass\nx = [i for i in y]\n"
    watched = unwinding.count_iterations(source)
    assert watched.count("bounded(") == 2
    assert "tick_1()" in watched


def test_shrinking_keeps_what_matters() -> None:
    big = subject("a = 1\nb = n + a\nfor i in range(n):\n    a += 1\nassert n != 3")
    small = shrink(big, lambda candidate: "assert n != 3" in candidate.kernel, seconds=10)
    assert ast.unparse(ast.parse(small.kernel)) == "def kernel(n):\n    assert n != 3"
