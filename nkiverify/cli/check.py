"""`nkiverify check FILE[::KERNEL]`: verify any kernel, with arguments described on the command line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.cli.arguments import (
    add_engine,
    add_strict_language,
    phase_list,
    positive_integer,
    positive_seconds,
)
from nkiverify.foundation.errors import UsageError
from nkiverify.project.repository import here
from nkiverify.project.settings import Settings, layered
from nkiverify.results.warning_rules import add_warnings, failing, without_ignored
from nkiverify.verify.options import DEFAULT_HARDWARE, DEFAULT_TIMEOUT_SECONDS, HARDWARE, PHASES, QUICK_ENGINE, Options

if TYPE_CHECKING:
    from nkiverify.project.request import Request
    from nkiverify.results.session import Session

DESCRIPTION = """\
Verify one kernel of any file. The file knows nothing of nkiverify, and nothing
is written beside it. Without ::KERNEL, list what is in it."""

EPILOG = """\
arguments of the kernel:
  --arg x='bf16[K, 512]'          a tensor; K is every extent of at least 1
  --arg x='f32[K:128..4096:128]'  a dimension with a range, and a step
  --arg x='bf16[128,512]@sbuf'    a tensor on chip, for a helper
  --arg idx='u32[P,1] in 0..V-1'  indices or loop bounds, and their numbers
  --arg r='register in 0..7'      a register, for a helper
  --arg n=4, n=2.5, n=True, n=None, mode="'causal'"
  --arg n='tiles:1..8'            every integer from 1 to 8
  --arg mode=Mode.FAST, cfg='Config(tile=128)', dtype=bf16
                                  names of the kernel's module, and dtypes
  --arg shape='(H, W)'            a tuple; H and W may be dimensions of tensors
  Parameters without --arg keep their defaults.
--where 'K % 128 == 0 and N <= 512' restricts the dimensions. Without --where,
what the kernel asserts at its top is assumed, and the report says what that is;
with --where all asserts are claims, unless --assume-asserts says otherwise.

exit status: as of `nkiverify` itself
  0  SUCCESSFUL    1  FAILED    2  what was typed cannot be used    3  UNKNOWN
  4  an error of nkiverify      5  VACUOUS: no values to check"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    phases = ", ".join(f"{number} {name}" for number, name in PHASES.items())
    add = parser.add_argument
    add("kernel", metavar="FILE[::KERNEL]", help="a Python file, and a function in it")
    add("--arg", action="append", default=[], metavar="NAME=VALUE", help="what a parameter is given, see below")
    add("--where", action="append", default=[], metavar="EXPR", help="a condition on the dimensions")
    add("--assume-asserts", action="store_true", help="assume what the kernel asserts at its top with --where, too")
    add("--no-spills", action="store_true", help="claim in phase 3 that all tensors that are live at one time fit")
    add("--grid", metavar="N", help="the launch grid, for example 2 or 'N,4'")
    add("--target", choices=(*HARDWARE, "all"), help=f"the hardware generation (default: {DEFAULT_HARDWARE})")
    add("--phase", type=phase_list, metavar="LIST", help=f"only these phases, separated by commas: {phases}")
    add("--unwind", type=positive_integer, metavar="N", help="bound of loops that cannot be summarised")
    add(
        "--timeout",
        type=positive_seconds,
        metavar="S",
        help=f"seconds for all phases together (default: {DEFAULT_TIMEOUT_SECONDS:g})",
    )
    add_strict_language(parser, "no warning")
    add_warnings(parser)
    add_engine(parser, QUICK_ENGINE)
    add("--pdb", action="store_true", help="replay the first violation in the debugger, at the line of the kernel")
    add("--json", type=Path, metavar="FILE", help="write the results to FILE")
    add("--debug", action="store_true", help="show tracebacks of internal errors")


def execute(arguments: argparse.Namespace) -> int:
    """Check what the arguments ask for; the exit status. Mistakes in their text are shown with a caret."""
    from nkiverify.frontend.domain.excerpt import TextError

    try:
        if "::" not in arguments.kernel:
            return _list(arguments)
        return _check(arguments)
    except TextError as error:
        print(f"nkiverify: error: {error}\n{error.excerpt()}", file=sys.stderr)
        return 2


def _list(arguments: argparse.Namespace) -> int:
    from nkiverify.cli.listing import listing
    from nkiverify.project.discovery import kernels_in
    from nkiverify.results.session import ExitStatus

    for option in ("arg", "where", "assume-asserts", "grid"):
        if getattr(arguments, option.replace("-", "_")):
            raise UsageError(f"--{option} needs a kernel: {arguments.kernel}::NAME")
    file = _existing(arguments.kernel)
    found = kernels_in(file)
    if not found:
        raise UsageError(f"there are no kernels in {arguments.kernel}: no function at its top uses NKI")
    print(listing(arguments.kernel, found))
    return ExitStatus.AS_EXPECTED


def _check(arguments: argparse.Namespace) -> int:
    path = arguments.kernel.partition("::")[0]
    _existing(path)
    json_file = _writable(arguments.json)
    from nkiverify.cli.outcome import check, language_report, next_step, report
    from nkiverify.frontend.import_guard import passed_over
    from nkiverify.frontend.language_rules import findings
    from nkiverify.project.request import request
    from nkiverify.results import codec as json_results
    from nkiverify.results.session import ExitStatus, worst

    base = Path.cwd()
    project = here()
    settings = project.settings if project is not None else Settings()
    target = layered("hardware", arguments.target, settings, DEFAULT_HARDWARE).value
    hardware = HARDWARE if target == "all" else (target,)
    options = Options(
        root=base,
        phases=layered("phases", arguments.phase, settings, None, "--phase").value,
        unwind=layered("unwind", arguments.unwind, settings, None).value,
        timeout=layered("timeout", arguments.timeout, settings, DEFAULT_TIMEOUT_SECONDS).value,
        engine=layered("engine", arguments.engine, settings, QUICK_ENGINE).value,
        debug=arguments.debug,
        json=json_file,
    )
    asked = request(
        arguments.kernel,
        base,
        arguments.arg,
        arguments.where,
        arguments.grid,
        assume_asserts=arguments.assume_asserts,
        no_spills=arguments.no_spills,
    )
    session = without_ignored(check(asked, hardware, options), arguments.warnings)
    for line in passed_over.values():
        print(f"nkiverify: warning: {line}, and is not given it", file=sys.stderr)
    status = session.exit_status
    print(report(session, asked, options.debug), end="", flush=True)
    outside = findings(asked.kernel)
    strict = layered("strict-language", arguments.strict_language, settings, False).value
    if outside:
        print(language_report(outside, base, strict), end="", flush=True)
        status = worst((status, ExitStatus.MISMATCH)) if strict else status
    print(next_step(session, asked), end="", flush=True)
    if json_file is not None:
        try:
            json_results.write(json_results.text(session), json_file)
        except OSError as error:
            message = f"nkiverify: error: {json_file} could not be written: {error.strerror or error}"
            print(message, file=sys.stderr)
            status = worst((status, ExitStatus.INTERNAL_ERROR))
    if arguments.pdb:
        _debug(session, asked, hardware)
    failed = failing(session, arguments.warnings)
    print(failed, end="", flush=True)
    return worst((status, ExitStatus.MISMATCH)) if failed else status


def _debug(session: Session, asked: Request, hardware: Sequence[str]) -> None:
    """The debugger at the first violation that has been replayed, if there is one."""
    from nkiverify.cli.replay import replayed
    from nkiverify.results.recorded import Recorded

    for run in session.runs:
        for violation in run.violations:
            if violation.replayed:
                several = len(hardware) > 1
                name = run.target.rpartition("@")[2] if several else hardware[0]
                recorded = Recorded(run.target, run.phase, violation)
                replayed(recorded, asked.target(name, several), session.root, name, debug=True)
                return
    print("nkiverify: --pdb: no violation to replay", file=sys.stderr)


def _existing(path: str) -> Path:
    """The file at `path`. Raises `UsageError` where there is none, or it is not Python by its name."""
    file = Path(path)
    if file.is_dir():
        raise UsageError(f"{path} is a folder: name a file in it")
    if not file.is_file():
        raise UsageError(f"no file {path}")
    if file.suffix != ".py":
        raise UsageError(f"{path} is no Python file")
    return file.resolve()


def _writable(path: Path | None) -> Path | None:
    """`path`, if a file can be written there: asked before the run, whose results would be lost."""
    if path is None:
        return None
    if path.is_dir():
        raise UsageError(f"--json: {path} is a folder")
    if not path.parent.is_dir():
        raise UsageError(f"--json: there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"--json: {path} cannot be written")
    return path
