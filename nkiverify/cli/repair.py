"""`nkiverify repair FILE::kernel`: small edits that mend a kernel."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.cli.allowing import add_limits, allowed_by, isolated
from nkiverify.cli.command_arguments import positive_seconds, writable
from nkiverify.foundation.errors import UsageError
from nkiverify.run.supervisor import Stopped
from nkiverify.verify.options import HARDWARE, Options

if TYPE_CHECKING:
    from nkiverify.products.repair.patches import RepairAnswer

DESCRIPTION = """\
Look for a small edit that mends a kernel which fails, or which accepts shapes
for which it fails: another tile constant or loop variable, a quotient rounded
up, a tile cut to what is left, operands, indices, masks or axes exchanged,
bounds off by one, a missing memset; asserts last of all. Each is run on shapes
for which the kernel fails; what is left is checked as any kernel."""

EPILOG = """\
arguments of the kernel, written as for `nkiverify check`; what is not given is
inferred.
--reference FILE::NAME says what the kernel is to compute: a function of NumPy's
arrays or PyTorch's tensors, or another kernel. A patch that computes something
else is not told. Without it nothing says what is meant: read the patch.

exit status:
  0  nothing is wrong, or a patch was found after which nothing is
  1  no edit of these kinds mends it wholly
  2  what was typed cannot be used    4  an error of nkiverify"""

#: Seconds within which edits are searched for, and those of the check before.
_SECONDS, _CHECKING = 30.0, 20.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    add = parser.add_argument
    add("kernel", metavar="FILE[::KERNEL]", help="a Python file, and a kernel in it where it has several")
    add("--arg", action="append", default=[], metavar="NAME=VALUE", help="what a parameter is given")
    add("--where", action="append", default=[], metavar="EXPR", help="a condition on the dimensions")
    add("--grid", metavar="N", help="the launch grid, for example 2 or 'N,4'")
    add("--target", choices=HARDWARE, help="the hardware generation (default: trn2, or what the kernel asks for)")
    add("--reference", metavar="FILE::NAME", help="what the kernel is to compute: a function, or another kernel")
    add("--apply", action="store_true", help="write the first patch into the file")
    add("--fix", action="store_true", dest="apply", help="the same as --apply")
    add("--json", type=Path, metavar="FILE", help="write the patches to FILE")
    add(
        "--search",
        type=positive_seconds,
        default=_SECONDS,
        metavar="S",
        help="seconds within which edits are looked for (default: %(default)g)",
    )
    add_limits(parser, 120.0)
    add("--debug", action="store_true", help="show tracebacks of internal errors")


def execute(arguments: argparse.Namespace) -> int:
    """Look for patches, print them, and write the first where that is asked for; the exit status."""
    from nkiverify.products.repair.patches import RepairQuestion
    from nkiverify.products.repair.repair import repaired
    from nkiverify.products.repair.repair_text import as_json, text
    from nkiverify.project.discovery import the_kernel
    from nkiverify.report.style import Style
    from nkiverify.results.session import ExitStatus

    kernel = the_kernel(arguments.kernel)
    allowed = allowed_by(arguments.allow)
    file = writable(arguments.json, "--json")
    asked = RepairQuestion(
        kernel,
        Path.cwd(),
        tuple(arguments.arg),
        tuple(arguments.where),
        arguments.grid,
        arguments.target,
        arguments.reference or "",
        arguments.search,
    )
    options = Options(root=Path.cwd(), largest_range=True, timeout=_CHECKING)
    path = Path(kernel.partition("::")[0])
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = isolated(kernel, lambda: repaired(asked, options), arguments, allowed)
    if isinstance(found, Stopped):
        return found.status
    if file is not None:
        file.write_text(as_json(found, before), encoding="utf-8")
    print(text(found, before, Style.of(sys.stdout)))
    if arguments.apply and found.patches:
        _apply(found, path, before)
    elif arguments.apply and found.notes:
        print(f"nkiverify: nothing is written into {path}: what is shown is not known to be meant", file=sys.stderr)
    whole = not found.wrong or any(one.whole for one in found.patches[:1])
    return ExitStatus.AS_EXPECTED if whole else ExitStatus.MISMATCH


def _apply(found: RepairAnswer, path: Path, before: str) -> None:
    if path.read_text(encoding="utf-8") != before:
        raise UsageError(f"{path} has changed meanwhile: nothing is written")
    try:
        path.write_text(found.patches[0].text(before), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None
    print(f"nkiverify: {path} has the first patch", file=sys.stderr)
