"""The report for programs: a session as JSON of the schema "nkiverify-results/1" (docs/results.schema.json)."""

from __future__ import annotations

import enum
import functools
import json
import os
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

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
    temporary = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    # With the rights of any other file that is made: a confined process cannot change them afterwards.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(content)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_all(contents: Mapping[Path, str]) -> dict[Path, str]:
    """Write each text to its file; the files that could not be written, each with the reason."""
    unwritten = {}
    for path, content in contents.items():
        try:
            write(content, path)
        except OSError as error:
            unwritten[path] = error.strerror or str(error)
    return unwritten


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
    return {name: encode(getattr(record, name), root) for name, encode in _encoders(type(record))}


def relative(record: RecordT, root: Path) -> RecordT:
    """The record as it is read back from where it was written: paths inside `root` are relative to it."""
    names, writers = _relatives(type(record))
    values = [getattr(record, name) for name in names]
    for position, write in writers:
        values[position] = write(values[position], root)
    return type(record)(*values)


def decoded(kind: type[RecordT], entry: Mapping[str, Any]) -> RecordT:
    """The record of the class `kind` with these fields. Raises TypeError or ValueError where they are none."""
    decoders = _decoders(kind)
    return kind(**{name: decoders[name](value) for name, value in entry.items() if name in decoders})


#: What makes something else of the values of an annotation: with the root that paths are relative to, or without.
Writer = Callable[[Any, Path], Any]
Reader = Callable[[Any], Any]


def _encoders_of(kind: type) -> tuple[tuple[str, Writer], ...]:
    return tuple((name, _encoder(hint)) for name, hint in _hints(kind).items())


def _relatives_of(kind: type) -> tuple[tuple[str, ...], tuple[tuple[int, Writer], ...]]:
    """The names of the fields, and the positions of those that may name files."""
    hints = _hints(kind)
    writers = enumerate(map(_relative, hints.values()))
    return tuple(hints), tuple((position, write) for position, write in writers if write is not _same)


def _decoders_of(kind: type) -> dict[str, Reader]:
    return {name: _decoder(hint) for name, hint in _hints(kind).items()}


#: The same, made once.
_encoders: Callable[[type], tuple[tuple[str, Writer], ...]] = functools.cache(_encoders_of)
_relatives: Callable[[type], tuple[tuple[str, ...], tuple[tuple[int, Writer], ...]]] = functools.cache(_relatives_of)
_decoders: Callable[[type], dict[str, Reader]] = functools.cache(_decoders_of)


def _hints(kind: type) -> dict[str, Any]:
    """The fields of a record, with their annotations."""
    hints = get_type_hints(kind, include_extras=True)
    return {one.name: hints[one.name] for one in fields(kind)}


#: The annotations of single values, with what both writers make of them.
_SINGLE: dict[Any, Writer] = {
    FileName: wording.relative,
    Prose: wording.text,
    float: lambda value, root: round(value, 3),
}


def _same(value: Any, root: Path) -> Any:
    return value


def _relative(hint: Any) -> Writer:
    if (present := _unless_none(hint)) is not None:
        write = _relative(present)
        return lambda value, root: None if value is None else write(value, root)
    if get_origin(hint) is tuple:
        part = _relative(get_args(hint)[0])
        return _same if part is _same else lambda value, root: tuple([part(one, root) for one in value])
    return relative if is_dataclass(hint) else _SINGLE.get(hint, _same)


def _encoder(hint: Any) -> Writer:
    if (present := _unless_none(hint)) is not None:
        encode = _encoder(present)
        return lambda value, root: None if value is None else encode(value, root)
    if get_origin(hint) is tuple:
        part = _encoder(get_args(hint)[0])
        return (
            (lambda value, root: list(value))
            if part is _same
            else lambda value, root: [part(one, root) for one in value]
        )
    if get_origin(hint) is dict:
        return lambda value, root: dict(value)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return lambda value, root: value.value
    return encoded if is_dataclass(hint) else _SINGLE.get(hint, _same)


def _decoder(hint: Any) -> Reader:
    if (present := _unless_none(hint)) is not None:
        decode = _decoder(present)
        return lambda value: None if value is None else decode(value)
    if get_origin(hint) is tuple:
        part = _decoder(get_args(hint)[0])
        return lambda value: tuple(map(part, value))
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint
    if isinstance(hint, type) and is_dataclass(hint):
        return functools.partial(decoded, hint)
    return lambda value: value


def _unless_none(hint: Any) -> Any:
    """The other annotation of one that allows None next to it; None for any other."""
    if get_origin(hint) not in (Union, types.UnionType):
        return None
    present = [one for one in get_args(hint) if one is not types.NoneType]
    return present[0] if len(present) == 1 else None
