"""The texts that an editor shows of what the cursor is on: a tile, or a rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from nkiverify.foundation.records import Coverage, MemoryPeak, Tile
from nkiverify.frontend.language_rules import LANGUAGE_RULES
from nkiverify.phases.phase import RULES
from nkiverify.products.editor.checks import Checked


def tile(name: str, file: Path, functions: Sequence[str], checked: Checked) -> str:
    """The tiles of a name, in Markdown: those of the innermost of `functions` that allocates any, else
    all of the file; and the outputs of that name of which elements are missing. Empty where there is none."""
    known = [(peak, one) for peak, one in _tiles(checked) if one.name == name and _is_in(one, file, checked)]
    for function in functions:
        own = [(peak, one) for peak, one in known if one.place is not None and one.place.function == function]
        if own:
            known = own
            break
    described = [_described(peak, one) for peak, one in known]
    described += [_stored(one) for one in _outputs(checked) if one.tensor == name and _is_stored_in(one, file, checked)]
    return "\n\n---\n\n".join(dict.fromkeys(described))


def _tiles(checked: Checked) -> Iterator[tuple[MemoryPeak, Tile]]:
    for run in checked.results.runs if checked.results is not None else ():
        for peak in run.memory:
            yield from ((peak, one) for one in peak.tiles)


def _is_in(one: Tile, file: Path, checked: Checked) -> bool:
    return one.place is not None and (checked.root / one.place.file).resolve() == file


def _described(peak: MemoryPeak, one: Tile) -> str:
    lines = [f"**{one.name}** `{one.dtype}[{', '.join(one.shape)}]` in {peak.memory.upper()}"]
    lines.append(f"{one.bytes} of {peak.limit} bytes of a partition")
    if one.spans:
        values = ", ".join(f"{name} = {value}" for name, value in peak.at.items())
        most = max(span.bytes for span in one.spans)
        live = ", ".join(_lines(peak, span.first, span.last) for span in one.spans)
        lines.append(
            f"live at {live}: {most} bytes at most{f', for {values}' if values else ''}, all instances together"
        )
    return "  \n".join(lines)


def _outputs(checked: Checked) -> Iterator[Coverage]:
    for run in checked.results.runs if checked.results is not None else ():
        yield from run.coverage


def _is_stored_in(one: Coverage, file: Path, checked: Checked) -> bool:
    return any((checked.root / line.file).resolve() == file for line in one.stores)


def _stored(one: Coverage) -> str:
    values = ", ".join(f"{name} = {value}" for name, value in one.at.items())
    lines = ", ".join(f"line {line.line}" for line in one.stores)
    missing = sum(part.rows * part.columns for part in one.parts if part.store == -1)
    elements = "some elements" if one.each != (1, 1) else "1 element" if missing == 1 else f"{missing} elements"
    nothing = f"; nothing stores {elements} of it" if missing else ""
    where = f", for {values}" if values else ""
    return f"**{one.tensor}** `[{', '.join(map(str, one.shape))}]`{where}  \nstored at {lines}{nothing}"


def _lines(peak: MemoryPeak, first: int, last: int) -> str:
    """The places from `first` to `last`: lines of one file."""
    numbers = [one.line for one in peak.places[first : last + 1]]
    return f"line {numbers[0]}" if len(set(numbers)) == 1 else f"lines {min(numbers)} to {max(numbers)}"


@cache
def rule(id: str) -> str:
    """The text of a rule in Markdown, with a kernel that breaks it and one that does not; empty for none."""
    if id in RULES or id in LANGUAGE_RULES:
        return f"**{id}**: {RULES.get(id) or LANGUAGE_RULES[id]}"
    from nkiverify.model.contracts import all_contracts
    from nkiverify.model.documentation import places
    from nkiverify.project.controls import controls

    found = next((one for one in all_contracts() if one.id == id), None)
    if found is None:
        return ""
    pages = (f"[{place}]({place.link})" if place.address else str(place) for place in places(found.source))
    parts = [f"**{found.id}**: {found.statement}", f"Source: {'; '.join(dict.fromkeys(pages))}"]
    if found.contested:
        parts.append(f"Contested: {found.contested}")
    control = controls().get(id)
    if control is not None:
        parts += [
            f"Wrong:\n```python\n{control.wrong.text.strip()}\n```",
            f"Right:\n```python\n{control.right.text.strip()}\n```",
        ]
    return "\n\n".join(parts)
