"""What is read from ESBMC's output: of every run that was recorded, and of output that cannot be believed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nkiverify.engines.esbmc import output
from nkiverify.engines.esbmc.esbmc_process import Finished, ProcessEnding
from nkiverify.engines.esbmc.output import Conclusion, EsbmcReport, PropertyKind, Status

#: Output of two real builds; the first line is the command, the last the exit status.
RECORDED = Path(__file__).parent / "recorded"

#: For every recorded run: what it concludes, and the violated properties with the values of their traces.
EXPECTED: dict[str, tuple[Conclusion, list[tuple[str, dict[str, int]]]]] = {
    "6.7.0-c-broken": (Conclusion.FAULT, []),
    "6.7.0-c-claim-2": (Conclusion.FAILED, [("claim 2", {"K": 50176, "k": 391})]),
    "6.7.0-c-failed": (Conclusion.FAILED, [("claim 2", {"K": 32896, "k": 256})]),
    "6.7.0-c-integers-failed": (Conclusion.FAILED, [("claim 7", {"a": -8, "b": -3})]),
    "6.7.0-c-k-induction": (Conclusion.SUCCESSFUL, []),
    "6.7.0-c-negative-failed": (Conclusion.FAILED, [("claim 7", {"a": -8, "b": -3})]),
    "6.7.0-c-out-of-memory": (Conclusion.OUT_OF_MEMORY, []),
    "6.7.0-c-overflow": (Conclusion.FAILED, [("arithmetic overflow on mul", {"a": 8646914583354693679})]),
    "6.7.0-c-show-claims": (Conclusion.FAULT, []),
    "6.7.0-c-success": (Conclusion.SUCCESSFUL, []),
    "6.7.0-c-timeout": (Conclusion.TIMED_OUT, []),
    "6.7.0-c-unwinding": (Conclusion.FAILED, [("unwinding assertion loop", {"n": 4})]),
    "6.7.0-python-unsupported": (Conclusion.FAULT, []),
    "6.7.0-unknown-option": (Conclusion.FAULT, []),
    "8.4.0-c-broken": (Conclusion.FAULT, []),
    "8.4.0-c-failed": (Conclusion.FAILED, [("claim 2", {"K": 128, "k": 0})]),
    "8.4.0-c-integers-failed": (Conclusion.FAILED, [("claim 7", {"a": -8, "b": -3})]),
    "8.4.0-c-out-of-memory": (Conclusion.OUT_OF_MEMORY, []),
    "8.4.0-c-unwinding": (Conclusion.FAILED, [("unwinding assertion loop 1", {"n": 4})]),
    "8.4.0-python-division-by-zero": (
        Conclusion.FAILED,
        [("uncaught exception: ZeroDivisionError", {"x_src": 3, "chunk_size": 1, "step": 0})],
    ),
    "8.4.0-python-failed": (Conclusion.FAILED, [("assertion k * 128 + 129 <= K", {"K": 128, "k": 0})]),
    "8.4.0-python-k-induction": (Conclusion.SUCCESSFUL, []),
    "8.4.0-python-loops-failed": (
        Conclusion.FAILED,
        [("assertion k * 128 + 129 <= K", {"K": 128, "M": 512, "has_next_1": 1, "has_next_0": 1})],
    ),
    "8.4.0-python-loops-unwind": (Conclusion.SUCCESSFUL, []),
    "8.4.0-python-loops-unwind-too-small": (
        Conclusion.FAILED,
        [("unwinding assertion loop 187", {"K": 128, "M": 512, "has_next_1": 1, "has_next_0": 0})],
    ),
    "8.4.0-python-multi-property": (Conclusion.FAILED, [("assertion k * 128 + 129 <= K", {"K": 128, "k": 0})]),
    "8.4.0-python-overflow": (
        Conclusion.FAILED,
        [
            ("arithmetic overflow on mul", {"M": 2305843009213693955, "N": 9223372036854775806}),
            ("assertion size >= 1", {"M": 4, "N": 4611686018427387904, "size": 0}),
        ],
    ),
    "8.4.0-python-success": (Conclusion.SUCCESSFUL, []),
    "8.4.0-python-syntax-error": (Conclusion.FAULT, []),
    "8.4.0-python-timeout": (Conclusion.TIMED_OUT, []),
}


def recorded(name: str) -> Finished:
    _, _, text = (RECORDED / f"{name}.txt").read_text().partition("\n")
    body, _, status = text.rpartition("[exit status ")
    return Finished(ProcessEnding.EXITED, int(status.rstrip("]\n")), body, 0.1)


def version_of(name: str) -> output.Version:
    major, minor, patch = name.split("-")[0].split(".")
    return int(major), int(minor), int(patch)


def read(name: str) -> EsbmcReport:
    return output.read(recorded(name), version_of(name))


def test_every_recorded_run_is_looked_at() -> None:
    assert {file.stem for file in RECORDED.glob("*.txt")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_conclusion_and_violations_of_recorded_runs(name: str) -> None:
    report = read(name)
    violations = [(violation.property.message, violation.values) for violation in report.violations]
    assert (report.conclusion, violations) == EXPECTED[name]


def test_an_unwinding_assertion_is_no_claim() -> None:
    for name in ("6.7.0-c-unwinding", "8.4.0-c-unwinding", "8.4.0-python-loops-unwind-too-small"):
        assert [violation.property.kind for violation in read(name).violations] == [PropertyKind.UNWINDING]


def test_a_claim_is_known_by_its_number() -> None:
    (violation,) = read("6.7.0-c-claim-2").violations
    assert (violation.property.kind, violation.property.claim, violation.property.line) == (PropertyKind.CLAIM, 2, 8)
    assert output.property_named("claim 2 of another kind", 1).kind is PropertyKind.OTHER


def test_the_table_of_version_8_has_a_status_for_every_property() -> None:
    table = {property.message: status for property, status in read("8.4.0-python-failed").table}
    assert table["assertion k * 128 + 129 <= K"] is Status.FAILED
    assert table["assertion k * 128 + 128 <= K"] is Status.NOT_CHECKED
    assert table["uncaught exception"] is Status.PASSED
    assert [property.line for property, _ in read("8.4.0-python-multi-property").table if property.line == 9]


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("6.7.0-c-broken", "PARSING ERROR"),
        ("8.4.0-c-broken", "PARSING ERROR"),
        ("6.7.0-unknown-option", 'Unrecognized option "--multi-property"'),
        ("6.7.0-python-unsupported", "failed to figure out type of file"),
        ("8.4.0-python-syntax-error", "SyntaxError: '(' was never closed"),
    ],
)
def test_a_fault_is_told_by_the_line_that_says_why(name: str, detail: str) -> None:
    assert detail in read(name).detail


SUCCESS_6 = recorded("6.7.0-c-success").text
FAILURE_6 = recorded("6.7.0-c-failed").text
SUCCESS_8 = recorded("8.4.0-python-success").text
FAILURE_8 = recorded("8.4.0-c-failed").text


@pytest.mark.parametrize(
    ("text", "status", "version"),
    [
        pytest.param(SUCCESS_6, 1, (6, 7, 0), id="success with the exit status of a failure"),
        pytest.param(SUCCESS_6, -11, (6, 7, 0), id="success of a process that was killed"),
        pytest.param(FAILURE_6, 0, (6, 7, 0), id="failure with the exit status of a success"),
        pytest.param(SUCCESS_6 + FAILURE_6, 0, (6, 7, 0), id="both verdicts"),
        pytest.param(SUCCESS_6, 0, (8, 4, 0), id="another version than the build said"),
        pytest.param(SUCCESS_6.replace("SUCCESSFUL\n", "SUCC"), 0, (6, 7, 0), id="half a line"),
        pytest.param(SUCCESS_6.rstrip("\n"), 0, (6, 7, 0), id="a last line without its end"),
        pytest.param(SUCCESS_6.replace("ESBMC version", "version"), 0, (6, 7, 0), id="no version"),
        pytest.param(re.sub("Violated property:\n", "", FAILURE_6), 1, (6, 7, 0), id="no violated property"),
        pytest.param(SUCCESS_8.replace("PASSED", "NOT CHECKED"), 0, (8, 4, 0), id="success without checking"),
        pytest.param(SUCCESS_8.replace("PASSED", "FAILED"), 0, (8, 4, 0), id="success with failed properties"),
        pytest.param(FAILURE_8.replace("  FAILED ", "  PASSED "), 1, (8, 4, 0), id="failure without failed properties"),
        pytest.param("", 0, (6, 7, 0), id="nothing"),
        pytest.param("VERIFICATION SUCCESSFUL\n", 0, (6, 7, 0), id="a bare verdict"),
    ],
)
def test_output_that_contradicts_itself_is_a_fault(text: str, status: int, version: output.Version) -> None:
    report = output.read(Finished(ProcessEnding.EXITED, status, text, 0.1), version)
    assert report.conclusion is Conclusion.FAULT
    assert report.detail
    assert not report.violations


@pytest.mark.parametrize(
    ("finished", "conclusion"),
    [
        (Finished(ProcessEnding.TIMED_OUT, None, SUCCESS_6, 9.0), Conclusion.TIMED_OUT),
        (Finished(ProcessEnding.FLOODED, None, SUCCESS_6, 9.0), Conclusion.FAULT),
        (Finished(ProcessEnding.NOT_STARTED, None, "Exec format error\n", 0.0), Conclusion.FAULT),
        (Finished(ProcessEnding.EXITED, -11, "Solving with solver Z3 v4.8.9\n", 1.0), Conclusion.CRASHED),
        (
            Finished(ProcessEnding.EXITED, 134, "terminate called after throwing 'std::bad_alloc'\n", 1.0),
            Conclusion.OUT_OF_MEMORY,
        ),
    ],
)
def test_a_process_that_did_not_end_well_has_no_verdict(finished: Finished, conclusion: Conclusion) -> None:
    assert output.read(finished, (6, 7, 0)).conclusion is conclusion
