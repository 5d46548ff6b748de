"""The treatment of what is found next to the verdicts: warnings, language findings, accepted findings, unused ignores.

The policy of the invocation (`nkiverify.model.policy`) decides; here its word is carried out on finished runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.foundation.comments import IgnoreComment, ignore_comments
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import AcceptedFinding, KernelWarning, Run, Verdict
from nkiverify.foundation.source import Site
from nkiverify.frontend.language_rules import since
from nkiverify.model.policy import ERROR, IGNORE, UNUSED, Policy, applied
from nkiverify.model.versions import NEWEST, within
from nkiverify.phases.phase import RULES
from nkiverify.results import wording
from nkiverify.results.session import Session, all_warnings

if TYPE_CHECKING:
    from nkiverify.frontend.language_rules import Finding

_UNUSED_STATEMENT = "An ignore accepts a finding that there is."


def _action(policy: Policy, warning: KernelWarning) -> str:
    """The treatment of a warning of a run: of a contested contract, or of phase 4."""
    return policy.action(warning.rule, contested=warning.rule not in (*RULES, UNUSED))


def without_ignored(session: Session, policy: Policy) -> Session:
    """The session without the warnings that are to be ignored, and with the version of NKI that it is for."""
    unused = session.unused if policy.action(UNUSED) != IGNORE else ()
    return replace(session, runs=runs_without_ignored(session.runs, policy), unused=unused, nki=policy.nki)


def runs_without_ignored(runs: Iterable[Run], policy: Policy) -> tuple[Run, ...]:
    """The runs without the warnings that are to be ignored."""
    return tuple(
        replace(run, warnings=tuple(one for one in run.warnings if _action(policy, one) != IGNORE)) for run in runs
    )


def failing(session: Session, policy: Policy) -> str:
    """The last line of a report in which warnings fail; empty where none does."""
    found = [one.rule for one in all_warnings(session) if _action(policy, one) == ERROR]
    if not found:
        return ""
    number = f"{len(found)} warning{'s' if len(found) > 1 else ''}"
    return f"FAILED (warnings): {number}, {', '.join(sorted(set(found)))}, which -W error makes fail\n"


# --- the language -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outside:
    """The uses of kernels outside the documented language: those that are reported of, that fail, and that are
    accepted."""

    reported: tuple[Finding, ...] = ()
    failing: tuple[Finding, ...] = ()
    accepted: tuple[AcceptedFinding, ...] = ()
    nki: str = NEWEST


def outside(found: Iterable[Finding], policy: Policy) -> Outside:
    """The treatment of language findings, those of the version of NKI that is verified for."""
    reported: list[Finding] = []
    accepted: list[AcceptedFinding] = []
    with applied(policy) as asked:
        for one in found:
            if not within(policy.nki, since(one), ""):
                continue
            by = asked.acceptance(one.rule, Site(one.file, one.line))
            if by is not None:
                accepted.append(AcceptedFinding(one.rule, one.file, one.line, one.message, by.reason, by.source))
            elif policy.action(one.rule) != IGNORE:
                reported.append(one)
    fails = tuple(one for one in reported if policy.action(one.rule) == ERROR)
    return Outside(tuple(reported), fails, tuple(accepted), policy.nki)


def with_accepted(session: Session, accepted: Sequence[AcceptedFinding]) -> Session:
    """The session with accepted findings about the language, reported with its first run."""
    if not accepted or not session.runs:
        return session
    first = session.runs[0]
    return replace(session, runs=(replace(first, accepted=(*first.accepted, *accepted)), *session.runs[1:]))


# --- ignores that match nothing ---------------------------------------------------------------------------------------


def with_unused(session: Session, policy: Policy, *, everything: bool, language: bool) -> Session:
    """The session with a warning for each ignore that accepts no finding of its runs.

    `everything`: the runs are all there are, so that what is said for all places is said of them; `language`: findings
    about the language were searched for. What was not examined may have such a finding: nothing is said of it.
    """
    counted = [run for run in session.runs if not run.advisory]
    if not counted or any(run.verdict not in (Verdict.SUCCESSFUL, Verdict.FAILED) for run in counted):
        return session
    phases = {run.phase for run in counted}

    def looked_for(id: str) -> bool:
        return language if id.startswith("lang.") else _phase_of(id) in phases

    matched = {(wording.text(one.source, session.root), one.rule) for run in counted for one in run.accepted}
    unused: list[KernelWarning] = []
    for comment in _comments(session):
        for id in comment.ids:
            if looked_for(id) and (wording.text(comment.place, session.root), id) not in matched:
                unused.append(_unused(id, comment.file, comment.line, f"ignore[{id}] matches no finding here"))
    for one in policy.accepted if everything else ():
        if looked_for(one.id) and (wording.text(one.source, session.root), one.id) not in matched:
            unused.append(_unused(one.id, "", 0, f"the ignore of {one.id} ({one.source}) matches no finding"))
    return replace(session, unused=tuple(unused))


def _unused(id: str, file: str, line: int, message: str) -> KernelWarning:
    return KernelWarning(UNUSED, _UNUSED_STATEMENT, file, line, message, "", (), {}, f"ignore of {id}")


def _phase_of(id: str) -> int:
    from nkiverify.model.contracts import contract

    return 4 if id in RULES else contract(id).phase


def _comments(session: Session) -> Iterator[IgnoreComment]:
    """The comments in functions of the kernels that have run, as the places of their claims tell."""
    lines: dict[str, set[int]] = {}
    for run in session.runs:
        for one in run.decided:
            if one.file:
                lines.setdefault(str(session.root / one.file), set()).update(one.lines)
    for file, reached in lines.items():
        found = [comment for comment in ignore_comments(file) if not comment.problem]
        spans = list(_functions(file)) if found else []
        for comment in found:
            around = [span for span in spans if comment.line in span]
            innermost = sorted(around, key=len)[:1]
            if any(reached & set(span) for span in innermost):
                yield comment


def _functions(file: str) -> Iterator[range]:
    for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            yield range(node.lineno, (node.end_lineno or node.lineno) + 1)
