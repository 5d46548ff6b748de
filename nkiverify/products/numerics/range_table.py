"""The table of the ranges that lines of a kernel write, a part for each file, that fits a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest
from pathlib import Path

from nkiverify.products.numerics.reported import Told
from nkiverify.report.columns import columns
from nkiverify.results.wording import relative

_HEADER = ("line", "writes", "dtype", "range", "error", "of most", "seen")
#: The widest cells: longer ones go on in the next line. Eighty columns with the spaces between them.
_WIDTHS = (4, 10, 8, 25, 7, 7, 7)


def table(reported: Sequence[Told], root: Path) -> Iterator[str]:
    """The lines: what is written where, between which numbers, how far that may be from real arithmetic, also as a part
    of the greatest magnitude, and how far it was seen to be."""
    for file, lines in groupby(reported, lambda one: one.site.file if one.site else ""):
        yield relative(file, root) if file else "no line of the kernel"
        yield columns(_HEADER, [row for one in lines for row in _rows(one)], ["right", *["left"] * 3, *["right"] * 3])


def _rows(one: Told) -> Iterator[tuple[str, ...]]:
    seen = "" if one.seen is None else f"{one.seen:.2g}"
    cells = (str(one.site.line) if one.site else "", one.tensor, one.dtype, one.numbers, *one.error_texts, seen)
    folded = (textwrap.wrap(cell, width) for cell, width in zip(cells, _WIDTHS, strict=True))
    yield from zip_longest(*folded, fillvalue="")
