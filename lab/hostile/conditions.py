"""The conditions that every run has to keep, whatever it was given."""

from __future__ import annotations

import hashlib
import json
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from lab.hostile.inputs import Input

#: The exit statuses there are: docs/verdicts.md. 141: whoever read the output has gone.
DOCUMENTED = frozenset({0, 1, 2, 3, 4, 5, 130, 141})

_COMMAND_OF_CI = re.compile(r"^\s*(::\S|##\[|##vso\[)", re.MULTILINE)
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_TRACEBACK = re.compile(r"Traceback \(most recent|Exception ignored|internal error|Fatal Python error")


def defects_of(one: Input, status: int | None, output: str) -> Iterator[str]:
    if status is None:
        yield "did not end"
    elif status not in DOCUMENTED:
        yield f"exit status {status} is not documented"
    elif status not in one.status:
        yield f"exit status {status}, where {', '.join(map(str, sorted(one.status)))} would be right"
    found = _TRACEBACK.search(output)
    if found and not one.broken:
        yield f"prints {found[0]!r}"
    controls = sorted(set(_CONTROLS.findall(output)))
    if controls:
        yield f"prints control characters: {controls[:3]!r}"
    command = _COMMAND_OF_CI.search(output)
    if command:
        yield f"begins a line as a command of a CI system: {output[command.start() : command.end() + 20]!r}"
    if not output.strip() and not one.stdout:
        yield "says nothing"
    if status and "all as expected" in output:
        yield f"says that all is as expected, with exit status {status}"


def unsaid(one: Input, status: int | None, output: str, work: Path) -> Iterator[str]:
    """The doubt that a 0 stands for and does not say."""
    if one.said and status in (0, 3) and not re.search(one.said, " ".join(output.split())):
        yield "does not say what was refused"
    if status != 0 or not one.phases:
        return
    try:
        runs = json.loads((work / "results" / "out.json").read_text(encoding="utf-8"))["runs"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        yield f"exits 0 without results: {type(error).__name__}"
        return
    verdicts = {(run["phase"], run["verdict"]) for run in runs}
    missing = [phase for phase in one.phases if (phase, "SUCCESSFUL") not in verdicts]
    # A phase that has nothing to check is left out where others have.
    if not verdicts or any(verdict != "SUCCESSFUL" for _, verdict in verdicts) or 1 in missing:
        yield f"exits 0 with {sorted(verdicts)}"


def contents(folder: Path) -> dict[str, str]:
    """The contents of `folder`: the kind, and the digest or target, by path."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        told = stat.filemode(about.st_mode)
        if stat.S_ISREG(about.st_mode):
            told += hashlib.sha256(path.read_bytes()).hexdigest()
        elif stat.S_ISLNK(about.st_mode):
            told += str(path.readlink())
        found[path.relative_to(folder).as_posix()] = told
    return found


def written(one: Input, before: Mapping[str, str], after: Mapping[str, str], place: Path) -> Iterator[str]:
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    outside = [name for name in changed if not name.startswith(one.written or ("\0",))]
    if outside:
        yield f"changes {', '.join(sorted(outside)[:3])}"
    left = [path.relative_to(place) for name in ("home", "tmp") for path in (place / name).rglob("*") if path.is_file()]
    mine = ("home/.cache/nkiverify", "tmp/nkiverify/bin", "tmp/nkiverify-words")
    strange = [path.as_posix() for path in left if not path.as_posix().startswith(mine)]
    if strange:
        yield f"leaves {', '.join(sorted(strange)[:3])}"
    for path in Path("/dev/shm").glob("nkiverify-made*"):
        path.unlink(missing_ok=True)
        yield f"leaves {path}"
