"""Targets and verifiers for the tests of executors: each target's name says what happens when it is verified."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from nkiverify.foundation.records import Kind, Run, Verdict
from nkiverify.frontend.target import Target
from nkiverify.manifest import Verification
from nkiverify.run.executors.messages import JobAnswer
from nkiverify.verify.evidence import Told
from nkiverify.verify.options import Options


def target(name: str, **fields: Any) -> Target:
    """A target that expects SUCCESSFUL in phase 1, but for `fields`."""
    plain: dict[str, Any] = {
        "name": name,
        "kernel": "kernels/a.py::a",
        "family": "a",
        "kind": Kind.CONCRETE,
        "expect": {1: Verdict.SUCCESSFUL},
        "flags": "",
        "tags": (),
        "description": "",
        "hardware": "trn2",
        "root": Path("/checkout"),
        "module": "harness",
        "file": "/checkout/harness/a.py",
        "line": 1,
        "function": _never_called,
    }
    return Target(**(plain | fields))


def _never_called(v: Verification) -> None:
    raise AssertionError("the verifier of these tests does not run targets")


@dataclass(slots=True)
class Record:
    """A listener that remembers what it was told, and can act on it."""

    events: list[tuple[str, str]] = field(default_factory=list)
    act: Callable[[str, str], None] = lambda event, target: None

    def started(self, target: str) -> None:
        self.events.append(("started", target))
        self.act("started", target)

    def finished(self, target: str, runs: Sequence[Run]) -> None:
        self.events.append(("finished", target))
        self.act("finished", target)

    def waiting(self) -> None:
        self.act("waiting", "")


def runs_of(target: Target, verdict: Verdict = Verdict.SUCCESSFUL, **fields: Any) -> list[Run]:
    """One run per phase the target expects something in."""
    return [
        Run(target.name, target.kernel, target.family, target.kind, phase, "embedded", expected, verdict, **fields)
        for phase, expected in target.expect.items()
    ]


def marked(folder: Path, target: Target, options: Options, told: Told) -> list[Run]:
    """`verify`, which leaves a file of the target's name in `folder` when it has begun, and has told what it tells."""

    def tell(runs: list[Run]) -> None:
        told(runs)
        (folder / f"{target.name} told").touch()

    (folder / target.name).touch()
    return verify(target, options, tell)


def _worker() -> dict[str, Any]:
    """The names of the worker process that this is."""
    frame = sys._getframe()
    while "question" not in frame.f_locals:
        assert frame.f_back is not None
        frame = frame.f_back
    return frame.f_locals


def verify(target: Target, options: Options, told: Told) -> list[Run]:
    """Do what the first word of the target's name says."""
    match target.name.split("_")[0]:
        case "tells":  # of one phase, then what the second word says
            told(runs_of(target)[:1])
            _, _, rest = target.name.partition("_")
            return verify(replace(target, name=rest), options, told)
        case "late":  # comes to its end a while after all phases have their verdicts: when there is a file
            told(runs_of(target))
            while not (options.root / "go").exists():
                time.sleep(0.02)
            return runs_of(target, reason="whole")
        case "floods":  # says that it begins, or what it has so far, without end
            while True:
                told([] if target.name.endswith("nothing") else runs_of(target))
        case "drips":  # an answer that does not come to its end
            connection = _worker()["connection"]
            os.write(connection.fileno(), (1 << 20).to_bytes(4, "big"))
            while True:
                os.write(connection.fileno(), b"x")
                time.sleep(0.05)
        case "strange":  # an answer without runs
            worker = _worker()
            worker["connection"].send(JobAnswer(worker["question"].nonce, [3]))  # type: ignore[list-item]
        case "odd":  # runs that are none
            return [replace(run, phase=[1]) for run in runs_of(target)]  # type: ignore[arg-type]
        case "slow":
            time.sleep(0.3)
        case "hang":
            time.sleep(600)
        case "deaf":  # neither Ctrl-C nor a request to end is heard
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "dies-once":
            mark = Path(target.name.partition("_")[2]) / "died"
            if not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        case "allocates":
            held = []
            while True:
                held.append(bytearray(b"x" * (8 << 20)))
        case "exit":
            os._exit(7)
        case "quit":
            sys.exit("a kernel should not do this")
        case "raise":
            raise ValueError("a fault of the verifier")
        case "failed":
            return runs_of(target, Verdict.FAILED)
        case "print":
            print("kernel output")
        case "large":
            return runs_of(target, reason="x" * 5_000_000)
        case "unpicklable":
            return runs_of(target, closed_by=MappingProxyType({}))
        case "interrupted":
            raise KeyboardInterrupt
        case "forks":  # the copy of the worker is slower, and fails
            if os.fork() == 0:
                time.sleep(0.2)
                return runs_of(target, Verdict.FAILED)
        case "twice":
            worker = _worker()
            worker["connection"].send(JobAnswer(worker["question"].nonce, runs_of(target)))
        case "pid":
            return runs_of(target, reason=str(os.getpid()))
    return runs_of(target)


def targets_by_name(names: Sequence[str]) -> dict[str, Target]:
    """What a spawned worker, which shares nothing, finds in its manifest."""
    return {name: target(name) for name in names}


def options(**fields: Any) -> Options:
    """Settings with a time-out that tests can wait for."""
    plain: dict[str, Any] = {"root": Path("/checkout"), "timeout": 0.2}
    return Options(**(plain | fields))
