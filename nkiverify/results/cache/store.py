"""Where verdicts are remembered: an SQLite database next to `results.json`. It can be deleted at any time.

Whatever is wrong with it is one `CacheError`. What it holds is checked entry by entry: one that is not whole is none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.results.database import connected

if TYPE_CHECKING:
    from nkiverify.foundation.records import Run

#: Seconds that one invocation waits for another that is writing.
_LOCKED_SECONDS = 2.0

#: Slots asked for in one question to SQLite.
_CHUNK = 500

#: No path lies inside it: paths are kept as they are.
_NOWHERE = Path("/dev/null/nowhere")

_TABLE = "CREATE TABLE IF NOT EXISTS verdict (slot TEXT PRIMARY KEY, digest TEXT, content TEXT, checksum TEXT)"


class CacheError(Exception):
    """The database cannot be read or written."""


def database(reports: Path) -> Path:
    """Where verdicts are remembered by runs that write their reports to `reports`."""
    return reports / "cache.db"


def load(path: Path, digests: Mapping[str, str]) -> dict[str, list[Run]]:
    """By slot, the runs that are remembered under its digest; nothing where there is no database.

    Raises `CacheError`.
    """
    found = {slot: _decoded(content) for slot, content in load_texts(path, digests).items()}
    return {slot: runs for slot, runs in found.items() if runs}


def load_texts(path: Path, digests: Mapping[str, str]) -> dict[str, str]:
    """By slot, what is remembered under its digest; nothing where there is no database. Raises `CacheError`."""
    if not path.exists():
        return {}
    found: dict[str, str] = {}
    slots = list(digests)
    with _opened(path, "ro") as connection:
        for first in range(0, len(slots), _CHUNK):
            chunk = slots[first : first + _CHUNK]
            marks = ", ".join("?" * len(chunk))
            rows = connection.execute(f"SELECT * FROM verdict WHERE slot IN ({marks})", chunk).fetchall()
            for slot, digest, content, checksum in rows:
                if digest == digests[slot] and checksum == _checksum(slot, digest, content):
                    found[slot] = content
    return found


def save(path: Path, entries: Sequence[tuple[str, str, Sequence[Run]]]) -> None:
    """Remember the runs of each slot under its digest, in place of what was there. Raises `CacheError`.

    Runs of which something would be lost are left out: they are run again.
    """
    from nkiverify.results import codec as json_results  # as late as this: texts are remembered without

    rows = []
    for slot, digest, runs in entries:
        content = json.dumps([json_results.entry(run, _NOWHERE) for run in runs])
        if _decoded(content) == [replace(run, milliseconds=round(run.milliseconds, 3)) for run in runs]:
            rows.append((slot, digest, content))
    save_texts(path, rows)


def save_texts(path: Path, entries: Iterable[tuple[str, str, str]]) -> None:
    """Remember a text for each slot under its digest, in place of what was there. Raises `CacheError`."""
    rows = [(slot, digest, content, _checksum(slot, digest, content)) for slot, digest, content in entries]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CacheError(f"{path}: {error.strerror or error}") from error
    with _opened(path, "rwc") as connection:
        connection.execute(_TABLE)
        connection.executemany("INSERT OR REPLACE INTO verdict VALUES (?, ?, ?, ?)", rows)


def forget(path: Path, slots: Iterable[str]) -> None:
    """Remember nothing in these slots. Raises `CacheError`."""
    if path.exists():
        with _opened(path, "rw") as connection:
            connection.execute(_TABLE)
            connection.executemany("DELETE FROM verdict WHERE slot = ?", [(slot,) for slot in slots])


def _decoded(content: str) -> list[Run]:
    from nkiverify.results import file as results_file  # as in `save`

    try:
        return [results_file.run(entry) for entry in json.loads(content)]
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return []


def _checksum(slot: str, digest: str, content: str) -> str:
    return hashlib.sha256("\0".join((slot, digest, content)).encode("utf-8", "surrogatepass")).hexdigest()


@contextlib.contextmanager
def _opened(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """A transaction on the database."""
    try:
        with connected(path, mode, seconds=_LOCKED_SECONDS) as connection:
            connection.execute("BEGIN" if mode == "ro" else "BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
    except (sqlite3.Error, OSError, UnicodeError) as error:
        raise CacheError(f"{path}: {error}; it can be deleted") from error
