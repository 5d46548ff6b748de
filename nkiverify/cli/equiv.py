"""`nkiverify equiv FILE_A::f FILE_B::g`: whether two kernels compute the same."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from nkiverify.cli.allowing import add_limits, allowed_by, isolated, settings_here
from nkiverify.cli.command_arguments import positive_number
from nkiverify.cli.rule_options import accepted_by, add_accept
from nkiverify.foundation.errors import UsageError
from nkiverify.model.policy import ACCEPT_TESTED
from nkiverify.run.supervisor import Stopped
from nkiverify.verify.options import HARDWARE

if TYPE_CHECKING:
    import inspect

    from nkiverify.foundation.allowed import Allowed
    from nkiverify.products.equiv.compared_shapes import ComparedShapes
    from nkiverify.products.equiv.comparison import KernelComparison
    from nkiverify.products.equiv.comparison_text import Answered
    from nkiverify.products.equiv.gradients import GradientAnswers
    from nkiverify.products.equiv.references import Reference
    from nkiverify.project.request import Request
    from nkiverify.report.style import Style

_AnswersT = TypeVar("_AnswersT", "KernelComparison", "GradientAnswers")

DESCRIPTION = """\
Compare two kernels: over the real numbers, by evaluating both over random prime
fields; in floating point; in where they are defined; and in whether they are
legal. The second one may be defined where the first one is not."""

EPILOG = """\
arguments of the kernels, written as for `nkiverify check`:
  --arg x='bf16[256,512]'     for both kernels, or the one with the parameter
  --arg-a, --arg-b            for the first or the second kernel only
  --arg x='f32[512] in -40..40'   random floats in this range, not in -1..1:
                              greater ones show overflow and NaN; what one
                              kernel declares holds for both
  --reference ref.py::softmax  instead of a second kernel: it is called with the
                              tensors as arrays, by name or else in their order
Tensors are paired in the order of the parameters. Dimensions without a value
(bf16[K,M]) are chosen so that every loop of both kernels runs at least twice,
no two of them are equal, and each is at least 3, where the kernels allow it.
The same is asked with all dimensions one greater, or one at a time, wherever
both kernels are legal there: such sizes are no multiples of a tile; and with
shapes at which a branch, mask or minimum of either goes another way.

Four answers are given, and none stands for another (docs/equivalence.md):
  legal     no contract is broken at these shapes, those of memory included
  defined   the second kernel defines every element that the first one does
  reals     equal over the real numbers, with the probability of an error;
            UNKNOWN names the functions whose identities would be needed;
            UNKNOWN (roundings): equal if no conversion rounded, but they do
  floats    compared on one random input, within a tolerance: tested, not proved

exit status:
  0  LEGAL, and EQUAL in all three     1  ILLEGAL, or DIFFERENT in one
  2  what was typed cannot be used     3  none is DIFFERENT, one is UNKNOWN,
                                          for roundings or otherwise; or a
                                          branch, mask or minimum went one way
                                          only at all shapes (never run); or a
                                          dimension has other values than those
                                          that were run (not argued; --accept
                                          tested makes this 0)
  4  an error of nkiverify"""

#: Seconds after which a part of the answers is reported before the others.
_LONG_SECONDS = 5.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    add = parser.add_argument
    add("first", metavar="FILE_A::KERNEL", help="a Python file, and a kernel in it")
    add("second", nargs="?", metavar="FILE_B::KERNEL", help="the kernel that is to do the same")
    add(
        "--reference",
        metavar="FILE::FUNCTION",
        help="instead of a second kernel: a function of NumPy's arrays, or of PyTorch's tensors",
    )
    add_pair(parser)
    add(
        "--reshape",
        action="store_true",
        help="let tensors that are compared, and arguments, differ in shape: the same elements in row-major order",
    )


def add_pair(parser: argparse.ArgumentParser) -> None:
    """Add what two kernels are run on."""
    add = parser.add_argument
    add("--arg", action="append", default=[], metavar="NAME=VALUE", help="what a parameter of either kernel is given")
    add("--arg-a", action="append", default=[], metavar="NAME=VALUE", help="what a parameter of the first is given")
    add("--arg-b", action="append", default=[], metavar="NAME=VALUE", help="what a parameter of the second is given")
    add("--where", action="append", default=[], metavar="EXPR", help="a condition on the dimensions")
    add("--grid", metavar="N", help="the launch grid of both kernels")
    add("--target", choices=HARDWARE, default="trn2", help="the hardware generation (default: %(default)s)")
    add("--seed", type=int, default=0, metavar="N", help="chooses the random inputs (default: %(default)s)")
    add(
        "--tolerance",
        type=positive_number,
        metavar="X",
        help="of the floating-point answer, relative to the greatest magnitude "
        "(default: 4 roundings of the coarsest dtype of arguments and results, 128 of float32)",
    )
    add_accept(
        parser,
        ACCEPT_TESTED,
        "accept answers that are no proof: tested, at some shapes of those that are asked about, has exit status 0, "
        "not 3",
    )
    add_limits(parser)
    add("--debug", action="store_true", help="show tracebacks of internal errors")


def execute(arguments: argparse.Namespace) -> int:
    """Compare, and print the four answers; the exit status."""
    if (arguments.second is None) == (arguments.reference is None):
        raise UsageError("give a second kernel, or --reference FILE::FUNCTION")
    allowed = allowed_by(arguments.allow)
    reference = reference_of(arguments)
    from nkiverify.products.equiv.comparison_text import text

    return answered(arguments, allowed, lambda: _compare(arguments, reference), text)


def answered(
    arguments: argparse.Namespace,
    allowed: Allowed,
    work: Callable[[], Answered[_AnswersT]],
    text: Callable[[Answered[_AnswersT], Path, Style], str],
) -> int:
    """Have `work` done in a process of its own, and print its answers as `text`; the exit status."""
    from nkiverify.report.style import Style

    subject = f"{arguments.first} and {arguments.second or arguments.reference}"
    found = isolated(subject, work, arguments, allowed)
    if isinstance(found, Stopped):
        return found.status
    print(text(found, Path.cwd(), Style.of(sys.stdout)))
    accepted = ACCEPT_TESTED in accepted_by(arguments, settings_here())
    return exit_status([answers for _, answers in found.at], bool(found.untaken or (found.open and not accepted)))


def open_dimensions(
    shapes: ComparedShapes, found: Sequence[tuple[dict[str, int], KernelComparison | GradientAnswers]]
) -> tuple[str, ...]:
    """The dimensions that were asked about for other values than those of the shapes, and are not argued."""
    if shapes.domain is None:
        return ()
    open = shapes.domain.not_run([dimensions for dimensions, _ in found])
    return found[0][1].not_argued(open)


def reference_of(arguments: argparse.Namespace) -> Reference | None:
    """The function of `--reference`. It is the user's, and imported as any other."""
    if arguments.reference is None:
        return None
    from nkiverify.products.equiv.references import load_reference

    return load_reference(arguments.reference, Path.cwd())


def _compare(arguments: argparse.Namespace, reference: Reference | None) -> Answered[KernelComparison]:
    from nkiverify.model.hardware import hardware_named
    from nkiverify.products.equiv.at_shapes import at_all
    from nkiverify.products.equiv.compared_shapes import chosen_dimensions
    from nkiverify.products.equiv.comparison_text import Answered
    from nkiverify.products.equiv.equivalence import Comparer
    from nkiverify.products.equiv.paired_runs import Side
    from nkiverify.products.equiv.references import Reference

    first, second = _sides(arguments, reference)
    kernels = [side for side in (first, second) if not isinstance(side, Reference)]
    hardware = hardware_named(arguments.target)
    shapes = chosen_dimensions(kernels, arguments.target)

    def compared(dimensions: dict[str, int], legal_only: bool) -> KernelComparison:
        one = Side(first.reference, first, dimensions)
        other = Side(second.reference, second, dimensions)
        options = (arguments.seed, arguments.tolerance, legal_only, arguments.reshape)
        return Comparer(one, other, hardware, *options, tell=_Telling()).compare()

    reported = (first.reference, second.reference), (first.name, second.name)
    found, untaken = at_all(shapes, compared)
    return Answered(*reported, found, untaken, shapes.made_for_sizes, open_dimensions(shapes, found))


class _Telling:
    """Says what is known where that has taken long: the answer over the reals takes several times as long."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    def __call__(self, text: str) -> None:
        seconds = time.monotonic() - self._since
        if seconds > _LONG_SECONDS:
            print(f"nkiverify: after {seconds:.0f} s: {text}; over the reals next", file=sys.stderr, flush=True)


def _sides(arguments: argparse.Namespace, reference: Reference | None) -> tuple[Request, Request | Reference]:
    """Both kernels, or the kernel and the reference."""
    from nkiverify.project.request import request

    if reference is None:
        return requests(arguments, by_order=True)
    given = [*arguments.arg, *arguments.arg_a]
    return request(arguments.first, Path.cwd(), given, arguments.where, arguments.grid), reference


def requests(arguments: argparse.Namespace, *, by_order: bool = False) -> tuple[Request, Request]:
    """Both kernels with their arguments; `--arg` goes to those that have the parameter, and `by_order` to the parameter
    at its place in the other kernel, where that has another name and is given nothing."""
    from nkiverify.project.request import parameters_of, request

    base = Path.cwd()
    references = (arguments.first, arguments.second)
    for reference in references:
        if "::" not in reference:
            raise UsageError(f"a kernel is written path/to/file.py::function, not {reference!r}")
    known = [parameters_of(reference, base) for reference in references]
    given: tuple[list[str], list[str]] = (list(arguments.arg_a), list(arguments.arg_b))
    names = [text.partition("=")[0].strip() for text in (*arguments.arg, *arguments.arg_a, *arguments.arg_b)]
    for text in arguments.arg:
        name, _, value = text.partition("=")
        takers = [position for position in (0, 1) if name.strip() in known[position]] or [0, 1]
        for position in takers:
            given[position].append(text)
        if by_order and len(takers) == 1:
            other = _at_the_same_place(name.strip(), known[takers[0]], known[1 - takers[0]])
            if other is not None and (other == name.strip() or other not in names):
                given[1 - takers[0]].append(f"{other}={value}")
    first, second = (
        # A reference is launched on no grid.
        request(reference, base, texts, arguments.where, None if reference == arguments.reference else arguments.grid)
        for reference, texts in zip(references, given, strict=True)
    )
    return first, second


def _at_the_same_place(
    name: str, known: Mapping[str, inspect.Parameter], others: Mapping[str, inspect.Parameter]
) -> str | None:
    """The parameter that has to be given to another kernel at the place of this one, if there is one; of a kernel whose
    parameters are not known, the same name."""
    if any(one.kind is one.VAR_KEYWORD for one in others.values()):
        return name
    place = list(known).index(name)
    found = list(others.values())[place : place + 1]
    return next((one.name for one in found if one.default is one.empty), None)


def exit_status(found: Sequence[KernelComparison | GradientAnswers], untried: bool) -> int:
    """1 for a difference at any shapes; else 3 for something unknown, or where the kernels do at other shapes what was
    `untried`; else 0."""
    from nkiverify.products.equiv.comparison import EquivalenceAnswer
    from nkiverify.results.session import ExitStatus

    answers = [finding.answer for one in found for finding in one.findings()]
    if EquivalenceAnswer.NO in answers:
        return ExitStatus.MISMATCH
    unknown = EquivalenceAnswer.UNKNOWN in answers or EquivalenceAnswer.ROUNDINGS in answers or untried
    return ExitStatus.UNKNOWN if unknown else ExitStatus.AS_EXPECTED
