"""`nkiverify show NAME`: the shape program of a target, and what decided each of its claims."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.cli.allowing import add_limits, allowed_by, isolated
from nkiverify.cli.command_arguments import made_folder, positive_integer
from nkiverify.foundation.budget import TargetBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.project.repository import here_or_ours
from nkiverify.run.supervisor import Stopped
from nkiverify.verify.options import HARDWARE, PHASES, Options

if TYPE_CHECKING:
    from nkiverify.foundation.records import MemoryPeak
    from nkiverify.frontend.target import Target
    from nkiverify.products.numerics.reported import Told
    from nkiverify.report.program_text import TextPart
    from nkiverify.report.style import Style
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
    add("--ranges", action="store_true", help="the range and rounding of what each line writes, at the smallest shape")
    add("--format", choices=("text", "json"), default="text", help="json: the program as data (docs/program-format.md)")
    add("--explain-budget", action="store_true", help="what exploring and each claim took, and what open ones need")
    add("--smt", type=Path, metavar="DIR", help="also write each claim that needs a solver as SMT-LIB into DIR")
    add("--hardware", choices=HARDWARE, help="the hardware generation, instead of the target's")
    add("--unwind", type=positive_integer, metavar="N", help="bound of loops that cannot be summarised")
    add_limits(parser, TargetBudget.SECONDS)


def execute(arguments: argparse.Namespace) -> int:
    """Print the program; 3 where the exploration ended at something unsupported, of which no program is complete."""
    from nkiverify.project.chosen_targets import select
    from nkiverify.project.manifest_targets import load_targets
    from nkiverify.report.style import Style

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
    target, style = targets[0], Style.of(sys.stdout)
    if arguments.ranges:
        ranges = isolated(target.name, lambda: _ranges(target, options), arguments, allowed)
        return ranges.status if isinstance(ranges, Stopped) else _told_ranges(ranges, options.root)
    folder = made_folder(arguments.smt, "--smt")
    work = lambda: _explained(target, options, arguments)  # noqa: E731
    shown = isolated(target.name, work, arguments, allowed, folder)
    return shown.status if isinstance(shown, Stopped) else _told(shown, target, options.root, folder, style)


@dataclass(frozen=True, slots=True)
class Shown:
    """The lines of the program of a target, or the program as JSON, what is known of each memory, how many files were
    written, and what ended the exploration early, if anything."""

    program: tuple[tuple[TextPart, ...], ...]
    data: str
    memory: tuple[MemoryPeak, ...]
    written: int
    limit: str


@dataclass(frozen=True, slots=True)
class WrittenRanges:
    """The ranges that lines write, what may be beyond its dtype, why there may be more, and if all was followed."""

    lines: tuple[Told, ...]
    findings: tuple[str, ...]
    incomplete: str
    followed: bool


def _explained(target: Target, options: Options, arguments: argparse.Namespace) -> Shown:
    from nkiverify.report import program_text
    from nkiverify.results import program_file
    from nkiverify.verify.explanation import explain

    explained = explain(target, options, arguments.phase, needed=arguments.explain_budget)
    if arguments.explain_budget:
        from nkiverify.report import budget_table
        from nkiverify.report.program_text import TextPart

        table = tuple((TextPart(line),) for line in budget_table.lines(explained, options.root))
        return Shown(table, "", (), 0, explained.limit)
    as_data = arguments.format == "json"
    data = program_file.dump(explained.program, options.root) if as_data else ""
    lines = () if as_data else tuple(program_text.lines(explained.program, explained.decided, options.root))
    written = _write_scripts(explained.decided, arguments.smt) if arguments.smt is not None else 0
    return Shown(lines, data, explained.memory, written, explained.limit)


def _told(shown: Shown, target: Target, root: Path, folder: Path | None, style: Style) -> int:
    """Print the program, and what was written to the `folder`; the exit status."""
    from nkiverify.report import memory_peaks, program_text, terminal
    from nkiverify.results.session import ExitStatus

    if shown.data:
        print(shown.data)
        if shown.limit:
            print(f"incomplete: {shown.limit}", file=sys.stderr)
        return ExitStatus.UNKNOWN if shown.limit else ExitStatus.AS_EXPECTED
    print(style.head(f"{target.name}: {target.kernel}"))
    if target.description:
        print(target.description)
    print(program_text.text(shown.program, style))
    for line in memory_peaks.lines(shown.memory, root, terminal.WIDTH, style):
        print(line)
    if folder is not None:
        print(f"written: {shown.written} files in {folder}")
    if shown.limit:
        print(f"{style.warn('incomplete')}: {shown.limit}")
    return ExitStatus.UNKNOWN if shown.limit else ExitStatus.AS_EXPECTED


def _ranges(target: Target, options: Options) -> WrittenRanges:
    from nkiverify.analysis.ranges.range_run import RangeLimits
    from nkiverify.model.hardware import hardware_named
    from nkiverify.products.numerics.reported import told_ranges

    limits = RangeLimits(options.timeout, 1 << 40)
    trial, reported = told_ranges(
        target, dict(options.fixed), hardware_named(options.hardware or target.hardware), limits
    )
    if trial.outside:
        raise UsageError(f"the smallest values of the dimensions of {target.name} are not in its domain")
    findings = tuple(f"{finding.contract}: {finding}" for finding in trial.findings)
    return WrittenRanges(tuple(reported), findings, str(trial.unusable or ""), not trial.unfollowed)


def _told_ranges(ranges: WrittenRanges, root: Path) -> int:
    """Print the ranges; 3 where one is not known, or may be beyond its dtype."""
    from nkiverify.products.numerics.range_table import table
    from nkiverify.report.terminal import WIDTH
    from nkiverify.results.session import ExitStatus

    for line in table(ranges.lines, root):
        print(line)
    reported = [*ranges.findings, *([f"incomplete: {ranges.incomplete}"] if ranges.incomplete else [])]
    for text in reported:
        print(textwrap.fill(text, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))
    known = ranges.followed and not ranges.findings and not ranges.incomplete
    return ExitStatus.AS_EXPECTED if known else ExitStatus.UNKNOWN


def _write_scripts(decided: Sequence[Timed], folder: Path) -> int:
    """Write them; how many."""
    from nkiverify.engines.scripts import write_scripts

    try:
        return write_scripts((one.decision for one in decided), folder)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror or error}") from None
