"""Text in columns, as wide as what they hold and no wider."""

from __future__ import annotations

from collections.abc import Sequence

from tabulate import DataRow, TableFormat, tabulate


def columns(header: Sequence[str], rows: Sequence[Sequence[str]], alignment: Sequence[str], gap: int = 2) -> str:
    """A ruled header over rows; `alignment` is "left" or "right" for each column, `gap` the spaces between two."""
    rule = ["-" * max(map(len, column)) for column in zip(header, *rows, strict=True)]
    between = DataRow("", " " * gap, "")
    layout = TableFormat(
        lineabove=None,
        linebelowheader=None,
        linebetweenrows=None,
        linebelow=None,
        headerrow=between,
        datarow=between,
        padding=0,
        with_header_hide=None,
    )
    # The header as a row: tabulate makes a column two wider than its header.
    text = tabulate([header, rule, *rows], tablefmt=layout, colalign=alignment, disable_numparse=True)
    return "\n".join(line.rstrip() for line in text.splitlines())
