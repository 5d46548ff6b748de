"""Targets and verifiers for the tests of the pool: each target's name says what happens when it is verified."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from nkiverify.config import Options
from nkiverify.results import Kind, Run, Verdict


@dataclass(frozen=True, slots=True)
class FakeTarget:
    """What selection and the pool read of a target."""

    name: str
    kernel: str = "kernels/a.py::a"
    family: str = "a"
    kind: Kind = Kind.CONCRETE
    expect: Any = field(default_factory=lambda: {1: Verdict.SUCCESSFUL})
    flags: str = ""
    tags: tuple[str, ...] = ()


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


def runs_of(target: Any, verdict: Verdict = Verdict.SUCCESSFUL, **fields: Any) -> list[Run]:
    """One run per phase the target expects something in."""
    return [
        Run(target.name, target.kernel, target.family, target.kind, phase, "embedded", expected, verdict, **fields)
        for phase, expected in target.expect.items()
    ]


def verify(target: Any, options: Options) -> list[Run]:
    """Do what the first word of the target's name says."""
    match target.name.split("_")[0]:
        case "slow":
            time.sleep(0.3)
        case "hang":
            time.sleep(600)
        case "deaf":  # neither Ctrl-C nor a request to end is heard
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
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
        case "pid":
            return runs_of(target, reason=str(os.getpid()))
    return runs_of(target)


def targets_by_name(names: Sequence[str]) -> dict[str, Any]:
    """What a spawned worker, which shares nothing, finds in its manifest."""
    return {name: FakeTarget(name) for name in names}


def options(**fields: Any) -> Options:
    """Settings with a time-out that tests can wait for."""
    plain: dict[str, Any] = {"root": Path("/checkout"), "timeout": 0.2}
    return Options(**(plain | fields))
