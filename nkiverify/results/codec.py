"""The report for programs: a session as JSON of the schema "nkiverify-results/1" (docs/results.schema.json)."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path

from nkiverify.foundation.records import Run
from nkiverify.results import wording
from nkiverify.results.by_field import Json, encoded
from nkiverify.results.session import Session

SCHEMA = "nkiverify-results/1"


def document(session: Session) -> dict[str, Json]:
    """The session as the value that `results.json` holds. Paths inside `session.root` are relative to it."""
    made = session.made_with
    return {
        "schema": SCHEMA,
        "nkiverify": made.nkiverify,
        "nki": session.nki,
        "python": made.python,
        "platform": made.platform,
        "engines": {"embedded": f"z3 {made.z3}"},
        "started": session.started.isoformat(timespec="seconds"),
        "seconds": round(session.seconds, 3),
        "processes": session.processes,
        "command": list(session.command),
        "exit_status": int(session.exit_status),
        "interrupted": session.interrupted,
        "not_run": list(session.not_run),
        "unused_ignores": [
            {key: value for key, value in encoded(one, session.root).items() if key in ("file", "line", "message")}
            for one in session.unused
        ],
        "answers": [encoded(one, session.root) for one in session.answers],
        "runs": [entry(run, session.root) for run in session.runs],
    }


def text(session: Session) -> str:
    """The text of `results.json`."""
    runs = [json.dumps(entry(run, session.root), allow_nan=False) for run in session.runs]
    head = json.dumps(document(replace(session, runs=())) | {"exit_status": int(session.exit_status)}, indent=2)
    # A run on a line of its own: a third of the size, and `grep` and `diff` can be used on it.
    body = ",\n    ".join(runs)
    return head.removesuffix("[]\n}") + (f"[\n    {body}\n  ]\n}}\n" if runs else "[]\n}\n")


def write(content: str, path: Path) -> None:
    """Replace the file at `path` by `content` at once: a reader finds the old text or the new, never a part.

    Creates the folder. What is not a regular file, a pipe for example, is written to. Raises `OSError`; a regular file
    is then as it was.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_text(content, encoding="utf-8")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(content)
        # mkstemp makes files that only their owner can read; a report is made like any other file.
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def entry(run: Run, root: Path) -> dict[str, Json]:
    """One run as `results.json` holds it. Paths inside `root` are relative to it."""
    return {**encoded(run, root), "as_expected": run.as_expected, "decided": _decided(run, root)}


def _decided(run: Run, root: Path) -> Json:
    """By file, contract, and outcome with what decided it, the lines: one for each claim."""
    files: dict[str, dict[str, dict[str, Json]]] = {}
    for one in run.decided:
        ways = files.setdefault(wording.relative(one.file, root), {}).setdefault(one.contract, {})
        ways[" by ".join(filter(None, (one.outcome, one.by)))] = list(one.lines)
    return files


def _umask() -> int:
    """The process's file creation mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
