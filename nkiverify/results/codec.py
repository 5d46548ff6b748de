"""The report for programs: a session as JSON of the schema "nkiverify-results/1" (docs/results.schema.json)."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from nkiverify.foundation.records import AcceptedFinding, KernelWarning, LoopValue, MemoryPeak, Run, Violation
from nkiverify.foundation.source import Site
from nkiverify.results import wording
from nkiverify.results.session import Session

SCHEMA = "nkiverify-results/1"

#: What `json` can write: the type of every value below.
Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


def document(session: Session) -> dict[str, Json]:
    """The session as the value that `results.json` holds. Paths inside `session.root` are relative to it."""
    return {
        "schema": SCHEMA,
        "nkiverify": session.versions.nkiverify,
        "nki": session.nki,
        "python": session.versions.python,
        "platform": session.versions.platform,
        "engines": {"embedded": f"z3 {session.versions.z3}"},
        "started": session.started.isoformat(timespec="seconds"),
        "seconds": round(session.seconds, 3),
        "processes": session.processes,
        "command": list(session.command),
        "exit_status": int(session.exit_status),
        "interrupted": session.interrupted,
        "not_run": list(session.not_run),
        "unused_ignores": [_unused(one, session.root) for one in session.unused],
        "runs": [entry(run, session.root) for run in session.runs],
    }


def text(session: Session) -> str:
    """The text of `results.json`."""
    runs = [json.dumps(entry(run, session.root), allow_nan=False) for run in session.runs]
    head = json.dumps(document(replace(session, runs=())) | {"exit_status": int(session.exit_status)}, indent=2)
    # A run on a line of its own: a third of the size, and `grep` and `diff` can be used on it.
    body = ",\n    ".join(runs)
    return head.removesuffix("[]\n}") + (f"[\n    {body}\n  ]\n}}\n" if runs else "[]\n}\n")


def write(content: str, path: Path) -> None:
    """Replace the file at `path` by `content` at once: a reader finds the old text or the new, never a part.

    Creates the folder. What is not a regular file, a pipe for example, is written to. Raises `OSError`; a regular file
    is then as it was.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_text(content, encoding="utf-8")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(content)
        # mkstemp makes files that only their owner can read; a report is made like any other file.
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def entry(run: Run, root: Path) -> dict[str, Json]:
    """One run as `results.json` holds it. Paths inside `root` are relative to it."""
    return {
        "target": run.target,
        "kernel": run.kernel,
        "family": run.family,
        "kind": run.kind.value,
        "phase": run.phase,
        "engine": run.engine,
        "expected": run.expected.value if run.expected is not None else None,
        "verdict": run.verdict.value,
        "qualifier": run.qualifier,
        "as_expected": run.as_expected,
        "claims": run.claims,
        "closed_by": dict(run.closed_by),
        "milliseconds": round(run.milliseconds, 3),
        "assumptions": list(run.assumptions),
        "violations": [_violation(violation, root) for violation in run.violations],
        "reason": wording.text(run.reason, root),
        "flags": run.flags,
        "tags": list(run.tags),
        "traceback": run.traceback,
        "place": _place(run.place, root) if run.place is not None else None,
        "advice": run.advice,
        "advisory": run.advisory,
        "cached": run.cached,
        "suffices": list(run.suffices),
        "decided": _decided(run, root),
        "assumed_at": [_place(place, root) for place in run.assumed_at],
        "memory": [_peak(peak, root) for peak in run.memory],
        "warnings": [_warning(warning, root) for warning in run.warnings],
        "accepted": [_accepted(one, root) for one in run.accepted],
    }


def _decided(run: Run, root: Path) -> Json:
    """By file, contract, and outcome with what decided it, the lines: one for each claim."""
    files: dict[str, dict[str, dict[str, Json]]] = {}
    for one in run.decided:
        ways = files.setdefault(wording.relative(one.file, root), {}).setdefault(one.contract, {})
        ways[" by ".join(filter(None, (one.outcome, one.by)))] = list(one.lines)
    return files


def _peak(peak: MemoryPeak, root: Path) -> dict[str, Json]:
    return {
        "memory": peak.memory,
        "limit": peak.limit,
        "live": peak.live,
        "at": dict(peak.at),
        "bytes": peak.bytes,
        "place": _place(peak.place, root) if peak.place is not None else None,
        "tensors": [{"name": name, "bytes": taken} for name, taken in peak.tensors],
        "fits": dict(peak.fits),
    }


def _warning(warning: KernelWarning, root: Path) -> dict[str, Json]:
    return {
        "rule": warning.rule,
        "statement": warning.statement,
        "file": wording.relative(warning.file, root),
        "line": warning.line,
        "column": warning.column,
        "end_line": warning.end_line,
        "end_column": warning.end_column,
        "function": warning.function,
        "message": wording.text(warning.message, root),
        "tensor": warning.tensor,
        "element": list(warning.element),
        "witness": dict(warning.witness),
        "holds": warning.holds,
        "calls": [_place(place, root) for place in warning.calls],
        "loops": [_loop(loop, root) for loop in warning.loops],
        "also": [_place(place, root) for place in warning.also],
    }


def _accepted(one: AcceptedFinding, root: Path) -> dict[str, Json]:
    return {
        "rule": one.rule,
        "file": wording.relative(one.file, root),
        "line": one.line,
        "message": wording.text(one.message, root),
        "reason": one.reason,
        "source": wording.text(one.source, root),
        "witness": dict(one.witness),
    }


def _unused(one: KernelWarning, root: Path) -> dict[str, Json]:
    return {"file": wording.relative(one.file, root), "line": one.line, "message": wording.text(one.message, root)}


def _loop(loop: LoopValue, root: Path) -> dict[str, Json]:
    return {
        "file": wording.relative(loop.file, root),
        "line": loop.line,
        "value": loop.value,
        "function": loop.function,
    }


def _violation(violation: Violation, root: Path) -> dict[str, Json]:
    return {
        "contract": violation.contract,
        "statement": violation.statement,
        "source": violation.source,
        "file": wording.relative(violation.file, root),
        "line": violation.line,
        "column": violation.column,
        "end_line": violation.end_line,
        "end_column": violation.end_column,
        "stub": wording.relative(violation.stub, root),
        "message": wording.text(violation.message, root),
        "witness": dict(violation.witness),
        "replayed": violation.replayed,
        "note": violation.note,
        "values": dict(violation.values),
        "smallest": violation.smallest,
        "generalises": dict(violation.generalises),
        "comparison": violation.comparison,
        "function": violation.function,
        "calls": [_place(place, root) for place in violation.calls],
        "loops": [_loop(loop, root) for loop in violation.loops],
        "tensors": list(violation.tensors),
    }


def _place(place: Site, root: Path) -> dict[str, Json]:
    return {
        "file": wording.relative(place.file, root),
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "function": place.function,
    }


def _umask() -> int:
    """The process's file creation mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
