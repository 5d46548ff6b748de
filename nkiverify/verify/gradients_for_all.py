"""Gradients for all values of a dimension: an argument from two of them (docs/gradients.md, "For all shapes").

Both kernels do the same with every block (`analysis.blocks`). A block of dx has then to be one function of the same
block of what the backward kernel is given, and is another; the gradient of an argument that has no blocks has to be
c + the sum over the blocks of t(block), and is c' + the sum of q(block). If they are equal for m and for n blocks,
whatever the blocks hold, q - t is the constant (c - c')/m and (c - c')/n, and so 0, and c' is c.
"""

from __future__ import annotations

from nkiverify.analysis.blocks import Blocks, NotAlike, blocks_of
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import Target
from nkiverify.model.hardware import Hardware
from nkiverify.phases import DATAFLOW
from nkiverify.verify.comparison import Answer
from nkiverify.verify.exploration import explore
from nkiverify.verify.gradient_pairing import Part
from nkiverify.verify.gradients import ForAll, GradientAnswers

#: Seconds for looking at one kernel.
_SECONDS = 10.0


def for_all(
    kernels: tuple[Target, Target], dimension: str, answers: tuple[GradientAnswers, GradientAnswers], hardware: Hardware
) -> ForAll:
    """The gradients that are equal for all values of the only dimension of a forward and a backward kernel, of which
    two were asked about."""
    pairing = answers[0].pairing
    assert pairing is not None
    try:
        forward, backward = (_blocks(kernel, dimension, hardware) for kernel in kernels)
    except NotAlike as reason:
        return ForAll(dimension, why_not=reason.why, site=reason.site)
    if forward.integers or backward.integers:
        return ForAll(dimension, why_not="the answers are for the integers that were drawn")
    for name, role in pairing.roles.items():
        if role.part is Part.SAVED and name not in backward.arguments:
            return ForAll(dimension, why_not=f"{name} is made of all blocks by the forward kernel")
    return ForAll(dimension, equal_in_both(*answers))


def equal_in_both(first: GradientAnswers, second: GradientAnswers) -> tuple[str, ...]:
    """The gradients that are equal over the reals at both choices of shapes."""
    both = zip(first.gradients, second.gradients, strict=True)
    return tuple(one.gradient.name for one, two in both if one.reals.answer is two.reals.answer is Answer.YES)


def _blocks(kernel: Target, dimension: str, hardware: Hardware) -> Blocks:
    try:
        exploration = explore(kernel, hardware, Limits(seconds=_SECONDS), frozenset({DATAFLOW.number}))
    except UnsupportedConstruct as limit:
        raise NotAlike(str(limit)) from None
    stopped = exploration.run.unsupported_construct
    if stopped is not None:
        raise NotAlike(stopped.construct, stopped.site)
    for site, reason in exploration.unrolled.items():
        raise NotAlike(f"a loop is not summarised: {reason}", site)
    return blocks_of(exploration.run.program, dimension)
