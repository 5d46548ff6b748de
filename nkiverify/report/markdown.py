"""The report for people on a code host: a session as Markdown, for a step summary or a comment."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from nkiverify.foundation.records import Run, Verdict, Violation
from nkiverify.report.changes import SinceCommit
from nkiverify.results import wording
from nkiverify.results.session import ExitStatus, Session, accepted, all_warnings, attached, counting, status_of, warned

#: Changes that a reader of a pull request looks for.
_BAD = ("worse", "gone")

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~@&-])")


def text(session: Session, since: SinceCommit | None = None) -> str:
    """The headline, what changed since a commit, what is not as expected in full, and every family in a table that is
    folded away."""
    unexpected = session.unexpected
    parts = [f"## nkiverify: {_headline(session, len(unexpected))}", _totals(session)]
    if since is not None:
        parts.append(_since(since))
    if session.not_run:
        why = "interrupted" if session.interrupted else "stopped"
        names = ", ".join(code(name) for name in session.not_run)
        parts.append(f"**Not run** ({why} before): {names}")
    if unexpected:
        parts.append(_table(unexpected))
        parts += [_story(run, session.root) for run in unexpected if run.violations or run.reason]
    warnings = warned(session.runs)
    if warnings:
        rows = [
            (
                code(warning.rule),
                code(wording.place(warning.file, warning.line, session.root)),
                plain(wording.because(warning, session.root)),
                code(run.target),
                plain(wording.extent_of(warning)),
            )
            for run, warning in warnings
        ]
        table = _lines(("rule", "at", "because", "target", "holds"), rows)
        number = wording.counted(len(warnings), "warning")
        parts.append(f"<details><summary>{number}</summary>\n\n{table}\n\n</details>")
    counted = counting(session.runs)
    if counted:
        parts.append(f"<details><summary>Families</summary>\n\n{_families(counted)}\n\n</details>")
    # A name that is no valid Unicode cannot be written.
    return ("\n\n".join(parts) + "\n").encode("utf-8", "replace").decode("utf-8")


def _since(since: SinceCommit) -> str:
    left = (
        f"{wording.counted(since.left_out, 'target')} left out, of which no file has changed." if since.left_out else ""
    )
    head = f"### Since {code(since.commit)}"
    if since.problem:
        return "\n\n".join(filter(None, (head, f"Nothing to compare with: {plain(since.problem)}", left)))
    rows = [
        (f"**{one.kind}**" if one.kind in _BAD else one.kind, code(one.target), plain(one.words))
        for one in since.changes
    ]
    table = _lines(("change", "target", "what"), rows) if rows else "No verdict has changed."
    return "\n\n".join(filter(None, (head, table, left)))


def plain(words: str) -> str:
    """`words` with nothing in them that Markdown or HTML gives a meaning to, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(words.split()))


def code(words: str) -> str:
    """`words` as code. Longer fences than any inside; a bar would end the cell of a table, even in code."""
    words = " ".join(words.split()).replace("|", "\N{BROKEN BAR}")
    fence = "`" * (max((len(run) for run in re.findall("`+", words)), default=0) + 1)
    padding = " " if words.startswith("`") or words.endswith("`") else ""
    return f"{fence}{padding}{words}{padding}{fence}" if words else ""


def _headline(session: Session, unexpected: int) -> str:
    if not session.runs:
        return "nothing was verified"
    if unexpected:
        return f"{unexpected} of {wording.counted(len(counting(session.runs)), 'run')} not as expected"
    return f"all {wording.counted(len(counting(session.runs)), 'run')} as expected"


def _totals(session: Session) -> str:
    counted = counting(session.runs)
    counts = Counter(run.verdict for run in counted)
    targets = wording.counted(len({run.target for run in counted}), "target")
    bounded = sum(run.is_bounded for run in counted)
    up_to = {Verdict.SUCCESSFUL: f" ({bounded} bounded)"} if bounded else {}
    verdicts = ", ".join(
        f"{counts[verdict]} {verdict.value}{up_to.get(verdict, '')}" for verdict in Verdict if counts[verdict]
    )
    claims = wording.counted(sum(run.claims for run in counted), "claim")
    cached = sum(run.cached for run in counted)
    time = f"{session.seconds:.1f} s" + (f", {cached} runs cached" if cached else "")
    warnings = len(all_warnings(session))
    if warnings:
        verdicts += f", {wording.counted(warnings, 'warning')}"
    taken = len(accepted(session.runs))
    if taken:
        verdicts += f", {taken} accepted"
    others = {(run.target, run.phase): run for run in session.runs if run.advisory}
    words = Counter(attached(run, others.get((run.target, run.phase))) for run in counted)
    said = ", ".join(f"{number} {word}" for word, number in sorted(words.items()) if word)
    second = f"; {next(iter(others.values())).engine} beside: {said}" if said else ""
    return f"{targets}, {claims}, {time}" + (f": {verdicts}" if verdicts else "") + second


def _table(runs: Sequence[Run]) -> str:
    rows = [
        (
            code(run.target),
            str(run.phase),
            wording.expectation(run.expected),
            plain(wording.verdict(run)),
            code(run.kernel),
        )
        for run in runs
    ]
    return _lines(("target", "phase", "expected", "verdict", "kernel"), rows)


def _story(run: Run, root: Path) -> str:
    lines = [f"### {plain(run.target)}, phase {run.phase}"]
    if run.reason:
        lines.append(plain(wording.text(run.reason, root)))
    lines += [_violation(violation, root) for violation in run.violations]
    return "\n\n".join(lines)


def _violation(violation: Violation, root: Path) -> str:
    place = wording.place(violation.file, violation.line, root)
    at = f" at {code(place)}" if place else ""
    witness = ", ".join(code(f"{name} = {value}") for name, value in violation.witness.items())
    replay = "reproduced by running the kernel" if violation.replayed else "**not** reproduced by running the kernel"
    return (
        f"- {code(violation.contract)}{at}: {plain(violation.statement)}\n"
        f"  {code(wording.text(violation.message, root))}\n"
        f"  Witness: {witness or 'the only shapes of the target'}, {replay}"
    )


def _families(runs: Sequence[Run]) -> str:
    families: dict[str, list[Run]] = {}
    for run in runs:
        families.setdefault(run.family, []).append(run)
    rows = []
    for family, members in families.items():
        counts = Counter(run.verdict for run in members)
        passed = sum(status_of(run) is ExitStatus.AS_EXPECTED for run in members)
        rows.append(
            (
                plain(family),
                *(str(counts[verdict] or "") for verdict in Verdict),
                f"{passed}/{len(members)}",
                str(sum(run.claims for run in members)),
            )
        )
    return _lines(("family", *(verdict.value for verdict in Verdict), "as expected", "claims"), rows)


def _lines(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
