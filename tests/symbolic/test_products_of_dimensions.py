"""Claims of the forms that kernels over products of dimensions make: flat addresses, tiles of products, ceilings."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from lab.products import CLAIMS, ceil_div, ours, script_of, stated
from lab.solvers import z3_says
from nkiverify.frontend.explorer import SymbolicExecution
from nkiverify.frontend.paths import Limits
from nkiverify.model.hardware import hardware_named
from nkiverify.symbolic import conditions
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.execution import running
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.prover import Prover
from nkiverify.symbolic.smt import Answer, Question

#: Those that the solver is needed for.
SOLVED = {"ceil_div(B*S, 128) <= B*ceil_div(S,128)", "B*N <= 1024"}


@pytest.fixture(autouse=True)
def _run() -> Iterator[None]:
    with running(SymbolicExecution(hardware_named("trn2"), Limits(), {})):
        yield


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim[3])
def test_the_claim_is_decided_without_the_solver(
    claim: tuple[str, str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hypotheses, condition = stated(claim)
    if claim[3] not in SOLVED:
        monkeypatch.setattr(Question, "satisfiable", lambda self, *asked: Answer.UNKNOWN)
    assert condition is True or Prover(hypotheses, 10_000).satisfiable(conditions.negate(condition)) is Answer.NO


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim[3])
def test_what_does_not_follow_is_not_proved(claim: tuple[str, str, str, str]) -> None:
    """The same claim with one less on the right, where numbers refute it."""
    hypotheses, _ = stated(claim)
    for old, new in ((" < ", " < -1 + "), (" <= ", " <= -1 + "), (" >= ", " >= 1 + "), (" == ", " == 1 + ")):
        if old in claim[3]:
            _, tighter = stated((*claim[:3], claim[3].replace(old, new)))
            if isinstance(tighter, Condition) and _refuted(claim, claim[3].replace(old, new)):
                assert not Facts().extended(*hypotheses).proves(tighter)
            return


def test_the_solvers_are_asked_what_we_are() -> None:
    right, wrong = CLAIMS[0], (*CLAIMS[0][:3], "b*S + s < B*S - 1")
    assert (ours(*stated(right)), z3_says(script_of(right))) == (True, "unsat")
    assert (ours(*stated(wrong)), z3_says(script_of(wrong))) == (False, "sat")


def _refuted(claim: tuple[str, str, str, str], text: str) -> bool:
    """True if some small numbers satisfy the hypotheses of a claim, and not `text`."""
    rng = random.Random(0)
    for _ in range(400):
        names: dict[str, Any] = {"ceil_div": ceil_div, "minimum": min}
        for described in claim[0].split():
            name, _, multiple = described.partition(":")
            names[name] = int(multiple or 1) * rng.choice((1, 1, 2, 3, 5))
        if not all(eval(part, names) for part in claim[2].split(" and ") if part):
            continue
        for described in claim[1].split():
            name, _, extent = described.partition("<")
            size = eval(extent, names)
            if size < 1:
                break
            names[name] = rng.choice((0, size - 1, rng.randrange(size)))
        else:
            if not eval(text, names):
                return True
    return False
