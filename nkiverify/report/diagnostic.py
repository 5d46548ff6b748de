"""One violation, or one UNKNOWN, as a reader needs it: what was required, what happened, where, and how to see it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from nkiverify.foundation.records import KernelWarning, Label, LoopValue, Run, Violation
from nkiverify.foundation.source import Site
from nkiverify.model.hardware import hardware_asked_for
from nkiverify.report.columns import INDENT, field
from nkiverify.report.excerpt import excerpt
from nkiverify.report.style import PLAIN, Style
from nkiverify.results import wording

#: What to write instead, whatever the tensors are.
_WAYS_OUT = {
    "df.accumulate_unwritten": "accumulate=k > 0, so that the first matmul of a sum begins it; or nisa.memset before",
    "df.output_written": "store the rest of it as well, or return a tensor of the size that is stored",
}
#: Contracts that the kernel, or its target, states itself: there is nothing to explain.
_OWN = ("kernel.", "target.")


def grouped(violations: Sequence[Violation]) -> list[list[Violation]]:
    """Violations with one cause together: the same contract, broken in the same way by the same witness."""
    groups: dict[tuple[object, ...], list[Violation]] = {}
    for violation in violations:
        cause = (
            violation.contract,
            violation.comparison or violation.message,
            violation.file,
            tuple(violation.witness.items()),
        )
        groups.setdefault(cause, []).append(violation)
    return list(groups.values())


def _head(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=INDENT, subsequent_indent=INDENT * 2, break_on_hyphens=False)


def violations(group: Sequence[Violation], root: Path, width: int = 80, style: Style = PLAIN) -> Iterator[str]:
    """The lines about violations with one cause: the first in full, the places of the others."""
    first = group[0]
    head = _head(f"{first.contract}: {first.statement}", width)
    yield head[0].replace(first.contract, style.bad(first.contract), 1)
    yield from head[1:]
    yield from _named("at", wording.place(first.file, first.line, root), width, style)
    yield from _source(first, root, width, style)
    yield from _labels(first, root, width, style)
    message = wording.text(first.message, root)
    yield from _named("because", first.comparison or message, width, style)
    if first.comparison and message.partition(" = ")[2] not in first.comparison:
        yield from _named("with", message, width, style)
    for position, tensor in enumerate(first.tensors):
        yield from _named("tensors" if position == 0 else "", tensor, width, style)
    yield from _witness(first, width, style)
    yield from _named("help", help_for(first, root), width, style)
    yield from _named("note", first.note, width, style)
    others = [
        wording.place(other.file, other.line, root) + ("" if other.replayed or not other.note else f" ({other.note})")
        for other in group[1:]
    ]
    yield from _named("also at", ", ".join(others), width, style)
    yield from _named("stub", wording.relative(first.stub, root), width, style)
    if first.source:
        from nkiverify.model.documentation import address, readable

        yield from _named("source", readable(first.source), width, style)
        if page := address(first.source):
            yield f"{INDENT * 2}{'':<8} {page}"


def warning(warned: KernelWarning, root: Path, width: int = 80, style: Style = PLAIN) -> Iterator[str]:
    """The lines about a warning."""
    head = _head(f"warning {warned.rule}: {warned.statement}", width)
    yield head[0].replace(warned.rule, style.warn(warned.rule), 1)
    yield from head[1:]
    yield from _named("at", wording.place(warned.file, warned.line, root), width, style)
    yield from _source(warned, root, width, style)
    yield from _named("because", wording.text(warned.message, root), width, style)
    yield from _named("first", wording.first_element(warned), width, style)
    yield from _named("holds", wording.extent_of(warned), width, style)
    also = ", ".join(wording.place(place.file, place.line, root) for place in warned.also)
    yield from _named("with it", also, width, style)


def unknown(run: Run, root: Path, width: int = 80, style: Style = PLAIN) -> Iterator[str]:
    """Where an UNKNOWN arises, and what can be done about it."""
    if run.place is not None:
        yield from excerpt(_absolute(run.place, root), indent=INDENT * 2, width=width, style=style)
    yield from field("advice", run.advice, width, style=style)


def source(
    found: Violation | KernelWarning, root: Path, indent: str = "", width: int = 80, style: Style = PLAIN
) -> list[str]:
    """The lines of the place that `found` is about, underlined, with the loops around it."""
    place = Site(found.file, found.line, found.column, found.end_line, found.end_column, found.function)
    return excerpt(_absolute(place, root), _loops_of(place, found, root), indent=indent, width=width, style=style)


def _named(name: str, value: str, width: int, style: Style) -> list[str]:
    return field(name, value, width, INDENT * 2, style) if value else []


def _source(violation: Violation | KernelWarning, root: Path, width: int, style: Style) -> Iterator[str]:
    """The line in question, then the calls that led to it, the nearest first; each under the loops that run there."""
    indent = INDENT * 3
    yield from source(violation, root, indent, width, style)
    for call in reversed(violation.calls):
        lines = excerpt(
            _absolute(call, root), _loops_of(call, violation, root), indent=indent, width=width, style=style
        )
        if lines:
            where = wording.place(_absolute(call, root).file, call.line, root)
            yield from _named("called", f"in {call.function}, {where}", width, style)
            yield from lines


def help_for(violation: Violation, root: Path) -> str:
    """The text to write instead, where that follows from the contract; else where it is explained."""
    if violation.contract == "df.read_unwritten" and violation.labels and not violation.instead:
        made = violation.labels[0].site
        tensor = violation.said.partition("[")[0]
        return f"write all of {tensor} before, or make it by nl.zeros(…) at {wording.place(made.file, made.line, root)}"
    if first := hardware_asked_for(violation.contract, violation.message):
        return f"--target {first}, the first that has it"
    written = violation.said.partition("the argument ")[2].partition(" is written and not returned")
    if violation.contract in ("df.input_written", "df.output_parameter") and written[1]:
        return f"return {written[0]}"
    if violation.instead or violation.contract.startswith(_OWN):
        return violation.instead
    if violation.contract in _WAYS_OUT:
        return _WAYS_OUT[violation.contract]
    return f"nkiverify explain {violation.contract}"


def _labels(violation: Violation, root: Path, width: int, style: Style) -> Iterator[str]:
    for label in labels_elsewhere(violation):
        where = wording.place(label.site.file, label.site.line, root)
        yield from _named("with", f"{label.text}: {where}", width, style)
        yield from excerpt(_absolute(label.site, root), indent=INDENT * 3, width=width, style=style)


def labels_elsewhere(violation: Violation) -> list[Label]:
    """The other places that it is about which do not stand in the excerpt above its own."""
    return [label for label in violation.labels if not _is_above(label.site, violation)]


def _is_above(site: Site, violation: Violation) -> bool:
    return site.file == violation.file and 0 < site.line < violation.line


def _loops_of(place: Site, violation: Violation | KernelWarning, root: Path) -> list[LoopValue]:
    """The loops that run around a place, and what else is reported of lines above it, in the order of the lines."""
    found = [
        LoopValue(str(root / loop.file), loop.line, loop.value, loop.function)
        for loop in violation.loops
        if place.function and (loop.file, loop.function) == (place.file, place.function)
    ]
    if isinstance(violation, Violation) and place.line == violation.line:
        found += [
            LoopValue(str(root / label.site.file), label.site.line, label.text, label.site.function)
            for label in violation.labels
            if _is_above(label.site, violation)
        ]
    return sorted(found, key=lambda one: one.line)


def _absolute(place: Site, root: Path) -> Site:
    """The place with the file's full path: results read from a file have paths relative to the root."""
    return Site(
        str(root / place.file) if place.file else "",
        place.line,
        place.column,
        place.end_line,
        place.end_column,
        place.function,
    )


def _witness(violation: Violation, width: int, style: Style) -> Iterator[str]:
    how = "reproduced by running the kernel" if violation.replayed else "NOT reproduced by running the kernel"
    if violation.smallest and violation.witness:
        how = f"no simpler one exists; {how}"
    assigned = [f"{name} = {value}" for name, value in violation.witness.items()]
    if not violation.generalises:
        yield from _named("witness", f"{', '.join(assigned) or 'the only shapes of the target'} ({how})", width, style)
        return
    longest = max(map(len, assigned))
    for position, (name, text) in enumerate(zip(violation.witness, assigned, strict=True)):
        remark = violation.generalises.get(name, "")
        label = f"{INDENT * 2}{'witness' if position == 0 else '':<8} "
        first = f"{label}{text:<{longest}}  # " if remark else f"{label}{text}"
        lines = textwrap.wrap(
            remark, width, initial_indent=first, subsequent_indent=" " * (len(first) - 2) + "# ", break_on_hyphens=False
        ) or [first]
        lines[0] = f"{INDENT * 2}{style.faint(lines[0][len(INDENT * 2) : len(label)])}{lines[0][len(label) :]}"
        yield from lines
    yield from _named("", f"({how})", width, style)
