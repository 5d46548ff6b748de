"""The ranges of what each line of a kernel writes, and its rounding errors, as information."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from nkiverify.analysis.ranges.range_arithmetic import Parts
from nkiverify.analysis.ranges.range_run import RangeLimits, WatchedElements
from nkiverify.analysis.ranges.rounding_errors import ErrorIntervals
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.frontend.target import Target
from nkiverify.model.hardware import Hardware
from nkiverify.model.operation import Operation
from nkiverify.products.numerics.numeric_trial import NumericTrial, on_exactly, on_inputs, on_ranges
from nkiverify.products.numerics.search import BY_ROWS, Inputs


@dataclass(frozen=True, slots=True)
class Told:
    """The range of all elements that a line writes to a tensor, however often it does."""

    site: Site | None
    tensor: str
    dtype: str
    numbers: str
    #: The greatest distance from what real arithmetic gives; that seen of a few inputs, None where none was run.
    error: float
    magnitude: float
    seen: float | None

    @property
    def error_texts(self) -> tuple[str, str]:
        """The bound, and how much of the greatest magnitude it is."""
        if not math.isfinite(self.error):
            return "any", ""
        return f"{self.error:.2g}", f"{self.error / self.magnitude:.2g}" if self.error and self.magnitude else ""


#: The kinds of inputs of which errors are seen.
_SEEN = ("random numbers", "numbers of random magnitude", BY_ROWS)
_Key = tuple[Site | None, str, str]


def told_ranges(
    target: Target, values: Mapping[str, int], hardware: Hardware, limits: RangeLimits
) -> tuple[NumericTrial, list[Told]]:
    """Run `target` on its ranges; the run, and what each line writes, in the order of the first time."""
    found: dict[_Key, Parts] = {}
    errors: dict[_Key, float] = {}

    def ranged(key: _Key, elements: Array) -> None:
        known = found.get(key)
        found[key] = _around(Parts.of(elements), *([] if known is None else [known]))

    def bounded(key: _Key, elements: Array) -> None:
        errors[key] = max(errors.get(key, 0.0), float(elements[4].max(initial=0.0)))

    trial = on_ranges(target, values, hardware, limits, reported=_watching(ranged))
    on_ranges(target, values, hardware, limits, reported=_watching(bounded), kind=ErrorIntervals)
    followed = not (trial.findings or trial.unfollowed or trial.unusable or trial.outside)
    seen = _seen(target, values, hardware, limits) if followed else {}
    return trial, [
        Told(*key, part.text((1,), (0,)), errors.get(key, math.inf), float(part.magnitude[0]), seen.get(key))
        for key, part in found.items()
    ]


def _watching(wrote: Callable[[_Key, Array], None]) -> Callable[[WatchedElements], None]:
    """A listener for the elements of a run, which hears of all that lines write to tensors."""

    def before(elements: WatchedElements) -> None:
        def heard(operation: Operation, site: Site | None) -> None:
            for name, view, written in elements.written(operation):
                wrote((site, view.label or name, str(view.dtype)), written)

        elements.wrote = heard

    return before


def _seen(target: Target, values: Mapping[str, int], hardware: Hardware, limits: RangeLimits) -> dict[_Key, float]:
    """The greatest distances from float64 that a few inputs show, by line and tensor."""
    found: dict[_Key, float] = {}
    for seed, kind in enumerate(_SEEN):
        choice = Inputs((kind,), seed, {})
        written: list[Array] = []
        on_inputs(
            target,
            values,
            hardware,
            limits,
            choice.fill,
            _watching(lambda key, part: written.append(part)),  # noqa: B023
        )
        rest = iter(written)

        def compared(key: _Key, exactly: Array, rest: Iterator[Array] = rest) -> None:
            with np.errstate(invalid="ignore"):
                away = np.nan_to_num(np.abs(next(rest).astype(np.float64) - exactly))
            found[key] = max(found.get(key, 0.0), float(away.max(initial=0.0)))

        on_exactly(target, values, hardware, limits, choice.again().fill, _watching(compared))
    return found


def _around(*parts: Parts) -> Parts:
    """The interval around all elements of some."""
    low = min(float(part.low.min()) for part in parts if part.low.size)
    high = max(float(part.high.max()) for part in parts if part.high.size)
    if any(np.isnan(part.low).any() for part in parts):
        low = high = np.nan
    flags = np.bitwise_or.reduce([np.bitwise_or.reduce(part.flags, axis=None) for part in parts])
    return Parts(np.array([low]), np.array([high]), np.array([flags], dtype=np.int8), np.zeros(1, dtype=np.int32))
