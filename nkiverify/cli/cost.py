"""`nkiverify cost FILE::kernel`: what a kernel costs, for all shapes."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.cli.allowing import add_limits, allowed_by, isolated, settings_here
from nkiverify.cli.command_arguments import writable
from nkiverify.foundation.errors import UsageError
from nkiverify.run.supervisor import Stopped
from nkiverify.verify.options import DEFAULT_HARDWARE, HARDWARE

if TYPE_CHECKING:
    from nkiverify.products.cost.report import CostQuestion, CostReport
    from nkiverify.products.derive.domain_answers import DomainAnswer

DESCRIPTION = """\
What a kernel costs: the bytes of HBM that it reads and writes, DMA descriptors,
instructions by engine, floating-point operations, and a lower bound of time.
Figures are formulas in the dimensions, with their numbers at one shape."""

EPILOG = """\
arguments of the kernel, as for `nkiverify check`; what is not given is inferred
as there, and the shapes are those that it derives to be legal:
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
    add(
        "--target",
        choices=HARDWARE,
        help=f"the hardware generation (default: {DEFAULT_HARDWARE}, or what the kernel asks for)",
    )
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

    derived = _derived(arguments)
    given, where, grid, hardware = arguments.arg, arguments.where, arguments.grid, arguments.target
    if derived is not None:
        given, grid, hardware = derived.arguments, derived.grid or None, derived.hardware
        where = (*where, *_conditions(derived))
    found = []
    for kernel in (arguments.kernel, arguments.compare):
        if kernel is not None:
            # A derived domain says only what the kernel's own asserts do not.
            of_it = request(kernel, Path.cwd(), given, where, grid, assume_asserts=derived is not None)
            model = hardware_named(hardware or DEFAULT_HARDWARE)
            question = asked if kernel is arguments.kernel else CostQuestion(asked.at)
            found.append(report(kernel, of_it.target(model.name, False), model, question, arguments.timeout))
    if derived is None:
        return tuple(found)
    from nkiverify.products.derive.domain_text import assumed

    return (replace(found[0], assumed=assumed(derived), where=_conditions(derived)), *found[1:])


def _derived(arguments: argparse.Namespace) -> DomainAnswer | None:
    """The arguments and the domain of a kernel, as `check` derives them; None where all arguments are given.

    Raises `UsageError` where no shape is known to be legal.
    """
    from nkiverify.project.inference import is_described

    path, _, name = arguments.kernel.partition("::")
    if is_described(path, name, Path.cwd(), arguments.arg):
        return None
    from nkiverify.products.derive.legality import answer
    from nkiverify.verify.options import Options

    options = Options(root=Path.cwd())
    given = tuple(arguments.arg), tuple(arguments.where), arguments.grid, arguments.target
    found = answer(arguments.kernel, Path.cwd(), *given, options)
    if found.derived is not None and not found.derived.proved:
        raise UsageError(
            f"no shape is known for which {name} is legal, so that there is none to count for: "
            f"nkiverify check {arguments.kernel} says why; --arg gives shapes"
        )
    return found


def _conditions(found: DomainAnswer) -> tuple[str, ...]:
    return () if found.derived is None else found.derived.where
