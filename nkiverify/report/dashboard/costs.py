"""The cost of a target as the page shows it: a row, and a roofline."""

from __future__ import annotations

from math import log10

from nkiverify.foundation.dataclass import dataclass

#: Units of the drawing, and the decades that it reaches to the left and right of where the roof bends.
WIDTH, HEIGHT = 320, 150
_DECADES, _DOWN = 2.0, 3.0


@dataclass(frozen=True, slots=True)
class TargetCost:
    """The cost of a target at a shape; `refused` says why there is none. Numbers that are not known are None.

    `flops` are those of matmuls; the peaks are the documented ones of a core: operations of the tensor engine, and
    bytes of the DMA engines, in a second. `bound` and `busiest` are an engine with its seconds: the least that any
    kernel takes, and the most as it is written.
    """

    at: str
    read: int | None = None
    read_once: int | None = None
    written: int | None = None
    moved_once: int | None = None
    descriptors: int | None = None
    flops: int = 0
    bound: tuple[str, float] | None = None
    busiest: tuple[str, float] | None = None
    spills: bool = False
    peak_flops: float = 0.0
    peak_bytes: float = 0.0
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Roofline:
    """The rate that a core can reach over the operations for each byte of HBM: `roof` as SVG has it, and a point for
    the bytes as written, and for each byte once."""

    roof: str
    points: tuple[tuple[float, float, str], ...]
    marks: tuple[tuple[float, str], ...]
    peak: str
    width: int = WIDTH
    height: int = HEIGHT


def roofline(cost: TargetCost) -> Roofline | None:
    """The picture of a target; None where nothing is multiplied, or bytes are not known."""
    if not cost.flops or cost.read is None or cost.written is None or not cost.moved_once:
        return None
    bend = cost.peak_flops / cost.peak_bytes
    found = [("as written", cost.flops / (cost.read + cost.written)), ("each byte once", cost.flops / cost.moved_once)]
    least = min(log10(bend) - _DECADES, *(log10(each) - 0.2 for _, each in found))
    most = max(log10(bend) + _DECADES, *(log10(each) + 0.2 for _, each in found))

    def across(intensity: float) -> float:
        return round((log10(intensity) - least) * WIDTH / (most - least), 1)

    def up(intensity: float) -> float:
        reached = min(cost.peak_flops, intensity * cost.peak_bytes)
        part = (log10(reached) - log10(cost.peak_flops) + _DOWN) / _DOWN
        return round(HEIGHT - max(0.0, part) * (HEIGHT - 12), 1)

    corners = [10**least, bend, 10**most]
    return Roofline(
        roof=" ".join(f"{across(one)},{up(one)}" for one in corners),
        points=tuple((across(one), up(one), f"{name}: {one:,.1f} operations a byte") for name, one in found),
        marks=tuple((across(one), f"{one:,.3g}") for one in (found[0][1], bend)),
        peak=f"{cost.peak_flops / 1e12:.1f} TFLOPS",
    )


def megabytes(number: int | None) -> str:
    """A number of bytes in MB; `-` where it is not known."""
    return "-" if number is None else f"{number / 1e6:,.2f}"


def duration(seconds: float) -> str:
    """A time in ms or us."""
    return f"{seconds * 1e3:,.3f} ms" if seconds >= 1e-4 else f"{seconds * 1e6:,.2f} us"
