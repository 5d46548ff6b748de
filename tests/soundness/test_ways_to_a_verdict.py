"""Every way from what is known of a phase to a verdict, row by row: reason, phase, engine, verdict, exit status.

Each row is a kernel, or what is known of one with one thing changed; without its rule it would end in another way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from nkiverify.analysis.sets.flow import OutOfTime
from nkiverify.engines.embedded import Decision, EmbeddedEngine, Outcome
from nkiverify.engines.esbmc.engine import EsbmcEngine, EsbmcResult
from nkiverify.foundation.budget import SearchingBudget
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError
from nkiverify.foundation.records import Run, Verdict
from nkiverify.frontend.paths import Limits
from nkiverify.ir.program import CARRIED
from nkiverify.manifest import Verification
from nkiverify.model.current_execution import SHAPE_PHASES
from nkiverify.model.dtypes import float32, uint32
from nkiverify.model.hardware import hardware_named
from nkiverify.model.placement import SUFFICIENT
from nkiverify.phases.witness_replay import Replay
from nkiverify.products.esbmc import second_opinion
from nkiverify.results.session import ExitStatus, status_of
from nkiverify.symbolic.prover import BUDGETS
from nkiverify.verify import dataflow_verdict, explorations, verdicts
from nkiverify.verify.domain_parts import DomainPart
from nkiverify.verify.evidence import concluded
from nkiverify.verify.exploration import explore
from nkiverify.verify.options import Options
from nkiverify.verify.verdicts import PhaseFacts, PhaseVerdict
from nkiverify.verify.verifier import verify
from nkiverify.verify.witness import faults
from tests.dataflow.subject import Subject

COPY = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((64, C), dtype=x.dtype, buffer=nl.sbuf)
    for block in range(R // 64):
        nisa.dma_copy(dst=tile, src=x[block * 64 : block * 64 + 64, :])
        nisa.dma_copy(dst=out[block * 64 : block * 64 + 64, :], src=tile)
    return out
"""
#: The last block has one row too many.
TOO_FAR = COPY.replace("block * 64 + 64, :])", "block * 64 + 65, :])")
#: It carries a number from one round to the next, so the loop is unrolled.
UNROLLED = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    last = 1
    for row in range(R):
        last = row - last
        nisa.dma_copy(dst=out[row : row + 1, :], src=x[row : row + 1, :])
    return out
"""
#: Nothing says which rows there are indices of.
GATHER = """
@nki.jit
def kernel(x, rows):
    out = nl.ndarray((8, 8), dtype=x.dtype, buffer=nl.shared_hbm)
    chosen = nl.ndarray((8, 1), dtype=rows.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=chosen, src=rows)
    nisa.dma_copy(dst=out, src=x.vector_select(0, chosen))
    return out
"""
#: No page says what NumPy's dtypes are.
NUMPY_DTYPE = "import numpy as np\n" + COPY.replace("(64, C), dtype=x.dtype", "(64, C), dtype=np.float32")
#: No solver tells whether there are such numbers.
CUBES = """
@nki.jit
def kernel(x, a, b, c):
    assert a * a * a + b * b * b != c * c * c
    return x
"""
#: Windows from the last to the first, whose width is a dimension: no proof goes through, and runs are needed.
BACKWARDS = """
@nki.jit
def kernel(x, step):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for w in range(C // step + 1):
        start = (C // step - w) * step
        stop = min(start + step, C)
        if start < stop:
            nisa.dma_copy(dst=out[:, start:stop], src=x[:, start:stop])
    return out
"""
#: An even number of columns has an even divisor where 2 is tried: that is known of what is run only.
SEARCHED = """
@nki.jit
def kernel(x, width):
    first = width
    while x.shape[1] % width:
        width -= 1
    assert width > 1 or x.shape[1] % 2 or first < 2
    return x
"""
#: A legacy kernel that counts its blocks in Python.
COUNTED = """
import neuronxcc.nki as legacy
import neuronxcc.nki.language as language

@legacy.jit
def kernel(x):
    back = 0
    for i in range(x.shape[0] // 64):
        language.load(x[i * 128 - back : i * 128 - back + 64])
        back += 64
    return x
"""


def blocks(v: Verification) -> None:
    """Any number of blocks."""
    v.call(v.tensor("x", (v.dim("R", multiple_of=64), v.dim("C", 1, 64)), float32))


def widths(v: Verification) -> None:
    """Any number of columns, and any width to begin with."""
    v.call(v.tensor("x", (64, v.dim("C", 1, 64)), float32), v.dim("W", 1, 16))


def rows(v: Verification) -> None:
    """Any number of rows."""
    v.call(v.tensor("x", (v.dim("R"), 8), float32))


def undeclared(v: Verification) -> None:
    """Any number of rows, of which any integers choose."""
    v.call(v.tensor("x", (v.dim("R"), 8), float32), v.tensor("rows", (8, 1), uint32))


def nowhere(v: Verification) -> None:
    """It calls no kernel."""
    v.dim("R")


def no_rows(v: Verification) -> None:
    """No number of rows is possible."""
    height = v.dim("R")
    v.assume(height < 1)
    v.call(v.tensor("x", (height, 8), float32))


def cubes(v: Verification) -> None:
    """Three numbers."""
    v.call(v.tensor("x", (4, 4), float32), v.dim("a"), v.dim("b"), v.dim("c"))


def windows(most: int | None = 12) -> Callable[[Verification], None]:
    """Up to so many columns."""

    def domain(v: Verification) -> None:
        step = v.dim("step", 2, 9)
        v.call(v.tensor("x", (1, v.dim("C", 1, most)), float32), step)

    return domain


NOTHING = "@nki.jit\ndef kernel(x):\n    return x\n"
NOT_UNDERSTOOD = NOTHING.replace("return x", "return x if hash(x.shape[0]) else x")


@dataclass(frozen=True, slots=True)
class Row:
    """One way to a verdict: the rule it goes by, a kernel, and what is changed of what is known."""

    rule: str
    phase: int
    body: str
    domain: Callable[[Verification], None]
    verdict: Verdict
    qualifier: str
    status: ExitStatus
    change: Callable[[Any], Any] = lambda known: known

    def __str__(self) -> str:
        return f"{self.rule}-{self.phase}"


# --- phases 1 to 3 ----------------------------------------------------------------------------------------------------


def _unconfirmed(known: PhaseFacts, replay: Replay | None = None, contract: str = "") -> PhaseFacts:
    """A refutation that a concrete run does not confirm."""
    first = replace(known.violations[0], replayed=False)
    first = replace(first, contract=contract) if contract else first
    return replace(known, violations=[first], replays=[replay] if replay else [])


def _unsure(known: PhaseFacts, contract: str = "") -> PhaseFacts:
    """What is refuted is enough for a contract, and not necessary."""
    known = _unconfirmed(known, None, contract)
    return replace(known, unsure=known.violations)


def _cut(known: PhaseFacts) -> PhaseFacts:
    """Some loop was unrolled, and not far enough as far as is known."""
    loop = replace(known.claims[0].claim, unwinding=True)
    return replace(known, decisions=[*known.decisions, replace(known.claims[0], claim=loop, outcome=Outcome.UNDECIDED)])


def _unreached(known: verdicts.PhaseFacts) -> verdicts.PhaseFacts:
    """Nothing is known to come to any claim, each of which holds."""
    decisions = [replace(one, outcome=Outcome.PROVED_IF_REACHED) for one in known.decisions]
    return replace(known, decisions=decisions, claims=[one for one in decisions if not one.claim.unwinding])


def _gap(known: PhaseFacts) -> PhaseFacts:
    return replace(known, gap="what is not followed")


RAISED = Replay((), raised=ValueError("no"))
ENDED = Replay((), unsupported="more steps than can be followed")

ROWS = [
    Row("replayed", 1, TOO_FAR, blocks, Verdict.FAILED, "", ExitStatus.MISMATCH),
    Row(
        "masked", 1, TOO_FAR, blocks, Verdict.UNKNOWN, "masked by another fault", ExitStatus.UNKNOWN,
        lambda known: _unconfirmed(known, RAISED),
    ),
    Row(
        "not_confirmed", 1, TOO_FAR, blocks, Verdict.UNKNOWN, "not confirmed by running the kernel", ExitStatus.UNKNOWN,
        lambda known: _unconfirmed(known, ENDED),
    ),
    Row(
        "cut_short", 1, TOO_FAR, blocks, Verdict.UNKNOWN, "not confirmed by running the kernel", ExitStatus.UNKNOWN,
        lambda known: _cut(_unconfirmed(known)),
    ),
    Row("not_replayed", 1, TOO_FAR, blocks, Verdict.FAILED, "not replayed", ExitStatus.INTERNAL_ERROR, _unconfirmed),
    Row("not_understood", 1, NOT_UNDERSTOOD, rows, Verdict.UNKNOWN, "a dictionary key", ExitStatus.UNKNOWN),
    Row("not_understood", 2, NOT_UNDERSTOOD, rows, Verdict.UNKNOWN, "a dictionary key", ExitStatus.UNKNOWN),
    Row("not_understood", 3, NOT_UNDERSTOOD, rows, Verdict.UNKNOWN, "a dictionary key", ExitStatus.UNKNOWN),
    Row("not_claimed", 3, COPY, blocks, Verdict.UNKNOWN, "what is not followed", ExitStatus.UNKNOWN, _gap),
    Row(
        "may_not_fit", 1, TOO_FAR, blocks, Verdict.UNKNOWN, "may not fit", ExitStatus.UNKNOWN,
        lambda known: _unsure(known, sorted(SUFFICIENT)[0]),
    ),
    Row("searched_for", 1, SEARCHED, widths, Verdict.UNKNOWN, "a number that a `while`", ExitStatus.UNKNOWN),
    Row(
        "index_not_known", 1, TOO_FAR, blocks, Verdict.UNKNOWN, "index not known well enough", ExitStatus.UNKNOWN,
        _unsure,
    ),
    Row("not_documented", 1, NUMPY_DTYPE, blocks, Verdict.UNKNOWN, "not documented", ExitStatus.UNKNOWN),
    Row("index_open", 1, GATHER, undeclared, Verdict.UNKNOWN, "index not known", ExitStatus.UNKNOWN),
    Row(
        "raises_symbolically_only", 1, TOO_FAR, blocks, Verdict.UNKNOWN, "raises in the symbolic", ExitStatus.UNKNOWN,
        lambda known: _unconfirmed(known, contract="kernel.exception"),
    ),
    Row("undecided", 1, CUBES, cubes, Verdict.UNKNOWN, "the solver gave up", ExitStatus.UNKNOWN),
    Row("reach_not_known", 1, COPY, blocks, Verdict.UNKNOWN, "not shown to be reached", ExitStatus.UNKNOWN, _unreached),
    Row("not_called", 1, COPY, nowhere, Verdict.VACUOUS, "", ExitStatus.NOTHING_VERIFIED),
    Row("not_called", 3, COPY, nowhere, Verdict.VACUOUS, "", ExitStatus.NOTHING_VERIFIED),
    Row("not_called", 1, COPY, no_rows, Verdict.VACUOUS, "", ExitStatus.NOTHING_VERIFIED),
    Row("nothing_claimed", 3, NOTHING, rows, Verdict.VACUOUS, "", ExitStatus.NOTHING_VERIFIED),
    Row("handed_on", 1, COUNTED, blocks, Verdict.UNKNOWN, CARRIED, ExitStatus.UNKNOWN),
    Row("unrolled", 1, UNROLLED, rows, Verdict.SUCCESSFUL, "bounded ", ExitStatus.UNKNOWN),
    Row("unrolled", 1, COPY, blocks, Verdict.SUCCESSFUL, "bounded ", ExitStatus.UNKNOWN, _cut),
    Row("proved", 1, COPY, blocks, Verdict.SUCCESSFUL, "", ExitStatus.AS_EXPECTED),
    Row("proved", 2, COPY, blocks, Verdict.SUCCESSFUL, "", ExitStatus.AS_EXPECTED),
    Row("proved", 3, COPY, blocks, Verdict.SUCCESSFUL, "", ExitStatus.AS_EXPECTED),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _little_solving(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver gives up soon, after a number of its own steps."""
    monkeypatch.setattr(BUDGETS, "claim", 50)


def run_of(row: Row, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The run of a row, with what is known of it changed before a verdict is made."""
    module = dataflow_verdict if row.phase == 4 else verdicts
    with monkeypatch.context() as patched:
        patched.setattr(module, "concluded", lambda rules, known: concluded(rules, row.change(known)))
        target = Subject.of(folder, row.body, row.domain).target
        (run,) = verify(target, Options(root=folder, phases=(row.phase,), unwind=3))
    return run


def _ending(run: Run, row: Row) -> tuple[Verdict, str, ExitStatus]:
    begins = row.qualifier if row.qualifier and run.qualifier.startswith(row.qualifier) else run.qualifier
    return run.verdict, begins, status_of(run)


@pytest.mark.every_case
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_row_of_phases_1_to_3(row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of(row, tmp_path, monkeypatch)
    assert _ending(run, row) == (row.verdict, row.qualifier, row.status)
    others = tuple(rule for rule in verdicts.RULES if rule.__name__ != row.rule)
    assert len(others) == len(verdicts.RULES) - 1
    monkeypatch.setattr(verdicts, "RULES", others)
    without = run_of(row, tmp_path, monkeypatch)
    assert (*_ending(without, row), without.reason) != (*_ending(run, row), run.reason)


def test_every_rule_of_phases_1_to_3_has_a_row() -> None:
    assert {rule.__name__ for rule in verdicts.RULES} == {row.rule for row in ROWS}


def _phase_verdict(folder: Path, body: str, domain: Callable[[Verification], None], phase: int) -> PhaseVerdict:
    target = Subject.of(folder, body, domain).target
    hardware = hardware_named("trn2")
    exploration = explore(target, hardware, Limits(unwind=3), SHAPE_PHASES | {phase})
    ours = PhaseVerdict(target, exploration, EmbeddedEngine(exploration.run.program), hardware, phase, 60.0, False)
    assert ours.run().verdict is Verdict.SUCCESSFUL
    return ours


def _with(decisions: list[Decision], at: int, outcome: Outcome) -> list[Decision]:
    return [replace(one, outcome=outcome, reason="time-out") if n == at else one for n, one in enumerate(decisions)]


@pytest.mark.parametrize("engine", ["embedded", "esbmc 8.3.0"])
@pytest.mark.parametrize("phase", [1, 2, 3])
def test_one_undecided_claim_among_proved_ones_is_unknown(phase: int, engine: str, tmp_path: Path) -> None:
    ours = _phase_verdict(tmp_path, COPY, blocks, phase)
    assert len(ours.decisions) > 1
    for at, decision in enumerate(ours.decisions):
        if not decision.claim.decides:  # of a contested contract, which is warned of
            continue
        run = ours.entry(engine, _with(ours.decisions, at, Outcome.UNDECIDED))
        assert (run.verdict, run.qualifier, status_of(run)) == (Verdict.UNKNOWN, "time-out", ExitStatus.UNKNOWN)
        assert "1 of " in run.reason
        assert decision.claim.contract.id in run.reason


@pytest.mark.parametrize("phase", [1, 2, 3])
def test_claims_that_are_not_reached_are_no_proof_of_the_others(phase: int, tmp_path: Path) -> None:
    ours = _phase_verdict(tmp_path, COPY, blocks, phase)
    none = [replace(one, outcome=Outcome.UNREACHED) for one in ours.decisions if one.claim.decides]
    assert ours.entry("embedded", none).verdict is Verdict.VACUOUS
    assert ours.entry("embedded", _with(none, 0, Outcome.PROVED)).verdict is Verdict.SUCCESSFUL
    # What holds wherever it is reached takes nothing from the others, and is no proof that anything is.
    perhaps = [replace(one, outcome=Outcome.PROVED_IF_REACHED) for one in none]
    assert ours.entry("embedded", perhaps).verdict is Verdict.UNKNOWN
    assert ours.entry("embedded", _with(perhaps, 0, Outcome.PROVED)).verdict is Verdict.SUCCESSFUL
    assert ours.entry("embedded", _with(none, 0, Outcome.UNDECIDED)).verdict is Verdict.UNKNOWN
    undecided = [replace(one, outcome=Outcome.UNDECIDED, reason="time-out") for one in ours.decisions]
    assert ours.entry("embedded", undecided).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("outcome", [Outcome.REFUTED, Outcome.UNDECIDED])
def test_a_loop_that_may_go_on_bounds_the_verdict(outcome: Outcome, tmp_path: Path) -> None:
    ours = _phase_verdict(tmp_path, UNROLLED, rows, 1)
    unwinding = [at for at, one in enumerate(ours.decisions) if one.claim.unwinding]
    assert unwinding
    for at in unwinding:
        run = ours.entry("embedded", _with(ours.decisions, at, outcome))
        assert (run.verdict, run.qualifier) == (Verdict.SUCCESSFUL, "bounded 3")
    far_enough = [replace(one, outcome=Outcome.PROVED) if one.claim.unwinding else one for one in ours.decisions]
    assert (ours.entry("embedded", far_enough).verdict, ours.entry("embedded", far_enough).qualifier) == (
        Verdict.SUCCESSFUL,
        "",
    )


@pytest.mark.parametrize("phase", [1, 2, 3])
def test_claims_for_which_time_is_over_are_unknown(phase: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EmbeddedEngine, "_seconds", lambda self: 0.0)
    target = Subject.of(tmp_path, COPY, blocks).target
    (run,) = verify(target, Options(root=tmp_path, phases=(phase,)))
    assert (run.verdict, status_of(run)) == (Verdict.UNKNOWN, ExitStatus.UNKNOWN)


# --- phase 4 ----------------------------------------------------------------------------------------------------------


def _searched(**found: Any) -> Callable[[dataflow_verdict.DataflowFacts], dataflow_verdict.DataflowFacts]:
    def change(known: dataflow_verdict.DataflowFacts) -> dataflow_verdict.DataflowFacts:
        assert known.search is not None
        return replace(known, search=replace(known.search, **found))

    return change


def _out_of_time(known: dataflow_verdict.DataflowFacts) -> dataflow_verdict.DataflowFacts:
    return replace(known, ended=OutOfTime("time-out"))


DATAFLOW = [
    Row("nothing_to_follow", 4, COPY, nowhere, Verdict.VACUOUS, "", ExitStatus.NOTHING_VERIFIED),
    Row("proved", 4, COPY, blocks, Verdict.SUCCESSFUL, "", ExitStatus.AS_EXPECTED),
    Row(
        "empty", 4, BACKWARDS, windows(), Verdict.VACUOUS, "", ExitStatus.NOTHING_VERIFIED,
        lambda known: _searched(inside=0)(
            replace(known, question=replace(known.question, program=_impossible(known.question.program)))
        ),
    ),
    Row(
        "shown", 4, BACKWARDS.replace("start + step, C)", "start + step, C - 1)"), windows(), Verdict.FAILED, "",
        ExitStatus.MISMATCH,
    ),
    Row("proved_within", 4, UNROLLED, rows, Verdict.SUCCESSFUL, "bounded ", ExitStatus.UNKNOWN),
    Row("not_understood", 4, NOT_UNDERSTOOD, rows, Verdict.UNKNOWN, "a dictionary key", ExitStatus.UNKNOWN),
    Row("late", 4, BACKWARDS, windows(), Verdict.UNKNOWN, "time-out", ExitStatus.UNKNOWN, _searched(late=True)),
    Row("late", 4, BACKWARDS, windows(), Verdict.UNKNOWN, "time-out", ExitStatus.UNKNOWN, _out_of_time),
    Row(
        "doubtful", 4, BACKWARDS, windows(), Verdict.UNKNOWN, "indices", ExitStatus.UNKNOWN,
        _searched(doubt="indices known at run time"),
    ),
    Row(
        "doubtful", 4, BACKWARDS.replace("    return", "    assert C < 9\n    return"), windows(), Verdict.UNKNOWN,
        "the kernel raises AssertionError", ExitStatus.UNKNOWN,
    ),
    Row(
        "not_run", 4, BACKWARDS, windows(), Verdict.UNKNOWN, "no shape could be run", ExitStatus.UNKNOWN,
        _searched(tried=0, part=DomainPart({})),
    ),
    Row("all_run", 4, BACKWARDS, windows(), Verdict.SUCCESSFUL, "", ExitStatus.AS_EXPECTED),
    Row("all_run_within", 4, BACKWARDS, windows(None), Verdict.SUCCESSFUL, "bounded C <= ", ExitStatus.UNKNOWN),
    Row(
        "sampled", 4, BACKWARDS, windows(), Verdict.UNKNOWN, "no counterexample among 96 shapes", ExitStatus.UNKNOWN,
        _searched(part=None),
    ),
]  # fmt: skip


def _impossible(program: Any) -> Any:
    from nkiverify.ir.program import Assume, Block

    return replace(program, body=Block([Assume(False, "domain"), *program.body.items]))


@pytest.mark.every_case
@pytest.mark.parametrize("row", DATAFLOW, ids=str)
def test_a_row_of_phase_4(row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Each row is verified twice: shapes are searched as long as the twelve columns of `windows` need.
    monkeypatch.setattr(SearchingBudget, "WORK", SearchingBudget.WORK // 4)
    wanted = (row.verdict, row.qualifier, row.status)
    assert _ending(run_of(row, tmp_path, monkeypatch), row) == wanted
    others = tuple(rule for rule in dataflow_verdict.RULES if rule.__name__ != row.rule)
    assert len(others) == len(dataflow_verdict.RULES) - 1
    monkeypatch.setattr(dataflow_verdict, "RULES", others)
    assert _ending(run_of(row, tmp_path, monkeypatch), row) != wanted


def test_every_rule_of_phase_4_has_a_row() -> None:
    assert {rule.__name__ for rule in dataflow_verdict.RULES} == {row.rule for row in DATAFLOW}


def test_a_fault_that_is_not_seen_again_is_no_proof_of_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults, "look", lambda *given: [])
    body = BACKWARDS.replace("start + step, C)", "start + step, C - 1)")
    run = Subject.of(tmp_path, body, windows()).verdict()
    assert (run.verdict, status_of(run)) == (Verdict.UNKNOWN, ExitStatus.UNKNOWN)


# --- what ends a phase before there are decisions ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "verdict", "qualifier", "status"),
    [
        (UnsupportedConstruct("a thing"), Verdict.UNKNOWN, "a thing", ExitStatus.UNKNOWN),
        (RecursionError(), Verdict.UNKNOWN, "", ExitStatus.UNKNOWN),
        (UsageError("no such thing"), Verdict.ERROR, "usage", ExitStatus.USAGE),
        (ValueError("ours"), Verdict.ERROR, "", ExitStatus.INTERNAL_ERROR),
        (MemoryError(), Verdict.ERROR, "", ExitStatus.INTERNAL_ERROR),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_ends_the_exploration_is_the_verdict_of_all_phases(
    error: BaseException,
    verdict: Verdict,
    qualifier: str,
    status: ExitStatus,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ended(*given: object) -> None:
        raise error

    monkeypatch.setattr(explorations, "explore", ended)
    runs = verify(Subject.of(tmp_path, COPY, blocks).target, Options(root=tmp_path, phases=(1, 2, 3, 4)))
    assert [run.phase for run in runs] == [1, 2, 3, 4]
    assert {(run.verdict, status_of(run)) for run in runs} == {(verdict, status)}
    assert all(run.qualifier.startswith(qualifier) for run in runs)


@pytest.mark.parametrize("error", [UnsupportedConstruct("a thing"), RecursionError()], ids=["a limit", "too deep"])
def test_what_one_phase_does_not_understand_takes_nothing_from_the_others(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine = EmbeddedEngine.decide

    def ended(self: EmbeddedEngine, phase: int) -> list[Decision]:
        if phase == 2:
            raise error
        return genuine(self, phase)

    monkeypatch.setattr(EmbeddedEngine, "decide", ended)
    runs = verify(Subject.of(tmp_path, COPY, blocks).target, Options(root=tmp_path, phases=(1, 2, 3)))
    assert [run.verdict for run in runs] == [Verdict.SUCCESSFUL, Verdict.UNKNOWN, Verdict.SUCCESSFUL]
    assert status_of(runs[1]) is ExitStatus.UNKNOWN


# --- ESBMC ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asked:
    """What becomes of ESBMC's decisions about a kernel that holds: verdict and exit status where it alone is asked, and
    exit status beside the embedded engine."""

    change: Callable[[EsbmcResult], EsbmcResult]
    verdict: Verdict
    alone: ExitStatus
    beside: ExitStatus


def _all(outcome: Outcome) -> Callable[[EsbmcResult], EsbmcResult]:
    return lambda result: replace(
        result, decisions=tuple(replace(one, outcome=outcome, reason="time-out") for one in result.decisions)
    )


def _first(outcome: Outcome) -> Callable[[EsbmcResult], EsbmcResult]:
    def change(result: EsbmcResult) -> EsbmcResult:
        first, *others = result.decisions
        return replace(result, decisions=(replace(first, outcome=outcome, reason="time-out"), *others))

    return change


ESBMC = {
    "proved": Asked(lambda one: one, Verdict.SUCCESSFUL, ExitStatus.AS_EXPECTED, ExitStatus.AS_EXPECTED),
    "one left open": Asked(_first(Outcome.UNDECIDED), Verdict.UNKNOWN, ExitStatus.UNKNOWN, ExitStatus.AS_EXPECTED),
    "all left open": Asked(_all(Outcome.UNDECIDED), Verdict.UNKNOWN, ExitStatus.UNKNOWN, ExitStatus.AS_EXPECTED),
    "left open as it broke": Asked(
        lambda one: replace(_first(Outcome.UNDECIDED)(one), faults=("it crashed",)),
        Verdict.ERROR,
        ExitStatus.INTERNAL_ERROR,
        ExitStatus.AS_EXPECTED,
    ),
    "none reached": Asked(
        _all(Outcome.UNREACHED), Verdict.VACUOUS, ExitStatus.NOTHING_VERIFIED, ExitStatus.AS_EXPECTED
    ),
    "one refuted, without a concrete run that fails": Asked(
        _first(Outcome.REFUTED), Verdict.FAILED, ExitStatus.INTERNAL_ERROR, ExitStatus.MISMATCH
    ),
}


@pytest.mark.skipif("locate.find() is None", reason="there is no ESBMC here")
@pytest.mark.usefixtures("tried_esbmc")
@pytest.mark.parametrize("name", ESBMC)
def test_a_row_of_esbmc(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row, genuine = ESBMC[name], EsbmcEngine.decide
    monkeypatch.setattr(EsbmcEngine, "decide", lambda self, phase, seconds: row.change(genuine(self, phase, seconds)))
    second_opinion.installation.cache_clear()
    target = Subject.of(tmp_path, COPY, blocks).target
    asked = Options(root=tmp_path, phases=(1, 4), disagreements=tmp_path / "left")
    shape, flow = verify(target, replace(asked, engine="esbmc"))
    assert (shape.verdict, status_of(shape)) == (row.verdict, row.alone)
    assert (flow.phase, flow.verdict, status_of(flow)) == (4, Verdict.UNKNOWN, ExitStatus.UNKNOWN)
    ours, theirs, *others = verify(target, replace(asked, engine="both"))
    assert (ours.verdict, status_of(ours)) == (Verdict.SUCCESSFUL, ExitStatus.AS_EXPECTED)
    assert status_of(theirs) is row.beside
    assert [(run.phase, status_of(run)) for run in others] == [(4, ExitStatus.AS_EXPECTED)] * 2
