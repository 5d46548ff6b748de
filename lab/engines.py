"""`python -m lab.engines --count N --seed S`: random shape programs, decided in several ways.

The embedded engine, Z3 without our simplifier, cvc5, ESBMC, and for programs of a few values the truth: all who answer
agree. Program number i of seed S is always the same. Exits 1 where two answers differ, with the claim.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from lab.programs import Writer, truth
from lab.solvers import HAS_CVC5, cvc5_says, z3_says
from nkiverify.engines.embedded import EmbeddedEngine, Outcome
from nkiverify.engines.scripts import LOGIC
from nkiverify.ir.program import Program
from nkiverify.ir.walk import claims
from nkiverify.symbolic.conditions import negate
from nkiverify.symbolic.smt import Script

#: Milliseconds for one claim, and seconds of ESBMC for one program.
CLAIM_MS = 2000
ESBMC_SECONDS = 30.0

#: Whether each claim holds, by its number; those that are left open are left out.
Answers = dict[int, bool]


@dataclass(slots=True)
class Tally:
    """The tally of a campaign: programs, claims that each one decided, and the claims about which two differ."""

    programs: int = 0
    decided: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)


def program_number(number: int, seed: int) -> Program:
    """A program; every other one is about tiles of any extents, of which nobody can try all values."""
    return Writer(random.Random(f"{seed}/{number}"), tiles=bool(number % 2)).program()


def embedded_answers(program: Program) -> Answers:
    """Our own engine."""
    engine = EmbeddedEngine(program)
    engine.limit(10 * CLAIM_MS / 1000)
    return _answers({decision.claim.number: decision.outcome for decision in engine.decide(1)})


def esbmc_answers(program: Program) -> Answers:
    """ESBMC; nothing where there is none."""
    from nkiverify.engines.esbmc.engine import EsbmcEngine
    from nkiverify.engines.esbmc.flags import Flags
    from nkiverify.products.esbmc.second_opinion import installation

    found = installation()
    if found is None:
        return {}
    result = EsbmcEngine(found, program, "random", Flags()).decide(1, ESBMC_SECONDS)
    return _answers({decision.claim.number: decision.outcome for decision in result.decisions})


def solver_answers(program: Program, says: Callable[[str, int], str]) -> Answers:
    """A solver, asked about every claim by itself; nothing is simplified for it."""
    answers: Answers = {}
    for claim, path in claims(program):
        script = Script().assertions([*path, negate(claim.condition)])
        answer = says(f"(set-logic {LOGIC})\n{script}\n(check-sat)\n", CLAIM_MS)
        if answer in ("sat", "unsat"):
            answers[claim.number] = answer == "unsat"
    return answers


def deciders(esbmc: bool) -> Mapping[str, Callable[[Program], Answers]]:
    """Everything that is installed, by name."""
    found: dict[str, Callable[[Program], Answers]] = {
        "embedded": embedded_answers,
        "z3": lambda program: solver_answers(program, z3_says),
    }
    if HAS_CVC5:
        found["cvc5"] = lambda program: solver_answers(program, cvc5_says)
    if esbmc:
        found["esbmc"] = esbmc_answers
    return found


def differences(answers: Mapping[str, Answers]) -> dict[int, str]:
    """The claims, by number, about which not all who answer agree, with who says what."""
    found = {}
    for number in sorted({number for given in answers.values() for number in given}):
        said = {name: given[number] for name, given in answers.items() if number in given}
        if len(set(said.values())) > 1:
            sides = ", ".join(f"{name}: {'holds' if holds else 'fails'}" for name, holds in said.items())
            found[number] = f"claim {number}: {sides}"
    return found


def campaign(first: int, count: int, seed: int, esbmc: bool) -> Tally:
    """Programs `first` to `first + count - 1` of a seed."""
    tally = Tally()
    asked = deciders(esbmc)
    for number in range(first, first + count):
        program = program_number(number, seed)
        answers = {name: decide(program) for name, decide in asked.items()}
        if number % 2 == 0:
            answers["truth"] = _true_answers(program)
        tally.programs += 1
        tally.decided.update({name: len(given) for name, given in answers.items()})
        tally.decided["claims"] += sum(1 for _ in claims(program))
        tally.differences += [f"program {number} of seed {seed}, {text}" for text in differences(answers).values()]
    return tally


def _answers(outcomes: Mapping[int, Outcome]) -> Answers:
    return {
        number: outcome is not Outcome.REFUTED
        for number, outcome in outcomes.items()
        if outcome is not Outcome.UNDECIDED
    }


def _true_answers(program: Program) -> Answers:
    known = _answers(truth(program))
    # What no execution comes to holds.
    return {claim.number: known.get(claim.number, True) for claim, _ in claims(program)}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m lab.engines", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="how many programs")
    parser.add_argument("--seed", type=int, default=1, help="which programs")
    parser.add_argument("--first", type=int, default=0, help="the number of the first program")
    parser.add_argument("--no-esbmc", action="store_true", help="do without ESBMC, which takes seconds a program")
    options = parser.parse_args(arguments)
    started = time.monotonic()
    tally = campaign(options.first, options.count, options.seed, not options.no_esbmc)
    claims = tally.decided.pop("claims", 0)
    print(f"{tally.programs} programs, {claims} claims, in {time.monotonic() - started:.0f} s; decided by")
    for name, decided in tally.decided.items():
        print(f"  {decided:7d}  {name}")
    for difference in tally.differences:
        print(difference)
    print(f"differences: {len(tally.differences)}")
    return 1 if tally.differences else 0


if __name__ == "__main__":
    sys.exit(main())
