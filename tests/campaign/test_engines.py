"""Everything that decides claims agrees on random programs, and where it does not, that is seen."""

from __future__ import annotations

import pytest

from lab import engines
from lab.engines import campaign, deciders, differences, main, program_number, solver_answers
from lab.solvers import cvc5_says, z3_says
from nkiverify.ir.program import Program
from nkiverify.ir.walk import claims


@pytest.mark.campaign
@pytest.mark.parametrize("seed", [1, 2])
def test_all_who_answer_agree(seed: int) -> None:
    tally = campaign(0, 6, seed, esbmc=False)
    assert tally.differences == []
    # Both solvers and our own engine answer nearly always: the comparison is one.
    assert all(tally.decided[name] >= 0.9 * tally.decided["claims"] for name in ("embedded", "z3", "cvc5"))
    assert tally.decided["truth"] > 0


def test_a_wrong_answer_is_a_difference_and_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lying(program: Program) -> dict[int, bool]:
        return {claim.number: True for claim, _ in claims(program)}

    monkeypatch.setattr(engines, "deciders", lambda esbmc: {**deciders(False), "liar": lying})
    assert main(["--count", "2", "--no-esbmc"]) == 1
    assert "liar: holds" in capsys.readouterr().out


def test_what_is_left_open_differs_from_nothing() -> None:
    assert differences({"one": {1: True, 2: False}, "two": {2: False}, "three": {}}) == {}
    assert differences({"one": {1: True}, "two": {1: False}}) == {1: "claim 1: one: holds, two: fails"}


def test_programs_are_the_same_each_time_and_the_solvers_are_asked_one_by_one() -> None:
    program = program_number(4, 3)
    assert [claim.condition for claim, _ in claims(program)] == [
        claim.condition for claim, _ in claims(program_number(4, 3))
    ]
    assert solver_answers(program, z3_says) == solver_answers(program, cvc5_says)
