"""Findings that the verdict does not depend on: contested contracts that a kernel breaks, and findings that the user
accepts.

What follows such a place is modelled as if the rule did not exist, so that all else is still examined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from nkiverify.engines.embedded import Decision, Outcome
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import AcceptedFinding, KernelWarning, Run, Verdict, Violation
from nkiverify.foundation.source import Site
from nkiverify.ir.contract import Contract, Severity
from nkiverify.ir.program import Claim
from nkiverify.model.policy import Acceptance, AppliedPolicy

if TYPE_CHECKING:
    from nkiverify.verify.witness.confirm import Confirmation

_FAILING = (Outcome.REFUTED, Outcome.UNDECIDED)


@dataclass(frozen=True, slots=True)
class Tolerated:
    """The findings that are reported next to the verdict."""

    warnings: tuple[KernelWarning, ...] = ()
    accepted: tuple[AcceptedFinding, ...] = ()

    def joined(self, run: Run) -> Tolerated:
        """These findings and those of `run`, one for each rule and line."""
        warnings = {(one.rule, one.file, one.line): one for one in (*run.warnings, *self.warnings)}
        accepted = {(one.rule, one.file, one.line): one for one in (*run.accepted, *self.accepted)}
        return Tolerated(tuple(warnings.values()), tuple(accepted.values()))

    def attached(self, run: Run) -> Run:
        """`run` with what is reported next to it, in the order of the lines."""
        warnings = sorted((*run.warnings, *self.warnings), key=lambda one: (one.file, one.line, one.rule))
        accepted = sorted((*run.accepted, *self.accepted), key=lambda one: (one.file, one.line, one.rule))
        return replace(run, warnings=tuple(warnings), accepted=tuple(accepted))


def divided(decisions: Iterable[Decision]) -> tuple[list[Decision], list[Decision]]:
    """The decisions that the verdict depends on, or that are no finding; and the others."""
    deciding: list[Decision] = []
    others: list[Decision] = []
    for one in decisions:
        (others if not one.claim.decides and one.outcome in _FAILING else deciding).append(one)
    return deciding, others


def reported(decisions: Sequence[Decision], confirmation: Confirmation, policy: AppliedPolicy) -> Tolerated:
    """The findings that are reported of claims that do not hold, or may not: each contract once for each line of the
    kernel."""
    groups: dict[tuple[str, str, int], list[Decision]] = {}
    for one in decisions:
        site = one.claim.site
        key = (one.claim.contract.id, site.file if site is not None else "", site.line if site is not None else 0)
        groups.setdefault(key, []).append(one)
    refuted = {
        key: found
        for key, group in groups.items()
        if (found := [one for one in group if one.outcome is Outcome.REFUTED])
    }
    shown = dict(zip(refuted, confirmation.violations(list(refuted.values())), strict=True))
    warnings: list[KernelWarning] = []
    accepted: list[AcceptedFinding] = []
    for key, group in groups.items():
        violation = shown.get(key)
        if violation is not None and confirmation.may_hold(violation):
            violation = None
        claim = group[0].claim
        if claim.severity is Severity.ACCEPTED:
            by = policy.acceptance(claim.contract.id, claim.site)
            assert by is not None
            accepted.append(_accepted(claim.contract, claim.site, by, violation, group[0].reason))
        else:
            warnings.append(_warning(claim, violation, group[0].reason))
    return Tolerated(tuple(warnings), tuple(accepted))


def told_of(found: Sequence[tuple[Contract, Site | None, Violation | None]], policy: AppliedPolicy) -> Tolerated:
    """The findings that are reported of contracts that a concrete run has broken."""
    warnings: list[KernelWarning] = []
    accepted: list[AcceptedFinding] = []
    for rule, site, violation in found:
        by = policy.acceptance(rule.id, site)
        if by is not None:
            accepted.append(_accepted(rule, site, by, violation, ""))
        else:
            warnings.append(_warning(Claim(0, rule, False, rule.phase, site, ""), violation, ""))
    return Tolerated(tuple(warnings), tuple(accepted))


def accepted_warnings(run: Run, policy: AppliedPolicy) -> Run:
    """`run` with those of its warnings accepted that the user accepts."""
    warnings: list[KernelWarning] = []
    accepted = list(run.accepted)
    for one in run.warnings:
        by = policy.acceptance(one.rule, Site(one.file, one.line, one.column, one.end_line, one.end_column))
        if by is None:
            warnings.append(one)
        else:
            accepted.append(
                AcceptedFinding(one.rule, one.file, one.line, one.message, by.reason, by.source, dict(one.witness))
            )
    if len(warnings) == len(run.warnings):
        return run
    return replace(run, warnings=tuple(warnings), accepted=tuple(accepted))


def qualified(runs: Sequence[Run]) -> list[Run]:
    """The runs of one target; a SUCCESSFUL says where it takes accepted findings for right, in whatever phase."""
    phases = {run.phase: len({(one.rule, one.file, one.line) for one in run.accepted}) for run in runs if run.accepted}
    found = []
    for run in runs:
        if run.verdict is Verdict.SUCCESSFUL and phases:
            own = phases.get(run.phase)
            others = ", ".join(str(phase) for phase in sorted(phases) if phase != run.phase)
            remark = f"{own} accepted" if own else f"with what is accepted in phase {others}"
            run = replace(run, qualifier=", ".join(filter(None, (run.qualifier, remark))))
        found.append(run)
    return found


def _message(rule: Contract, violation: Violation | None, reason: str) -> str:
    if violation is None:
        return f"that it holds could not be shown{f': {reason}' if reason else ''}"
    return violation.comparison or violation.message or rule.statement


def _accepted(
    rule: Contract, site: Site | None, by: Acceptance, violation: Violation | None, reason: str
) -> AcceptedFinding:
    file, line = (site.file, site.line) if site is not None else ("", 0)
    witness = dict(violation.witness) if violation is not None else {}
    return AcceptedFinding(rule.id, file, line, _message(rule, violation, reason), by.reason, by.source, witness)


def _warning(claim: Claim, violation: Violation | None, reason: str) -> KernelWarning:
    rule, site = claim.contract, claim.site
    seen = violation is not None and violation.replayed
    return KernelWarning(
        rule=rule.id,
        statement=f"{rule.statement} Contested: {rule.contested}",
        file=site.file if site is not None else "",
        line=site.line if site is not None else 0,
        message=_message(rule, violation, reason),
        tensor="",
        element=(),
        witness=dict(violation.witness) if violation is not None and seen else {},
        holds="for these shapes" if seen else "no concrete run has shown it",
        column=violation.column if violation is not None else -1,
        end_line=violation.end_line if violation is not None else -1,
        end_column=violation.end_column if violation is not None else -1,
        function=site.function if site is not None else "",
        calls=violation.calls if violation is not None else (),
        loops=violation.loops if violation is not None else (),
    )
