"""The report for GitHub's log: a workflow command for each thing to show at a line of a pull request.

GitHub shows the first ten errors and the first ten warnings of a step; SARIF has no such limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nkiverify.foundation.records import KernelWarning, Run, Violation
from nkiverify.results import wording
from nkiverify.results.session import ExitStatus, Session, status_of, telling, warned


def text(session: Session) -> str:
    """A line for each refuted claim, each ending that is not as expected, and each bound that is accepted, then the
    warnings; empty where there is nothing to say.
    """
    lines: list[str] = []
    runs = list(telling(session.runs))
    phases = wording.phases_of_endings(runs)
    for run in runs:
        status = status_of(run)
        if status is ExitStatus.AS_EXPECTED:
            if run.is_bounded and not run.advisory:
                lines.append(_ending(run, phases[wording.ending_key(run)], "notice", session.root))
            continue
        lines += [_violation(run, violation, session.root) for violation in run.violations]
        if not run.violations or status is not ExitStatus.MISMATCH:
            level = "warning" if status in (ExitStatus.UNKNOWN, ExitStatus.NOTHING_VERIFIED) else "error"
            lines.append(_ending(run, phases[wording.ending_key(run)], level, session.root))
    lines += [_warning(run, warning, session.root) for run, warning in warned(session.runs)]
    return "".join(f"{line}\n" for line in dict.fromkeys(lines))


def _violation(run: Run, violation: Violation, root: Path) -> str:
    witness = ", ".join(f"{name} = {value}" for name, value in violation.witness.items())
    message = f"{violation.statement} {wording.text(violation.message, root)}" + (f" ({witness})" if witness else "")
    places = _places(run, violation, root)
    return _command("error", [*places, ("title", f"{run.target}: {violation.contract}")], message)


def _warning(run: Run, warning: KernelWarning, root: Path) -> str:
    words = f"{warning.statement} {wording.because(warning, root)}"
    title = ("title", f"{run.target}: {warning.rule}")
    return _command("warning", [*_places(run, warning, root), title], f"{words} ({wording.extent_of(warning)})")


def _places(run: Run, violation: Violation | KernelWarning, root: Path) -> list[tuple[str, str]]:
    file = wording.relative(violation.file, root) or run.kernel.partition("::")[0]
    places: list[tuple[str, str]] = [("file", file)]
    if violation.line > 0:
        places.append(("line", str(violation.line)))
        if violation.end_line >= violation.line:
            places.append(("endLine", str(violation.end_line)))
        # Columns make sense to GitHub within one line only.
        if violation.column >= 0 and violation.end_line == violation.line:
            places += [("col", str(violation.column + 1)), ("endColumn", str(violation.end_column))]
    return places


def _ending(run: Run, phases: Sequence[int], level: str, root: Path) -> str:
    words = wording.text(run.reason, root) or wording.verdict(run)
    expected = f", expected {wording.expectation(run.expected)}" if run.expected is not None else ""
    title = f"{run.target}, {wording.phases(phases)}: {wording.ending(run)}{expected}"
    places = [("file", run.kernel.partition("::")[0])]
    if run.place is not None:
        places = [("file", wording.relative(run.place.file, root)), ("line", str(run.place.line))]
    return _command(level, [*places, ("title", title)], words)


def _command(level: str, properties: list[tuple[str, str]], message: str) -> str:
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties)
    return f"::{level} {shown}::{_data(message)}"


def _data(words: str) -> str:
    return words.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(words: str) -> str:
    return _data(words).replace(":", "%3A").replace(",", "%2C")
