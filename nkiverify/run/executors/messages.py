"""Messages between the process of a session and its workers: questions, progress on the way, answers in the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Run
from nkiverify.run.unpickled import unpickled

if TYPE_CHECKING:
    from nkiverify.verify.options import Options


@dataclass(frozen=True, slots=True)
class JobQuestion:
    """A job as it is sent to a worker, which is stopped after this many `seconds`. `nonce` is drawn for this sending
    alone, and comes back with the answer."""

    nonce: bytes
    target: str
    options: Options
    seconds: float


@dataclass(frozen=True, slots=True)
class JobProgress:
    """How far a worker has come with the question with this `nonce`: sent when it has begun, and each time that a phase
    has its verdict. The runs of these phases are pickled: they are read only where no answer comes."""

    nonce: bytes
    phases: tuple[int, ...]
    runs: bytes


@dataclass(frozen=True, slots=True)
class JobAnswer:
    """The answer of a worker to the question with this `nonce`: the runs of all phases."""

    nonce: bytes
    runs: list[Run]


def as_told(message: bytes) -> JobAnswer | JobProgress:
    """The answer that a worker has sent, or its progress. Raises `ValueError`, or whatever else, where it is
    neither."""
    reported = unpickled(message)
    if isinstance(reported, JobAnswer) and _are_runs(reported.runs):
        return reported
    if isinstance(reported, JobProgress) and isinstance(reported.phases, tuple) and isinstance(reported.runs, bytes):
        return reported
    raise ValueError("no answer")


def _are_runs(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(run, Run) for run in value)


def runs_in(content: bytes) -> Sequence[Run]:
    """The runs that a worker has sent before it was stopped; none where it is something else that was sent."""
    try:
        runs = unpickled(content)
    except Exception:  # bytes that a kernel wrote unpickle to anything
        return ()
    return cast("list[Run]", runs) if _are_runs(runs) else ()
