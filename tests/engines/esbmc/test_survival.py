"""An ESBMC that goes wrong proves nothing and refutes nothing, and the others' verdicts stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.programs import claim, dimension, program
from nkiverify.engines.embedded import Outcome
from nkiverify.engines.esbmc import canary, locate
from nkiverify.engines.esbmc.engine import EsbmcEngine, EsbmcResult
from nkiverify.engines.esbmc.flags import Flags
from nkiverify.engines.esbmc.locate import Origin
from nkiverify.foundation.budget import SecondEngineBudget
from tests.engines.esbmc.scripts import FAILED, SUCCESSFUL, build, installation

N = dimension("n")
#: One claim holds, one does not.
WRITTEN = program({"n": (1, 4)}, claim(1, N >= 1), claim(2, N <= 3))


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SecondEngineBudget, "GROUP_SECONDS", 0.2)
    monkeypatch.setattr(SecondEngineBudget, "CLAIM_SECONDS", 0.1)
    monkeypatch.setattr(SecondEngineBudget, "BUSY_FACTOR", 1.0)


def decide(path: Path, seconds: float = 20.0) -> EsbmcResult:
    return EsbmcEngine(installation(path), WRITTEN, "test", Flags()).decide(1, seconds)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        pytest.param("os.kill(os.getpid(), signal.SIGSEGV)", "ESBMC was killed by signal 11", id="dies"),
        pytest.param("while True: print('x' * 1000)", "printed too much", id="floods its output"),
        pytest.param(SUCCESSFUL.replace("SUCCESSFUL')", "SUCC', end='')"), "without a verdict", id="half a line"),
        pytest.param(SUCCESSFUL.replace("6.7.0", "8.4.0"), "not of the version", id="lies about its version"),
        pytest.param(SUCCESSFUL + "raise SystemExit(1)", "the exit status is 1", id="succeeds with a failure"),
        pytest.param(SUCCESSFUL + FAILED, "contradict each other", id="says both"),
        pytest.param(FAILED.replace("claim 1", "claim 77"), "was not asked for", id="refutes another program"),
        pytest.param(FAILED.replace("n = 1", "n = 77"), "is none over the integers", id="refutes with wrong values"),
        pytest.param(
            FAILED.replace("claim 1", "division by zero"), "own check failed: division by zero", id="fails itself"
        ),
        pytest.param("raise SystemExit('PARSING ERROR')", "PARSING ERROR", id="rejects the program"),
        pytest.param("", "no output", id="says nothing"),
        pytest.param("print('Out of memory'); raise SystemExit(6)", "out of memory", id="out of memory"),
    ],
)
def test_what_goes_wrong_leaves_the_claims_open(tmp_path: Path, code: str, reason: str) -> None:
    result = decide(build(tmp_path / "esbmc", code))
    assert {decision.outcome for decision in result.decisions} == {Outcome.UNDECIDED}
    reasons = {decision.reason for decision in result.decisions}
    assert any(reason in said for said in reasons | set(result.faults)), (reasons, result.faults)


def test_one_that_vanishes_leaves_the_claims_open(tmp_path: Path) -> None:
    result = decide(tmp_path / "esbmc")
    assert {decision.outcome for decision in result.decisions} == {Outcome.UNDECIDED}


def test_one_that_always_succeeds_proves_nothing_since_the_domain_would_be_empty(tmp_path: Path) -> None:
    result = decide(build(tmp_path / "esbmc", SUCCESSFUL))
    assert {decision.outcome for decision in result.decisions} == {Outcome.UNREACHED}


#: A build that says of every claim it is given, that of the domain among them, the one word or the other.
TABLE = """
import re
text = open(sys.argv[1]).read()
print('ESBMC version 8.4.0 64-bit x86_64 linux')
print()
print('** Results:')
for number in re.findall('"claim ([0-9]+)"', text):
    print('  {word}       [main.assertion.1]  line 1  claim ' + number)
print()
print('VERIFICATION {word}'.replace('PASSED', 'SUCCESSFUL'))
raise SystemExit(int('{word}' != 'PASSED'))
"""


@pytest.mark.parametrize("failing", [(), (2,)])
@pytest.mark.parametrize(("word", "outcome"), [("PASSED", Outcome.UNREACHED), ("FAILED", Outcome.UNDECIDED)])
def test_one_that_says_the_same_of_the_domain_and_of_claims_proves_nothing(
    tmp_path: Path, failing: tuple[int, ...], word: str, outcome: Outcome
) -> None:
    found = installation(build(tmp_path / "esbmc", TABLE.replace("{word}", word)), (8, 4, 0), "multi-property")
    result = EsbmcEngine(found, WRITTEN, "test", Flags(), failing=failing).decide(1, 20.0)
    assert {decision.outcome for decision in result.decisions} == {outcome}


@pytest.mark.usefixtures("short")
def test_one_that_hangs_leaves_the_claims_open(tmp_path: Path) -> None:
    result = decide(build(tmp_path / "esbmc", "time.sleep(600)"))
    assert {decision.outcome for decision in result.decisions} == {Outcome.UNDECIDED}
    assert any("time-out" in decision.reason for decision in result.decisions)


def test_hanging_costs_no_more_than_the_time_that_is_given(tmp_path: Path) -> None:
    once = f"with open({str(tmp_path / 'starts')!r}, 'a') as file: file.write('x')\ntime.sleep(600)"
    decide(build(tmp_path / "esbmc", once), seconds=1.0)
    starts = tmp_path / "starts"
    assert not starts.exists() or starts.read_text() == "x", "after a second it is not asked again"


@pytest.mark.parametrize("code", [SUCCESSFUL, FAILED, "", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_the_canary_set_refuses_what_goes_wrong(tmp_path: Path, code: str) -> None:
    found = locate.inspect(build(tmp_path / "esbmc", code), Origin.VARIABLE)
    wrong = canary.check(found).wrong
    assert len(wrong) > 20
    assert all(entry.case and entry.expected != entry.found for entry in wrong)


def test_one_that_names_a_newer_version_than_it_is_is_refused(tmp_path: Path) -> None:
    rejecting = "print('Unrecognized option', sys.argv[-1], file=sys.stderr); raise SystemExit(64)"
    found = locate.inspect(build(tmp_path / "esbmc", rejecting, "8.4.0", "--python --multi-property"), Origin.PATH)
    assert canary.check(found).wrong
