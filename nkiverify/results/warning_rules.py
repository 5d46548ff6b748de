"""What becomes of warnings: `-W error`, `-W error=ID`, `-W ignore`, `-W ignore=ID`.

What is said of one kind goes before what is said of all, the later of two before the earlier.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nkiverify.phases.dataflow.rules import RULES

if TYPE_CHECKING:
    from nkiverify.results.session import Session

_ACTIONS = ("error", "ignore")


@dataclass(frozen=True, slots=True)
class WarningRule:
    """What is done with the warning `id`, or with all warnings where that is empty: "error" or "ignore"."""

    action: str
    id: str = ""


def add_warnings(parser: argparse.ArgumentParser) -> None:
    """Add `-W`."""
    parser.add_argument(
        "-W",
        "--warnings",
        action="append",
        type=warning_rule,
        default=[],
        metavar="RULE",
        help="error: warnings fail, with exit status 1; ignore: they are not told of; error=ID, ignore=ID: of one kind",
    )


def warning_rule(text: str) -> WarningRule:
    """`error`, or `ignore=df.unused`."""
    action, separator, id = text.partition("=")
    if action not in _ACTIONS:
        raise argparse.ArgumentTypeError(f"{text!r} is none of error, ignore, error=ID, ignore=ID")
    if separator and id not in RULES:
        raise argparse.ArgumentTypeError(f"there is no warning {id!r}; the warnings are {', '.join(sorted(RULES))}")
    return WarningRule(action, id)


def _action(rules: Sequence[WarningRule], id: str) -> str:
    """What is done with a warning; nothing where no rule fits."""
    fitting = [rule for rule in rules if rule.id == id] or [rule for rule in rules if not rule.id]
    return fitting[-1].action if fitting else ""


def without_ignored(session: Session, rules: Sequence[WarningRule]) -> Session:
    """The session without the warnings that are to be ignored."""
    runs = tuple(
        replace(run, warnings=tuple(one for one in run.warnings if _action(rules, one.rule) != "ignore"))
        for run in session.runs
    )
    return replace(session, runs=runs)


def failing(session: Session, rules: Sequence[WarningRule]) -> str:
    """The last line of a report in which warnings fail; empty where none does."""
    from nkiverify.results.session import warned

    found = [one.rule for _, one in warned(session.runs) if _action(rules, one.rule) == "error"]
    if not found:
        return ""
    number = f"{len(found)} warning{'s' if len(found) > 1 else ''}"
    return f"FAILED (warnings): {number}, {', '.join(sorted(set(found)))}, which -W error makes fail\n"
