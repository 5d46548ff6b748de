"""The facts that a verdict depends on, as a digest: a verdict holds as long as the digest is the same."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import nkiverify
from nkiverify.engines.table import asks_second
from nkiverify.foundation import resources
from nkiverify.results.cache.sources import Sources, harness_sources, kernel_sources
from nkiverify.verify.options import Options
from nkiverify.verify.plugged import second_engine

if TYPE_CHECKING:
    from nkiverify.frontend.target import Target

#: Part of every digest: another number forgets what was remembered in another form.
FORMAT = 1

#: Nanoseconds that the clock of a file system may be late.
_CLOCK_TICK = 5_000_000

#: What an installed distribution leaves besides its modules, with its name and version.
_DISTRIBUTION = (".dist-info", ".egg-info", ".egg-link", ".pth")


#: Options that no verdict depends on, but for `phases`: each has a verdict of its own.
_WITHOUT_EFFECT = {
    "cache",
    "debug",
    "disagreements",
    "executor",
    "fail_fast",
    "families",
    "jobs",
    "json",
    "keep_lowered",
    "memory",
    "patterns",
    "phases",
    "tags",
}


class SourceFiles:
    """The files of kernels and of harness modules. Each is read once: another object reads it again."""

    def __init__(self) -> None:
        self._kernels: dict[tuple[str, Path], Sources] = {}
        self._harness: dict[str, Sources] = {}

    def of_kernel(self, path: str, root: Path) -> Sources:
        """The files of a kernel's module."""
        found = self._kernels.get((path, root))
        if found is None:
            found = self._kernels[path, root] = kernel_sources(path, root)
        return found

    def of_harness(self, file: str) -> Sources:
        """The files of the module that a target is written in."""
        found = self._harness.get(file)
        if found is None:
            found = self._harness[file] = harness_sources(Path(file))
        return found


class Keys:
    """The digests of targets, for one set of options. Our own files, and what is installed, are read once a process:
    one that changes later has another digest for ever, as times of change are part of it."""

    def __init__(self, options: Options, files: SourceFiles | None = None) -> None:
        self._options = options
        self._files = files or SourceFiles()

    def slot(self, target: Target, phase: int) -> str:
        """The place of a verdict in the cache, which holds the latest one."""
        return json.dumps([str(target.root), target.name, phase, *self._settings])

    def digest(self, target: Target) -> str:
        """The digest of everything that `target` is verified from; empty where that cannot be known."""
        if self.obstacle(target):
            return ""
        kernel, harness = self._sources(target)
        facts = [
            _environment(),
            self._settings,
            _facts(target, {"function"}),
            [kernel.files, kernel.found, harness.files, harness.found],
        ]
        return _digest(facts)

    def digest_of_file(self, path: Path, asked: Sequence[str]) -> str:
        """The digest of everything that a file is checked from where `asked` says how; empty where that cannot be
        known."""
        sources = self._files.of_kernel(str(path), self._options.root)
        if sources.obstacle:
            return ""
        return _digest([_environment(), list(asked), sources.files, sources.found])

    def file_unchanged_since(self, path: Path, started: int) -> bool:
        """True if the same can be said of a file as `unchanged_since` says of a target."""
        newest = self._files.of_kernel(str(path), self._options.root).newest
        return _ours_unchanged() and newest + _CLOCK_TICK < started

    def files(self, target: Target) -> frozenset[str]:
        """The files of the user's that `target` is verified from, as far as that can be known."""
        return frozenset(path for sources in self._sources(target) for path in sources.files)

    def obstacle(self, target: Target) -> str:
        """Why nothing is remembered about `target`, as far as that is known before it is verified; empty if nothing."""
        from nkiverify.frontend.seen import read_by  # as late as this: it brings NumPy, which a check may do without

        kernel, harness = self._sources(target)
        return kernel.obstacle or harness.obstacle or read_by([target.file])

    def unchanged_since(self, target: Target, started: int) -> bool:
        """True if no file of `target` was changed after `started`, in nanoseconds, nor our own after they were loaded.

        What a run has read is then what the digest is about.
        """
        return _ours_unchanged() and all(sources.newest + _CLOCK_TICK < started for sources in self._sources(target))

    def _sources(self, target: Target) -> tuple[Sources, Sources]:
        kernel = self._files.of_kernel(target.kernel.partition("::")[0], target.root)
        return kernel, self._files.of_harness(target.file)

    @cached_property
    def _settings(self) -> list[object]:
        asked = _facts(self._options, _WITHOUT_EFFECT)
        return [*asked, second_engine().facts()] if asks_second(self._options.engine) else asked


def _environment() -> str:
    """A digest of our own code, Python, and the versions of everything installed, the solvers among it."""
    return _environment_of(_our_folders(), tuple(sys.path))


@cache
def _environment_of(folders: Sequence[Path], path: Sequence[str]) -> str:
    facts = [
        FORMAT,
        sorted((name, stamp) for name, (stamp, _) in _our_files(folders).items()),
        sys.version,
        os.uname().machine if sys.platform != "win32" else "",
        list(sys.flags),
        _distributions(path),
    ]
    return _digest(facts)


def _our_folders() -> tuple[Path, ...]:
    return Path(nkiverify.__file__).parent, resources.root() / "stubs"


@cache
def _our_files(folders: Sequence[Path]) -> dict[str, tuple[str, int]]:
    """Each file of ours and of the stub library: its size and when it was last written; and when it was changed in
    any way, which nobody can set. Reading all of them would take as long as a small check."""
    files: dict[str, tuple[str, int]] = {}
    for folder in folders:
        for parent, inner, names in os.walk(folder):
            inner[:] = [name for name in inner if name not in ("__pycache__", "_data")]
            for name in names:
                path = f"{parent}/{name}"
                about = Path(path).stat()
                stamp = f"{about.st_size} {about.st_ino} {about.st_mtime_ns} {about.st_ctime_ns}"
                files[path] = (stamp, about.st_ctime_ns)
    return files


def _ours_unchanged() -> bool:
    """True if none of our own files was changed after they were loaded."""
    return max(change for _, change in _our_files(_our_folders()).values()) + _CLOCK_TICK < nkiverify.LOADED


def _digest(facts: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def _facts(record: Target | Options, without: set[str]) -> list[object]:
    """The contents of a record, field by field: one that is added counts."""
    named = {field.name: getattr(record, field.name) for field in fields(record) if field.name not in without}
    return [[name, _plain(value)] for name, value in sorted(named.items())]


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return sorted([_plain(key), _plain(one)] for key, one in value.items())
    if isinstance(value, Set):
        return sorted(map(_plain, value), key=str)
    if isinstance(value, tuple | list):
        return list(map(_plain, value))
    return value if value is None or isinstance(value, int | float | str) else str(value)


def _distributions(path: Sequence[str]) -> list[str]:
    """The names and versions of all installed distributions."""
    folders = [Path(folder) for folder in path if Path(folder).is_dir()]
    return sorted(
        {entry.name for folder in folders for entry in folder.iterdir() if entry.name.endswith(_DISTRIBUTION)}
    )
