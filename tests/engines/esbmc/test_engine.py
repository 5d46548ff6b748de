"""What the ESBMC of the wheel decides, against what is true."""

from __future__ import annotations

import os
import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.programs import (
    DIVISION,
    Writer,
    atom,
    branch,
    claim,
    dimension,
    index,
    loop,
    program,
    truth,
)
from nkiverify.engines.embedded import Outcome
from nkiverify.engines.esbmc import locate
from nkiverify.engines.esbmc.dialects import CDialect
from nkiverify.engines.esbmc.engine import EsbmcEngine, EsbmcResult
from nkiverify.engines.esbmc.flags import Flags, Strategy
from nkiverify.engines.esbmc.locate import Installation, Solver
from nkiverify.engines.esbmc.lowering import Arithmetic, LoopForm, Lowered
from nkiverify.engines.esbmc.output import Conclusion, EsbmcReport
from nkiverify.ir.program import Assume, Program
from nkiverify.symbolic import any_of

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="the wheel is for Linux on x86-64"
)

LARGE = 2**31 - 1
NO_FLAGS = Flags()


@pytest.fixture(scope="module")
def wheel() -> Installation:
    found = locate.find({"PATH": os.defpath})
    assert found is not None
    return found


def decide(
    installation: Installation, written: Program, flags: Flags = NO_FLAGS, only: Arithmetic | None = None
) -> EsbmcResult:
    engine = EsbmcEngine(installation, written, "test", flags, only=only)
    return engine.decide(1, 120.0)


def outcomes(result: EsbmcResult) -> dict[int, Outcome]:
    return {decision.claim.number: decision.outcome for decision in result.decisions}


#: Bit-vectors take half a minute for the others.
QUICK = (0, 2, 3, 5, 6, 7, 8, 10)


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("seed", "only"),
    [(seed, Arithmetic.INTEGERS) for seed in range(12)] + [(seed, Arithmetic.BIT_VECTORS) for seed in QUICK],
)
def test_random_programs(wheel: Installation, seed: int, only: Arithmetic) -> None:
    written = Writer(random.Random(seed), products=only is Arithmetic.INTEGERS).program()
    expected = truth(written)
    result = decide(wheel, written, only=only)
    for decision in result.decisions:
        # What is never reached holds; not every build tells that apart.
        never_reached = (Outcome.PROVED, Outcome.UNREACHED)
        told = expected.get(decision.claim.number)
        assert decision.outcome in (never_reached if told is None else (told,)), decision.claim
    assert result.faults == ()


def test_every_refuted_claim_of_a_program_is_found(wheel: Installation) -> None:
    n = dimension("n")
    written = program({"n": (1, 9)}, *(claim(number, n != number) for number in range(1, 13)))
    found = outcomes(decide(wheel, written))
    assert [number for number, outcome in found.items() if outcome is Outcome.REFUTED] == list(range(1, 10))
    assert [number for number, outcome in found.items() if outcome is Outcome.PROVED] == [10, 11, 12]


def test_the_values_of_a_counterexample_include_those_of_indices(wheel: Installation) -> None:
    n, i = dimension("n"), index("i", dimension("n"))
    (decision,) = decide(wheel, program({"n": (1, 4)}, loop(i, claim(1, i < 3)))).decisions
    assert decision.outcome is Outcome.REFUTED
    assert decision.values == {atom(n): 4, atom(i): 3}


def test_the_last_legal_and_the_first_illegal_tile(wheel: Installation) -> None:
    n, i = dimension("N"), index("i", dimension("N") // 512)
    for size, expected in ((512, Outcome.PROVED), (513, Outcome.REFUTED)):
        written = program({"N": (1, LARGE)}, Assume(n % 512 == 0), loop(i, claim(1, 512 * i + size <= n)))
        assert outcomes(decide(wheel, written)) == {1: expected}


def test_products_of_variables_are_decided_with_unbounded_integers(wheel: Installation) -> None:
    rows, columns = dimension("rows"), dimension("columns")
    i, j = index("i", rows), index("j", columns)
    bounds = {"rows": (1, LARGE), "columns": (1, LARGE)}
    for last, expected in ((1, Outcome.PROVED), (2, Outcome.REFUTED)):
        inside = claim(1, i * columns + j <= rows * columns - last)
        (decision,) = decide(wheel, program(bounds, loop(i, loop(j, inside)))).decisions
        assert (decision.outcome, decision.arithmetic) == (expected, Arithmetic.INTEGERS)


def test_a_product_that_wraps_around_64_bits_proves_nothing(wheel: Installation) -> None:
    # 2**16 * 2**16 * 2**16 * 2**16 is 0 in 64 bits.
    names = "abcd"
    bounds = dict.fromkeys(names, (2**16, 2**16))
    product = dimension("a") * dimension("b") * dimension("c") * dimension("d")
    written = program(bounds, claim(1, product >= 2**60), claim(2, product <= 0))
    assert outcomes(decide(wheel, written)) == {1: Outcome.PROVED, 2: Outcome.REFUTED}
    narrow = decide(wheel, written, only=Arithmetic.BIT_VECTORS)
    assert {(decision.outcome, decision.reason) for decision in narrow.decisions} == {
        (Outcome.UNDECIDED, "it does not fit 64 bits")
    }


def test_loops_within_the_bound_are_unwound_and_others_are_represented(wheel: Installation) -> None:
    n, long = dimension("n"), dimension("long")
    i, j = index("i", n), index("j", long)
    written = program({"n": (0, 4), "long": (0, LARGE)}, loop(i, claim(1, i < n)), loop(j, claim(2, j < long)))
    result = decide(wheel, written, Flags(unwind=5))
    assert result.forms == {LoopForm.UNWOUND: 1, LoopForm.REPRESENTATIVE: 1}
    assert outcomes(result) == {1: Outcome.PROVED, 2: Outcome.PROVED}
    # Four iterations need a bound of five: with less, no unwinding assertion fails, the loop takes the other form.
    result = decide(wheel, written, Flags(unwind=4))
    assert result.forms == {LoopForm.REPRESENTATIVE: 2}
    assert outcomes(result) == {1: Outcome.PROVED, 2: Outcome.PROVED}


@pytest.mark.parametrize("strategy", [Strategy.K_INDUCTION, Strategy.INCREMENTAL])
def test_strategies(wheel: Installation, strategy: Strategy) -> None:
    n = dimension("n")
    i = index("i", n)
    for last, expected in ((4, Outcome.PROVED), (3, Outcome.REFUTED)):
        written = program({"n": (0, 4)}, loop(i, claim(1, i < last)), claim(2, n >= 0))
        result = decide(wheel, written, Flags(strategy=strategy))
        assert outcomes(result) == {1: expected, 2: Outcome.PROVED}
        assert LoopForm.REPRESENTATIVE not in result.forms


def test_a_solver_that_a_build_lacks_is_noted(wheel: Installation) -> None:
    written = program({"n": (1, 4)}, claim(1, dimension("n") <= 4))
    without = replace(wheel, solvers=tuple(each for each in wheel.solvers if each[0] is not Solver.BITWUZLA))
    result = decide(without, written, Flags(solver=Solver.BITWUZLA))
    assert outcomes(result) == {1: Outcome.PROVED}
    assert result.notes == (f"{wheel.name} has no --bitwuzla: its default solver instead",)
    for solver in Solver:
        assert decide(wheel, written, Flags(solver=solver)).notes == ()


def test_the_overflow_check_is_passed_on(wheel: Installation, tmp_path: Path) -> None:
    n = dimension("n")
    written = program({"n": (1, LARGE)}, claim(1, 2 * n >= n + 1), claim(2, 2 * n >= n + 2))
    engine = EsbmcEngine(wheel, written, "test", Flags(overflow_check=True), tmp_path)
    assert outcomes(engine.decide(1, 60.0)) == {1: Outcome.PROVED, 2: Outcome.REFUTED}
    assert any("--overflow-check" in file.read_text() for file in tmp_path.iterdir())


def test_an_empty_domain_is_found_out(wheel: Installation) -> None:
    n = dimension("n")
    written = program({"n": (1, 9)}, Assume(n % 10 == 0, "domain"), claim(1, n == 5))
    assert outcomes(decide(wheel, written)) == {1: Outcome.UNREACHED}


def phased() -> Program:
    """Claims of three phases that hold, that do not, and that nothing reaches, and one of unwinding."""
    n, i = dimension("n"), index("i", dimension("n"))
    inside = [replace(claim(4, i <= 6), phase=2), replace(claim(5, i <= 5), phase=2)]
    return program(
        {"n": (1, 7)},
        claim(1, n <= 7),
        claim(2, n <= 6),
        replace(claim(3, n >= 1), phase=3),
        loop(i, *inside),
        branch(n >= 8, [replace(claim(6, n >= 8), phase=3)], [replace(claim(7, n != 7), phase=3)]),
        claim(8, n <= 7, unwinding=True),
    )


TRUE = {1: True, 2: False, 3: True, 4: True, 5: False, 6: True, 7: False, 8: True}


@pytest.mark.parametrize("failing", [(), (2, 5, 7), (1, 3), tuple(TRUE)], ids=str)
def test_phases_that_are_decided_together_are_decided_as_if_alone(
    wheel: Installation, failing: tuple[int, ...]
) -> None:
    written = phased()
    engine = EsbmcEngine(wheel, written, "test", NO_FLAGS, together=(1, 2, 3), failing=failing)
    results = {phase: engine.decide(phase, 60.0) for phase in (1, 2, 3)}
    for phase, result in results.items():
        alone = EsbmcEngine(wheel, written, "test", NO_FLAGS).decide(phase, 60.0)
        # What is thought to fail is a matter of order: nothing follows from it.
        assert {number: one is not Outcome.REFUTED for number, one in outcomes(result).items()} == {
            number: TRUE[number] for number in outcomes(alone)
        }
        assert outcomes(alone).keys() == outcomes(result).keys()
        assert result.forms == alone.forms
        assert result.faults == ()
    assert results[2].runs == results[3].runs == 0
    assert results[2].forms == {LoopForm.UNWOUND: 1}
    assert results[1].forms == {}


def test_one_process_decides_all_claims_where_one_will_be_refuted(wheel: Installation) -> None:
    n = dimension("n")
    written = program({"n": (1, 9)}, claim(1, n <= 9), claim(2, n <= 8), replace(claim(3, n <= 7), phase=2))
    result = EsbmcEngine(wheel, written, "test", NO_FLAGS, together=(1, 2), failing=(2,)).decide(1, 60.0)
    assert (outcomes(result), result.runs) == ({1: Outcome.PROVED, 2: Outcome.REFUTED}, 1)


@pytest.mark.parametrize("failing", [(), (1,)])
def test_an_empty_domain_is_found_out_together_with_claims(wheel: Installation, failing: tuple[int, ...]) -> None:
    n = dimension("n")
    written = program({"n": (1, 9)}, Assume(n % 10 == 0, "domain"), claim(1, n == 5), claim(2, n <= 9))
    engine = EsbmcEngine(wheel, written, "test", NO_FLAGS, failing=failing)
    assert set(outcomes(engine.decide(1, 60.0)).values()) == {Outcome.UNREACHED}


@pytest.mark.parametrize("failing", [(), (1,)])
def test_a_lowering_that_contradicts_itself_proves_nothing(
    wheel: Installation, failing: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine = CDialect.assume
    monkeypatch.setattr(CDialect, "assume", lambda self, condition, note="": genuine(self, "1 == 0", note))
    n = dimension("n")
    written = program({"n": (1, 9)}, claim(1, n == 5), claim(2, n <= 9))
    engine = EsbmcEngine(wheel, written, "test", NO_FLAGS, failing=failing)
    assert set(outcomes(engine.decide(1, 60.0)).values()) == {Outcome.UNREACHED}


def test_claims_that_are_too_hard_together_are_decided_one_by_one(
    wheel: Installation, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    genuine = EsbmcEngine._run

    def hard(self: EsbmcEngine, lowered: Lowered, attempt: Any, seconds: float, every: bool = False) -> EsbmcReport:
        if not every and len(lowered.asserted) > 1:
            return EsbmcReport(Conclusion.OUT_OF_MEMORY)
        return genuine(self, lowered, attempt, seconds, every)

    monkeypatch.setattr(EsbmcEngine, "_run", hard)
    n = dimension("n")
    written = program({"n": (1, 9)}, claim(1, n <= 9), claim(2, n >= 1), claim(3, n <= 8))
    assert outcomes(decide(wheel, written)) == {1: Outcome.PROVED, 2: Outcome.PROVED, 3: Outcome.REFUTED}


@pytest.mark.parametrize("failing", [(), (2, 4)])
def test_claims_that_are_alike_have_the_same_outcome_and_values_each(
    wheel: Installation, failing: tuple[int, ...]
) -> None:
    n = dimension("n")
    i = index("i", n - 100)
    never = loop(i, claim(5, n <= 9), claim(6, n <= 9))
    written = program({"n": (1, 9)}, claim(1, n <= 9), claim(2, n <= 8), claim(3, n <= 9), claim(4, n <= 8), never)
    result = EsbmcEngine(wheel, written, "test", NO_FLAGS, failing=failing).decide(1, 60.0)
    expected = [Outcome.PROVED, Outcome.REFUTED, Outcome.PROVED, Outcome.REFUTED, Outcome.UNREACHED, Outcome.UNREACHED]
    assert list(outcomes(result).values()) == expected
    assert [list(one.values.values()) for one in result.decisions if one.outcome is Outcome.REFUTED] == [[9], [9]]
    assert not result.faults


def test_products_in_hypotheses_are_left_to_unbounded_integers(wheel: Installation) -> None:
    # Bit-vectors do not come to an end with these.
    size, width = dimension("size"), dimension("width")
    bounds = {"size": (1, LARGE), "width": (1, LARGE)}
    written = program(bounds, Assume(width + size * width <= 32767), claim(1, width <= size + 53245))
    (decision,) = decide(wheel, written).decisions
    assert (decision.outcome, decision.arithmetic) == (Outcome.PROVED, Arithmetic.INTEGERS)


def test_a_program_without_claims_takes_no_run(wheel: Installation) -> None:
    result = decide(wheel, program({"n": (1, 9)}))
    assert (result.decisions, result.runs) == ((), 0)


def test_divisions_by_zero_are_reported_one_by_one(wheel: Installation) -> None:
    n = dimension("n")
    zero = Assume(n != 0, "a division", of_division=True)
    quotient = claim(3, 8 // n >= 1)
    written = program({"n": (0, 8)}, claim(1, n != 0, DIVISION), zero, claim(2, n != 0, DIVISION), quotient)
    assert outcomes(decide(wheel, written)) == {1: Outcome.REFUTED, 2: Outcome.REFUTED, 3: Outcome.PROVED}


def test_a_representative_index_is_within_its_range(wheel: Installation) -> None:
    n = dimension("n")
    element = index("element", n, representative=True)
    written = program(
        {"n": (0, 4)},
        claim(1, element < 4),
        claim(2, element < 3),
        claim(3, n >= 1),
        Assume(element >= 2),
        claim(4, n >= 3),
    )
    expected = {1: Outcome.PROVED, 2: Outcome.REFUTED, 3: Outcome.REFUTED, 4: Outcome.PROVED}
    assert outcomes(decide(wheel, written)) == expected


def test_a_loop_over_a_representative_index_says_nothing_behind_it(wheel: Installation) -> None:
    n = dimension("n")
    element = index("element", n, representative=True)
    for extent in (element + 1, 100_000 * element):
        i = index("i", extent)
        written = program({"n": (0, 4)}, loop(i, claim(1, n >= 1), claim(2, i <= element)), claim(3, n >= 1))
        found = outcomes(decide(wheel, written))
        assert (found[1], found[3]) == (Outcome.PROVED, Outcome.REFUTED)


def test_rounding_up_the_number_of_tiles(wheel: Installation) -> None:
    channels = dimension("channels")
    tiles = -((-channels) // 128)
    c = index("c", tiles)
    claims = [
        claim(1, c <= 2**24 - 1),
        claim(2, c <= 2**24 - 2),
        claim(3, 128 * c <= channels - 1),
        claim(4, 128 * c <= channels - 2),
    ]
    for only in Arithmetic:
        found = outcomes(decide(wheel, program({"channels": (1, LARGE)}, loop(c, *claims)), only=only))
        assert found == {1: Outcome.PROVED, 2: Outcome.REFUTED, 3: Outcome.PROVED, 4: Outcome.REFUTED}, only


def test_hypotheses_do_not_leave_the_block_they_are_in(wheel: Installation) -> None:
    n, i = dimension("n"), index("i", dimension("n"))
    written = program(
        {"n": (0, 4)},
        loop(i, Assume(n >= 4), claim(1, n >= 4)),
        claim(2, n >= 4),
        branch(n <= 2, [Assume(n >= 1), claim(3, any_of(n == 1, n == 2))], [claim(4, n >= 3), claim(5, n >= 4)]),
    )
    refuted = {number for number, outcome in outcomes(decide(wheel, written)).items() if outcome is Outcome.REFUTED}
    assert refuted == {2, 5}


def test_the_lowered_programs_are_kept_and_say_how_they_were_run(wheel: Installation, tmp_path: Path) -> None:
    n, i = dimension("n"), index("i", dimension("n"))
    written = program({"n": (0, 4)}, loop(i, claim(1, i < n)))
    EsbmcEngine(wheel, written, "name_of_target", Flags(), tmp_path).decide(1, 60.0)
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["name_of_target-phase1-1.c", "name_of_target-phase1-2.c"]
    first_line = files[1].read_text().splitlines()[0]
    assert first_line == "// esbmc name_of_target-phase1-2.c --unwind 9 --no-library"


def test_no_time_decides_nothing(wheel: Installation) -> None:
    written = program({"n": (1, 4)}, claim(1, dimension("n") <= 4), claim(2, dimension("n") <= 3))
    result = EsbmcEngine(wheel, written, "test", Flags()).decide(1, 0.0)
    assert {(decision.outcome, decision.reason) for decision in result.decisions} == {(Outcome.UNDECIDED, "time-out")}
