"""`nkiverify show NAME`: the shape program of a target, and what decided each of its claims."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.cli.allowing import add_limits, allowed_by, isolated
from nkiverify.cli.arguments import made_folder, positive_integer
from nkiverify.foundation.errors import UsageError
from nkiverify.project.repository import here_or_ours
from nkiverify.verify.options import DEFAULT_TIMEOUT_SECONDS, HARDWARE, PHASES, Options

if TYPE_CHECKING:
    from nkiverify.frontend.target import Target
    from nkiverify.verify.explanation import Timed

DESCRIPTION = """\
Show what a target is verified as: its domain, and the loops, branches,
assumptions and claims that running its kernel over symbolic shapes records;
for each claim the rung of the engine that closed it, and the time that took."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    add = parser.add_argument
    add("name", metavar="NAME", help="the target")
    add("--phase", type=int, choices=PHASES, default=1, help="whose claims (default: %(default)s)")
    add("--ranges", action="store_true", help="the range of what each line writes, at the smallest shape (phase 5)")
    add("--smt", type=Path, metavar="DIR", help="also write each claim that needs a solver as SMT-LIB into DIR")
    add("--hardware", choices=HARDWARE, help="the hardware generation, instead of the target's")
    add("--unwind", type=positive_integer, metavar="N", help="bound of loops that cannot be summarised")
    add_limits(parser, DEFAULT_TIMEOUT_SECONDS)


def execute(arguments: argparse.Namespace) -> int:
    """Print the program; 3 where the exploration ended at something unsupported, of which no program is complete."""
    from nkiverify.project.chosen_targets import select
    from nkiverify.project.manifest import load_targets

    project = here_or_ours()
    allowed = allowed_by(arguments.allow, project.settings)
    options = Options(
        root=project.root,
        allowed=allowed,
        patterns=(arguments.name,),
        unwind=arguments.unwind,
        hardware=arguments.hardware,
        timeout=arguments.timeout,
    )
    targets = select(load_targets(options.root), options)
    if len(targets) != 1:
        raise UsageError(f"show takes one target; {arguments.name!r} matches {len(targets)}")
    folder = made_folder(arguments.smt, "--smt")
    return isolated(targets[0].name, lambda: _shown(targets[0], options, arguments), arguments, allowed, folder)


def _shown(target: Target, options: Options, arguments: argparse.Namespace) -> int:
    from nkiverify.report import memory_peaks, program_text, terminal
    from nkiverify.report.style import Style
    from nkiverify.results.session import ExitStatus
    from nkiverify.verify.explanation import explain

    if arguments.ranges:
        return _ranges(target, options)
    explained = explain(target, options, arguments.phase)
    style = Style.of(sys.stdout)
    print(style.head(f"{target.name}: {target.kernel}"))
    if target.description:
        print(target.description)
    print(program_text.text(explained.program, explained.decided, options.root, style))
    for line in memory_peaks.lines(explained.memory, options.root, terminal.WIDTH, style):
        print(line)
    if arguments.smt is not None:
        _write_scripts(explained.decided, arguments.smt)
    if explained.limit:
        print(f"{style.warn('incomplete')}: {explained.limit}")
        return ExitStatus.UNKNOWN
    return ExitStatus.AS_EXPECTED


def _ranges(target: Target, options: Options) -> int:
    """Print the ranges; 3 where one is not known, or may be beyond its dtype."""
    from nkiverify.analysis.ranges.run import Limits
    from nkiverify.model.hardware import hardware_named
    from nkiverify.phases.numerics.told import told_ranges
    from nkiverify.report.columns import columns
    from nkiverify.results.session import ExitStatus
    from nkiverify.results.wording import place

    limits = Limits(options.timeout, 1 << 40)
    trial, told = told_ranges(target, dict(options.fixed), hardware_named(options.hardware or target.hardware), limits)
    if trial.outside:
        raise UsageError(f"the smallest values of the dimensions of {target.name} are not in its domain")
    rows = [
        (place(one.site.file, one.site.line, options.root) if one.site else "", one.tensor, one.dtype, one.numbers)
        for one in told
    ]
    print(columns(("line", "writes", "dtype", "range"), rows, ["left"] * 4))
    for finding in trial.findings:
        print(f"{finding.contract}: {finding}")
    if trial.unusable:
        print(f"incomplete: {trial.unusable}")
    return ExitStatus.UNKNOWN if trial.findings or trial.unfollowed or trial.unusable else ExitStatus.AS_EXPECTED


def _write_scripts(decided: Sequence[Timed], folder: Path) -> None:
    from nkiverify.engines.scripts import write_scripts

    try:
        written = write_scripts((one.decision for one in decided), folder)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror or error}") from None
    print(f"written: {written} files in {folder}")
