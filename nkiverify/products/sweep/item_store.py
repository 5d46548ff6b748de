"""The findings of a sweep so far: a file per shard, to which every item adds a line when it has its verdicts.

A line is complete or is not there: what a crash or a full disk left of one is passed over, and cut off before the next.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.records import Run
from nkiverify.results import codec as json_results
from nkiverify.results import file as results_file

#: Version of the lines.
FORMAT = 1

#: How the files of shards are called.
PATTERN = "shard-*-of-*.jsonl"


#: Open files that a worker process is not to hold: the lock would outlive the sweep that took it.
_kept_from_workers: set[int] = set()


def _leave_files() -> None:
    for descriptor in _kept_from_workers:
        os.close(descriptor)
    _kept_from_workers.clear()


os.register_at_fork(after_in_child=_leave_files)


class StoreError(Exception):
    """A result could not be written."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The runs of one item. `digest` is that of everything they depend on; empty where that is not known."""

    item: str
    digest: str
    runs: tuple[Run, ...]


class Store:
    """The file of one shard, open for this process alone.

    Raises `UsageError` where the folder cannot be used, or another process writes there.
    """

    def __init__(self, folder: Path, shard: tuple[int, int], root: Path) -> None:
        self._root = root
        self.path = folder / f"shard-{shard[0]}-of-{shard[1]}.jsonl"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise UsageError(f"{self.path} cannot be written: {error.strerror or error}") from None
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._descriptor)
            raise UsageError(f"another sweep is writing to {self.path}") from None
        _kept_from_workers.add(self._descriptor)
        #: By item, what was found before.
        self.known = {entry.item: entry for entry in entries_in(self.path)}
        self._end = _end_of_lines(self.path)

    def add(self, entry: Entry) -> None:
        """Write down one result. Raises `StoreError`; the file then ends with the result before."""
        content = (line_of(entry, self._root) + "\n").encode("utf-8", "backslashreplace")
        try:
            os.lseek(self._descriptor, self._end, os.SEEK_SET)
            written = 0
            while written < len(content):
                written += os.write(self._descriptor, content[written:])
            if os.fstat(self._descriptor).st_size > self._end + written:
                os.truncate(self._descriptor, self._end + written)
        except OSError as error:
            raise StoreError(f"{self.path} could not be written: {error.strerror or error}") from None
        self._end += written
        self.known[entry.item] = entry

    def close(self) -> None:
        """Let others write."""
        _kept_from_workers.discard(self._descriptor)
        os.close(self._descriptor)


def merged(folders: Iterable[Path]) -> dict[str, Entry]:
    """By item, the results of all shards in `folders`.

    Raises `UsageError` where there are none, or where two shards give one item different verdicts.
    """
    found: dict[str, tuple[Entry, Path]] = {}
    for folder in folders:
        files = sorted(folder.glob(PATTERN))
        if not files:
            raise UsageError(f"{folder} has no results of a sweep ({PATTERN})")
        for file in files:
            for entry in {entry.item: entry for entry in entries_in(file)}.values():
                other = found.get(entry.item)
                if other is not None and _verdicts(other[0].runs) != _verdicts(entry.runs):
                    raise UsageError(f"{entry.item} has other verdicts in {other[1]} than in {file}")
                found[entry.item] = (entry, file)
    return {item: entry for item, (entry, _) in found.items()}


def entries_in(path: Path) -> Iterator[Entry]:
    """The results in one file, as they were found, one after the other; an item may be there again.

    Raises `UsageError` where it cannot be read.
    """
    try:
        content = path.read_bytes() if path.is_file() else b""
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    for line in content[: content.rfind(b"\n") + 1].splitlines():
        entry = entry_in(line)
        if entry is not None:
            yield entry


def line_of(entry: Entry, root: Path) -> str:
    """The text of one result, with paths relative to `root`."""
    return json.dumps(
        {
            "format": FORMAT,
            "item": entry.item,
            "digest": entry.digest,
            "runs": [json_results.entry(run, root) for run in entry.runs],
        }
    )


def entry_in(line: str | bytes) -> Entry | None:
    """The result that `line_of` made this text of; None for any other text."""
    try:
        value: dict[str, Any] = json.loads(line)
        if value["format"] == FORMAT:
            return Entry(value["item"], value["digest"], tuple(map(results_file.run, value["runs"])))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    return None


def _end_of_lines(path: Path) -> int:
    return path.read_bytes().rfind(b"\n") + 1 if path.is_file() else 0


def _verdicts(runs: Sequence[Run]) -> list[tuple[int, str, str]]:
    return sorted((run.phase, run.engine, run.verdict.value) for run in runs)
