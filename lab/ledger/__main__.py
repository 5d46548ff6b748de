"""`python -m lab.ledger write FILE`, `python -m lab.ledger diff OLD NEW`: the answers about every subject there is.

    python -m lab.ledger write before.jsonl --tool ../base --checkout ../nki-library
    python -m lab.ledger write after.jsonl --checkout ../nki-library
    python -m lab.ledger diff before.jsonl after.jsonl --reviewed reviewed.txt

`write` runs the subjects of this checkout on the tool of `--tool`, by default this one: both ledgers are then about the
same files. `--every 10` takes a stratified tenth. `diff` groups what changed; it exits with 1 where a verdict flipped
or was lost, or a finding changed, that the reviewed list does not argue: lines `SUBJECT PHASE | ARGUMENT`, where the
end of the name may be `*`. What was UNKNOWN and is SUCCESSFUL is run on 200 concrete shapes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from lab.ledger import comparing
from lab.ledger.lines import Line
from lab.ledger.subjects import ROOT, subjects
from lab.ledger.writing import write

#: Where subjects are written that have no files of their own: in no checkout, whose own targets `run` would take.
FOLDER = Path(tempfile.gettempdir()) / "nkiverify-ledger"
CASES = ROOT.parent / "shared" / "cases"


def main(words: Sequence[str] | None = None) -> int:
    """Do what the words say."""
    parser = argparse.ArgumentParser(prog="python -m lab.ledger", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write", help="run the subjects, and write a line for each")
    writing.add_argument("file", type=Path)
    writing.add_argument("--tool", type=Path, default=ROOT, help="the checkout whose tool answers")
    writing.add_argument("--checkout", type=Path, action="append", default=[], help="of published kernels")
    writing.add_argument("--cases", type=Path, default=CASES, help="a folder of cases")
    writing.add_argument("--subjects", type=Path, default=FOLDER, help="where subjects are written")
    writing.add_argument("--every", type=int, default=1, metavar="N", help="every Nth subject of each group")
    writing.add_argument("--group", action="append", help="only the subjects of this group")
    differing = commands.add_parser("diff", help="say what changed between two ledgers")
    differing.add_argument("before", type=Path)
    differing.add_argument("after", type=Path)
    differing.add_argument("--reviewed", type=Path, help="changes that are argued, a line each")
    differing.add_argument("--no-shapes", action="store_true", help="run no concrete shapes")
    arguments = parser.parse_args(words)
    return _write(arguments) if arguments.command == "write" else _diff(arguments)


def _write(arguments: argparse.Namespace) -> int:
    began = time.monotonic()
    cases = arguments.cases if arguments.cases.is_dir() else None
    checkouts = [one.resolve() for one in arguments.checkout]
    found = list(subjects(arguments.subjects.resolve(), checkouts, cases, arguments.every))
    if arguments.group:
        found = [one for one in found if one.group in arguments.group]
    lines: list[Line] = []
    with arguments.file.open("w", encoding="utf-8") as file:

        def reported(line: Line) -> None:
            lines.append(line)
            print(line.written(), file=file, flush=True)

        write(found, arguments.tool.resolve(), reported)
    total = sum(one.seconds for one in lines)
    print(f"{len(lines)} subjects, {total:.0f} s of processor time, {time.monotonic() - began:.0f} s")
    return 0


def _diff(arguments: argparse.Namespace) -> int:
    before, after = (_read(file) for file in (arguments.before, arguments.after))
    reviewed = _reviewed(arguments.reviewed)
    found = comparing.compared(before, after)
    for line in comparing.report(found, reviewed):
        print(line)
    wrong = 0
    if not arguments.no_shapes:
        from lab.ledger.shapes import contradictions

        proved = [one for one in found.of(comparing.GAINED) if after[one.subject].phases.get(one.phase) is not None]
        for text in contradictions([(one.subject, one.phase) for one in proved], after, FOLDER, CASES):
            wrong += text.startswith("WRONG")
            print(text)
    lost = len(found.of(comparing.LOST)) / max(1, found.decided)
    failed = comparing.unreviewed(found, reviewed) or lost > comparing.MOST_LOST or wrong
    return 1 if failed else 0


def _read(file: Path) -> dict[str, Line]:
    lines = (Line.read(text) for text in file.read_text(encoding="utf-8").splitlines())
    return {line.subject: line for line in lines}


def _reviewed(file: Path | None) -> dict[str, str]:
    if file is None:
        return {}
    pairs = (text.partition(" | ") for text in file.read_text(encoding="utf-8").splitlines() if " | " in text)
    return {name.strip(): argument.strip() for name, _, argument in pairs if not name.startswith("#")}


if __name__ == "__main__":
    sys.exit(main())
