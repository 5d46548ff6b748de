"""A kernel under test with its domain: as text, as a target, and as all of its concrete runs."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from nkiverify.foundation.records import Kind, Run, Verdict
from nkiverify.frontend import loader
from nkiverify.frontend.target import Target, Verification
from nkiverify.model import dtypes
from nkiverify.model.hardware import hardware_named
from nkiverify.phases.witness_replay import Replay, replay
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

PHASES = (1, 2)


class OutOfTime(BaseException):
    """A run took longer than it was given."""


#: What is entering or leaving a block is not interrupted: what it has changed would stay so for whatever comes after.
_WHOLE = ("__enter__", "__exit__")


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` in the block after so many seconds of processor time: other processes do not count."""

    def ring(signum: int, frame: FrameType | None) -> None:
        within = frame
        while within is not None:
            if within.f_code.co_name in _WHOLE:
                return
            within = within.f_back
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, ring)
    # Again and again: what is raised while an object is being freed is lost.
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclass(frozen=True, slots=True)
class Axis:
    """One dimension of a domain: `values` are those tried, all of them unless `high` is beyond the last."""

    name: str
    low: int
    high: int
    multiple_of: int
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """A kernel as source text, and the target function as source text.

    `kernel` defines `kernel`; `harness` defines `target(v)`.
    """

    kernel: str
    harness: str
    axes: tuple[Axis, ...]
    unwind: int = 8

    @property
    def text(self) -> str:
        """Both, to be pasted into files."""
        return (
            f"# --- kernel.py\n{self.kernel.strip()}\n\n# --- harness (unwind {self.unwind})\n{self.harness.strip()}\n"
        )

    def assignments(self) -> Iterator[dict[str, int]]:
        """All values of the dimensions that are tried."""
        names = [axis.name for axis in self.axes]
        for values in itertools.product(*(axis.values for axis in self.axes)):
            yield dict(zip(names, values, strict=True))


class Bench:
    """A folder in which subjects are tried one after the other; each has a folder of its own in it."""

    def __init__(self) -> None:
        fast = Path("/dev/shm")
        self._folder = Path(tempfile.mkdtemp(prefix="nkiverify-fuzz-", dir=fast if fast.is_dir() else None))
        self._count = 0

    def close(self) -> None:
        """Remove what was written."""
        shutil.rmtree(self._folder, ignore_errors=True)

    @contextmanager
    def target(self, subject: Subject) -> Iterator[Target]:
        """The subject as a target, for the duration of the block."""
        self._count += 1
        folder = self._folder / f"s{self._count}"
        folder.mkdir()
        (folder / "kernel.py").write_text(subject.kernel, encoding="utf-8")
        try:
            yield _target(subject, folder)
        finally:
            forget(folder)
            shutil.rmtree(folder, ignore_errors=True)


def forget(folder: Path) -> None:
    """Let go of the kernels that were loaded from `folder`, which the loader keeps for the life of the process."""
    # As texts: a process may have loaded thousands, and comparing the parts of paths takes a hundred times as long.
    inside = f"{folder.resolve()}{os.sep}"
    for key in [key for key in loader._spaces if str(key[0]).startswith(inside)]:
        del loader._spaces[key]
    for code in [code for code in loader._compiled if code[0].startswith(inside)]:
        del loader._compiled[code]


def _target(subject: Subject, folder: Path) -> Target:
    namespace: dict[str, object] = {"float32": dtypes.float32, "float16": dtypes.float16, "Verification": Verification}
    exec(compile(subject.harness, str(folder / "harness.py"), "exec"), namespace)
    return Target(
        name="subject",
        kernel="kernel.py::kernel",
        family="fuzz",
        kind=Kind.SYMBOLIC,
        expect={1: Verdict.SUCCESSFUL, 2: Verdict.SUCCESSFUL},
        flags=f"--unwind {subject.unwind}",
        tags=(),
        description="",
        hardware="trn2",
        root=folder,
        module="fuzz",
        file=str(folder / "harness.py"),
        line=1,
        function=namespace["target"],  # type: ignore[arg-type]
    )


def verdicts(target: Target, seconds: float) -> list[Run]:
    """The verdicts of both phases, in so many seconds of processor time."""
    return verify(target, Options(root=target.root, phases=PHASES, timeout=seconds, unhurried=True))


def concrete(target: Target, values: dict[str, int]) -> Replay:
    """The run on ordinary ints."""
    return replay(target, values, hardware_named(target.hardware), checked=True, seconds=5.0)


def fails(played: Replay, phase: int) -> bool:
    """True if a concrete run breaks a contract of `phase`: a division by zero and a large integer belong to phase 2."""
    if played.excluded:
        return False
    host = [found.contract.id.startswith("host.") for found in played.broken]
    if played.raised is not None:
        host.append(isinstance(played.raised, ZeroDivisionError))
    return any(host) if phase == 2 else not all(host)
