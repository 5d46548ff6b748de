"""Checking again whenever a file changes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from nkiverify.foundation.errors import UsageError

#: Seconds between two looks at the files.
_LOOK_SECONDS = 0.25


def watched(work: Callable[[], int], paths: Sequence[str], looks: Iterable[object] = iter(int, 1)) -> int:
    """Do `work`, and again each time that a Python file changes among or below `paths`; until Ctrl-C, or as often as
    there are `looks`. The exit status of the last time."""
    seen = _state(paths)
    status = _done(work)
    for _ in looks:
        time.sleep(_LOOK_SECONDS)
        now = _state(paths)
        if now != seen:
            changed = sorted(str(file) for file in dict(now.items() ^ seen.items()))
            seen = now
            print(f"\nnkiverify: {', '.join(changed[:3])} changed", file=sys.stderr)
            status = _done(work)
    return status


def _done(work: Callable[[], int]) -> int:
    """The exit status of `work`; a file that cannot be used as it is just now ends nothing."""
    try:
        status = work()
    except UsageError as error:
        print(f"nkiverify: error: {error}", file=sys.stderr)
        status = 2
    print(f"nkiverify: exit status {status}; waiting for a change, Ctrl-C ends", file=sys.stderr, flush=True)
    return status


def _state(paths: Sequence[str]) -> dict[Path, tuple[int, int]]:
    """When the files were changed, and their sizes: those named with the others of their folders, which they may
    import, and all below folders."""
    found: dict[Path, tuple[int, int]] = {}
    for path in paths:
        named = Path(path.partition("::")[0])
        for file in _files(named) if named.is_dir() else named.parent.glob("*.py"):
            try:
                about = file.stat()
            except OSError:
                continue
            found[file] = (about.st_mtime_ns, about.st_size)
    return found


def _files(folder: Path) -> Iterable[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        yield from (Path(place) / name for name in files if name.endswith(".py"))
