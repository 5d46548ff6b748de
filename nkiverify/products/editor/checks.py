"""The checks that an editor asks for: `nkiverify check` in a process of its own, which ends when its file is edited.

Nothing of a kernel runs in the server: the check takes its own process everything that no kernel needs, as it does when
it is typed. The process for the next check is started when the last one has ended, and has loaded by then what it
needs. What a check finds is kept, and is there at once when the file is opened again.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.project.discovery import kernels_in, mentions_nki
from nkiverify.project.repository import here
from nkiverify.results import file as results_file
from nkiverify.results.cache.checked import CheckedFiles
from nkiverify.results.cache.remembered_runs import concludes
from nkiverify.results.file import Results
from nkiverify.results.session import counting

#: Without the folder of the user's that Python would look for modules of its own in.
_PROGRAM = (
    "import sys; sys.path[:] = filter(None, sys.path); from nkiverify.cli.ahead import console; sys.exit(console())"
)
#: How a line on stderr begins that says why nothing was checked.
_COMPLAINT = re.compile(r"nkiverify: (?:error: )?(?P<said>(?:(?P<file>[^:\n]+\.py):(?P<line>\d+)\S*: )?.*)")


@dataclass(frozen=True, slots=True)
class Complaint:
    """The reason why nothing was checked, and the line that it is about; 0 where it is about none."""

    said: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of a check: results, or a complaint; neither of a file without kernels. Paths are relative to `root`.

    `remembered`: it is of an earlier check, of which nothing has changed.
    """

    root: Path
    results: Results | None = None
    complaint: Complaint | None = None
    remembered: bool = False

    @property
    def is_final(self) -> bool:
        """True if a second check would find the same of every kernel: a verdict that is open, or missing, may be due to
        the time it took."""
        if self.results is None:
            return False
        runs = counting(self.results.runs)
        checked = {run.kernel.partition("::")[2] for run in runs}
        return all(map(concludes, runs)) and all(one.kernel in checked for one in self.results.answers)


@dataclass(slots=True)
class Checks:
    """Checks of files below `root`, one at a time. `words` are options of `check`; `cache` is a database, or None."""

    root: Path
    words: Sequence[str]
    cache: Path | None
    _running: dict[Path, asyncio.Task[Checked]] = field(default_factory=dict)
    _turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    #: The process for the next command, which waits for its words.
    _ahead: asyncio.Task[asyncio.subprocess.Process] | None = None

    def remembered(self, file: Path) -> Checked | None:
        """The outcome of an earlier check of the file, if nothing has changed since."""
        kept, asked = self._kept(), self._asked()
        content = kept.lookup(str(file), kept.digest(file, asked)) if kept is not None and asked is not None else None
        try:
            results = results_file.parsed(content, str(file)) if content is not None else None
        except UsageError:
            return None
        return Checked(self.root, results, remembered=True) if results is not None else None

    async def check(self, file: Path) -> Checked:
        """The outcome of a check. Raises `CancelledError` where `cancel`, or another check of the file, ends it."""
        self.cancel(file)
        task = self._running[file] = asyncio.ensure_future(self._check(file))
        try:
            return await task
        finally:
            if self._running.get(file) is task:
                del self._running[file]

    def cancel(self, file: Path) -> None:
        """End the check of a file, if there is one: it is about a text that is being changed."""
        task = self._running.pop(file, None)
        if task is not None:
            task.cancel()

    async def _check(self, file: Path) -> Checked:
        async with self._turn:
            try:
                if not mentions_nki(file) or not kernels_in(file):
                    return Checked(self.root)
            except UsageError as error:
                return Checked(self.root, complaint=_complaint(str(error), file))
            kept, asked, started = self._kept(), self._asked(), time.time_ns()
            digest = kept.digest(file, asked) if kept is not None and asked is not None else ""
            output, errors = await self._run("check", str(file), "--output-format", "json", *self.words)
            try:
                results = results_file.parsed(output, "the output of the check")
            except UsageError as error:
                return Checked(self.root, complaint=_complaint(errors or str(error), file))
            if kept is not None and asked is not None and not any(run.reads for run in results.runs):
                kept.remember(file, output, digest, asked, started, str(file))
            return Checked(self.root, results)

    async def repaired(self, file: Path, kernel: str) -> tuple[str, str]:
        """The text of the file with the first patch that mends a kernel of it, and the kind of the patch; empty texts
        where there is none."""
        with tempfile.TemporaryDirectory(prefix="nkiverify-") as folder:
            written = Path(folder) / "patches.json"
            async with self._turn:
                await self._run("repair", f"{file}::{kernel}", "--json", str(written))
            patches = json.loads(written.read_text(encoding="utf-8"))["patches"] if written.exists() else []
        return (patches[0]["text"], patches[0]["kind"]) if patches else ("", "")

    async def _run(self, *words: str) -> tuple[str, str]:
        """The text that a command prints on stdout, and on stderr."""
        process = await self._started()
        try:
            output, errors = await process.communicate(json.dumps(words).encode() + b"\n")
        except asyncio.CancelledError:
            # The process that runs the kernel ends with the one that waits for it.
            await _killed(process)
            raise
        finally:
            self.start_ahead()
        return output.decode("utf-8", "replace"), errors.decode("utf-8", "replace")

    def start_ahead(self) -> None:
        """Start the process for the next command. It ends by itself with this one."""
        self._ahead = asyncio.ensure_future(self._start())

    async def _started(self) -> asyncio.subprocess.Process:
        """The process that was started ahead, if it still waits, or another one."""
        ahead, self._ahead = self._ahead, None
        process = await ahead if ahead is not None else None
        return process if process is not None and process.returncode is None else await self._start()

    async def _start(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            _PROGRAM,
            cwd=self.root,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def end(self) -> None:
        """End the process that waits for a command that nobody will give."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            await _killed(await ahead)

    def _kept(self) -> CheckedFiles | None:
        return CheckedFiles(self.cache, self.root) if self.cache is not None else None

    def _asked(self) -> list[str] | None:
        """How files are checked: options and settings. None where kernels may read more than their modules."""
        try:
            project = here(folder=self.root)
        except UsageError:
            return None
        if "--allow" in self.words or (project is not None and project.settings.allow):
            return None
        return [str(self.root), *self.words, repr(project.settings) if project is not None else ""]


async def _killed(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.wait()


def _complaint(errors: str, file: Path) -> Complaint:
    """The last line of what was said, with the line of `file` that it is about."""
    lines = [line for line in errors.splitlines() if line.strip()] or ["the check ended without a word"]
    last = lines[-1] if lines[-1].startswith("nkiverify: ") else f"nkiverify: {lines[-1]}"
    match = _COMPLAINT.fullmatch(last)
    assert match is not None
    about = match["file"] is not None and Path(match["file"]).name == file.name
    return Complaint(match["said"], int(match["line"]) if about else 0)
