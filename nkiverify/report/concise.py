"""One line for each finding, for editors and `grep`: `kernel.py:12:9: out[0, 512] is never written`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from nkiverify.foundation.records import KernelWarning, Run, Verdict, Violation
from nkiverify.results import wording
from nkiverify.results.session import Session, telling, warned


def text(session: Session) -> str:
    """A line for each violation, for each run without a conclusion or up to a bound, and for each warning; empty where
    there is none."""
    lines: list[str] = []
    runs = list(telling(session.runs))
    phases = wording.phases_of_endings(runs)
    for run in runs:
        lines += [_violation(run, one, session.root) for one in run.violations]
        if not run.violations and (run.verdict is not Verdict.SUCCESSFUL or run.is_bounded):
            lines += _ending(run, phases[wording.ending_key(run)], session.root)
    lines += [_warning(one, session.root) for _, one in warned(session.runs)]
    return "".join(f"{line}\n" for line in dict.fromkeys(lines))


def _violation(run: Run, violation: Violation, root: Path) -> str:
    file = violation.file or run.kernel.partition("::")[0]
    said = violation.said or f"{violation.statement.rstrip('.')}: {wording.text(violation.message, root)}"
    values = ", ".join(f"{name} = {value}" for name, value in violation.witness.items())
    where = f" ({values})" if values else ""
    return f"{_place(file, violation.line, violation.column, root)}: {violation.contract}: {said}{where}"


def _warning(warned_of: KernelWarning, root: Path) -> str:
    place = _place(warned_of.file, warned_of.line, warned_of.column, root)
    return f"{place}: warning: {warned_of.rule}: {wording.text(warned_of.message, root)}"


def _ending(run: Run, phases: Sequence[int], root: Path) -> Iterator[str]:
    file, line = (run.place.file, run.place.line) if run.place is not None else (run.kernel.partition("::")[0], 0)
    reason = wording.text(run.reason or run.qualifier, root)
    yield f"{_place(file, line, -1, root)}: {wording.ending(run)}: {wording.phases(phases)}: {reason}"


def _place(file: str, line: int, column: int, root: Path) -> str:
    parts = [wording.relative(file, root), *(str(number) for number in (max(line, 1), column + 1) if number > 0)]
    return ":".join(parts)
