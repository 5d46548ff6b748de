"""Lines of kernel source with a part underlined, as compilers show them.

46 |     for k in range(K // 128):                                 <- k = 1
47 |         nisa.dma_copy(dst=tile, src=x[k * 256 : k * 256 + 128])
   |                                     ^^^^^^^^^^^^^^^^^^^^^^^^^^
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Sequence

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.kernel_text import harmless
from nkiverify.foundation.records import LoopValue
from nkiverify.foundation.source import Site, characters
from nkiverify.report.style import PLAIN, Style

#: Lines of one place shown at most; a call over more of them is cut.
MAX_LINES = 6


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str
    span: tuple[int, int] | None = None
    remark: str = ""


def excerpt(
    place: Site, loops: Sequence[LoopValue] = (), *, indent: str = "    ", width: int = 80, style: Style = PLAIN
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


def _marked(place: Site) -> Iterator[_Line]:
    last = max(place.line, place.end_line)
    for number in range(place.line, min(last, place.line + MAX_LINES - 1) + 1):
        text = _source(place.file, number)
        if not text.strip():
            continue
        end = len(text)
        if place.column < 0:
            yield _Line(number, text, (len(text) - len(text.lstrip()), end))
            continue
        start = characters(text, place.column) if number == place.line else len(text) - len(text.lstrip())
        stop = characters(text, place.end_column) if number == last and place.end_column > 0 else end
        yield _Line(number, text, (start, max(stop, start + 1)))


def _source(file: str, line: int) -> str:
    linecache.checkcache(file)
    return harmless(linecache.getline(file, line).rstrip().expandtabs(4)) if file and line > 0 else ""


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
        text = line.text[margin:]
        if line.remark:
            text = _cut(text, code_room, style)
            yield f"{indent}{number} {text:<{align}}  {style.hint(f'{style.arrow} {line.remark}')}"
            continue
        start, end = (column - margin for column in line.span or (margin, margin))
        text, hidden = _window(text, start, end, room, style)
        yield f"{indent}{number} {text}"
        start, end = max(start - hidden, 0), min(end - hidden, room)
        if end > start:
            under = style.faint(f"{'':>{gutter}} {style.bar}")
            yield f"{indent}{under} {' ' * start}{style.bad('^' * (end - start))}"


def _window(text: str, start: int, end: int, room: int, style: Style) -> tuple[str, int]:
    """The part shown of a line that is too long, and how many columns are hidden at its left: the span is in sight."""
    dots = _dots(style)
    hidden = start - max(len(dots), room - (end - start) - len(dots)) if end > room and start > room // 4 else 0
    if hidden <= 0:
        return _cut(text, room, style), 0
    return _cut(dots + text[hidden + len(dots) :], room, style), hidden


def _dots(style: Style) -> str:
    return "…" if style.unicode else "..."


def _cut(text: str, room: int, style: Style) -> str:
    if len(text) <= room:
        return text
    dots = _dots(style)
    return text[: room - len(dots)] + dots
