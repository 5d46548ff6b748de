"""Random kernels on ranges, and on inputs of these ranges: no number may be outside of what ranges say of it.

A kernel is a chain of operations on tiles of 128 by 13. It is run once on ranges; then inputs are run in the simulator,
and every element that any operation writes is compared with its interval. With `--sizes` tiles are of any size, and the
walk for all sizes is compared with runs of a few; every other kernel has a loop that carries numbers. Errors put into
the arithmetic, which this has to notice: `lab.numerics_faults`.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path

import numpy as np

from lab.numerics_kernels import drawn
from nkiverify.analysis.ranges.intervals import Intervals
from nkiverify.analysis.ranges.range_arithmetic import MINUS, PLUS
from nkiverify.analysis.ranges.range_run import RangeLimits, WatchedElements
from nkiverify.analysis.ranges.range_walk import FamilyWalk
from nkiverify.analysis.ranges.rounding_errors import ErrorIntervals, Exactly
from nkiverify.analysis.values.number_formats import Array, widened
from nkiverify.foundation import resources
from nkiverify.foundation.source import Site
from nkiverify.frontend.paths import Limits as PathLimits
from nkiverify.frontend.target import Target
from nkiverify.ir.program import Program
from nkiverify.model.hardware import Hardware, hardware_named
from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Executed
from nkiverify.products.numerics.numeric_trial import (
    NumericTrial,
    asked_range,
    on_every_shape,
    on_exactly,
    on_inputs,
    on_other_fills,
    on_ranges,
)
from nkiverify.products.numerics.search import BY_ROWS, Inputs, inputs
from nkiverify.project.manifest_targets import load_targets
from nkiverify.verify.exploration import explore
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

RANGE_LIMITS = RangeLimits(60.0, 10_000_000)


@dataclass(slots=True)
class Written:
    """The elements of every operand that operations wrote, in order: arrays of a run, with the operation's name."""

    elements: list[tuple[str, Site | None, str, Array]]

    def watch(self, watched: WatchedElements) -> None:
        """Keep what is written."""

        def wrote(operation: Operation, site: Site | None) -> None:
            for name, view, found in watched.written(operation):
                if isinstance(watched.numbers, Exactly):
                    found = found[0]
                elif not isinstance(watched.numbers, Intervals):
                    found = widened(found[0], view.dtype) if not view.dtype.is_integer else found[0]
                self.elements.append((operation.name, site, name, found.astype(np.float64)))

        watched.wrote = wrote


def choices(most: int) -> Iterator[Inputs]:
    """So many inputs: the plain ones, no more than half of them, and then such as have rows of all kinds."""
    plain = list(inputs(0))[: (most + 1) // 2]
    yield from plain
    yield from (Inputs((BY_ROWS,), seed, {}) for seed in range(max(0, most - len(plain))))


def outside(ranges: Written, numbers: Written) -> Iterator[str]:
    """The numbers that are not where ranges say: one text for each operand."""
    for (name, site, operand, bounds), (other, _, _, values) in zip(ranges.elements, numbers.elements, strict=False):
        if name != other:
            yield f"{site}: {name} here, {other} there"
            return
        low, high, flags = bounds[0], bounds[1], bounds[2].astype(int)
        inside = (values >= low) & (values <= high)
        inside |= (values == np.inf) & ((flags & PLUS) > 0) | (values == -np.inf) & ((flags & MINUS) > 0)
        inside |= np.isnan(low)
        if not inside.all():
            at = tuple(int(part) for part in np.argwhere(~inside)[0])
            yield f"{site}: {operand} of {name} is {values[at]!r} at {at}, not in {low[at]!r}..{high[at]!r}"


def differences(target: Target, hardware: Hardware, most: int) -> list[str]:
    """The faults that `most` inputs of a target's ranges show, and its ranges rule out."""
    expected = Written([])
    trial = on_ranges(target, {}, hardware, RANGE_LIMITS, reported=expected.watch)
    return [] if trial.unusable else seen_outside(target, hardware, expected, trial, most)


def seen_outside(target: Target, hardware: Hardware, expected: Written, trial: NumericTrial, most: int) -> list[str]:
    """The first fault that inputs show, and the ranges that a run `expected` rule out."""
    found: list[str] = []
    for choice in choices(most):
        seen = Written([])
        course = on_inputs(target, {}, hardware, RANGE_LIMITS, choice.fill, reported=seen.watch)
        found += [f"{text}; {choice}" for text in outside(expected, seen)]
        known = {finding.site for finding in trial.findings} | {site for _, site in trial.unfollowed}
        # After the first fault anything may follow from it.
        first = course.findings[0] if course.findings else None
        if first is not None and first.site not in known and not trial.unfollowed and not trial.findings:
            found.append(f"{first.site}: {first}, which ranges rule out; {choice}")
        if found:
            break
    return found


# --- rounding ---------------------------------------------------------------------------------------------------------


def beyond_errors(target: Target, hardware: Hardware, most: int) -> tuple[float, list[str]]:
    """The greatest part of a bound on rounding that `most` inputs need, and the numbers that are further from float64
    than their bound: nothing is compared where an operation may go wrong."""
    expected = Written([])
    trial = on_ranges(target, {}, hardware, RANGE_LIMITS, reported=expected.watch, kind=ErrorIntervals)
    if trial.unusable or trial.findings or trial.unfollowed:
        return 0.0, []
    needed = 0.0
    for choice in choices(most):
        seen, exact = Written([]), Written([])
        on_inputs(target, {}, hardware, RANGE_LIMITS, choice.fill, reported=seen.watch)
        on_exactly(target, {}, hardware, RANGE_LIMITS, choice.again().fill, reported=exact.watch)
        for (name, site, operand, bounds), one, other in zip(
            expected.elements, seen.elements, exact.elements, strict=True
        ):
            with np.errstate(all="ignore"):
                parts = np.where(one[3] == other[3], 0.0, np.abs(one[3] - other[3]) / bounds[4])
            if not (parts <= 1).all():
                at = tuple(int(part) for part in np.argwhere(~(parts <= 1))[0])
                text = f"{site}: {operand} of {name} is {one[3][at]!r}, of float64 {other[3][at]!r} at {at}"
                return needed, [f"{text}, not within {bounds[4][at]!r}; {choice}"]
            needed = max(needed, float(parts.max(initial=0.0)))
    return needed, []


# --- all sizes --------------------------------------------------------------------------------------------------------

#: With the last one loops over four columns each do not go round.
_SHAPES = ({"P": 128, "F": 13}, {"P": 1, "F": 4}, {"P": 3, "F": 40}, {"P": 2, "F": 3})


def of_sizes(target: Target, hardware: Hardware, most: int) -> tuple[bool, list[str]]:
    """A proof for all sizes, True if there is one; and the numbers of runs of a few that are outside of its ranges, or
    of those of the walk with first iterations apart."""
    explored = explore(target, hardware, PathLimits(), frozenset({5}))
    if explored.run.unsupported_construct is not None or explored.unrolled:
        return False, []
    walks = [FamilyWalk(explored.run.program, asked_range, float("inf"), peels=peels) for peels in (False, True)]
    shown = [_seen_by(walk) for walk in walks]
    runs: list[tuple[Mapping[str, int], Inputs, Written, NumericTrial]] = []
    for values in _SHAPES:
        for choice in choices(most):
            seen = Written([])
            course = on_inputs(target, values, hardware, RANGE_LIMITS, choice.fill, reported=seen.watch)
            runs.append((values, choice, seen, course))
    proved = [not (walk.unfollowed or walk.findings.found) for walk in walks]
    found = [_beyond_walk(bounds, each, runs) for bounds, each in zip(shown, proved, strict=True)]
    masked = _by_other_fills(target, hardware, explored.run.program, most) if any(proved) else []
    return any(proved), [*found[0], *found[1], *masked][:1]


def _by_other_fills(target: Target, hardware: Hardware, program: Program, most: int) -> list[str]:
    """The first result that is another one where other numbers are filled in, though the walk rules that out."""
    trial = on_every_shape(program, float("inf"))
    if not trial.fills or trial.findings or trial.unfollowed or trial.unusable:
        return []
    for values in _SHAPES:
        for choice in choices(most):
            course = on_other_fills(target, values, hardware, RANGE_LIMITS, choice.fill, choice.again().fill)
            if course.findings:
                return [f"{values}: {course.findings[0]}, which the walk rules out; {choice}"]
    return []


def _seen_by(walk: FamilyWalk) -> dict[tuple[str, int, str], Array]:
    """The numbers that a walk says each operation, by its name, its line and the parameter, writes."""
    bounds: dict[tuple[Executed, str], Array] = {}

    def wrote(item: Executed, written: dict[str, Array]) -> None:
        for name, part in written.items():
            key = (item, name)
            # The last walk of a body says what is so; with first iterations apart, that and the first one.
            joins = walk.peels and key in bounds
            bounds[key] = walk.n.joined(part, bounds[key]) if joins else part.copy()

    walk.wrote = wrote
    walk.run()
    expected: dict[tuple[str, int, str], Array] = {}
    for (item, name), part in bounds.items():
        key = (item.operation.name, item.site.line if item.site else 0, name)
        expected[key] = walk.n.joined(expected[key], part) if key in expected else part
    return expected


def _beyond_walk(
    expected: Mapping[tuple[str, int, str], Array],
    proved: bool,
    runs: Iterable[tuple[Mapping[str, int], Inputs, Written, NumericTrial]],
) -> list[str]:
    """The first number of runs that is outside of the ranges of a walk, or the first fault where it is a proof."""
    for values, choice, seen, course in runs:
        if proved and course.findings:
            return [f"{values}: {course.findings[0]}, which ranges rule out; {choice}"]
        for operation, site, name, numbers in seen.elements:
            known = expected.get((operation, site.line if site else 0, name))
            if known is None or np.isnan(known[0, 0]):
                continue
            flags = int(known[2, 0])
            inside = (numbers >= known[0, 0]) & (numbers <= known[1, 0])
            inside |= (numbers == np.inf) & bool(flags & PLUS) | (numbers == -np.inf) & bool(flags & MINUS)
            if not inside.all():
                wrong = numbers[~inside].flat[0]
                where = f"{values}: {site}: {name} of {operation} is {wrong!r}"
                return [f"{where}, not in {known[0, 0]!r}..{known[1, 0]!r}; {choice}"]
    return []


def main() -> int:
    """Run the campaign; 1 where a number is outside of its range."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="the number of the first kernel")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no kernel after so many seconds")
    parser.add_argument("--inputs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sizes", action="store_true", help="walk kernels for all sizes")
    parser.add_argument("--errors", action="store_true", help="compare rounding errors with their bounds")
    parser.add_argument(
        "--cost", metavar="PATTERN", help="the time of phase 5 beside that of phase 4, of these targets"
    )
    arguments = parser.parse_args()
    if arguments.cost:
        return _cost(arguments.cost)
    hardware, wrong, proved = hardware_named("trn2"), 0, 0
    if arguments.sizes:
        return _campaign_of_sizes(arguments, hardware)
    if arguments.errors:
        return _campaign_of_errors(arguments, hardware)
    end, run = time.monotonic() + arguments.seconds, 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.first, arguments.first + arguments.kernels):
            if time.monotonic() > end:
                break
            run += 1
            chance = random.Random(f"{arguments.seed}/{number}")
            target = drawn(chance, Path(folder), number)
            trial = on_ranges(target, {}, hardware, RANGE_LIMITS)
            proved += not (trial.findings or trial.unfollowed or trial.unusable)
            for text in differences(target, hardware, arguments.inputs)[:1]:
                wrong += 1
                print(f"kernel {number}: {text}\n{Path(folder, f'k{number}.py').read_text()}", flush=True)
    print(
        f"{run} kernels of seed {arguments.seed} from {arguments.first} on, {arguments.inputs} inputs: {proved} proved,"
        f" {wrong} not as their ranges say"
    )
    return 1 if wrong else 0


def _campaign_of_errors(arguments: argparse.Namespace, hardware: Hardware) -> int:
    wrong, needed = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.kernels):
            target = drawn(random.Random(f"{arguments.seed}/{number}"), Path(folder), number)
            part, found = beyond_errors(target, hardware, arguments.inputs)
            needed.append(part)
            wrong += bool(found)
            for text in found:
                print(f"kernel {number}: {text}\n{Path(folder, f'k{number}.py').read_text()}", flush=True)
    compared = sorted(part for part in needed if part > 0)
    middle = compared[len(compared) // 2] if compared else 0.0
    print(
        f"{arguments.kernels} kernels of seed {arguments.seed}, {arguments.inputs} inputs: {len(compared)} compared, of"
        f" which one half needs less than {middle:.2g} of its bound, {wrong} beyond it"
    )
    return 1 if wrong else 0


def _campaign_of_sizes(arguments: argparse.Namespace, hardware: Hardware) -> int:
    wrong = proved = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.kernels):
            chance = random.Random(f"sizes {arguments.seed}/{number}")
            target = drawn(chance, Path(folder), number, sizes=True)
            shown, found = of_sizes(target, hardware, arguments.inputs)
            proved += shown
            wrong += bool(found)
            for text in found:
                print(f"kernel {number}: {text}\n{Path(folder, f'k{number}.py').read_text()}", flush=True)
    print(
        f"{arguments.kernels} kernels of seed {arguments.seed} for all sizes, {arguments.inputs} inputs of"
        f" {len(_SHAPES)} shapes: {proved} proved, {wrong} not as their ranges say"
    )
    return 1 if wrong else 0


def _cost(pattern: str) -> int:
    """Print the processor time of phase 5 beside that of phase 4, of the targets whose names a pattern matches."""
    together = [0.0, 0.0]
    for target in load_targets(resources.root()):
        if not fnmatch(target.name, pattern) or target.expect.get(4) is None:
            continue
        spent = []
        for phases in ((4,), (4, 5)):
            before = time.process_time()
            runs = verify(replace(target, expect={}), Options(root=target.root, phases=phases))
            spent.append(time.process_time() - before)
        alone = spent[1] - spent[0]
        together[0], together[1] = together[0] + spent[0], together[1] + alone
        print(f"{target.name:34} {spent[0]:6.2f} s {alone:6.2f} s  {runs[-1].verdict.value}", flush=True)
    print(f"phase 4 {together[0]:.1f} s, phase 5 besides {together[1]:.1f} s: {together[1] / together[0]:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
