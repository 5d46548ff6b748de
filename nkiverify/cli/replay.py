"""`nkiverify replay [RESULTS.json] --target NAME`: run a kernel on the witness of a violation, concretely."""

from __future__ import annotations

import argparse
import enum
import pdb
import sys
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from nkiverify.cli.allowing import add_limits, allowed_by, isolated
from nkiverify.cli.command_arguments import positive_integer
from nkiverify.foundation.budget import TargetBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError, described
from nkiverify.project.repository import here_or_ours
from nkiverify.results.session import ExitStatus
from nkiverify.run.supervisor import Stopped
from nkiverify.verify.options import HARDWARE, PHASES

if TYPE_CHECKING:
    from nkiverify.foundation.allowed import Allowed
    from nkiverify.frontend.target import Target
    from nkiverify.results.file import RecordedViolation

DESCRIPTION = """\
Run the kernel of a violation on its witness, as ordinary Python with ordinary
ints, up to the line where the contract breaks. Without arguments it is the last
failure of `nkiverify check`; with --target one of a file of results, by default
that of the last `nkiverify run`."""

EPILOG = """\
exit status:
  0  the violation was reproduced, or its test written
  2  there is no such violation, or the command line cannot be used
  3  the kernel cannot be run here: it needs what it is not given, or too long
  4  the kernel does not break the contract at this line: please report it"""


class ReplayEnding(enum.Enum):
    """The ways in which a replay ends, as they are reported."""

    REPRODUCED = "reproduced"
    UNKNOWN = "not replayed"
    OTHER = "NOT reproduced"


_STATUSES = {
    ReplayEnding.REPRODUCED: ExitStatus.AS_EXPECTED,
    ReplayEnding.UNKNOWN: ExitStatus.UNKNOWN,
    ReplayEnding.OTHER: ExitStatus.INTERNAL_ERROR,
}


@dataclass(frozen=True, slots=True)
class Replayed:
    """The way in which a replay ended, and what the kernel did."""

    ending: ReplayEnding
    text: str


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    add = parser.add_argument
    add("results", nargs="?", type=Path, metavar="RESULTS.json", help="the results (default: reports/results.json)")
    add("--target", metavar="NAME", help="the target that failed (default: the last failure of `nkiverify check`)")
    add("--phase", type=int, choices=PHASES, help="the phase it failed in (default: the first)")
    add("--violation", type=positive_integer, default=1, metavar="N", help="which of its violations (default: 1)")
    add("--hardware", choices=HARDWARE, help="the hardware generation, instead of the target's")
    add("--pdb", action="store_true", help="stop in the debugger, at the line of the kernel that breaks the contract")
    add_limits(parser, TargetBudget.SECONDS)
    add("--emit-test", type=Path, metavar="FILE", help="write a pytest test that reproduces it instead of running it")


def execute(arguments: argparse.Namespace) -> int:
    """Replay the violation asked for; the exit status."""
    from nkiverify.project.reproduce import target_named
    from nkiverify.report import diagnostic
    from nkiverify.report.style import Style
    from nkiverify.results import wording
    from nkiverify.results.file import violations_of

    project = here_or_ours()
    root = project.root
    allowed = allowed_by(arguments.allow, project.settings)
    if arguments.target is None:
        return _last(arguments, allowed)
    results = arguments.results or project.reports / "results.json"
    found = violations_of(results, arguments.target, arguments.phase)
    if arguments.violation > len(found):
        raise UsageError(
            f"{arguments.target} has {wording.counted(len(found), 'violation')}, not {arguments.violation}"
        )
    recorded = found[arguments.violation - 1]
    target = target_named(recorded.target, root)
    if arguments.emit_test is not None:
        return _emit(recorded, target, arguments, allowed)
    print(f"{recorded.target}, phase {recorded.phase}: violation {arguments.violation} of {len(found)}")
    print("\n".join(diagnostic.violations([recorded.violation], root, style=Style.of(sys.stdout))), flush=True)
    work = lambda: replayed(recorded, target, root, arguments.hardware, debug=arguments.pdb)  # noqa: E731
    return concluded(isolated(target.name, work, arguments, allowed, debugger=arguments.pdb))


def _last(arguments: argparse.Namespace, allowed: Allowed) -> int:
    """Replay the last failure of `check`; the exit status."""
    from nkiverify.cli.last_failure import last
    from nkiverify.report import diagnostic
    from nkiverify.report.style import Style

    for option in ("results", "phase", "emit_test"):
        if getattr(arguments, option) is not None:
            raise UsageError("without --target NAME the last failure of `nkiverify check` is replayed")
    question, recorded = last()
    root, hardware = Path(question.folder), arguments.hardware or question.hardware
    print(f"{question.reference}, phase {recorded.phase}")
    print("\n".join(diagnostic.violations([recorded.violation], root, style=Style.of(sys.stdout))), flush=True)
    work = lambda: replayed(recorded, question.target(), root, hardware, debug=arguments.pdb)  # noqa: E731
    return concluded(isolated(question.reference, work, arguments, allowed, debugger=arguments.pdb))


def concluded(found: Replayed | Stopped) -> int:
    """Print how a replay ended; the exit status."""
    if isinstance(found, Stopped):
        return found.status
    print(f"\n{found.ending.value}: {found.text}")
    return _STATUSES[found.ending]


def _emit(recorded: RecordedViolation, target: Target, arguments: argparse.Namespace, allowed: Allowed) -> int:
    """Write the test; the exit status."""
    from nkiverify.results import codec as json_results
    from nkiverify.results.emit import test_source

    file: Path = arguments.emit_test
    # As bytes: no text that is shown.
    work = lambda: test_source(recorded, target, file, arguments.hardware).encode()  # noqa: E731
    source = isolated(target.name, work, arguments, allowed)
    if isinstance(source, Stopped):
        return source.status
    try:
        json_results.write(source.decode(), file)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror or error}") from None
    print(f"written: {file}")
    return 0


def replayed(recorded: RecordedViolation, target: Target, root: Path, hardware: str | None, debug: bool) -> Replayed:
    """The ending of a run of `target` on the witness. With `debug`, in pdb. Recorded files are relative to `root`."""
    from nkiverify.foundation.errors import UnsupportedConstruct
    from nkiverify.project.reproduce import run_target
    from nkiverify.results.wording import place

    violation = recorded.violation
    values = violation.values or {name: value for name, value in violation.witness.items() if isinstance(value, int)}
    try:
        run_target(
            target,
            values,
            contract=violation.contract,
            file=violation.file,
            line=violation.line,
            phase=recorded.phase,
            root=root,
            hardware=hardware,
        )
    except UsageError:
        raise
    except (Exception, SystemExit, UnsupportedConstruct) as error:
        if _is_the_one(error, recorded, root):
            where = place(violation.file, violation.line, root)
            if debug:
                _debug(error)
            return Replayed(ReplayEnding.REPRODUCED, f"{type(error).__name__}{f' at {where}' if where else ''}")
        if isinstance(error, UnsupportedConstruct):
            return Replayed(ReplayEnding.UNKNOWN, described(error))
        return Replayed(ReplayEnding.OTHER, described(error))
    return Replayed(ReplayEnding.OTHER, "the kernel keeps the contract for these values")


def _is_the_one(error: BaseException, recorded: RecordedViolation, root: Path) -> bool:
    """True if `error` is the recorded violation: the contract at the line, or the kernel's own exception there."""
    from nkiverify.foundation.errors import ContractViolation
    from nkiverify.frontend.concrete import innermost_kernel_site
    from nkiverify.frontend.stated import rule_of

    violation = recorded.violation
    if isinstance(error, ContractViolation):
        return error.contract == violation.contract
    site = innermost_kernel_site(error)
    line = (site.file, site.line) if site is not None else ("", 0)
    there = (str((root / violation.file).resolve()) if violation.file else "", violation.line)
    return isinstance(error, Exception | SystemExit) and rule_of(error).id == violation.contract and line == there


def _debug(error: BaseException) -> None:
    """The debugger, at the innermost line of the kernel: not in the stubs that it called."""
    from nkiverify.frontend.tracebacks import kernel_entries

    entries = kernel_entries(error)
    shown: TracebackType | None = None
    for entry in reversed(entries):
        shown = TracebackType(shown, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    if shown is None:
        shown = error.__traceback__
    debugger = pdb.Pdb()
    debugger.reset()
    debugger.interaction(None, shown)
