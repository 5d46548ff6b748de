"""Text in columns, as wide as what they hold and no wider."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from nkiverify.report.style import PLAIN, Style

INDENT = "  "


def columns(header: Sequence[str], rows: Sequence[Sequence[str]], alignment: Sequence[str], gap: int = 2) -> str:
    """A ruled header over rows; `alignment` is "left" or "right" for each column, `gap` the spaces between two."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    rule = ["-" * width for width in widths]
    return "\n".join(_line(cells, widths, alignment, " " * gap) for cells in (header, rule, *rows))


def _line(cells: Sequence[str], widths: Sequence[int], alignment: Sequence[str], between: str) -> str:
    placed = (
        cell.rjust(width) if side == "right" else cell.ljust(width)
        for cell, width, side in zip(cells, widths, alignment, strict=True)
    )
    return between.join(placed).rstrip()


def field(name: str, value: str, width: int, indent: str = INDENT, style: Style = PLAIN) -> list[str]:
    """`name` and `value` in two columns; words longer than the line, paths for example, stay whole."""
    label = f"{indent}{name:<8} "
    lines = textwrap.wrap(
        value,
        width,
        initial_indent=label,
        subsequent_indent=" " * len(label),
        break_long_words=False,
        break_on_hyphens=False,
    )
    if lines:
        lines[0] = f"{indent}{style.faint(f'{name:<8}')} {lines[0][len(label) :]}"
    return lines
