"""Reading violations back from a result file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from nkiverify.foundation.errors import UsageError, described
from nkiverify.foundation.records import Violation
from nkiverify.results.by_field import decoded


@dataclass(frozen=True, slots=True)
class Recorded:
    """A violation of `target` in `phase`, as a result file has it. Its paths are relative to the root."""

    target: str
    phase: int
    violation: Violation


def violations_of(path: Path, target: str, phase: int | None) -> list[Recorded]:
    """The violations of a target, in the phase asked for or all of them.

    Raises `UsageError` where the file cannot be read, or holds no violation of the target.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        runs = [run for run in document["runs"] if run["target"] == target]
        refuted = {run["phase"] for run in runs if run["violations"] and not run.get("advisory")}
        found = [
            Recorded(target, run["phase"], decoded(Violation, entry))
            for run in runs
            # What another engine refutes as well is the same fault.
            if phase in (None, run["phase"]) and not (run.get("advisory") and run["phase"] in refuted)
            for entry in run["violations"]
        ]
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} is no result file of nkiverify: {described(error)}") from None
    if not runs:
        raise UsageError(f"{path} has no run of a target {target}")
    if not found:
        verdicts = ", ".join(f"{run['verdict']} in phase {run['phase']}" for run in runs)
        raise UsageError(f"{path} has no violation of {target}: {verdicts}")
    return found
