"""`nkiverify grad FORWARD::f BACKWARD::g`: whether a backward kernel computes the gradients of a forward one."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from nkiverify.cli.allowing import allowed_by
from nkiverify.cli.equiv import add_pair, answered, open_dimensions, reference_of, requests
from nkiverify.foundation.errors import UsageError

if TYPE_CHECKING:
    from nkiverify.products.equiv.compared_shapes import ComparedShapes
    from nkiverify.products.equiv.comparison_text import Answered
    from nkiverify.products.equiv.gradients import GradientAnswers
    from nkiverify.products.equiv.references import Reference
    from nkiverify.project.request import Request

DESCRIPTION = """\
Ask whether a backward kernel computes the gradients of a forward kernel, or of
a NumPy function: u . (J v) = (J^T u) . v, with the forward kernel run on dual
numbers, over random prime fields and in float64."""

EPILOG = """\
What belongs together is told by names: an argument of the backward kernel named
like an argument of the forward one is that argument, one named like a result
(of its `return`) is what the forward kernel leaves there, and dy, d_y, grad_y
or y_grad is the gradient of y. What is left goes by order. One line of the
output says what was assumed; options say it otherwise:
  --pair dx=x      a gradient, given or computed, and what it is the gradient of
  --value m=lse    an argument of the backward kernel, and the argument or the
                   result of the forward kernel that it is
Arguments and shapes are as for `nkiverify equiv`; --arg-a is for the forward
kernel, --arg-b for the backward one.

Answers (docs/gradients.md):
  legal, defined   as for equiv
  over the reals   for each gradient: EQUAL; EQUAL (tested) where comparing
                   floats decides something, as a maximum does: exact for the
                   order of the numbers that were drawn; DIFFERENT, with what is
                   wrong; UNKNOWN, with the operation that has no derivative
  floating point   the gradient beside the same in float64, on random inputs
  for all m, n     EQUAL (argued) for all numbers m, n of blocks, where both
                   kernels do the same with each; not argued, with the reason

exit status: as for equiv
  0  LEGAL and EQUAL     1  ILLEGAL or DIFFERENT     2  cannot be used
  3  UNKNOWN, or not argued for all values of a dimension (--accept tested
     makes the latter 0)
  4  an error of nkiverify"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    add = parser.add_argument
    add("first", metavar="FORWARD::KERNEL", help="a Python file, and the forward kernel in it")
    add("second", nargs="?", metavar="BACKWARD::KERNEL", help="the kernel that is to compute its gradients")
    add("--reference", metavar="FILE::FUNCTION", help="a function of NumPy's arrays instead of a forward kernel")
    add("--pair", action="append", default=[], metavar="GRADIENT=TENSOR", help="which gradient belongs to what")
    add("--value", action="append", default=[], metavar="ARGUMENT=TENSOR", help="what an argument holds")
    add_pair(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Ask, and print the answers; the exit status."""
    if (arguments.second is None) == (arguments.reference is None):
        raise UsageError("give a forward and a backward kernel, or --reference FILE::FUNCTION and a backward one")
    allowed = allowed_by(arguments.allow)
    reference = reference_of(arguments)
    from nkiverify.products.equiv.gradient_text import text

    return answered(arguments, allowed, lambda: _check(arguments, reference), text)


def _check(arguments: argparse.Namespace, reference: Reference | None) -> Answered[GradientAnswers]:
    from nkiverify.model.hardware import hardware_named
    from nkiverify.products.equiv.at_shapes import at_all
    from nkiverify.products.equiv.comparison_text import Answered
    from nkiverify.products.equiv.gradient_pairing import Said
    from nkiverify.products.equiv.gradient_runs import ComparedKernel
    from nkiverify.products.equiv.gradients import GradientChecker
    from nkiverify.products.equiv.paired_runs import Side

    like, forward, backward = _kernels(arguments, reference)
    names = _returned(forward), _returned(backward.kernel)
    said = Said(_pairs(arguments.pair, "--pair"), _pairs(arguments.value, "--value"))
    hardware = hardware_named(arguments.target)
    shapes = _shapes(like, forward, backward, arguments.target)

    def checked(dimensions: dict[str, int], legal_only: bool) -> GradientAnswers:
        one = ComparedKernel(Side(forward.reference, forward, dimensions), names[0], like)
        other = ComparedKernel(Side(backward.reference, backward, dimensions), names[1])
        options = (arguments.seed, arguments.tolerance, legal_only)
        return GradientChecker(one, other, hardware, said, *options).check()

    reported = (forward.reference, backward.reference), (forward.name, backward.name)
    found, untaken = at_all(shapes, checked)
    if like is forward:
        _argue_for_all((like, backward), found, arguments.target, checked)
    return Answered(*reported, found, untaken, shapes.made_for_sizes, open_dimensions(shapes, found))


def _argue_for_all(
    kernels: tuple[Request, Request],
    found: list[tuple[dict[str, int], GradientAnswers]],
    hardware: str,
    checked: Callable[[dict[str, int], bool], GradientAnswers],
) -> None:
    """Add to the first answers what follows from them and others for all values of dimensions."""
    from nkiverify.model.hardware import hardware_named
    from nkiverify.products.equiv.gradients_for_all import for_all

    targets = (kernels[0].target(hardware, several=False), kernels[1].target(hardware, several=False))
    first, *others = found
    for other in others:
        first[1].for_all += for_all(targets, first, other, hardware_named(hardware), lambda at: checked(at, True))


def _kernels(
    arguments: argparse.Namespace, reference: Reference | None
) -> tuple[Request, Request | Reference, Request]:
    """The forward kernel, or a reference as if it were one, either of them, and the backward kernel."""
    if reference is None:
        forward, backward = requests(arguments)
        return forward, forward, backward
    arguments.first, arguments.second = arguments.reference, arguments.first
    like, backward = requests(arguments)
    return like, reference, backward


def _shapes(like: Request, forward: Request | Reference, backward: Request, target: str) -> ComparedShapes:
    from nkiverify.products.equiv.compared_shapes import chosen_dimensions

    kernels = [backward] if like is not forward else [like, backward]
    shapes = chosen_dimensions(kernels, target)
    free = set(like.domain.ranges) - set(shapes.chosen)
    if free:
        raise UsageError(f"the backward kernel does not say what {', '.join(sorted(free))} may be: give numbers")
    return shapes


def _returned(kernel: Any) -> tuple[str, ...]:
    """The names in the `return` of a kernel or a reference; none where its text is not there."""
    from nkiverify.project.discovery import returned_names

    return returned_names(
        inspect.unwrap(getattr(kernel, "function", None) or getattr(kernel, "kernel", None) or kernel)
    )


def _pairs(texts: Sequence[str], option: str) -> dict[str, str]:
    """`a=b` of an option, by what stands on the left."""
    found = {}
    for text in texts:
        left, separator, right = (part.strip() for part in text.partition("="))
        if not separator or not left or not right:
            raise UsageError(f"{option} is written NAME=NAME, not {text!r}")
        if left in found:
            raise UsageError(f"{option} {left} is given twice")
        found[left] = right
    return found
