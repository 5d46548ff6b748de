"""A shape program as text a kernel author can follow: its domain, loops, branches, assumptions and claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nkiverify.engines.embedded import Outcome
from nkiverify.foundation.source import Site
from nkiverify.ir.program import Assume, Block, Branch, Claim, DomainDimension, Item, Loop, Program
from nkiverify.report.style import PLAIN, Style
from nkiverify.results import wording
from nkiverify.symbolic.atoms import Term, render
from nkiverify.verify.explanation import Timed

_INDENT = "  "


def text(program: Program, decided: Sequence[Timed], root: Path, style: Style = PLAIN) -> str:
    """The program with, behind every claim that was decided, the outcome, the rung that found it, and the time."""
    by_claim = {one.decision.claim: one for one in decided}
    lines = [style.head("domain")]
    lines += [f"{_INDENT}{_dimension(dimension)}" for dimension in program.dimensions]
    if not program.dimensions:
        lines.append(f"{_INDENT}the only shapes of the target")
    lines.append(style.head("program"))
    lines += _block(program.body, _INDENT, by_claim, root, style)
    return "\n".join(lines)


def _dimension(dimension: DomainDimension) -> str:
    if dimension.choices:
        return f"{dimension.atom.name} in {{{', '.join(dimension.choices)}}}"
    high = f" <= {dimension.high}" if dimension.high is not None else ""
    step = f", a multiple of {dimension.multiple_of}" if dimension.multiple_of != 1 else ""
    return f"{dimension.low} <= {dimension.atom.name}{high}{step}"


def _block(block: Block, indent: str, decided: Mapping[Claim, Timed], root: Path, style: Style) -> Iterator[str]:
    for item in block.items:
        yield from _item(item, indent, decided, root, style)


def _item(item: Item, indent: str, decided: Mapping[Claim, Timed], root: Path, style: Style) -> Iterator[str]:
    deeper = indent + _INDENT
    if isinstance(item, Assume):
        by = f"  {style.faint(f'# {item.text}')}" if item.text else ""
        yield f"{indent}assume {item.condition}{by}"
    elif isinstance(item, Claim):
        one = decided.get(item)
        if one is not None:
            yield from _claim(item, one, indent, root, style)
    elif isinstance(item, Loop):
        yield f"{indent}{style.head('for')} {item.index} in range({_extent(item.extent)}):{_at(item.site, root, style)}"
        yield from _block(item.body, deeper, decided, root, style)
    elif isinstance(item, Branch):
        yield f"{indent}{style.head('if')} {item.condition}:{_at(item.site, root, style)}"
        yield from _block(item.then, deeper, decided, root, style)
        yield f"{indent}{style.head('else')}:"
        yield from _block(item.orelse, deeper, decided, root, style)


def _claim(claim: Claim, one: Timed, indent: str, root: Path, style: Style) -> Iterator[str]:
    decision = one.decision
    paint = {Outcome.PROVED: style.good, Outcome.REFUTED: style.bad}.get(decision.outcome, style.warn)
    kind = "unwinding" if claim.unwinding else "claim"
    condition = claim.condition if claim.by_sets is None else "of all elements"
    yield f"{indent}{kind} {claim.number} {style.hint(claim.contract.id)}: {condition}"
    place = wording.place(claim.site.file, claim.site.line, root) if claim.site is not None else "the target"
    why = f", {decision.reason}" if decision.reason else ""
    took = wording.milliseconds(one.milliseconds)
    how = f"by {decision.rung.value}, {took} ms{why}"
    yield f"{indent}{_INDENT}{paint(decision.outcome.value)} {how}  {style.faint(f'# {place}')}"


def _extent(term: Term) -> str:
    return render(term)


def _at(site: Site | None, root: Path, style: Style) -> str:
    return f"  {style.faint(f'# {wording.place(site.file, site.line, root)}')}" if site is not None else ""
