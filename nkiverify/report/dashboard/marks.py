"""The marks next to each line of a source: the claims that were decided there, and what the domain rests on."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Coverage, Decided, Line, MemoryPeak, Run, Verdict

#: A place as it is written in reasons: `kernels/matmul.py:57`.
_PLACE = re.compile(r"([\w./-]+\.py):(\d+)")

#: From the gravest to the plainest: a line is marked by the first that is true of it.
KINDS: tuple[str, ...] = ("refuted", "unknown", "warned", "unrolled", "assumed", "proved", "live", "stored")


@dataclass(frozen=True, slots=True)
class LineMark:
    """One line's mark: its kind, of `KINDS`, and all that is to be said."""

    kind: str
    words: str


#: By file and line.
Marks = Mapping[str, Mapping[int, LineMark]]


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """Claims of one contract that ended the same, in one file: lines with the number of claims where it is not one."""

    contract: str
    place: str
    count: int
    outcome: str
    by: str


def marks(runs: Sequence[Run]) -> Marks:
    """The marks that the runs of one target leave in its sources."""
    said: dict[tuple[str, int], dict[str, list[str]]] = {}

    def say(file: str, line: int, kind: str, words: str) -> None:
        there = said.setdefault((file, line), {}).setdefault(kind, [])
        if words not in there:
            there.append(words)

    for run in runs:
        for violation in run.violations:
            if violation.file:
                say(violation.file, violation.line, "refuted", f"refuted: {violation.contract}")
        for warning in run.warnings:
            say(warning.file, warning.line, "warned", f"warning: {warning.rule}")
        for file, line in _not_understood(run):
            say(file, line, "unknown", "unknown")
        if run.is_bounded:
            for file, text in _PLACE.findall(run.reason):
                say(file, int(text), "unrolled", "unrolled")
        for place in run.assumed_at:
            say(place.file, place.line, "assumed", "assumed")
    for file, line, kind, words in _counted(run for run in runs if not run.advisory):
        if kind != "refuted" or "refuted" not in said.get((file, line), {}):
            say(file, line, kind, words)
    for run in runs:
        for peak in run.memory:
            for at, taken in live(peak):
                say(at.file, at.line, "live", f"{peak.memory.upper()}: {taken} bytes live")
        for one in run.coverage:
            for at, share in stored(one):
                say(at.file, at.line, "stored", share)
    found: dict[str, dict[int, LineMark]] = {}
    for (file, line), kinds in sorted(said.items()):
        order = [kind for kind in KINDS if kind in kinds]
        found.setdefault(file, {})[line] = LineMark(
            order[0], "; ".join(words for kind in order for words in kinds[kind])
        )
    return found


def live(peak: MemoryPeak) -> Iterator[tuple[Line, int]]:
    """The bytes of a partition that are live at each line, for the values that the peak is reported for."""
    for at, place in enumerate(peak.places):
        yield place, sum(span.bytes for one in peak.tiles for span in one.spans if span.first <= at <= span.last)


def stored(one: Coverage) -> Iterator[tuple[Line, str]]:
    """The part of an output that each line is the last to store."""
    every = math.prod(one.shape)
    values = ", ".join(f"{name} = {value}" for name, value in one.at.items())
    for number, place in enumerate(one.stores):
        elements = sum(part.rows * part.columns for part in one.parts if part.store == number)
        share = f"{elements} of {every} elements" if one.each == (1, 1) else "elements"
        yield place, f"stores {share} of {one.tensor}{f', for {values}' if values else ''}"


def claim_rows(run: Run) -> list[ClaimRow]:
    """Every claim of a run, those that are the same together, what is not proved first."""
    rows = [ClaimRow(one.contract, _lines(one), len(one.lines), one.outcome, one.by) for one in run.decided]
    return sorted(rows, key=lambda row: (row.outcome == "proved", row.outcome, row.contract, row.place))


def _not_understood(run: Run) -> Iterator[tuple[str, int]]:
    if run.verdict is not Verdict.UNKNOWN or run.advisory:
        return
    if run.place is not None:
        yield run.place.file, run.place.line
    yield from ((file, int(line)) for file, line in _PLACE.findall(run.reason or run.qualifier))


def _counted(runs: Iterable[Run]) -> Iterator[tuple[str, int, str, str]]:
    """File, line, kind and words for the claims that the engine decided, or did not, at each line."""
    proved: defaultdict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    others: defaultdict[tuple[str, int, str], set[str]] = defaultdict(set)
    for run in runs:
        for one in run.decided:
            for line in one.lines if one.file else ():
                if one.outcome == "proved":
                    proved[one.file, line][one.by] += 1
                elif one.outcome in ("refuted", "undecided"):
                    others[one.file, line, one.outcome].add(one.contract)
    for (file, line), by in proved.items():
        ways = f" ({', '.join(f'{by[rung]} {rung}' for rung in sorted(by))})" if len(by) > 1 else f" ({next(iter(by))})"
        yield file, line, "proved", f"{sum(by.values())} proved{ways}"
    for (file, line, outcome), contracts in others.items():
        kind = "refuted" if outcome == "refuted" else "unknown"
        yield file, line, kind, f"{outcome}: {', '.join(sorted(contracts))}"


def _lines(one: Decided) -> str:
    if not one.file:
        return ""
    if len(one.lines) == 1:
        return f"{one.file}:{one.lines[0]}"
    counts = Counter(one.lines)
    numbers = ", ".join(f"{line}" if count == 1 else f"{line} (x{count})" for line, count in sorted(counts.items()))
    return f"{one.file}:{numbers}"
