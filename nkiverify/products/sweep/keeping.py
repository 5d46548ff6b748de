"""Keeping the results of a sweep as they are found, and finding again those that still hold."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from nkiverify.foundation.records import Run, Verdict
from nkiverify.frontend.target import Target
from nkiverify.products.sweep.description import Item
from nkiverify.products.sweep.item_store import Entry, Store, StoreError, entry_in, line_of
from nkiverify.results import run_history
from nkiverify.results.cache.key import Keys, SourceFiles
from nkiverify.run.executors.jobs import ExecutorLost, Listener
from nkiverify.verify.options import Options


class Digests:
    """The facts that the verdicts of items depend on, as digests. Files are read once for all items."""

    def __init__(self) -> None:
        self._keys: dict[Options, Keys] = {}
        self._read = SourceFiles()

    def files(self, options: Options, target: Target) -> frozenset[str]:
        """The files that the digest is about, but for our own."""
        return self._keys_for(options).files(target)

    def of(self, options: Options, target: Target) -> str:
        """The digest of an item with these options; empty where it cannot be known."""
        digest = self._keys_for(options).digest(target)
        return digest and f"{digest} {options.phases}"

    def obstacle(self, options: Options, target: Target) -> str:
        """Why there is no digest of an item; empty where there is one."""
        return self._keys_for(options).obstacle(target)

    def _keys_for(self, options: Options) -> Keys:
        keys = self._keys.get(options)
        if keys is None:
            keys = self._keys[options] = Keys(options, self._read)
        return keys


class Past:
    """The findings of sweeps of this repository about the items `wanted`, by its history: also where its files are
    lost.

    A history that cannot be used is said once, by `complain`, and done without.
    """

    def __init__(self, database: Path, root: Path, wanted: Collection[str], complain: Callable[[str], None]) -> None:
        self._database = database
        self._root = root
        self._complain = complain
        self._usable = True
        self.known: Mapping[str, Entry] = {}
        with self._told():
            found = (entry_in(text) for name, text in run_history.kept_items(database).items() if name in wanted)
            self.known = {entry.item: entry for entry in found if entry is not None}

    def keep(self, entry: Entry) -> None:
        """Add one result to the history."""
        if self._usable:
            with self._told():
                run_history.keep_item(entry.item, line_of(entry, self._root), self._database)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except run_history.HistoryError as error:
            self._usable = False
            self._complain(f"this sweep is not in the history: {error}")


def done_before(
    items: Sequence[Item], known: Sequence[Mapping[str, Entry]], digests: Digests
) -> dict[str, Sequence[Run]]:
    """By item, the runs in the first of `known` that still hold: no errors, and nothing that may have changed."""
    found: dict[str, Sequence[Run]] = {}
    for item in items:
        for entry in filter(None, (entries.get(item.name) for entries in known)):
            if not entry.digest or any(run.verdict is Verdict.ERROR for run in entry.runs):
                continue
            if entry.digest == digests.of(item.options, item.target):
                found[item.name] = entry.runs
                break
    return found


class Keeping:
    """A listener that writes down the runs of every item, under its name, and passes on what it hears.

    Where a result cannot be written the sweep ends, as it could not be continued: `problem` says why.
    """

    def __init__(self, items: Sequence[Item], store: Store, past: Past, listener: Listener, digests: Digests) -> None:
        self._store = store
        self._past = past
        self._listener = listener
        self._items = {item.name: item for item in items}
        self._digests = {item.name: digests.of(item.options, item.target) for item in items}
        #: The files of each item, and all of them as they were before anything was run.
        self._files = {item.name: digests.files(item.options, item.target) for item in items}
        self._before = {file: _state(file) for files in self._files.values() for file in files}
        self.runs: dict[str, Sequence[Run]] = {}
        self.problem = ""

    def recover(self, runs: Mapping[str, Sequence[Run]]) -> None:
        """Write down what is known of items from elsewhere. `problem` says why, where that fails."""
        try:
            for name, found in runs.items():
                self._store.add(Entry(name, self._digests[name], tuple(found)))
        except StoreError as error:
            self.problem = _told_of(error)

    def started(self, job: str) -> None:
        """An item has begun."""
        self._listener.started(job)

    def finished(self, job: str, runs: Sequence[Run]) -> None:
        """Write down what was found. Raises `ExecutorLost` where that fails."""
        item = self._items[job]
        self.runs[job] = tuple(_named(run, item) for run in runs)
        try:
            unchanged = all(_state(file) == self._before[file] for file in self._files[job])
            digest = self._digests[job] if unchanged and not any(run.reads for run in runs) else ""
            entry = Entry(job, digest, tuple(self.runs[job]))
            self._store.add(entry)
        except StoreError as error:
            self.problem = _told_of(error)
            raise ExecutorLost(self.problem) from error
        self._past.keep(entry)
        self._listener.finished(job, runs)

    def waiting(self) -> None:
        """Time has passed."""
        self._listener.waiting()


def _told_of(error: StoreError) -> str:
    return f"{error}; run the same command again when it can be: it goes on from there"


def _state(file: str) -> tuple[int, int, int]:
    try:
        found = Path(file).stat()
    except OSError:
        return (0, 0, 0)
    return (found.st_ctime_ns, found.st_size, found.st_ino)


def _named(run: Run, item: Item) -> Run:
    """A run under the name of its item. What a target expects, it expects of its whole domain."""
    return replace(run, target=item.name, expected=None if item.options.fixed else run.expected)
