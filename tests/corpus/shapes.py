"""Running the shapes of a target concretely: all of them, or a spread of them where there are too many."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

from nkiverify.frontend.explorer import Limits
from nkiverify.manifest import Target
from nkiverify.model.hardware import hardware_named
from nkiverify.program import DomainDimension
from nkiverify.verifier import explore
from nkiverify.witness.replay import Replay, replay

#: Domains of more shapes than this are sampled in the suite; `--all-shapes` runs every one.
MOST_SHAPES = 1100

#: How many shapes of a larger domain the suite runs, beside those at the corners.
SAMPLED = 200


@dataclass(frozen=True, slots=True)
class Shapes:
    """The choices of values for the dimensions of a target. `complete`: all that the ranges allow."""

    choices: tuple[dict[str, int], ...]
    complete: bool


def shapes_of(target: Target, everything: bool) -> Shapes | None:
    """The shapes to run; None where a dimension has no upper bound."""
    dimensions = explore(target, hardware_named(target.hardware), Limits()).run.program.dimensions
    if any(dimension.high is None for dimension in dimensions):
        return None
    ranges = {dimension.atom.name: _values(dimension) for dimension in dimensions}
    if everything or math.prod(len(values) for values in ranges.values()) <= MOST_SHAPES:
        return Shapes(tuple(_combinations(ranges)), complete=True)
    corners = {name: sorted({*values[:2], values[-1]}) for name, values in ranges.items()}
    source = random.Random(target.name)
    sampled = [{name: source.choice(values) for name, values in ranges.items()} for _ in range(SAMPLED)]
    return Shapes((*_combinations(corners), *sampled), complete=False)


def _values(dimension: DomainDimension) -> range:
    assert dimension.high is not None
    step = dimension.multiple_of
    return range(-(-dimension.low // step) * step, dimension.high + 1, step)


def _combinations(ranges: dict[str, range] | dict[str, list[int]]) -> Iterator[dict[str, int]]:
    for values in itertools.product(*ranges.values()):
        yield dict(zip(ranges, values, strict=True))


def run_shape(target: Target, values: dict[str, int]) -> Replay:
    """The concrete run of `target` on one shape, with its host arithmetic checked."""
    played = replay(target, values, hardware_named(target.hardware), checked=True)
    assert not played.unsupported, played.unsupported
    return played


def fails(played: Replay, phase: int) -> bool:
    """Whether a concrete run breaks a contract of `phase`: a division by zero and a large integer belong to phase 2."""
    if played.excluded:
        return False
    host = [found.contract.id.startswith("host.") for found in played.broken]
    if played.raised is not None:
        host.append(isinstance(played.raised, ZeroDivisionError))
    return any(host) if phase == 2 else not all(host)
