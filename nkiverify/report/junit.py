"""The report for test runners: a session as JUnit XML, a test case for each run of a target in a phase.

A verdict other than expected is a failure. UNKNOWN, VACUOUS and ERROR are errors: never a pass, and never skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from nkiverify.foundation.records import Run
from nkiverify.results import wording
from nkiverify.results.session import ExitStatus, Session, attached, status_of, telling

#: Characters that XML 1.0 cannot hold.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(session: Session) -> str:
    """The session as the text of an XML file, a suite for each family."""
    families: dict[str, list[Run]] = {}
    others = {(run.target, run.phase): run for run in session.runs if run.advisory}
    reported = telling(session.runs)
    for run in reported:
        families.setdefault(run.family, []).append(run)
    top = ElementTree.Element("testsuites", _numbers(reported) | {"name": "nkiverify"})
    # The wall-clock time: the suites' sum to more where several processes ran.
    top.set("time", f"{session.seconds:.3f}")
    for family, runs in families.items():
        suite = ElementTree.SubElement(top, "testsuite", {"name": _clean(family)} | _numbers(runs))
        suite.set("timestamp", session.started.replace(tzinfo=None).isoformat(timespec="seconds"))
        for run in runs:
            _case(suite, run, None if run.advisory else others.get((run.target, run.phase)), session.root)
    ElementTree.indent(top)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(top, encoding="unicode") + "\n"


def _case(suite: ElementTree.Element, run: Run, other: Run | None, root: Path) -> None:
    """The test case of `run`; what `other` says next to it is no case of its own: it passes nothing."""
    engine = "" if run.engine == "embedded" else f", {run.engine}"
    case = ElementTree.SubElement(
        suite,
        "testcase",
        {
            "classname": _clean(run.family),
            "name": _clean(f"{run.target} (phase {run.phase}{engine})"),
            "file": _clean(run.kernel.partition("::")[0]),
            "time": f"{run.milliseconds / 1000:.3f}",
        },
    )
    properties = ElementTree.SubElement(case, "properties")
    second = [(other.engine, attached(run, other))] if other is not None else []
    for name, value in (
        *second,
        ("verdict", wording.verdict(run)),
        ("expected", wording.expectation(run.expected)),
        ("kind", run.kind.value),
        ("kernel", run.kernel),
        ("claims", str(run.claims)),
        ("cached", "yes" if run.cached else "no"),
    ):
        ElementTree.SubElement(properties, "property", {"name": name, "value": _clean(value)})
    problem = _problem(run)
    if problem:
        message = f"{wording.verdict(run)}, expected {wording.expectation(run.expected)}{_first(run, root)}"
        element = ElementTree.SubElement(case, problem, {"type": run.verdict.value, "message": _clean(message)})
        element.text = _clean(_details(run, root))
    if run.warnings:
        ElementTree.SubElement(case, "system-out").text = _clean("\n".join(_warnings(run, root)))


def _first(run: Run, root: Path) -> str:
    """The text that a list of failures shows of the first refuted claim: its contract and its line."""
    if not run.violations:
        return ""
    first = run.violations[0]
    place = wording.place(first.file, first.line, root)
    return f": {first.contract}" + (f" at {place}" if place else "")


def _warnings(run: Run, root: Path) -> Iterator[str]:
    for warning in run.warnings:
        place = wording.place(warning.file, warning.line, root)
        yield f"warning {warning.rule} at {place}: {warning.statement} {wording.because(warning, root)}"


def _problem(run: Run) -> str:
    """The element of a run that is no pass; empty for a pass."""
    status = status_of(run)
    if status is ExitStatus.AS_EXPECTED:
        return ""
    return "failure" if status is ExitStatus.MISMATCH else "error"


def _details(run: Run, root: Path) -> str:
    lines = [wording.text(run.reason, root)] if run.reason else []
    for violation in run.violations:
        place = wording.place(violation.file, violation.line, root)
        lines.append(f"{place + ': ' if place else ''}{violation.contract}: {violation.statement}")
        lines.append(f"  {wording.text(violation.message, root)}")
        witness = ", ".join(f"{name} = {value}" for name, value in violation.witness.items())
        replay = "reproduced by running the kernel" if violation.replayed else "NOT reproduced by running the kernel"
        lines.append(f"  witness: {witness or 'the only shapes of the target'} ({replay})")
    if run.traceback:
        lines.append(run.traceback)
    return "\n".join(lines)


def _numbers(runs: list[Run]) -> dict[str, str]:
    problems = [_problem(run) for run in runs]
    return {
        "tests": str(len(runs)),
        "failures": str(problems.count("failure")),
        "errors": str(problems.count("error")),
        "skipped": "0",
        "time": f"{sum(run.milliseconds for run in runs) / 1000:.3f}",
    }


def _clean(words: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", words)
