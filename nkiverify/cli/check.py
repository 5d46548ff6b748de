"""`nkiverify check PATH[::KERNEL]`: verify any kernel; what nobody describes of its arguments is inferred."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.cli.allowing import add_allow, allowed_by, isolated
from nkiverify.cli.command_arguments import (
    add_engine,
    phase_list,
    positive_integer,
    positive_seconds,
    writable,
)
from nkiverify.cli.formats import FORMATS, annotate, text_of
from nkiverify.cli.rule_options import add_policy, policy_of
from nkiverify.engines.table import asks_second
from nkiverify.foundation.budget import RepairBudget, TargetBudget
from nkiverify.foundation.errors import UsageError
from nkiverify.project.repository import here
from nkiverify.project.settings import Settings, layered
from nkiverify.run.supervisor import Stopped, in_child, is_supervised
from nkiverify.verify.options import DEFAULT_HARDWARE, HARDWARE, PHASES, QUICK_ENGINE, Options

if TYPE_CHECKING:
    from nkiverify.cli.last_failure import CheckQuestion
    from nkiverify.cli.outcome import CheckedKernel
    from nkiverify.cli.remembered_checks import Memory
    from nkiverify.project.request import Request
    from nkiverify.results.session import Session
    from nkiverify.run.confinement import Confinement

DESCRIPTION = """\
Say for which shapes the kernels of a file, or of all files in a folder, are
legal, and what is wrong with them; or verify one kernel on a domain. The files
know nothing of nkiverify, and nothing is written beside them.

  nkiverify check kernel.py           every kernel in it
  nkiverify check .                   every kernel below this folder
  nkiverify check kernel.py::softmax --arg x='bf16[P,F]' --where 'F % 8 == 0'"""

EPILOG = """\
arguments of the kernel:
  --arg x='bf16[K, 512]'          a tensor; K is every extent of at least 1
  --arg x='f32[K:128..4096:128]'  a dimension with a range, and a step
  --arg x='bf16[128,512]@sbuf'    a tensor on chip, for a helper
  --arg idx='u32[P,1] in 0..V-1'  indices or loop bounds, and their numbers
  --arg idx=@idx.npy              a tensor with the contents of a file
  --arg r='register in 0..7'      a register, for a helper
  --arg n=4, n=2.5, n=True, n=None, mode="'causal'"
  --arg n='tiles:1..8'            every integer from 1 to 8
  --arg mode=Mode.FAST, cfg='Config(tile=128)', dtype=bf16
                                  names of the kernel's module, and dtypes
  --arg cfg='Config(mode=Mode.FAST)'
                                  also those of the module that has Config
  --arg pool='Pool(1024); pool.open()'
                                  methods to call on it before the kernel
  --arg shape='(H, W:1..64)'      a tuple; H may be a dimension of a tensor
  Parameters without --arg keep their defaults; those that have none are
  inferred from what the kernel does with them, and the report says how.
--where 'K % 128 == 0 and N <= 512' restricts the dimensions. Without --where,
what the kernel asserts at its top is assumed, and the report says what that is;
with --where all asserts are claims, unless --assume-asserts says otherwise.
Where arguments are inferred, and with --derive, the answer is the largest
domain that is found on which every phase is proved (docs/checking.md).

exit status: as of `nkiverify` itself
  0  SUCCESSFUL: legal on a domain that the kernel checks itself, or that only
     memory, instructions or 32-bit integers limit from above
  1  FAILED: a bug, or shapes that the kernel accepts and that fail
  2  what was typed cannot be used    3  UNKNOWN, or a bound: not proved
  4  an error of nkiverify            5  VACUOUS: no values to check"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    phases = ", ".join(f"{number} {name}" for number, name in PHASES.items())
    add = parser.add_argument
    add(
        "paths",
        metavar="PATH[::KERNEL]",
        nargs="*",
        help="a Python file, a function in it, or a folder (default: this folder)",
    )
    add("--arg", action="append", default=[], metavar="NAME=VALUE", help="what a parameter is given, see below")
    add("--where", action="append", default=[], metavar="EXPR", help="a condition on the dimensions")
    add("--derive", action="store_true", help="look for the largest domain on which every phase is proved")
    add("--watch", action="store_true", help="check again whenever a file changes, until Ctrl-C")
    add("--exclude", action="append", default=[], metavar="GLOB", help="leave out these files or folders of a folder")
    add("--list", action="store_true", help="list the kernels, their parameters and asserts, and stop")
    add("--fix", action="store_true", help="print a patch that mends a kernel, or the asserts that it lacks")
    add("--fix-in-place", action="store_true", help="write the asserts that kernels lack into their files")
    add("--manifest-entry", action="store_true", help="print a target for the domain, to be pasted into a manifest")
    add("--all", action="store_true", help="show everything that fails with its source, not the first of each line")
    add("--assume-asserts", action="store_true", help="assume what the kernel asserts at its top with --where, too")
    add("--no-spills", action="store_true", help="claim in phase 3 that all tensors that are live at one time fit")
    add("--grid", metavar="N", help="the launch grid, for example 2 or 'N,4'")
    add(
        "--target",
        choices=(*HARDWARE, "all"),
        help=f"the hardware generation (default: {DEFAULT_HARDWARE}, or what the kernel asks for)",
    )
    add("--phase", type=phase_list, metavar="LIST", help=f"only these phases, separated by commas: {phases}")
    add("--unwind", type=positive_integer, metavar="N", help="bound of loops that cannot be summarised")
    add(
        "--timeout",
        type=positive_seconds,
        metavar="S",
        help=f"seconds for all phases together (default: {TargetBudget.SECONDS:g})",
    )
    add_policy(parser, "no warning")
    add_allow(parser)
    add_engine(parser, QUICK_ENGINE)
    add(
        "--memory",
        type=positive_integer,
        metavar="MIB",
        help="MiB that the process may hold (default: nine tenths of the machine's memory)",
    )
    add("--no-cache", action="store_true", help="check again where nothing has changed, and remember nothing")
    add("--pdb", action="store_true", help="replay the first violation in the debugger, at the line of the kernel")
    add(
        "--output-format",
        choices=FORMATS,
        default=FORMATS[0],
        help="what is printed: a report, a line for each finding, the results, GitHub's commands, or SARIF 2.1.0",
    )
    add("--json", type=Path, metavar="FILE", help="write the results to FILE")
    add("--sarif", type=Path, metavar="FILE", help="write them as SARIF 2.1.0, for code hosts")
    add("--annotations", action="store_true", help="print GitHub's commands that show findings in a pull request, too")
    add("--debug", action="store_true", help="show tracebacks of internal errors")


def execute(arguments: argparse.Namespace) -> int:
    """Check what the arguments ask for; the exit status."""
    if arguments.list:
        return _list(arguments)
    if arguments.no_cache or not is_supervised():
        return _executed(arguments, None)
    from nkiverify.cli.remembered_checks import memory_of

    memory = memory_of(arguments)
    if memory is None:
        return _executed(arguments, None)
    before = memory.told_again()
    return before if before is not None else memory.reported(lambda: _executed(arguments, memory))


def _executed(arguments: argparse.Namespace, memory: Memory | None) -> int:
    paths = _with_the_kernel(arguments)
    options, hardware = _options(arguments)
    if arguments.watch:
        from nkiverify.cli.watched_files import watched

        return watched(lambda: _answers(arguments, paths, options, hardware), paths)
    if len(paths) == 1 and "::" in paths[0] and _described(arguments, paths[0]):
        arguments.kernel = paths[0]
        return _check(arguments, options, hardware or (_decorated(arguments.kernel),), memory)
    return _answers(arguments, paths, options, hardware, memory)


def _with_the_kernel(arguments: argparse.Namespace) -> list[str]:
    """The paths to check; where arguments are given for a file that has one kernel, that kernel."""
    paths = arguments.paths or ["."]
    if len(paths) == 1 and (arguments.arg or arguments.where or arguments.grid):
        from nkiverify.project.discovery import with_its_kernel

        return [with_its_kernel(paths[0], arguments.exclude)]
    return paths


def confinement_of(options: Options) -> Confinement:
    """The confinement of the process that checks kernels: it writes where the second engine that it asks is kept."""
    from nkiverify.run.confinement import Confinement

    folders: list[Path | None] = []
    starts_programs = asks_second(options.engine)
    if starts_programs:
        from nkiverify.foundation.resources import cache_folder

        folders.append(cache_folder())
    return Confinement.of(options.allowed, folders, programs=starts_programs, memory=options.memory)


def _limits(options: Options, arguments: argparse.Namespace) -> tuple[float, float]:
    """Seconds of the wall's clock, and of processor time, after which what is checked must have its verdicts; endless
    where somebody debugs, or tries the second engine."""
    endless = arguments.pdb or asks_second(options.engine)
    more = RepairBudget.SECONDS_BESIDE_A_CHECK * RepairBudget.MOST_TIMES if arguments.fix else 0.0
    return (float("inf"),) * 2 if endless else (options.hard_deadline + more, options.processor_deadline + more)


def _described(arguments: argparse.Namespace, reference: str) -> bool:
    """True if everything that the kernel needs is given, so that nothing has to be inferred."""
    if arguments.derive:
        return False
    if arguments.arg or arguments.where:
        from nkiverify.project.discovery import existing
        from nkiverify.project.inference import is_described

        path, _, name = reference.partition("::")
        existing(path)
        return is_described(path, name, Path.cwd(), arguments.arg)
    return False


def _decorated(reference: str) -> str:
    """The hardware that the kernel's decorator names, or the usual one."""
    from nkiverify.project.inference import hardware_named

    path, _, name = reference.partition("::")
    return hardware_named(path, name, Path.cwd()) or DEFAULT_HARDWARE


def _list(arguments: argparse.Namespace) -> int:
    from nkiverify.cli.listing import listing
    from nkiverify.project.discovery import as_typed, files_of, kernels_in
    from nkiverify.results.session import ExitStatus

    listed = []
    for path in arguments.paths or ["."]:
        for file in files_of(path, arguments.exclude):
            found = kernels_in(file)
            if found:
                listed.append(listing(as_typed(file, path), found))
            elif not Path(path).is_dir():
                raise UsageError(f"there are no kernels in {path}: no function at its top uses NKI")
    print("\n\n".join(listed) if listed else "there are no kernels here")
    return ExitStatus.AS_EXPECTED


def _answers(
    arguments: argparse.Namespace,
    paths: Sequence[str],
    options: Options,
    hardware: Sequence[str],
    memory: Memory | None = None,
) -> int:
    """Say of every kernel for which shapes it is legal."""
    named = [path for path in paths if "::" in path]
    for option in ("arg", "where", "grid"):
        if getattr(arguments, option) and not (len(named) == len(paths) == 1):
            raise UsageError(f"--{option} needs a kernel: {paths[0].partition('::')[0]}::NAME")
    from nkiverify.project.discovery import references_of

    left_out: dict[str, str] = {}
    references = references_of(paths, arguments.exclude, left_out)
    if not references and not left_out:
        raise UsageError(f"there are no kernels in {', '.join(paths)}: no function uses NKI")
    if len(hardware) > 1 or arguments.pdb:
        option = "--pdb" if arguments.pdb else "--target all"
        raise UsageError(f"{option} needs every argument of one kernel, and no --derive")
    from nkiverify.cli.check_answers import CheckRequest, answers

    asked = CheckRequest(
        references=tuple(references),
        left_out=tuple(left_out.items()),
        arguments=tuple(arguments.arg),
        where=tuple(arguments.where),
        grid=arguments.grid,
        hardware=hardware[0] if hardware else None,
        seconds=_limits(options, arguments),
        no_spills=arguments.no_spills,
        assume_asserts=arguments.assume_asserts,
        every=arguments.all,
        fix=arguments.fix,
        in_place=arguments.fix_in_place,
        manifest_entry=arguments.manifest_entry,
        form=arguments.output_format,
        annotations=arguments.annotations,
    )
    return answers(asked, options, confinement_of(options), memory)


def _options(arguments: argparse.Namespace) -> tuple[Options, tuple[str, ...]]:
    """The settings, on top of those of the repository here, and the hardware generations; empty where nobody names
    one."""
    project = here()
    settings = project.settings if project is not None else Settings()
    target = layered("hardware", arguments.target, settings, None).value
    timeout = layered("timeout", arguments.timeout, settings, TargetBudget.SECONDS)
    options = Options(
        root=Path.cwd(),
        phases=layered("phases", arguments.phase, settings, None, "--phase").value,
        unwind=layered("unwind", arguments.unwind, settings, None).value,
        timeout=timeout.value,
        unhurried=timeout.source == "default",
        engine=layered("engine", arguments.engine, settings, QUICK_ENGINE).value,
        lowering=arguments.lowering,
        memory=arguments.memory,
        debug=arguments.debug,
        every_violation=arguments.all,
        largest_range=True,
        json=writable(arguments.json, "--json"),
        sarif=writable(arguments.sarif, "--sarif"),
        policy=policy_of(arguments, settings),
        allowed=allowed_by(arguments.allow, settings),
    )
    return options, HARDWARE if target == "all" else (target,) if target else ()


def _check(
    arguments: argparse.Namespace, options: Options, hardware: Sequence[str], memory: Memory | None = None
) -> int:
    """Check the kernel, of which everything is given, in a process of its own, and print what is found out."""
    from nkiverify.cli.outcome import CheckedKernel, checked, session_here
    from nkiverify.frontend.guard import passed_over
    from nkiverify.results.session import ExitStatus, worst
    from nkiverify.verify.rule_ids import check_comments

    started, clock = datetime.now(timezone.utc), time.perf_counter()
    check_comments([str(Path(arguments.kernel.partition("::")[0]).resolve())])

    def work() -> CheckedKernel:
        # Of other kernels of this process, where it has had any.
        passed_over.clear()
        return checked(_request(arguments), hardware, options)

    wall, processor = (each * len(hardware) for each in _limits(options, arguments))
    found = in_child(arguments.kernel, work, wall, confinement_of(options), options.memory, processor)
    ended: int = ExitStatus.AS_EXPECTED
    if isinstance(found, Stopped):
        if not isinstance(found.so_far, CheckedKernel):
            return found.status
        # The phases that had their verdicts before; also where a signal has ended the process.
        ended, found = found.status, found.so_far
    elif memory is not None:
        memory.conclude(found.runs, found.passed_over)
    session = session_here(found.runs, options.root, started, clock)
    status = _reported(found, arguments, options, hardware, session)
    return worst((ExitStatus(ended), ExitStatus(status))) if ended in tuple(ExitStatus) else ended


def _request(arguments: argparse.Namespace) -> Request:
    from nkiverify.project.request import request

    return request(
        arguments.kernel,
        Path.cwd(),
        arguments.arg,
        arguments.where,
        arguments.grid,
        assume_asserts=arguments.assume_asserts,
        no_spills=arguments.no_spills,
    )


def _reported(
    found: CheckedKernel, arguments: argparse.Namespace, options: Options, hardware: Sequence[str], session: Session
) -> int:
    """Print and write what was found out; the exit status."""
    from nkiverify.cli.outcome import language_report, not_compared, report, written
    from nkiverify.frontend.guard import warning
    from nkiverify.report.style import Style
    from nkiverify.report.terminal import WIDTH
    from nkiverify.results.session import ExitStatus, worst
    from nkiverify.results.warning_rules import failing, outside, with_accepted, with_unused, without_ignored

    language = outside(found.language, options.policy)
    session = with_unused(with_accepted(session, language.accepted), options.policy, everything=True, language=True)
    session = without_ignored(session, options.policy)
    for line in found.passed_over:
        print(warning(line), file=sys.stderr)
    session = written(session, options)
    status = session.exit_status
    if arguments.annotations:
        annotate(session, arguments.output_format)
    if arguments.output_format != FORMATS[0]:
        print(text_of(session, arguments.output_format), end="", flush=True)
        strict = language.failing or failing(session, options.policy)
        return worst((status, ExitStatus.MISMATCH)) if strict else status
    again = ""
    if any(run.violations for run in session.runs):
        from nkiverify.cli.last_failure import REPLAY, remember

        kept = remember(_question(arguments, session, hardware), session.runs)
        again = REPLAY if kept else "the same with --pdb"
    print(report(session, found.subject, options.debug, Style.of(sys.stdout), again), end="", flush=True)
    if language.reported:
        print(language_report(language, Path.cwd()), end="", flush=True)
        status = worst((status, ExitStatus.MISMATCH)) if language.failing else status
    print(found.next_step, end="", flush=True)
    values = not_compared(arguments.kernel, arguments.arg, arguments.grid, session.runs, Path.cwd(), WIDTH)
    if values:
        print(values, flush=True)
    if arguments.pdb:
        _debug(session, arguments, options, hardware)
    failed = failing(session, options.policy)
    print(failed, end="", flush=True)
    return worst((status, ExitStatus.MISMATCH)) if failed else status


def _question(arguments: argparse.Namespace, session: Session, hardware: Sequence[str]) -> CheckQuestion:
    """The question that was asked, on the hardware on which it failed first."""
    from nkiverify.cli.last_failure import CheckQuestion

    failed = [run.target.rpartition("@")[2] for run in session.runs if run.violations]
    return CheckQuestion(
        str(session.root),
        arguments.kernel,
        tuple(arguments.arg),
        tuple(arguments.where),
        arguments.grid,
        failed[0] if len(hardware) > 1 and failed else hardware[0],
        arguments.assume_asserts,
        arguments.no_spills,
    )


def _debug(session: Session, arguments: argparse.Namespace, options: Options, hardware: Sequence[str]) -> None:
    """The debugger at the first violation that has been replayed, if there is one, in a process that has the
    terminal."""
    from nkiverify.cli.replay import Replayed, concluded, replayed
    from nkiverify.results.file import RecordedViolation

    replayable = [(run, violation) for run in session.runs for violation in run.violations if violation.replayed]
    if not replayable:
        print("nkiverify: --pdb: no violation to replay", file=sys.stderr)
        return
    run, violation = replayable[0]
    several = len(hardware) > 1
    name = run.target.rpartition("@")[2] if several else hardware[0]
    recorded = RecordedViolation(run.target, run.phase, violation)

    def work() -> Replayed:
        return replayed(recorded, _request(arguments).target(name, several), session.root, name, debug=True)

    concluded(isolated(arguments.kernel, work, arguments, options.allowed, debugger=True))
