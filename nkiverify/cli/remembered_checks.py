"""The outcome of an earlier `check` of a file, printed again as long as nothing that it depends on has changed."""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.resources import LAST, cache_folder, kept_folder
from nkiverify.project.repository import here
from nkiverify.results.cache.checked import CheckedFiles

if TYPE_CHECKING:
    from nkiverify.foundation.records import Run

#: Options with which something else is done besides printing, or somebody debugs.
_DOING = ("debug", "fix_in_place", "json", "list", "no_cache", "pdb", "sarif", "watch")
#: A tensor's memory in `--arg`; any other `@` is before the name of a file.
_MEMORIES = re.compile(r"@\w*(?:sbuf|psum|hbm)\b")


class _Heard(io.StringIO):
    """Keeps what is printed to `stream`, where it is printed as well."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    def isatty(self) -> bool:
        return self._stream.isatty()

    def write(self, text: str) -> int:
        self._stream.write(text)
        return super().write(text)

    def flush(self) -> None:
        self._stream.flush()


@dataclass(slots=True)
class Memory:
    """The outcomes of checks of `file` that were `asked` for so. `concluded`: a second check would find the same."""

    kept: CheckedFiles
    file: Path
    asked: list[str]
    digest: str
    started: int
    concluded: bool = False

    def conclude(self, runs: Iterable[Run], reported: Iterable[str]) -> None:
        """Say what has been found, and what else was `reported`, which would not be reported again."""
        from nkiverify.results.cache.remembered_runs import concludes
        from nkiverify.results.session import counting

        counted = counting(tuple(runs))
        self.concluded = bool(counted) and not any(reported) and all(map(concludes, counted))

    def told_again(self) -> int | None:
        """Print what is remembered; its exit status, None where nothing is."""
        content = self.kept.lookup(self._slot(), self.digest)
        if content is None:
            return None
        before = json.loads(content)
        if before["failure"]:
            place = kept_folder(LAST)
            if place is None:
                return None
            (place / "failure.json").write_text(before["failure"], encoding="utf-8")
        print(before["text"], end="", flush=True)
        print("nkiverify: as the last time: nothing has changed since (--no-cache checks again)", file=sys.stderr)
        return int(before["status"])

    def reported(self, command: Callable[[], int]) -> int:
        """Run the command; its exit status. What it prints is remembered where it is a conclusion."""
        heard = _Heard(sys.stdout)
        with redirect_stdout(heard):
            status = command()
        if self.concluded and status in (0, 1):
            from nkiverify.cli.last_failure import REPLAY

            place = kept_folder(LAST) if REPLAY in heard.getvalue() else None
            failure = (place / "failure.json").read_text(encoding="utf-8") if place is not None else ""
            content = json.dumps({"text": heard.getvalue(), "status": int(status), "failure": failure})
            self.kept.remember(self.file, content, self.digest, self.asked, self.started, self._slot())
        return status

    def _slot(self) -> str:
        return json.dumps([str(self.file), *self.asked])


def memory_of(arguments: argparse.Namespace) -> Memory | None:
    """Where outcomes of this check are remembered; None where they are not: of folders, and where it does more."""
    (path, *others) = arguments.paths or ["."]
    file = Path(path.partition("::")[0])
    folder = cache_folder()
    if others or folder is None or any(getattr(arguments, name) for name in _DOING):
        return None
    if arguments.allow or arguments.engine not in (None, "embedded") or file.suffix != ".py" or not file.is_file():
        return None
    if any("@" in _MEMORIES.sub("", text) for text in arguments.arg):
        return None
    project = here()
    settings = project.settings if project is not None else None
    if settings is not None and (settings.allow or settings.engine not in (None, "embedded")):
        return None
    root = Path.cwd()
    shown = [sys.stdout.isatty(), _width(), *_environment()] if arguments.output_format == "full" else []
    asked = [str(root), repr(sorted(vars(arguments).items())), repr(shown), repr(settings)]
    kept = CheckedFiles(folder / "checked.db", root)
    with suppress(OSError):
        return Memory(kept, file.resolve(), asked, kept.digest(file.resolve(), asked), time.time_ns())
    return None


def _width() -> int:
    import shutil

    return shutil.get_terminal_size().columns


def _environment() -> list[str]:
    """A stream that reports ask to choose colours."""
    import os

    return [os.environ.get(name, "") for name in ("FORCE_COLOR", "NO_COLOR", "TERM")]
