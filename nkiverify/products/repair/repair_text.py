"""Patches as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from nkiverify.products.repair.edits import INITIALISED
from nkiverify.products.repair.patches import ASSERT, Patch, RepairAnswer
from nkiverify.report.style import Style

_NOTHING = "no edit of these kinds mends it"


def text(found: RepairAnswer, before: str, style: Style) -> str:
    """The output of `nkiverify repair`; `before` is the text of the kernel's file."""
    return "\n".join(_lines(found, before, style))


def _lines(found: RepairAnswer, before: str, style: Style) -> Iterator[str]:
    path, _, name = found.reference.partition("::")
    yield f"{style.head(name)} {found.said}"
    if not found.wrong:
        yield "  nothing fails that an edit could mend"
        return
    time = f"{found.tried} edits run, {found.alive} pass where the kernel fails, {found.seconds:.1f} s"
    if not found.patches:
        late = "; time was over before all were tried (--search)" if found.late else ""
        yield f"  {_NOTHING}: {time}{late}"
    elif all(one.kind == ASSERT for one in found.patches):
        yield f"  {_NOTHING} but an assert: {time}"
    else:
        yield f"  {time}"
    headed = [(f"{number}. {one.kind}", one) for number, one in enumerate(found.patches, 1)]
    for head, one in [*headed, *_not_applied(found)]:
        yield ""
        yield style.head(f"{head}, line {one.line}")
        yield from one.diff(path, before).splitlines()
        yield from _said(one, name)


def _not_applied(found: RepairAnswer) -> list[tuple[str, Patch]]:
    return [(f"not applied: {one.kind}", one) for one in found.notes]


def fixes(found: RepairAnswer, before: str, style: Style) -> str:
    """The lines about patches that follow what `check` says of a kernel: the first patch, or that there is none."""
    path, _, name = found.reference.partition("::")
    lines = [] if found.patches else [f"  fix: {_NOTHING} ({found.tried} were run)"]
    for head, one in [*((f"fix: {one.kind}", one) for one in found.patches[:1]), *_not_applied(found)[:1]]:
        lines += [style.head(f"  {head}, line {one.line}"), *one.diff(path, before).splitlines(), *_said(one, name)]
    return "\n".join(lines) + "\n"


def _said(one: Patch, name: str) -> Iterator[str]:
    yield f"  {name} {one.said}"
    if one.equal:
        yield f"  {one.equal}"
    elif one.kind == INITIALISED:
        yield "  zeros are read where nothing is stored, and nothing says that they are meant: a store may be too short"
    if one.caution:
        yield f"  the assert leaves less than was meant: {one.caution}"
    if one.left:
        yield f"  the kernel still does not check {' and '.join(one.left)}"
    elif not one.whole:
        yield "  something is left that fails, or that is not proved"


def as_json(found: RepairAnswer, before: str) -> str:
    """The answer as a JSON object; `before` is the text of the kernel's file."""
    path = found.reference.partition("::")[0]

    def as_records(patches: Iterable[Patch]) -> list[dict[str, object]]:
        return [
            {
                "kind": one.kind,
                "line": one.line,
                "diff": one.diff(path, before),
                "legal": one.said,
                "whole": one.whole,
                "equal": one.equal,
                "caution": one.caution,
                "left": one.left,
                "text": one.text(before),
            }
            for one in patches
        ]

    record = {
        "kernel": found.reference,
        "found": found.said,
        "wrong": found.wrong,
        "edits": found.tried,
        "passing": found.alive,
        "seconds": round(found.seconds, 3),
        "all_tried": not found.late,
        "patches": as_records(found.patches),
        "not_applied": as_records(found.notes),
    }
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"
