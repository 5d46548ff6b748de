"""A line of the ledger: what the tool said of one subject, in words that do not change with the machine."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lab.ledger.subjects import Subject


@dataclass(frozen=True, slots=True)
class Phase:
    """The verdict of one phase. `rules` are findings with their lines, with the witness of each."""

    verdict: str
    #: The qualifier with numbers and names left out: of which kind it is.
    kind: str
    qualifier: str
    rules: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        """The class of the verdict: SUCCESSFUL is for all shapes, `bounded` for some; what was not replayed is open."""
        if self.verdict == "SUCCESSFUL" and self.qualifier:
            return "bounded"
        return "UNKNOWN" if self.verdict == "VACUOUS" or self.kind == "not replayed" else self.verdict


@dataclass(frozen=True, slots=True)
class Line:
    """The answer about one subject. `seconds` are of processor time, `said` what is printed of it where no results are
    written, or what `check` derives."""

    subject: str
    digest: str
    status: int | None
    phases: Mapping[str, Phase] = field(default_factory=dict)
    said: str = ""
    seconds: float = 0.0

    def written(self) -> str:
        """The line as it stands in a file."""
        return json.dumps(asdict(self))

    @staticmethod
    def read(text: str) -> Line:
        """The line that `text` is."""
        facts = json.loads(text)
        phases = {
            name: Phase(
                one["verdict"],
                one["kind"],
                one["qualifier"],
                tuple((rule, witness) for rule, witness in one["rules"]),
                tuple(one["warnings"]),
            )
            for name, one in facts.pop("phases").items()
        }
        return Line(**facts, phases=phases)


def lines_of(subject: Subject, answer: Mapping[str, Any], results: Path, output: str) -> Iterator[Line]:
    """The lines of one command: one, or one for each of its targets."""
    status, seconds = int(answer["status"]), float(answer["seconds"])
    try:
        found = json.loads(results.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        yield Line(subject.name, subject.digest, status, {}, _printed(output), seconds)
        return
    runs: list[dict[str, Any]] = found["runs"]
    if not subject.targets:
        said = "; ".join(one["said"] for one in found.get("answers", ()))
        yield Line(subject.name, subject.digest, status, _phases(runs), _without_times(said), seconds)
        return
    # The processor time of the command, by the time that each target took on the wall's clock.
    share = seconds / max(1, sum(run["milliseconds"] for run in runs))
    for target in subject.targets:
        own = [run for run in runs if run["target"] == target]
        took = round(share * sum(run["milliseconds"] for run in own), 3)
        yield Line(f"{subject.name}/{target}", subject.digest, None, _phases(own), "", took)


def _phases(runs: Sequence[Mapping[str, Any]]) -> dict[str, Phase]:
    """The verdicts by phase, and by kernel where a file has several."""
    several = len({run["target"] for run in runs}) > 1
    return {(f"{run['target']} " if several else "") + str(run["phase"]): _phase(run) for run in runs}


def _phase(run: Mapping[str, Any]) -> Phase:
    rules = sorted((f"{one['contract']}:{one['line']}", json.dumps(one["witness"])) for one in run["violations"])
    warnings = sorted(f"{one['rule']}:{one['line']}" for one in run["warnings"])
    qualifier = run["qualifier"] or (run["reason"] if run["verdict"] in ("UNKNOWN", "VACUOUS", "ERROR") else "")
    return Phase(run["verdict"], _blurred(run["qualifier"]), qualifier, tuple(rules), tuple(warnings))


def _blurred(text: str) -> str:
    """A qualifier or reason without its numbers and names."""
    if text.startswith("bounded"):
        return "bounded"
    return re.sub(r"`[^`]*`|\S*\d\S*", "…", text)


def _without_times(text: str) -> str:
    return re.sub(r"\b\d+(\.\d+)? (m?s|seconds|minutes)\b", "… s", text)


def _printed(output: str) -> str:
    """The words of what is printed, without times and without spaces that only set columns apart."""
    return _without_times(" ".join(output.split()))[:2000]
