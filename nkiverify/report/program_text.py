"""A shape program as text a kernel author can follow: its domain, loops, branches, assumptions and claims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from nkiverify.engines.embedded import Outcome
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.ir.program import Assume, Block, Branch, Claim, DomainDimension, Loop, Program
from nkiverify.ir.walk import Visitor
from nkiverify.report.style import PLAIN, Mark, Style
from nkiverify.results import wording
from nkiverify.symbolic.atoms import render
from nkiverify.verify.explanation import Timed

_INDENT = "  "


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a line, and how it is marked where there is colour. The text may be a kernel's."""

    text: str
    mark: Mark = Mark.NONE


def text(lines: Iterable[Sequence[TextPart]], style: Style = PLAIN) -> str:
    """Lines of a program as they are printed."""
    return "\n".join("".join(style.marked(piece.text, piece.mark) for piece in line) for line in lines)


def lines(program: Program, decided: Sequence[Timed], root: Path) -> Iterator[tuple[TextPart, ...]]:
    """The program with, behind every claim that was decided, the outcome, the rung that found it, and the time."""
    by_claim = {one.decision.claim: one for one in decided}
    yield (TextPart("domain", Mark.HEAD),)
    for dimension in program.dimensions:
        yield (TextPart(f"{_INDENT}{_dimension(dimension)}"),)
    if not program.dimensions:
        yield (TextPart(f"{_INDENT}the only shapes of the target"),)
    yield (TextPart("program", Mark.HEAD),)
    yield from _Lines(by_claim, root).block(program.body)


def _dimension(dimension: DomainDimension) -> str:
    if dimension.choices:
        return f"{dimension.atom.name} in {{{', '.join(dimension.choices)}}}"
    high = f" <= {dimension.high}" if dimension.high is not None else ""
    step = f", a multiple of {dimension.multiple_of}" if dimension.multiple_of != 1 else ""
    return f"{dimension.low} <= {dimension.atom.name}{high}{step}"


class _Lines(Visitor[tuple[TextPart, ...]]):
    """The lines of a program, each item with the line below it where it has one."""

    def __init__(self, decided: Mapping[Claim, Timed], root: Path) -> None:
        self._decided = decided
        self._root = root
        self._indent = _INDENT

    def assume(self, item: Assume) -> Iterable[tuple[TextPart, ...]]:
        yield TextPart(f"{self._indent}assume {item.condition}"), *_remark(item.text)

    def claim(self, item: Claim) -> Iterable[tuple[TextPart, ...]]:
        one = self._decided.get(item)
        return _claim(item, one, self._indent, self._root) if one is not None else ()

    def loop(self, item: Loop) -> Iterable[tuple[TextPart, ...]]:
        yield self._head("for", f" {item.index} in range({render(item.extent)}):", item.site)
        yield from self._deeper(item.body)

    def branch(self, item: Branch) -> Iterable[tuple[TextPart, ...]]:
        yield self._head("if", f" {item.condition}:", item.site)
        yield from self._deeper(item.then)
        yield self._head("else", ":", None)
        yield from self._deeper(item.orelse)

    def _head(self, word: str, rest: str, site: Site | None) -> tuple[TextPart, ...]:
        return TextPart(self._indent), TextPart(word, Mark.HEAD), TextPart(rest), *_at(site, self._root)

    def _deeper(self, block: Block) -> Iterator[tuple[TextPart, ...]]:
        around, self._indent = self._indent, self._indent + _INDENT
        yield from self.block(block)
        self._indent = around


def _claim(claim: Claim, one: Timed, indent: str, root: Path) -> Iterator[tuple[TextPart, ...]]:
    decision = one.decision
    mark = {Outcome.PROVED: Mark.GOOD, Outcome.REFUTED: Mark.BAD}.get(decision.outcome, Mark.WARN)
    kind = "unwinding" if claim.unwinding else "claim"
    condition = claim.condition if claim.by_sets is None else "of all elements"
    yield (
        TextPart(f"{indent}{kind} {claim.number} "),
        TextPart(claim.contract.id, Mark.HINT),
        TextPart(f": {condition}"),
    )
    place = wording.place(claim.site.file, claim.site.line, root) if claim.site is not None else "the target"
    why = f", {decision.reason}" if decision.reason else ""
    how = f" by {decision.rung.value}, {wording.milliseconds(one.milliseconds)} ms{why}"
    yield TextPart(indent + _INDENT), TextPart(decision.outcome.value, mark), TextPart(how), *_remark(place)


def _at(site: Site | None, root: Path) -> Iterator[TextPart]:
    return _remark(wording.place(site.file, site.line, root) if site is not None else "")


def _remark(text: str) -> Iterator[TextPart]:
    if text:
        yield TextPart("  ")
        yield TextPart(f"# {text}", Mark.FAINT)
