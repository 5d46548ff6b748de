"""Gradients for all values of dimensions: an argument from two of each (docs/gradients.md, "For all shapes").

Both kernels do the same with every block (`analysis.blocks`). A block of dx has then to be one function of the same
block of what the backward kernel is given, and is another; the gradient of an argument that has no blocks has to be
c + the sum over the blocks of t(block), and is c' + the sum of q(block). If they are equal for m and for n blocks,
whatever the blocks hold, q - t is the constant (c - c')/m and (c - c')/n, and so 0, and c' is c. This is so whatever
the other dimensions are, so the step is made for one dimension after the other: from answers for two values of each,
in all combinations, to answers for all values of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product

from nkiverify.foundation.budget import ComparingBudget
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import OutsideDomain, Target
from nkiverify.ir.program import Program
from nkiverify.model.hardware import Hardware
from nkiverify.model.policy import applied, applied_policy
from nkiverify.phases import DATAFLOW
from nkiverify.products.equiv.blocks import Blocks, Layout, NotAlike, blocks_of, laid_out_alike
from nkiverify.products.equiv.comparison import EquivalenceAnswer
from nkiverify.products.equiv.gradient_pairing import ArgumentKind, KnownTensor
from nkiverify.products.equiv.gradient_runs import Pairing
from nkiverify.products.equiv.gradients import ForAll, GradientAnswers
from nkiverify.verify.exploration import explore

#: The answers at other shapes.
Asked = Callable[[dict[str, int]], GradientAnswers]


def for_all(
    kernels: tuple[Target, Target],
    chosen: tuple[Mapping[str, int], GradientAnswers],
    greater: tuple[Mapping[str, int], GradientAnswers],
    hardware: Hardware,
    asked: Asked,
) -> list[ForAll]:
    """The gradients that are equal for all values of dimensions of a forward and a backward kernel, given the answers
    for two values of each of these."""
    pairing = chosen[1].pairing
    assert pairing is not None
    equal = _equal_in_all([chosen[1], greater[1]])
    candidates = [name for name, value in chosen[0].items() if greater[0][name] != value]
    if not equal or not candidates:
        return []
    found: list[ForAll] = []
    argued: list[str] = []
    try:
        forward, backward = (_program(kernel, hardware) for kernel in kernels)
    except NotAlike as reason:
        return [ForAll(tuple(candidates), why_not=reason.why, site=reason.site)]
    for name in candidates:
        try:
            _belong_together(pairing, blocks_of(forward, name), blocks_of(backward, name))
        except NotAlike as reason:
            found.append(ForAll((name,), why_not=reason.why, site=reason.site))
        else:
            argued.append(name)
    return _at_all_combinations(argued, (chosen, greater), pairing, asked) + found


def _at_all_combinations(
    argued: Sequence[str],
    known: Sequence[tuple[Mapping[str, int], GradientAnswers]],
    pairing: Pairing,
    asked: Asked,
) -> list[ForAll]:
    """The gradients that are equal for two values of each dimension that is argued, in all combinations."""
    names = tuple(argued)
    if not argued:
        return []
    if len(argued) > ComparingBudget.DIMENSIONS_TOGETHER:
        return [
            ForAll(names, why_not=f"more than {ComparingBudget.DIMENSIONS_TOGETHER} dimensions: give numbers for some")
        ]
    chosen, greater = (dict(dimensions) for dimensions, _ in known)
    answers = []
    for values in product(*((chosen[name], greater[name]) for name in argued)):
        at = {**chosen, **dict(zip(argued, values, strict=True))}
        found = next((one for dimensions, one in known if dict(dimensions) == at), None)
        try:
            found = asked(at) if found is None else found
        except OutsideDomain:
            found = None
        uniform = found is not None and found.pairing is not None and _pairs(found.pairing) == _pairs(pairing)
        if found is None or not uniform or found.legal is None or found.legal.answer is not EquivalenceAnswer.YES:
            shapes = ", ".join(f"{name} = {value}" for name, value in at.items())
            return [ForAll(names, why_not=f"with {shapes} a kernel is not legal, or other tensors belong together")]
        answers.append(found)
    attached = {name: value for name, value in chosen.items() if name not in argued}
    equal = _equal_in_all(answers)
    return [ForAll(names, equal, attached=attached)] if equal else []


def _pairs(pairing: Pairing) -> tuple[object, ...]:
    """The parts of a pairing: what belongs to what."""
    return pairing.roles, pairing.gradients


def _equal_in_all(answers: Sequence[GradientAnswers]) -> tuple[str, ...]:
    """The gradients that are equal over the reals in all answers."""
    return tuple(
        one.gradient.name
        for place, one in enumerate(answers[0].gradients)
        if all(
            place < len(other.gradients) and other.gradients[place].reals.answer is EquivalenceAnswer.YES
            for other in answers
        )
    )


def _program(kernel: Target, hardware: Hardware) -> Program:
    # That arguments fit a device ties dimensions to one another, and what holds for all sizes needs no such thing.
    policy = replace(applied_policy().policy, device_memory=False)
    try:
        with applied(policy):
            exploration = explore(
                kernel, hardware, Limits(seconds=ComparingBudget.SECONDS_OF_A_KERNEL), frozenset({DATAFLOW.number})
            )
    except UnsupportedConstruct as limit:
        raise NotAlike(str(limit)) from None
    stopped = exploration.run.unsupported_construct
    if stopped is not None:
        raise NotAlike(stopped.construct, stopped.site)
    for site, reason in exploration.unrolled.items():
        raise NotAlike(f"a loop is not summarised: {reason}", site)
    return exploration.run.program


def _belong_together(pairing: Pairing, forward: Blocks, backward: Blocks) -> None:
    """Go through what belongs together in both kernels: it is made of equal blocks. Raises `NotAlike`."""
    if forward.integers or backward.integers:
        raise NotAlike("the answers are for the integers that were drawn")
    for name, role in pairing.roles.items():
        if name not in backward.arguments:
            continue
        if role.part in (ArgumentKind.INPUT, ArgumentKind.OWN):
            other = _of_argument(forward, pairing.inputs[role.position])
        else:
            other = _of_result(forward, role.position, pairing.outputs[role.position])
            # What is written into an argument may come of sums as well.
            summed = role.position in forward.sums or (other is None and role.position >= len(forward.results))
            if role.part is ArgumentKind.SAVED and summed:
                raise NotAlike(f"{name} is made of all blocks by the forward kernel")
        if not laid_out_alike(other, backward.arguments[name]):
            raise NotAlike(f"the blocks of {name} are others in the forward kernel")
    for place, gradient in enumerate(pairing.gradients):
        own = _of_result(backward, place, KnownTensor((gradient.name,), ()))
        if not laid_out_alike(own, _of_argument(forward, pairing.inputs[gradient.position])):
            raise NotAlike(f"the blocks of {gradient.name} are not those of {gradient.of}")


def _of_argument(kernel: Blocks, known: KnownTensor) -> Layout | None:
    for name in known.names:
        if name in kernel.arguments:
            return kernel.arguments[name]
    raise NotAlike(f"{known.name} is touched by one of the kernels only, or written in place")


def _of_result(kernel: Blocks, place: int, known: KnownTensor) -> Layout | None:
    """How a result is made of blocks: one that is returned, or an argument that is written."""
    return kernel.results[place] if place < len(kernel.results) else _of_argument(kernel, known)
