"""Reading `results.json` back into records."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError, described
from nkiverify.foundation.kernel_text import harmless, with_texts
from nkiverify.foundation.records import Decided, KernelAnswer, Run, Violation, checked
from nkiverify.results import codec
from nkiverify.results.codec import SCHEMA, decoded
from nkiverify.results.session import Session


@dataclass(frozen=True, slots=True)
class Results:
    """The contents of `results.json`: the runs of one invocation and its circumstances. `started` is in ISO 8601."""

    nkiverify: str
    python: str
    platform: str
    engines: Mapping[str, str]
    started: str
    seconds: float
    processes: int
    command: tuple[str, ...]
    exit_status: int
    interrupted: bool
    not_run: tuple[str, ...]
    runs: tuple[Run, ...]
    answers: tuple[KernelAnswer, ...] = ()


def read(path: Path) -> Results:
    """The results in the file at `path`. Raises `UsageError` where there are none of a version that is understood."""
    try:
        return parsed(_content(path), str(path))
    except FileNotFoundError:
        raise UsageError(f"there are no results: {path} does not exist; `make verify` writes it") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not JSON: {error}") from error


def _content(path: Path) -> str:
    """The text of a file, for which nobody waits without end; the pipe of a shell, below /dev, comes to its end."""
    if path.is_fifo() and not path.is_relative_to("/dev"):
        raise OSError(errno.EINVAL, "it is a named pipe")
    return path.read_text(encoding="utf-8")


def parsed(content: str, name: str) -> Results:
    """The results in a text, which messages call `name`, with harmless texts. Raises `UsageError` where there are none
    of a version that is understood."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} is not JSON: {error}") from error
    return with_texts(_results(document, name), harmless)


def of(session: Session) -> Results:
    """The results of a session, as a reader of the file that it is written to has them."""
    circumstances = _results(codec.document(replace(session, runs=())), "the session")
    runs = tuple(codec.relative(run, session.root) for run in session.runs)
    return replace(circumstances, exit_status=int(session.exit_status), runs=runs)


def _results(document: Any, name: str) -> Results:
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise UsageError(f"{name} does not hold results of the schema {SCHEMA}")
    try:
        return Results(
            nkiverify=document["nkiverify"],
            python=document["python"],
            platform=document["platform"],
            engines=dict(document["engines"]),
            started=document["started"],
            seconds=float(document["seconds"]),
            processes=document["processes"],
            command=tuple(document["command"]),
            exit_status=document["exit_status"],
            interrupted=document["interrupted"],
            not_run=tuple(document["not_run"]),
            runs=tuple(map(run, document["runs"])),
            answers=tuple(decoded(KernelAnswer, one) for one in document.get("answers", ())),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"{name} is not as {SCHEMA} says: {described(error)}") from error


def run(entry: Mapping[str, Any]) -> Run:
    """One run. Keys that a later program added are passed over, as the schema promises that they can be."""
    return replace(decoded(Run, {**entry, "decided": ()}), decided=tuple(_decided(entry.get("decided", {}))))


def _decided(files: Mapping[str, Any]) -> Iterator[Decided]:
    for file, contracts in files.items():
        for contract, ways in contracts.items():
            for way, lines in ways.items():
                outcome, _, by = way.partition(" by ")
                yield Decided(file, contract, outcome, by, tuple(map(int, lines)))


# --- violations, to be replayed ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RecordedViolation:
    """A violation of `target` in `phase`, as a result file has it. Its paths are relative to the root."""

    target: str
    phase: int
    violation: Violation


def violations_of(path: Path, target: str, phase: int | None) -> list[RecordedViolation]:
    """The violations of a target, in the phase asked for or all of them.

    Raises `UsageError` where the file cannot be read, or holds no violation of the target.
    """
    try:
        document = json.loads(_content(path))
        runs = [run for run in document["runs"] if run["target"] == target]
        refuted = {run["phase"] for run in runs if run["violations"] and not run.get("advisory")}
        found = [
            RecordedViolation(target, int(run["phase"]), with_texts(checked(decoded(Violation, entry)), harmless))
            for run in runs
            # What another engine refutes as well is the same fault.
            if phase in (None, run["phase"]) and not (run.get("advisory") and run["phase"] in refuted)
            for entry in run["violations"]
        ]
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{path} is no result file of nkiverify: {described(error)}") from None
    if not runs:
        raise UsageError(f"{path} has no run of a target {target}")
    if not found:
        verdicts = ", ".join(f"{run['verdict']} in phase {run['phase']}" for run in runs)
        raise UsageError(f"{path} has no violation of {target}: {verdicts}")
    return found
