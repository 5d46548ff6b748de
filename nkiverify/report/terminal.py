"""The report on the terminal: a line per target and phase, what was refuted or is unknown in detail, a summary."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from nkiverify.report import wording
from nkiverify.report.columns import columns
from nkiverify.results import Run, Verdict, Violation
from nkiverify.session import ExitStatus, Session, status_of

#: Columns a report fits, as far as the names of the targets allow.
WIDTH = 80

_COLUMNS: tuple[str, ...] = ("target", "ph", "expected", "actual", "qualifier", "claims", "ms")
_ALIGNMENT: tuple[str, ...] = ("left", "right", "left", "left", "left", "right", "right")
_QUALIFIER = _COLUMNS.index("qualifier")
#: The qualifier is not shortened below this: "bounded 8" is readable.
_NARROWEST_QUALIFIER = len("qualifier")


def report(session: Session, *, detail_expected: bool, debug: bool = False, width: int = WIDTH) -> str:
    """Everything a run prints, in the order it is read: table, details, summary.

    `detail_expected` asks for the full story of refutations and bounds that were expected too, which a run of a few
    targets has room for; otherwise an expected refutation gets a line.
    """
    parts = []
    if session.runs:
        parts.append(table(session.runs, width))
    if not detail_expected:
        expected = [run for run in session.runs if run.verdict is Verdict.FAILED and not _unexpected(run)]
        if expected:
            parts.append("Refuted, as expected:\n" + "\n".join(_brief(run, session, width) for run in expected))
    parts += [
        _story(run, session, debug, width)
        for run in session.runs
        if _unexpected(run) or (detail_expected and (run.violations or run.reason))
    ]
    parts.append(summary(session, width))
    return "\n\n".join(parts) + "\n"


def table(runs: Sequence[Run], width: int = WIDTH) -> str:
    """One line per run. What does not fit `width` loses an empty column of qualifiers, else has qualifiers shortened.

    Then columns are set closer. A name is never cut: it is what one types to run the target again.
    """
    rows = [_COLUMNS] + [
        (
            run.target,
            str(run.phase),
            wording.expectation(run.expected),
            run.verdict.value,
            " ".join(run.qualifier.split()),
            str(run.claims),
            wording.milliseconds(run.milliseconds),
        )
        for run in runs
    ]
    alignment = _ALIGNMENT
    others = [max(map(len, column)) for column in zip(*_without(rows, _QUALIFIER), strict=True)]
    room = width - sum(others)
    gap = 2 if room - 2 * len(others) >= _NARROWEST_QUALIFIER else 1
    if gap == 1 and not any(run.qualifier for run in runs):
        rows, alignment = _without(rows, _QUALIFIER), _without([alignment], _QUALIFIER)[0]
        gap = 2 if room >= 2 * (len(others) - 1) else 1
    else:
        limit = max(room - gap * len(others), _NARROWEST_QUALIFIER)
        rows = [(*row[:_QUALIFIER], _shortened(row[_QUALIFIER], limit), *row[_QUALIFIER + 1 :]) for row in rows]
    return columns(rows[0], rows[1:], alignment, gap)


def _without(rows: Sequence[tuple[str, ...]], column: int) -> list[tuple[str, ...]]:
    return [row[:column] + row[column + 1 :] for row in rows]


def summary(session: Session, width: int = WIDTH) -> str:
    """What the run as a whole found, and what it did not get to."""
    lines = [_totals(session)]
    for status, words in _OUTCOMES.items():
        runs = [run for run in session.runs if status_of(run) is status]
        if runs:
            lines.append(f"{words}: " + ", ".join(f"{run.target}{_GLUE}(phase{_GLUE}{run.phase})" for run in runs))
    if session.not_run:
        why = "interrupted" if session.interrupted else "stopped"
        lines.append(f"{why} before {wording.counted(len(session.not_run), 'target')}: " + ", ".join(session.not_run))
    if len(lines) == 1:
        lines.append("all as expected" if session.runs else "nothing was verified")
    text = "\n".join(textwrap.fill(line, width, subsequent_indent="  ", break_on_hyphens=False) for line in lines)
    return text.replace(_GLUE, " ")


#: A space at which a line is not broken.
_GLUE = "\N{NO-BREAK SPACE}"

_OUTCOMES = {
    ExitStatus.MISMATCH: "NOT AS EXPECTED",
    ExitStatus.INTERNAL_ERROR: "INTERNAL ERROR",
    ExitStatus.USAGE: "TARGET AT FAULT",
    ExitStatus.UNKNOWN: "UNKNOWN",
    ExitStatus.NOTHING_VERIFIED: "NOTHING VERIFIED",
}


def _totals(session: Session) -> str:
    targets = len({run.target for run in session.runs})
    runs = wording.counted(len(session.runs), "run")
    head = f"{runs} of {wording.counted(targets, 'target')} in {session.seconds:.1f} s"
    counts = []
    for verdict in Verdict:
        these = [run for run in session.runs if run.verdict is verdict]
        bounded = sum(run.qualifier.startswith("bounded") for run in these)
        if these:
            counts.append(f"{len(these)} {verdict.value}" + (f" ({bounded} bounded)" if bounded else ""))
    return f"{head}: {', '.join(counts)}" if counts else head


def _unexpected(run: Run) -> bool:
    return status_of(run) is not ExitStatus.AS_EXPECTED


def _brief(run: Run, session: Session, width: int) -> str:
    """One refutation in a line: where, and which contract."""
    places = [(v.contract, wording.place(v.file, v.line, session.root)) for v in run.violations]
    sites = "; ".join(f"{contract} at {place}" if place else contract for contract, place in places)
    line = f"  {run.target}, phase {run.phase}: {sites}"
    return textwrap.fill(line, width, subsequent_indent="    ", break_on_hyphens=False)


def _story(run: Run, session: Session, debug: bool, width: int) -> str:
    """Everything known about a run that has something to explain."""
    expected = "no expectation" if run.expected is None else f"expected {run.expected.value}"
    ending = "as expected" if not _unexpected(run) else expected
    verdict = wording.verdict(run) if len(run.qualifier) <= width // 2 else run.verdict.value
    lines = [f"{run.target}, phase {run.phase}: {verdict}, {ending}"]
    lines += _field("kernel", run.kernel, width)
    reason = run.reason or (run.qualifier if run.verdict is Verdict.UNKNOWN else "")
    if reason:
        lines += _field("reason", wording.text(reason, session.root), width)
    for violation in run.violations:
        lines += _violation(violation, session, width)
    if run.assumptions:
        lines += _field("assumed", "; ".join(run.assumptions), width)
    if run.traceback:
        if debug:
            lines += textwrap.indent(run.traceback.rstrip(), "    ").splitlines()
        else:
            lines += _field("", "run again with --debug for the traceback", width)
    return "\n".join(lines)


def _violation(violation: Violation, session: Session, width: int) -> Iterator[str]:
    indent = "  "
    yield textwrap.fill(
        f"{violation.contract}: {violation.statement}",
        width,
        initial_indent=indent,
        subsequent_indent=indent * 2,
        break_on_hyphens=False,
    )
    fields: Iterable[tuple[str, str]] = (
        ("at", wording.place(violation.file, violation.line, session.root)),
        ("because", wording.text(violation.message, session.root)),
        ("witness", _witness(violation)),
        ("note", violation.note),
        ("stub", wording.relative(violation.stub, session.root)),
        ("source", violation.source),
    )
    for name, value in fields:
        if value:
            yield from _field(name, value, width, indent * 2)


def _witness(violation: Violation) -> str:
    dimensions = ", ".join(f"{name} = {value}" for name, value in violation.witness.items())
    replay = "replayed in plain Python" if violation.replayed else "NOT replayed"
    return f"{dimensions or 'the only shapes of the target'} ({replay})"


def _field(name: str, value: str, width: int, indent: str = "  ") -> list[str]:
    """`name` and `value` in two columns; words longer than the line, paths for example, stay whole."""
    label = f"{indent}{name:<8} "
    return textwrap.wrap(
        value,
        width,
        initial_indent=label,
        subsequent_indent=" " * len(label),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
