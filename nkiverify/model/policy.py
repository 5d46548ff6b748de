"""The policy about broken contracts: the kernel fails, it is warned of, or the user has accepted it.

The one place that decides it, for every run, symbolic or concrete, and for the rules that are no contracts: those of
warnings and of the language. A run asks the policy that is applied when it is made.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator
from contextlib import contextmanager

from nkiverify.foundation.comments import IgnoreComment, ignore_comments
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.ir.contract import Contract, Severity
from nkiverify.model.versions import NEWEST

#: What can be done with warnings.
ERROR, IGNORE = "error", "ignore"
#: The word for all contested rules, where an id can stand.
CONTESTED = "contested"
#: What can be accepted by name: a SUCCESSFUL up to a bound, and answers about two kernels at some shapes of those that
#: were asked about.
ACCEPT_BOUNDED, ACCEPT_TESTED = ACCEPTABLE = ("bounded", "tested")
#: The warning of an ignore that matches nothing.
UNUSED = "ignore.unused"


@dataclass(frozen=True, slots=True)
class WarningRule:
    """The treatment of some warnings, `ERROR` or `IGNORE`: all of them where `pattern` is empty, those whose id
    matches it, or, for `CONTESTED`, those of contested contracts."""

    action: str
    pattern: str = ""


#: `--strict` and `--strict-language`.
STRICT = WarningRule(ERROR, CONTESTED)
STRICT_LANGUAGE = WarningRule(ERROR, "lang.*")


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Findings of the rule `id` are accepted, for a `reason`; `source` is where that is said: a file, or an option."""

    id: str
    reason: str
    source: str


@dataclass(frozen=True, slots=True)
class Policy:
    """The user's wishes about rules: the treatment of warnings, which findings are accepted, wherever they are, and the
    version of NKI whose rules they are; the verdicts short of a proof that are accepted, by name; and whether arguments
    are assumed to fit the memory of a device."""

    warnings: tuple[WarningRule, ...] = ()
    accepted: tuple[Acceptance, ...] = ()
    nki: str = NEWEST
    verdicts: tuple[str, ...] = ()
    device_memory: bool = True

    def action(self, id: str, *, contested: bool = False) -> str:
        """The treatment of a warning, `ERROR` or `IGNORE`; empty where nothing is said.

        What is said of one rule goes before what is said of several, that before what is said of all; of two that say
        as much, the later one is heeded.
        """
        ranked = [(_rank(rule, id, contested), rule) for rule in self.warnings]
        best = max((rank for rank, _ in ranked), default=0)
        return [rule for rank, rule in ranked if rank == best][-1].action if best else ""


def _rank(rule: WarningRule, id: str, contested: bool) -> int:
    """How closely the rule is about the warning `id`; 0 where it is not."""
    if rule.pattern == id:
        return 3
    if rule.pattern == CONTESTED:
        return 2 if contested else 0
    if not rule.pattern:
        return 1
    return 2 if fnmatch.fnmatchcase(id, rule.pattern) else 0


#: What is so unless the user says otherwise.
DEFAULT_POLICY = Policy()


class AppliedPolicy:
    """A policy for runs of kernels, whose files are asked for comments that accept findings."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._everywhere = {one.id: one for one in policy.accepted}
        self._comments: dict[str, tuple[IgnoreComment, ...]] = {}

    def severity(self, rule: Contract, site: Site | None) -> Severity:
        """The severity of breaking `rule` at `site`."""
        if self.acceptance(rule.id, site) is not None:
            return Severity.ACCEPTED
        if rule.contested and self.policy.action(rule.id, contested=True) != ERROR:
            return Severity.WARNING
        return Severity.CLAIM

    def acceptance(self, id: str, site: Site | None) -> Acceptance | None:
        """Who accepts findings of the rule `id` at `site`: a comment there, or the user for all places; else None."""
        if site is not None:
            for comment in self.comments(site.file):
                if id in comment.ids and _meets(comment.lines, site):
                    return Acceptance(id, comment.reason, comment.place)
        return self._everywhere.get(id)

    def comments(self, file: str) -> tuple[IgnoreComment, ...]:
        """The comments in a file that are as they should be."""
        found = self._comments.get(file)
        if found is None:
            found = self._comments[file] = tuple(one for one in ignore_comments(file) if not one.problem)
        return found


def _meets(lines: range, site: Site) -> bool:
    return site.line < lines.stop and max(site.line, site.end_line) >= lines.start


_applied: list[AppliedPolicy] = []


@contextmanager
def applied(policy: Policy) -> Iterator[AppliedPolicy]:
    """Have `policy` decide for the runs that are made within the block."""
    _applied.append(AppliedPolicy(policy))
    try:
        yield _applied[-1]
    finally:
        _applied.pop()


def applied_policy() -> AppliedPolicy:
    """The policy that decides now: the innermost that is applied, else the default one."""
    return _applied[-1] if _applied else AppliedPolicy(DEFAULT_POLICY)
