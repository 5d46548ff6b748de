"""The report on the terminal: a line per target and phase, what was refuted or is unknown in detail, a summary."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

from nkiverify.engines.table import SECOND
from nkiverify.foundation.records import BOUNDED, IN_PYTHON, Basis, Run, Verdict
from nkiverify.model.versions import NEWEST
from nkiverify.phases.phase import RULES
from nkiverify.report.columns import columns, field
from nkiverify.report.style import PLAIN, Style
from nkiverify.results import wording
from nkiverify.results.session import (
    ExitStatus,
    Session,
    accepted,
    all_warnings,
    attached,
    counting,
    is_open,
    status_of,
    telling,
    warned,
)

#: Columns a report fits, as far as the names of the targets allow.
WIDTH = 80

_COLUMNS: tuple[str, ...] = ("target", "ph", "expected", "actual", "qualifier", "claims", "ms")
_ALIGNMENT: tuple[str, ...] = ("left", "right", "left", "left", "left", "right", "right")
#: The column for what the second engine says next to the embedded engine.
_SECOND = SECOND.title
_EXPECTED = _COLUMNS.index("expected")
#: The qualifier is not shortened below this: "bounded 8" is readable.
_NARROWEST_QUALIFIER = len("qualifier")


def report(
    session: Session,
    *,
    detail_expected: bool,
    debug: bool = False,
    width: int = WIDTH,
    style: Style = PLAIN,
    again: Callable[[Run], str] = lambda run: "",
) -> str:
    """Everything a run prints, in the order it is read: table, details, summary.

    `detail_expected` asks for the full story of refutations and bounds that were expected too, which a run of a few
    targets has room for; otherwise an expected refutation gets a line. `again` says how to see a refutation happen.
    """
    parts = []
    if session.runs:
        parts.append(table(session.runs, width))
    if not detail_expected:
        expected = [run for run in counting(session.runs) if run.verdict is Verdict.FAILED and not _unexpected(run)]
        if expected:
            parts.append("Refuted, as expected:\n" + "\n".join(_brief(run, session, width) for run in expected))
        if warned(session.runs):
            parts.append(_warnings(session, width))
    reported = [
        run
        for run in telling(session.runs)
        if _unexpected(run) or (detail_expected and not run.advisory and _tells(run))
    ]
    parts += [_story(uniform, session, debug, width, style, again(uniform[0])) for uniform in _alike(reported)]
    concluded = {(run.target, run.phase) for run in counting(session.runs) if not is_open(run)}
    left_open = [run for run in session.runs if run.advisory and is_open(run) and (run.target, run.phase) in concluded]
    if left_open:
        parts.append(_left_open(left_open, session, width))
    if accepted(session.runs):
        parts.append(_accepted(session, width))
    if session.unused:
        parts.append(unused_ignores(session, width))
    parts.append(summary(session, width))
    return "\n\n".join(parts) + "\n"


def table(runs: Sequence[Run], width: int = WIDTH) -> str:
    """One line per run; without the column of expectations where nothing was expected.

    What does not fit `width` loses an empty column of qualifiers, else has qualifiers shortened. Then columns are set
    closer. A name is never cut: it is what one types to run the target again.
    """
    others = {(run.target, run.phase): run for run in runs if run.advisory}
    counted = counting(runs)
    rows = [_COLUMNS] + [
        (
            run.target,
            str(run.phase),
            wording.expectation(run.expected),
            run.verdict.value,
            " ".join(run.qualifier.split()),
            str(run.claims),
            wording.duration(run),
        )
        for run in counted
    ]
    alignment = _ALIGNMENT
    if others:
        # Said next to the run that counts: one word in its line.
        rows = [
            (*row, said)
            for row, said in zip(
                rows, [_SECOND, *(attached(run, others.get((run.target, run.phase))) for run in counted)], strict=True
            )
        ]
        alignment = (*alignment, "left")
    if not _expecting(counted):
        rows, alignment = _without(rows, _EXPECTED), _without([alignment], _EXPECTED)[0]
    qualifier = rows[0].index("qualifier")
    widths = [max(map(len, column)) for column in zip(*_without(rows, qualifier), strict=True)]
    room = width - sum(widths)
    gap = 2 if room - 2 * len(widths) >= _NARROWEST_QUALIFIER else 1
    if gap == 1 and not any(run.qualifier for run in runs):
        rows, alignment = _without(rows, qualifier), _without([alignment], qualifier)[0]
        gap = 2 if room >= 2 * (len(widths) - 1) else 1
    else:
        limit = max(room - gap * len(widths), _NARROWEST_QUALIFIER)
        rows = [(*row[:qualifier], _shortened(row[qualifier], limit), *row[qualifier + 1 :]) for row in rows]
    return columns(rows[0], rows[1:], alignment, gap)


def _expecting(runs: Sequence[Run]) -> bool:
    """True if anything was expected of `runs`: it is of targets of a manifest, not of a kernel that is checked."""
    return any(run.expected is not None for run in runs)


def _without(rows: Sequence[tuple[str, ...]], column: int) -> list[tuple[str, ...]]:
    return [row[:column] + row[column + 1 :] for row in rows]


def summary(session: Session, width: int = WIDTH) -> str:
    """The findings of the run as a whole, and what it did not get to."""
    lines = [_totals(session)]
    expecting = _expecting(session.runs) or not session.runs
    for status, words in (_OUTCOMES if expecting else _OUTCOMES | {ExitStatus.MISMATCH: "FAILED"}).items():
        runs = [run for run in telling(session.runs) if status_of(run) is status and not run.lacks_proof]
        if runs:
            lines.append(f"{words}: " + ", ".join(map(_named, runs)))
    up_to = [run for run in telling(session.runs) if status_of(run) is ExitStatus.UNKNOWN and run.lacks_proof]
    if up_to:
        lines.append("NOT PROVED BEYOND A BOUND: " + ", ".join(map(_named, up_to)))
    if session.not_run:
        why = "interrupted" if session.interrupted else "stopped"
        lines.append(f"{why} before {wording.counted(len(session.not_run), 'target')}: " + ", ".join(session.not_run))
    lines += [f"not written: {file}" for file in session.unwritten]
    alone = wording.rests_on(counting(session.runs))
    if alone:
        # Before the last line, which says how it ended.
        lines.insert(1, alone)
    if len(lines) == 1 + bool(alone):
        everything = "all as expected" if expecting else "no contract is violated"
        lines.append(everything + _as_far_as(session) if session.runs else "nothing was verified")
    taken = len(accepted(session.runs))
    if taken:
        lines[-1] += f", {taken} accepted"
    contested = sum(warning.rule not in RULES for _, warning in warned(session.runs))
    if contested:
        lines[-1] += f", {contested} contested"
    text = "\n".join(textwrap.fill(line, width, subsequent_indent="  ", break_on_hyphens=False) for line in lines)
    return text.replace(_GLUE, " ")


def _named(run: Run) -> str:
    """A run by its target and phase; one that rests on some shapes only, or up to a bound, says so."""
    rests_on = f": {run.qualifier}" if run.basis is Basis.SAMPLED or run.lacks_proof else ""
    return f"{run.target}{_GLUE}(phase{_GLUE}{run.phase}{rests_on})"


def _as_far_as(session: Session) -> str:
    """How far what is said at the end goes, where it is not about all shapes and all rounds of loops."""
    bounded = [run for run in counting(session.runs) if run.is_bounded]
    if not bounded or len({run.target for run in session.runs}) > 1:
        return f", {len(bounded)} of them bounded" if bounded else ""
    reported = (f"phase{_GLUE}{run.phase}: {run.qualifier.removeprefix(BOUNDED).strip()}" for run in bounded)
    return f" within bounds ({'; '.join(reported)})"


#: How many runs with the same reason are named.
_FEW_NAMES = 5

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
    counted = counting(session.runs)
    targets = len({run.target for run in counted})
    runs = wording.counted(len(counted), "run")
    head = f"{runs} of {wording.counted(targets, 'target')} in {session.seconds:.1f} s"
    cached = sum(run.cached for run in counted)
    if cached:
        head += f" ({cached} cached)"
    if session.nki != NEWEST:
        head += f", for NKI {session.nki}"
    counts = []
    for verdict in Verdict:
        these = [run for run in counted if run.verdict is verdict]
        bounded = sum(run.is_bounded for run in these)
        if these:
            counts.append(f"{len(these)} {verdict.value}" + (f" ({bounded} bounded)" if bounded else ""))
    warnings = len(all_warnings(session))
    if warnings:
        counts.append(wording.counted(warnings, "warning"))
    text = f"{head}: {', '.join(counts)}" if counts else head
    others = {(run.target, run.phase): run for run in session.runs if run.advisory}
    if not others:
        return text
    words = [attached(run, others[run.target, run.phase]) for run in counted if (run.target, run.phase) in others]
    said = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(sorted(words, key=str.lower)))
    twice = sum(IN_PYTHON in run.closed_by for run in others.values())
    said += f", {twice} of them {IN_PYTHON}" if twice else ""
    seconds = sum(run.milliseconds for run in others.values()) / 1000
    return f"{text}; {next(iter(others.values())).engine} beside it, in {seconds:.1f} s of its own: {said}"


def _left_open(runs: Sequence[Run], session: Session, width: int) -> str:
    """The claims that another engine did not decide, with the reason: it changes no verdict."""
    of: dict[str, list[str]] = {}
    for run in runs:
        reason = " ".join(wording.text(run.reason or run.qualifier or run.verdict.value, session.root).split())
        of.setdefault(reason, []).append(f"{run.target}{_GLUE}(phase{_GLUE}{run.phase})")
    lines = [f"Left open by {runs[0].engine}, which changes no verdict:"]
    for reason, names in of.items():
        more = f" and {len(names) - _FEW_NAMES} more" if len(names) > _FEW_NAMES else ""
        line = f"  {', '.join(names[:_FEW_NAMES])}{more}: {reason}"
        lines.append(textwrap.fill(line, width, subsequent_indent="    ", break_on_hyphens=False))
    return "\n".join(lines).replace(_GLUE, " ")


def _unexpected(run: Run) -> bool:
    return status_of(run) is not ExitStatus.AS_EXPECTED


def _tells(run: Run) -> bool:
    """True if there is more to say of a run than its line in the table."""
    return bool(run.violations or run.reason or run.memory or run.warnings)


def _warnings(session: Session, width: int) -> str:
    """The warnings, each rule and line once, with the targets that show it."""
    of: dict[tuple[str, str], list[str]] = {}
    for run, warning in warned(session.runs):
        place = wording.place(warning.file, warning.line, session.root)
        names = of.setdefault((warning.rule, place), [])
        if run.target not in names:
            names.append(run.target)
    lines = ["Warnings, which change no verdict:"]
    for (rule, place), names in of.items():
        more = f" and {len(names) - _FEW_NAMES} more" if len(names) > _FEW_NAMES else ""
        line = f"  {rule} at {place}: {', '.join(names[:_FEW_NAMES])}{more}"
        lines.append(textwrap.fill(line, width, subsequent_indent="    ", break_on_hyphens=False))
    return "\n".join(lines)


def _accepted(session: Session, width: int) -> str:
    """The findings that the user accepts, and why."""
    lines = ["Accepted findings, as if there were no such rules:"]
    for one in accepted(session.runs):
        place = wording.place(one.file, one.line, session.root)
        at = f" at {place}" if place else ""
        by = "" if one.source == f"{one.file}:{one.line}" else f" ({wording.relative(one.source, session.root)})"
        because = wording.text(one.message, session.root)
        line = f"  {one.rule}{at}: {because}{' ' if because else ''}[{one.reason}]{by}"
        lines.append(textwrap.fill(line, width, subsequent_indent="    ", break_on_hyphens=False))
    return "\n".join(lines)


def unused_ignores(session: Session, width: int) -> str:
    """The ignores that match nothing."""
    lines = ["Warnings of ignores that match nothing:"]
    for one in session.unused:
        place = wording.place(one.file, one.line, session.root)
        at = f" at {place}" if place else ""
        line = f"  {one.rule}{at}: {wording.text(one.message, session.root)}"
        lines.append(textwrap.fill(line, width, subsequent_indent="    ", break_on_hyphens=False))
    return "\n".join(lines)


def _brief(run: Run, session: Session, width: int) -> str:
    """One refutation in a line: where, and which contract."""
    places = [(v.contract, wording.place(v.file, v.line, session.root)) for v in run.violations]
    sites = "; ".join(f"{contract} at {place}" if place else contract for contract, place in places)
    line = f"  {run.target}, phase {run.phase}: {sites}"
    return textwrap.fill(line, width, subsequent_indent="    ", break_on_hyphens=False)


def _alike(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs with something to explain; phases of a target that end in the same way together."""
    groups: dict[object, list[Run]] = {}
    for run in runs:
        key: tuple[object, ...] = (run.target, run.phase, run.engine)
        if not (run.violations or run.warnings or run.memory or run.traceback):
            ending = (run.expected, run.verdict, run.qualifier, run.reason.removesuffix(f"; {run.advice}"))
            key = (run.target, run.engine, *ending, run.place, run.advice, run.assumptions)
        groups.setdefault(key, []).append(run)
    return list(groups.values())


def _story(uniform: Sequence[Run], session: Session, debug: bool, width: int, style: Style, again: str) -> str:
    """Everything known about runs of one target that have the same to explain."""
    from nkiverify.report import diagnostic, memory_peaks  # as late as this: most runs have nothing to explain

    run = uniform[0]
    ending = ""
    if run.expected is not None:
        ending = f", expected {run.expected.value}" if _unexpected(run) else ", as expected"
        ending = ", no proof" if run.lacks_proof and run.expected is run.verdict else ending
    verdict = wording.verdict(run) if len(run.qualifier) <= width // 2 else run.verdict.value
    phases = wording.phases([each.phase for each in uniform])
    lines = [f"{style.head(run.target)}, {phases}: {_painted(verdict, run, style)}{ending}"]
    lines += field("kernel", run.kernel, width, style=style)
    reason = run.reason or (run.qualifier if run.verdict is Verdict.UNKNOWN else "")
    # It has a line of its own.
    reason = reason.removesuffix(f"; {run.advice}") if run.advice else reason
    if reason:
        lines += field("reason", wording.text(reason, session.root), width, style=style)
    lines += diagnostic.unknown(run, session.root, width, style)
    for group in diagnostic.grouped(run.violations):
        lines += diagnostic.violations(group, session.root, width, style)
    for warning in run.warnings:
        lines += diagnostic.warning(warning, session.root, width, style)
    if again and any(violation.replayed for violation in run.violations):
        lines += field("replay", again, width, style=style)
    if run.suffices:
        lines += field("holds", f"where {' and '.join(run.suffices)}", width, style=style)
    lines += memory_peaks.lines(run.memory, session.root, width, style)
    if run.assumptions:
        lines += field("assumed", "; ".join(run.assumptions), width, style=style)
    if run.traceback:
        if debug:
            lines += textwrap.indent(run.traceback.rstrip(), "    ").splitlines()
        else:
            lines += field("", "run again with --debug for the traceback", width)
    return "\n".join(lines)


def _painted(text: str, run: Run, style: Style) -> str:
    if run.verdict is Verdict.SUCCESSFUL and not run.lacks_proof:
        return style.good(text)
    return style.bad(text) if run.verdict in (Verdict.FAILED, Verdict.ERROR) else style.warn(text)


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
