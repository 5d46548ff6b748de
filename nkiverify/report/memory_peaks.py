"""The findings of phase 3 about each memory, in words: the peak, where it is, what is live there, and how far it
fits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from nkiverify.foundation.records import MemoryPeak
from nkiverify.report.columns import field
from nkiverify.report.style import PLAIN, Style
from nkiverify.results import wording

#: Tensors named for one memory; more would hide the large ones.
MAX_TENSORS = 6


def lines(peaks: tuple[MemoryPeak, ...], root: Path, width: int, style: Style = PLAIN) -> Iterator[str]:
    """The lines about the memories of one run."""
    for peak in peaks:
        yield from field(peak.memory, "; ".join(_sentences(peak, root)), width, style=style)


def _sentences(peak: MemoryPeak, root: Path) -> Iterator[str]:
    amount = peak.live if peak.bytes is None or peak.live == str(peak.bytes) else f"{peak.live} = {peak.bytes}"
    values = ", ".join(f"{name} = {value}" for name, value in peak.at.items() if name in peak.live)
    shown = f" for {values}" if values else ""
    place = f" at {wording.place(peak.place.file, peak.place.line, root)}" if peak.place is not None else ""
    yield f"{amount} of {peak.limit} bytes of a partition are live{shown}{place}"
    named = [f"{name} {taken}" for name, taken in merged(peak)]
    more = f", and {len(named) - MAX_TENSORS} more" if len(named) > MAX_TENSORS else ""
    yield ", ".join(named[:MAX_TENSORS]) + more
    for name, largest in peak.fits.items():
        yield f"fits for any {name}" if largest is None else f"fits up to {name} = {largest}"
    if peak.bytes is not None and peak.bytes > peak.limit:
        yield "more than fits: the compiler has to spill or to reorder"


def merged(peak: MemoryPeak) -> list[tuple[str, str]]:
    """The tensors, those of one name that take as much counted together: `tile` with `4 * 1024`."""
    counts = Counter(peak.tensors)
    return [(one.name, one.bytes if count == 1 else f"{count} * ({one.bytes})") for one, count in counts.items()]
