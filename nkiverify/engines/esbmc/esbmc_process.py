"""Running an ESBMC process and surviving whatever it does: it hangs, dies, forks, prints without end."""

from __future__ import annotations

import contextlib
import enum
import math
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from nkiverify.foundation.budget import SecondEngineBudget
from nkiverify.foundation.clock import counts_processor
from nkiverify.foundation.dataclass import dataclass

#: The interpreter for ESBMC's Python front end, which runs a parser of its own with it.
PYTHON = sys.executable


class ProcessEnding(enum.Enum):
    """How a process came to its end."""

    EXITED = "exited"
    TIMED_OUT = "timed out"
    FLOODED = "printed too much"
    NOT_STARTED = "could not be started"


@dataclass(frozen=True, slots=True)
class Finished:
    """A process that has ended. `status` is its exit status, negative for a signal, None where it was not its own end.

    `text` is what it printed: standard output, then standard error. They are read apart, since a process that buffers
    both can tear lines where they share a pipe.
    """

    ending: ProcessEnding
    status: int | None
    text: str
    seconds: float


def run(
    command: Sequence[str | Path],
    folder: Path,
    seconds: float,
    cpu_seconds: float | None = None,
    memory: int = SecondEngineBudget.MEMORY_BYTES,
    output: int = SecondEngineBudget.OUTPUT_BYTES,
) -> Finished:
    """Run `command` in `folder` for at most `seconds`, with at most `memory` bytes in each of its processes.

    The process gets a group of its own, which is killed whole before this returns or raises, by Ctrl-C for example.
    Its temporary files go to `folder`. Where the system can limit the time that the process computes, `cpu_seconds`
    does: what comes to an end on an idle machine then comes to an end on a busy one.
    """
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            [*_dying_with_us(), *command],
            cwd=folder,
            env=_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        return Finished(ProcessEnding.NOT_STARTED, None, f"{error.strerror or error}\n", time.monotonic() - started)
    try:
        _limit(process.pid, memory, cpu_seconds)
        ending, text = _read(process, started + seconds, output)
    finally:
        _kill_group(process)
    if process.returncode == -signal.SIGXCPU:
        ending = ProcessEnding.TIMED_OUT
    status = process.returncode if ending is ProcessEnding.EXITED else None
    return Finished(ending, status, text, time.monotonic() - started)


def run_within(command: Sequence[str | Path], folder: Path, computing: float, left: float) -> Finished:
    """Run `command` for at most this many seconds of `computing`, of which this many are `left`: of the wall's clock,
    or of processor time where that is counted, so that what comes to an end there does so on a busy machine too."""
    if counts_processor():
        computing = min(computing, left)
        return run(command, folder, computing * SecondEngineBudget.BUSY_FACTOR, computing)
    return run(command, folder, min(left, computing * SecondEngineBudget.BUSY_FACTOR), computing)


def _environment(folder: Path) -> dict[str, str]:
    """Nothing that makes one machine's run differ from another's: no configuration file, no tools found by chance."""
    kept = {name: os.environ[name] for name in ("LANG", "LD_LIBRARY_PATH") if name in os.environ}
    return kept | {"ESBMC_CONFIG_FILE": "", "HOME": str(folder), "PATH": os.defpath, "TMPDIR": str(folder)}


def _dying_with_us() -> list[str]:
    """A prefix for the command that has the kernel kill it when this process is killed, where there is such a thing."""
    setpriv = shutil.which("setpriv", path=os.defpath) if sys.platform == "linux" else None
    return [setpriv, "--pdeathsig", "KILL", "--"] if setpriv is not None else []


def _limit(pid: int, memory: int, cpu_seconds: float | None) -> None:
    if sys.platform == "linux":
        import resource

        with contextlib.suppress(ProcessLookupError, PermissionError):
            resource.prlimit(pid, resource.RLIMIT_AS, (memory, memory))
            resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))
            if cpu_seconds is not None:
                whole = max(1, math.ceil(cpu_seconds))
                resource.prlimit(pid, resource.RLIMIT_CPU, (whole, whole + 1))


def _read(process: subprocess.Popen[bytes], deadline: float, limit: int) -> tuple[ProcessEnding, str]:
    """Everything the process prints until it ends, the deadline passes, or it has printed `limit` bytes."""
    assert process.stdout is not None and process.stderr is not None
    chunks: dict[int, list[bytes]] = {process.stdout.fileno(): [], process.stderr.fileno(): []}
    read = 0
    ending = ProcessEnding.EXITED
    with selectors.DefaultSelector() as selector:
        for descriptor in chunks:
            selector.register(descriptor, selectors.EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                ending = ProcessEnding.TIMED_OUT if process.poll() is None else ending
                break
            if not selector.get_map():
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(left)
                ending = ProcessEnding.TIMED_OUT if process.returncode is None else ending
                break
            for key, _ in selector.select(min(left, SecondEngineBudget.POLL_SECONDS)):
                chunk = os.read(key.fd, 1 << 16)
                if chunk:
                    chunks[key.fd].append(chunk)
                    read += len(chunk)
                else:
                    selector.unregister(key.fd)
            if read > limit:
                ending = ProcessEnding.FLOODED
                break
            if process.poll() is not None:
                # What is in the pipes now was printed by it; what holds them open longer is not worth waiting for.
                deadline = min(deadline, time.monotonic() + SecondEngineBudget.DRAIN_SECONDS)
    return ending, b"".join(b"".join(parts) for parts in chunks.values()).decode("utf-8", "replace")


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End the process and everything it has started that did not leave its group, and reap it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
