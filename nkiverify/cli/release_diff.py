"""`nkiverify release-diff OLD NEW [KERNELS …]`: what changed from one release of NKI to the next."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nkiverify.project.release_facts import Must, ReleaseDifference

DESCRIPTION = """\
Compare the documented facts of two releases of NKI: functions and parameters
that came, went or differ, and sentences that say must, each with the contracts
that state it. With files or folders: where their kernels use what changed.
OLD and NEW are folders with nki-signatures.json and nki-contracts.md. Exit
status 1 if they differ, 0 if not."""

_COLUMNS = 80


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.add_argument("old", metavar="OLD", type=Path, help="the folder of the facts of the release before")
    parser.add_argument("new", metavar="NEW", type=Path, help="that of the release after it")
    parser.add_argument("kernels", metavar="KERNELS", nargs="*", help="files or folders that may use what changed")


def execute(arguments: argparse.Namespace) -> int:
    """Print what changed; the exit status. Raises `UsageError` for a folder without facts, or a path that is not
    there."""
    from nkiverify.project.discovery import files_of
    from nkiverify.project.release_facts import affected_places, difference, read_facts

    found = difference(read_facts(arguments.old), read_facts(arguments.new))
    files = [file for path in arguments.kernels for file in files_of(path, ())]
    parts = list(_parts(found))
    if arguments.kernels:
        places = list(affected_places(files, found.affected))
        lines = [f"{one.file}: {one.name} in lines {', '.join(map(str, one.lines))}" for one in places]
        parts.append(_section("uses", lines) or f"none of {len(files)} files uses what changed")
    print("\n\n".join(parts) if found else "nothing changed")
    return 1 if found else 0


def _parts(found: ReleaseDifference) -> Iterator[str]:
    changed = [f"{name}: {', '.join(changes)}" for name, changes in found.changed.items()]
    sections = (
        ("functions that are gone", found.gone),
        ("functions that are new", found.new),
        ("parameters", changed),
        ("sentences that are gone", list(map(_stated, found.musts_gone))),
        ("sentences that are new", list(map(_stated, found.musts_new))),
    )
    yield from filter(None, (_section(heading, lines) for heading, lines in sections))


def _stated(must: Must) -> str:
    answer = must.answer
    told = ", ".join(answer) if isinstance(answer, tuple) else answer or "no contract, and no reason"
    return f"{must.fact}: {must.text} [{told}]"


def _section(heading: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    wrapped = (
        textwrap.fill(
            line,
            _COLUMNS,
            initial_indent="  ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in lines
    )
    return "\n".join([f"{heading} ({len(lines)}):", *wrapped])
