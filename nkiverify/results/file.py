"""Reading `results.json` back into records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from nkiverify.foundation.errors import UsageError, described
from nkiverify.foundation.records import (
    AcceptedFinding,
    Decided,
    KernelWarning,
    Kind,
    LoopValue,
    MemoryPeak,
    Run,
    Verdict,
    Violation,
)
from nkiverify.foundation.source import Site
from nkiverify.results.codec import SCHEMA

_RUN_KEYS = frozenset(field.name for field in fields(Run))
_PLACE_KEYS = frozenset(field.name for field in fields(Site))
_PEAK_KEYS = frozenset(field.name for field in fields(MemoryPeak))
_ACCEPTED_KEYS = frozenset(field.name for field in fields(AcceptedFinding))
_WARNING_KEYS = frozenset(field.name for field in fields(KernelWarning))
_VIOLATION_KEYS = frozenset(field.name for field in fields(Violation))


@dataclass(frozen=True, slots=True)
class Results:
    """What `results.json` says: the runs of one invocation and its circumstances. `started` is in ISO 8601."""

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


def read(path: Path) -> Results:
    """The results in the file at `path`. Raises `UsageError` where there are none of a version that is understood."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"there are no results: {path} does not exist; `make verify` writes it") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise UsageError(f"{path} is not JSON: {error}") from error
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise UsageError(f"{path} does not hold results of the schema {SCHEMA}")
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
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"{path} is not as {SCHEMA} says: {described(error)}") from error


def run(entry: Mapping[str, Any]) -> Run:
    """One run. Keys that a later program added are passed over, as the schema promises that they can be."""
    known = {key: value for key, value in entry.items() if key in _RUN_KEYS}
    expected = known["expected"]
    return Run(
        **known
        | {
            "kind": Kind(known["kind"]),
            "verdict": Verdict(known["verdict"]),
            "expected": None if expected is None else Verdict(expected),
            "assumptions": tuple(known["assumptions"]),
            "tags": tuple(known["tags"]),
            "violations": tuple(map(_violation, known["violations"])),
            "place": _place(known["place"]) if known.get("place") else None,
            "suffices": tuple(known.get("suffices", ())),
            "decided": tuple(_decided(known.get("decided", {}))),
            "assumed_at": tuple(map(_place, known.get("assumed_at", ()))),
            "memory": tuple(map(_peak, known.get("memory", ()))),
            "warnings": tuple(map(_warning, known.get("warnings", ()))),
            "accepted": tuple(map(_accepted, known.get("accepted", ()))),
        }
    )


def _peak(entry: Mapping[str, Any]) -> MemoryPeak:
    known = {key: value for key, value in entry.items() if key in _PEAK_KEYS}
    return MemoryPeak(
        **known
        | {
            "place": _place(known["place"]) if known["place"] else None,
            "tensors": tuple((tensor["name"], tensor["bytes"]) for tensor in known["tensors"]),
        }
    )


def _decided(files: Mapping[str, Any]) -> Iterator[Decided]:
    for file, contracts in files.items():
        for contract, ways in contracts.items():
            for way, lines in ways.items():
                outcome, _, by = way.partition(" by ")
                yield Decided(file, contract, outcome, by, tuple(map(int, lines)))


def _violation(entry: Mapping[str, Any]) -> Violation:
    known = {key: value for key, value in entry.items() if key in _VIOLATION_KEYS}
    return Violation(
        **known
        | {
            "calls": tuple(map(_place, known.get("calls", ()))),
            "loops": tuple(map(_loop, known.get("loops", ()))),
            "tensors": tuple(known.get("tensors", ())),
        }
    )


def _warning(entry: Mapping[str, Any]) -> KernelWarning:
    known = {key: value for key, value in entry.items() if key in _WARNING_KEYS}
    return KernelWarning(
        **known
        | {
            "element": tuple(known["element"]),
            "calls": tuple(map(_place, known["calls"])),
            "loops": tuple(map(_loop, known["loops"])),
            "also": tuple(map(_place, known["also"])),
        }
    )


def _accepted(entry: Mapping[str, Any]) -> AcceptedFinding:
    return AcceptedFinding(**{key: value for key, value in entry.items() if key in _ACCEPTED_KEYS})


def _loop(entry: Mapping[str, Any]) -> LoopValue:
    return LoopValue(entry["file"], entry["line"], entry["value"], entry["function"])


def _place(entry: Mapping[str, Any]) -> Site:
    return Site(**{key: value for key, value in entry.items() if key in _PLACE_KEYS})
