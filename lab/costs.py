"""Formulas of `nkiverify cost` beside counts over concrete runs: at every shape they are the same number."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping

from lab.recordings import CannotCompare, program_of
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import Target
from nkiverify.ir.program import Program
from nkiverify.model.current_execution import SHAPE_PHASES
from nkiverify.model.hardware import hardware_named
from nkiverify.products.cost.counting import CostFigures, UnknownCost
from nkiverify.products.cost.exact import bytes_of_run
from nkiverify.products.cost.formulas import Cost, NoNumber, cost_of
from nkiverify.products.cost.once import once, summed
from nkiverify.products.cost.report import SUMS
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.verify.exploration import played


def played_program(target: Target, values: Mapping[str, int], seconds: float) -> Program | None:
    """The records of a concrete run of a target that comes to its end; None where none does, or outside the domain."""
    hardware = hardware_named(target.hardware)
    found = played(target, hardware, Limits(seconds=seconds), SHAPE_PHASES | {4}, values)
    if found is None or found.run.unsupported_construct is not None:
        return None
    replay = found.replay
    if replay is None or replay.raised is not None or replay.broken:
        return None
    return found.program


def differences(
    target: Target, shapes: Iterable[Mapping[str, int]], seconds: float, most: int
) -> Iterator[tuple[Mapping[str, int], str]]:
    """The shapes of the first `most` that run to their end, each with what differs there; "" where nothing does.

    Those come first that execute least. Where runs that do not come to their end have taken this many `seconds`, those
    that execute more are not begun.
    """
    try:
        cost = cost_of(program_of(target, seconds))
    except CannotCompare:
        return
    if cost.unknown:
        return
    tried, in_vain = 0, 0.0
    for values in sorted(shapes, key=lambda values: _instructions(cost, values)):
        began = time.process_time()
        try:
            program = played_program(target, values, seconds)
        except UnsupportedConstruct:
            return
        if program is None:
            in_vain += time.process_time() - began
            if in_vain > seconds:
                return
            continue
        yield values, ", ".join(different(cost, values, program))
        tried += 1
        if tried == most:
            return


def _instructions(cost: Cost, values: Mapping[str, int]) -> float:
    """The instructions at a shape; infinite where that is no number."""
    given = {atom: values[name] for name, atom in cost.dimensions.items()}
    try:
        return sum(cost.at(figure, given)[1] for figure in SUMS["instructions"])
    except (NoNumber, Undefined):
        return math.inf


def different(cost: Cost, values: Mapping[str, int], program: Program) -> Iterator[str]:
    """The figures that are not the same in the formulas of a program and in a concrete run of it."""
    given = {atom: values[name] for name, atom in cost.dimensions.items()}
    concrete = cost_of(program)
    for figure in CostFigures:
        try:
            low, high = cost.at(figure, given)
            least, most = concrete.at(figure, {})
        except (NoNumber, Undefined) as reason:
            yield f"{figure.value}: {type(reason).__name__} {reason}"
            continue
        exact = all(one.exact for one in cost.of(figure)) and all(one.exact for one in concrete.of(figure))
        if not (low == least if exact else low <= most and least <= high):
            yield f"{figure.value}: {low}..{high} by the formula, {least}..{most} in the run"
    try:
        counted = bytes_of_run(program)
    except (NoNumber, UnknownCost):
        return
    found = once(cost)
    here = Valuation(given)
    for name, amount in (
        ("hbm_read_once", summed(found, writes=False)),
        ("hbm_written_once", summed(found, writes=True)),
    ):
        low, high = here.term(amount.low), here.term(amount.high)
        if not low <= counted[name] <= high:
            yield f"{name}: {low}..{high} by the formula, {counted[name]} in the run"
    for figure in (CostFigures.HBM_READ, CostFigures.HBM_WRITTEN):
        low, high = cost.at(figure, given)
        if not low <= counted[figure.value] <= high:
            yield f"{figure.value}: {low}..{high} by the formula, {counted[figure.value]} bytes in the run"
