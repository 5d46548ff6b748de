"""Lines of kernel source with a part underlined, as compilers show them.

46 |     for k in range(K // 128):                                 <- k = 1
47 |         nisa.dma_copy(dst=tile, src=x[k * 256 : k * 256 + 128])
   |                                     ^^^^^^^^^^^^^^^^^^^^^^^^^^
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nkiverify.report.style import PLAIN, Style
from nkiverify.results import LoopValue, Place

#: Lines of one place shown at most; a call over more of them is cut.
MAX_LINES = 6


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str
    span: tuple[int, int] | None = None
    remark: str = ""


def excerpt(
    place: Place, loops: Sequence[LoopValue] = (), *, indent: str = "    ", width: int = 80, style: Style = PLAIN
) -> list[str]:
    """The lines of `place`, with the loops around it above; nothing where the file cannot be read."""
    marked = list(_marked(place))
    if not marked:
        return []
    around = [
        _Line(loop.line, text, remark=loop.value)
        for loop in loops
        if (text := _source(loop.file, loop.line)).strip() and loop.line < place.line and loop.file == place.file
    ]
    return list(_rendered([*around, *marked], indent, width, style))


def _marked(place: Place) -> Iterator[_Line]:
    last = max(place.line, place.end_line)
    for number in range(place.line, min(last, place.line + MAX_LINES - 1) + 1):
        text = _source(place.file, number)
        if not text.strip():
            continue
        end = len(text)
        if place.column < 0:
            yield _Line(number, text, (len(text) - len(text.lstrip()), end))
            continue
        start = _characters(text, place.column) if number == place.line else len(text) - len(text.lstrip())
        stop = _characters(text, place.end_column) if number == last and place.end_column > 0 else end
        yield _Line(number, text, (start, max(stop, start + 1)))


def _source(file: str, line: int) -> str:
    linecache.checkcache(file)
    return linecache.getline(file, line).rstrip().expandtabs(4) if file and line > 0 else ""


def _characters(text: str, column: int) -> int:
    """A column in bytes, which is what Python counts, as a column in characters."""
    return len(text.encode("utf-8")[:column].decode("utf-8", errors="ignore"))


def _rendered(lines: Sequence[_Line], indent: str, width: int, style: Style) -> Iterator[str]:
    gutter = max(len(str(line.number)) for line in lines)
    margin = min(len(line.text) - len(line.text.lstrip()) for line in lines)
    room = width - len(indent) - gutter - len(f" {style.bar} ")
    before = None
    remarks = [f"  {style.arrow} {line.remark}" for line in lines if line.remark]
    code_room = room - max(map(len, remarks), default=0)
    align = min(max((len(line.text) - margin for line in lines if line.remark), default=0), code_room)
    for line in lines:
        if before is not None and line.number > before + 1:
            yield f"{indent}{style.faint('...')}"
        before = line.number
        number = style.faint(f"{line.number:>{gutter}} {style.bar}")
        text = _cut(line.text[margin:], code_room if line.remark else room, style)
        if line.remark:
            yield f"{indent}{number} {text:<{align}}  {style.hint(f'{style.arrow} {line.remark}')}"
            continue
        yield f"{indent}{number} {text}"
        if line.span is not None:
            start, end = (min(column - margin, room) for column in line.span)
            if end > start:
                under = style.faint(f"{'':>{gutter}} {style.bar}")
                yield f"{indent}{under} {' ' * start}{style.bad('^' * (end - start))}"


def _cut(text: str, room: int, style: Style) -> str:
    if len(text) <= room:
        return text
    dots = "…" if style.unicode else "..."
    return text[: room - len(dots)] + dots
