"""`nkiverify history [NAME]`: how a target ended, and how long it took, run after run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nkiverify.cli.command_arguments import positive_integer
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.near_names import did_you_mean
from nkiverify.project.repository import here_or_ours
from nkiverify.report.columns import columns
from nkiverify.results import wording

if TYPE_CHECKING:
    from nkiverify.results.run_history import PastRun, PastSession

DESCRIPTION = """\
Show the recorded runs of a target, or without a name the recorded invocations,
oldest first. Every run is recorded in reports/history.db."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.add_argument("name", nargs="?", metavar="NAME", help="a target")
    parser.add_argument("--last", type=positive_integer, metavar="N", default=20, help="no more than N (default: 20)")


def execute(arguments: argparse.Namespace) -> int:
    """Print what is asked for; the exit status."""
    from nkiverify.results import run_history

    path = run_history.database(here_or_ours().reports)
    last: int = arguments.last
    try:
        if arguments.name is None:
            invocations = run_history.sessions(path)
            print(session_table(invocations[-last:]) if invocations else "no run is recorded")
            return 0
        found = run_history.runs_of(arguments.name, path)
        if not found:
            hint = did_you_mean(arguments.name, run_history.target_names(path))
            raise UsageError(f"no run of {arguments.name!r} is recorded{hint}")
    except run_history.HistoryError as error:
        raise UsageError(str(error)) from error
    print(run_table(found[-last:]))
    return 0


def session_table(sessions: Sequence[PastSession]) -> str:
    """One line per invocation."""
    rows = [
        (
            past.started,
            past.commit or "-",
            str(past.targets),
            f"{past.as_expected}/{past.runs}",
            str(past.claims),
            f"{past.seconds:.1f}",
            str(past.exit_status),
        )
        for past in sessions
    ]
    header = ("started", "commit", "targets", "as expected", "claims", "s", "exit")
    return columns(header, rows, ("left", "left", "right", "right", "right", "right", "right"))


def run_table(runs: Sequence[PastRun]) -> str:
    """One line per run of a target. A `!` stands before a verdict that did not count as a pass."""
    rows = [
        (
            past.started,
            past.commit or "-",
            str(past.phase),
            past.engine,
            ("" if past.as_expected else "! ")
            + (f"{past.verdict} ({' '.join(past.qualifier.split())})" if past.qualifier else past.verdict),
            str(past.claims),
            "cached" if past.cached else wording.milliseconds(past.milliseconds),
        )
        for past in runs
    ]
    header = ("started", "commit", "ph", "engine", "verdict", "claims", "ms")
    return columns(header, rows, ("left", "left", "right", "left", "left", "right", "right"))
