"""Connections to the SQLite databases of past verdicts: the history and the cache."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def connected(path: Path, mode: str, *, seconds: float) -> Iterator[sqlite3.Connection]:
    """A connection to the database of a file, without a transaction; `mode` is "ro" or "rwc", `seconds` are how long
    it waits for another invocation that is writing.

    Raises `sqlite3.Error`, and `OSError` for what is no regular file: a named pipe would never come to be open."""
    if path.exists() and not path.is_file():
        raise OSError("it is no regular file")
    uri = f"{path.resolve().as_uri()}?mode={mode}"
    with contextlib.closing(sqlite3.connect(uri, seconds, uri=True, isolation_level=None)) as connection:
        yield connection
