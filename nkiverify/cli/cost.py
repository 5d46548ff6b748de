"""`nkiverify cost FILE::kernel`: what a kernel costs, for all shapes."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.cli.allowing import add_limits, allowed_by, isolated, settings_here
from nkiverify.cli.command_arguments import writable
from nkiverify.foundation.errors import UsageError
from nkiverify.run.supervisor import Stopped
from nkiverify.verify.options import DEFAULT_HARDWARE, HARDWARE

if TYPE_CHECKING:
    from nkiverify.products.cost.report import CostQuestion, CostReport

DESCRIPTION = """\
What a kernel costs: the bytes of HBM that it reads and writes, DMA descriptors,
instructions by engine, floating-point operations, and a lower bound of time.
Figures are formulas in the dimensions, with their numbers at one shape."""

EPILOG = """\
arguments of the kernel, written as for `nkiverify check`:
  --arg x='bf16[128*m,512]'    a tensor; m is a dimension, of any value
  --at m=32                    the shape of the numbers (default: each dimension
                               four times its smallest)
--budget takes figures by the names that --json has, dimensions, numbers, and
`once`, the bytes of HBM that are read at all:
  --budget 'hbm_read <= 1.1 * once'
Nothing is a prediction; docs/cost.md says what each figure means, and what the
compiler may change.

exit status:
  0  told; every budget is kept for all shapes of the domain
  1  a budget is not kept
  2  what was typed cannot be used
  3  something is not understood, or has no known cost; a budget is not decided
  4  an error of nkiverify"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    add = parser.add_argument
    add("kernel", metavar="FILE[::KERNEL]", help="a Python file, and a kernel in it where it has several")
    add("--arg", action="append", default=[], metavar="NAME=VALUE", help="what a parameter is given, see below")
    add("--where", action="append", default=[], metavar="EXPR", help="a condition on the dimensions")
    add("--grid", metavar="N", help="the launch grid, for example 2 or 'N,4'")
    add("--target", choices=HARDWARE, default=DEFAULT_HARDWARE, help="the hardware generation (default: %(default)s)")
    add(
        "--at", action="append", default=[], metavar="NAME=N", help="a dimension of the shape that numbers are told for"
    )
    add("--compare", metavar="FILE::KERNEL", help="tell the figures of another kernel, with the same arguments, beside")
    add("--budget", action="append", default=[], metavar="EXPR", help="what has to hold for all shapes, see below")
    add(
        "--lints",
        action=argparse.BooleanOptionalAction,
        help="warn of what costs more than it has to (default: cost-lints in [tool.nkiverify], or else not)",
    )
    add("--json", type=Path, metavar="FILE", help="write the figures to FILE")
    add_limits(parser, 120.0)
    add("--debug", action="store_true", help="show tracebacks of internal errors")


def execute(arguments: argparse.Namespace) -> int:
    """Tell what a kernel costs; the exit status."""
    from nkiverify.products.cost.cost_text import as_json, text
    from nkiverify.products.cost.report import CostQuestion, incomplete
    from nkiverify.project.discovery import the_kernel
    from nkiverify.project.settings import layered
    from nkiverify.report.style import Style

    arguments.kernel = the_kernel(arguments.kernel)
    arguments.compare = None if arguments.compare is None else the_kernel(arguments.compare)
    allowed = allowed_by(arguments.allow)
    file = writable(arguments.json, "--json")
    warned = layered("cost-lints", arguments.lints, settings_here(), False, "--lints").value
    asked = CostQuestion(_shape(arguments.at), tuple(arguments.budget), warned)
    found = isolated(arguments.kernel, lambda: _reports(arguments, asked), arguments, allowed)
    if isinstance(found, Stopped):
        return found.status
    if file is not None:
        file.write_text(as_json(found, Path.cwd()), encoding="utf-8")
    print(text(found[0], found[1] if len(found) > 1 else None, Path.cwd(), Style.of(sys.stdout)))
    return _status(found, incomplete(found))


def _status(found: tuple[CostReport, ...], incomplete: bool) -> int:
    from nkiverify.products.cost.budget import BudgetAnswer
    from nkiverify.results.session import ExitStatus

    answers = {budget.answer for one in found for budget in one.budgets}
    if BudgetAnswer.BROKEN in answers:
        return ExitStatus.MISMATCH
    return ExitStatus.UNKNOWN if incomplete or BudgetAnswer.UNKNOWN in answers else ExitStatus.AS_EXPECTED


def _shape(given: list[str]) -> dict[str, int]:
    found = {}
    for part in (each.strip() for text in given for each in text.split(",")):
        name, _, value = part.partition("=")
        if not value.strip().isdecimal():
            raise UsageError(f"--at takes a dimension and its value, as in --at K=1024, not {part!r}")
        found[name.strip()] = int(value)
    return found


def _reports(arguments: argparse.Namespace, asked: CostQuestion) -> tuple[CostReport, ...]:
    from nkiverify.model.hardware import hardware_named
    from nkiverify.products.cost.report import CostQuestion, report
    from nkiverify.project.request import request

    found = []
    for kernel in (arguments.kernel, arguments.compare):
        if kernel is not None:
            given = request(kernel, Path.cwd(), arguments.arg, arguments.where, arguments.grid)
            target = given.target(arguments.target, False)
            question = asked if kernel is arguments.kernel else CostQuestion(asked.at)
            found.append(report(kernel, target, hardware_named(arguments.target), question, arguments.timeout))
    return tuple(found)
