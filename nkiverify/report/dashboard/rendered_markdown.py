"""As much of Markdown as the documents of this repository use, as HTML: everything else is escaped text."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from markupsafe import Markup, escape

_INLINE = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<bold>[^*]+)\*\*|(?<![\w*])\*(?P<emphasis>[^*\s]+(?: [^*\s]+)*)\*(?![\w*])"
    r"|\[(?P<label>[^\]]+)\]\((?P<address>[^)\s]+)\)"
)
_HEADING = re.compile(r"(#+) (.*)")


def section(text: str, heading: str) -> str:
    """The text under `heading`, up to the next heading that is not below it; empty where there is none."""
    lines = text.splitlines()
    level = 0
    found: list[str] = []
    for line in lines:
        match = _HEADING.match(line)
        if match and level and len(match[1]) <= level:
            break
        if level:
            found.append(line)
        elif match and match[2] == heading:
            level = len(match[1])
    return "\n".join(found).strip()


def html(text: str, folder: str, level: int) -> Markup:
    """`text` as HTML with headings of `level` and below. Links are relative to `folder`, inside the repository.

    The page is in a folder of the repository itself, hence one step up.
    """
    return Markup("\n").join(_block(block, folder, level) for block in _blocks(text))


def inline(text: str, folder: str = "") -> Markup:
    """Code, bold and emphasised words, and links of one paragraph."""
    result = Markup()
    end = 0
    for match in _INLINE.finditer(text):
        result += escape(text[end : match.start()])
        end = match.end()
        if match["code"]:
            result += Markup("<code>{}</code>").format(match["code"])
        elif match["bold"]:
            result += Markup("<strong>{}</strong>").format(inline(match["bold"], folder))
        elif match["emphasis"]:
            result += Markup("<em>{}</em>").format(match["emphasis"])
        else:
            address = _address(match["address"], folder)
            label = inline(match["label"], folder)
            result += Markup('<a href="{}">{}</a>').format(address, label) if address else label
    return result + escape(text[end:])


def _address(address: str, folder: str) -> str:
    """The destination of a link: the web, or a file of the repository; nothing where it is neither."""
    if address.startswith(("https://", "http://")):
        return address
    if ":" in address or address.startswith("#"):
        return ""
    return posixpath.join("..", posixpath.normpath(posixpath.join(folder, address)))


def _blocks(text: str) -> Iterator[list[str]]:
    """Paragraphs, lists, tables, fenced code: what stands between empty lines."""
    block: list[str] = []
    fenced = False
    for line in text.splitlines():
        fence = line.startswith("```")
        if fenced or line.strip():
            block.append(line)
        if fence:
            fenced = not fenced
        if not fenced and not line.strip() and block:
            yield block
            block = []
    if block:
        yield block


def _block(lines: Sequence[str], folder: str, level: int) -> Markup:
    heading = _HEADING.fullmatch(lines[0])
    if heading:
        number = min(level + len(heading[1]) - 1, 6)
        return Markup("<h{0}>{1}</h{0}>").format(number, inline(heading[2], folder))
    if lines[0].startswith("```"):
        return Markup("<pre>{}</pre>").format("\n".join(lines[1:-1]))
    if all(line.startswith("    ") for line in lines):
        return Markup("<pre>{}</pre>").format("\n".join(line[4:] for line in lines))
    if lines[0].startswith("- "):
        items = re.split(r"(?:^|\n)- ", "\n".join(lines))[1:]
        return Markup("<ul>{}</ul>").format(
            Markup().join(Markup("<li>{}</li>").format(inline(" ".join(item.split()), folder)) for item in items)
        )
    if lines[0].startswith("|") and len(lines) > 1 and set(lines[1]) <= set("|-: "):
        head, rows = _cells(lines[0]), [_cells(line) for line in lines[2:]]
        return Markup('<div class="wide" tabindex="0" role="group" aria-label="{}"><table>{}{}</table></div>').format(
            ", ".join(head),
            Markup("<thead>{}</thead>").format(_table_row(head, "th", folder)),
            Markup("<tbody>{}</tbody>").format(Markup().join(_table_row(row, "td", folder) for row in rows)),
        )
    return Markup("<p>{}</p>").format(inline(" ".join(lines), folder))


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _table_row(cells: Sequence[str], element: str, folder: str) -> Markup:
    scope = Markup(' scope="col"') if element == "th" else Markup()
    content = Markup().join(Markup("<{0}{1}>{2}</{0}>").format(element, scope, inline(cell, folder)) for cell in cells)
    return Markup("<tr>{}</tr>").format(content)
