"""The report for programs: a session as JSON of the schema "nkiverify-results/1" (docs/results.schema.json)."""

from __future__ import annotations

import enum
import json
import os
import tempfile
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from nkiverify.foundation.records import Run
from nkiverify.foundation.source import FileName, Prose
from nkiverify.results import wording
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


# --- records by their fields ------------------------------------------------------------------------------------------
#
# The one codec of everything in a result file goes field by field, as their annotations say. A field of the type
# `FileName` is written relative to the root, and so are the names of files in one of the type `Prose`; floats are
# rounded to thousandths. An entry that is read may have keys that a later program added, which are passed over, and
# may lack fields that have defaults.

#: What `json` can write: the type of every value below.
Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]

RecordT = TypeVar("RecordT")


def encoded(record: Any, root: Path) -> dict[str, Json]:
    """The fields of `record`, by name. Paths inside `root` are relative to it."""
    return {name: _encoded(getattr(record, name), hint, root) for name, hint in _hints(type(record)).items()}


def decoded(kind: type[RecordT], entry: Mapping[str, Any]) -> RecordT:
    """The record of the class `kind` with these fields. Raises TypeError or ValueError where they are none."""
    hints = _hints(kind)
    return kind(**{name: _decoded(value, hints[name]) for name, value in entry.items() if name in hints})


_known: dict[type, dict[str, Any]] = {}


def _hints(kind: type) -> dict[str, Any]:
    """The fields of a record, with their annotations."""
    if kind not in _known:
        hints = get_type_hints(kind, include_extras=True)
        _known[kind] = {one.name: hints[one.name] for one in fields(kind)}
    return _known[kind]


def _encoded(value: Any, hint: Any, root: Path) -> Json:
    if hint is FileName:
        return wording.relative(value, root)
    if hint is Prose:
        return wording.text(value, root)
    if isinstance(value, enum.Enum):
        return _encoded(value.value, str, root)
    if isinstance(value, float):
        return round(value, 3)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, dict):
        return dict(value)
    if is_dataclass(value):
        return encoded(value, root)
    return [_encoded(part, get_args(hint)[0], root) for part in value]


def _decoded(value: Any, hint: Any) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        present = [one for one in arguments if one is not types.NoneType]
        return None if value is None else _decoded(value, present[0]) if len(present) == 1 else value
    if origin is Annotated:
        return value
    if origin is tuple:
        return tuple(_decoded(part, arguments[0]) for part in value)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint(value)
    if isinstance(hint, type) and is_dataclass(hint):
        return decoded(hint, value)
    return value
