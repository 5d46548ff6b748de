"""Records as JSON and back, field by field as their annotations say: the one codec of everything in a result file.

A field of the type `FileName` is written relative to the root, and so are the names of files in one of the type
`Prose`; floats are rounded to thousandths. An entry that is read may have keys that a later program added, which are
passed over, and may lack fields that have defaults.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from nkiverify.foundation.source import FileName, Prose
from nkiverify.results import wording

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
