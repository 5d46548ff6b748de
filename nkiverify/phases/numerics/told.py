"""The ranges of what each line of a kernel writes, as information."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nkiverify.analysis.ranges.arithmetic import Parts
from nkiverify.analysis.ranges.run import Limits, WatchedRun
from nkiverify.foundation.source import Site
from nkiverify.frontend.target import Target
from nkiverify.model.hardware import Hardware
from nkiverify.model.operation import Operation
from nkiverify.phases.numerics.trial import Trial, on_ranges


@dataclass(frozen=True, slots=True)
class Told:
    """The range of all elements that a line writes to a tensor, however often it does."""

    site: Site | None
    tensor: str
    dtype: str
    numbers: str


def told_ranges(
    target: Target, values: Mapping[str, int], hardware: Hardware, limits: Limits
) -> tuple[Trial, list[Told]]:
    """Run `target` on its ranges; the run, and what each line writes, in the order of the first time."""
    found: dict[tuple[Site | None, str, str], Parts] = {}

    def before(run: WatchedRun) -> None:
        def wrote(operation: Operation, site: Site | None) -> None:
            for name, view, elements in run.written(operation):
                key = (site, view.label or name, str(view.dtype))
                known = found.get(key)
                found[key] = _around(Parts.of(elements), *([] if known is None else [known]))

        run.wrote = wrote

    trial = on_ranges(target, values, hardware, limits, told=before)
    return trial, [Told(*key, part.text((1,), (0,))) for key, part in found.items()]


def _around(*parts: Parts) -> Parts:
    """The interval around all elements of some."""
    low = min(float(part.low.min()) for part in parts if part.low.size)
    high = max(float(part.high.max()) for part in parts if part.high.size)
    if any(np.isnan(part.low).any() for part in parts):
        low = high = np.nan
    flags = np.bitwise_or.reduce([np.bitwise_or.reduce(part.flags, axis=None) for part in parts])
    return Parts(np.array([low]), np.array([high]), np.array([flags], dtype=np.int8), np.zeros(1, dtype=np.int32))
