"""`nkiverify bench [NAME …]`: measure what verifying the targets costs."""

from __future__ import annotations

import argparse
import sys

from nkiverify.commands.arguments import add_selection, selected_targets, selection

DESCRIPTION = """\
Measure what verifying each target costs, in a process of its own, all phases
together: the first time (cold), again in the same process (warm, the median of
three), paths explored, and the peak of the process's memory."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    add_selection(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Measure the selected targets; 3 if one gave no answer."""
    options = selection(arguments)
    targets = selected_targets(options)
    from nkiverify.bench import measure
    from nkiverify.report import bench_table
    from nkiverify.report.progress import Progress
    from nkiverify.session import ExitStatus

    if not targets:
        return ExitStatus.NOTHING_VERIFIED
    progress = Progress(len(targets), sys.stderr)
    measured, unanswered = [], []
    progress.started(targets[0].name)
    for position, (target, measurement) in enumerate(zip(targets, measure(targets, options), strict=True)):
        progress.finished(target.name, ())
        if position + 1 < len(targets):
            progress.started(targets[position + 1].name)
        if measurement is None:
            unanswered.append(target.name)
        else:
            measured.append(measurement)
    progress.close()
    print(bench_table.table(measured))
    print(bench_table.summary(measured))
    for name in unanswered:
        print(f"nkiverify: {name} gave no measurement", file=sys.stderr)
    return ExitStatus.UNKNOWN if unanswered else ExitStatus.AS_EXPECTED
