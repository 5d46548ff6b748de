"""Two ledgers compared: what changed, and what of it has to be argued."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lab.ledger.lines import Line, Phase

#: What a change is, the worst first: it stops the line, is argued, is checked on concrete shapes, or is listed.
FLIPPED, LOST, GAINED, REWORDED, OTHER_SUBJECT, GONE, NEW = (
    "SUCCESSFUL <-> FAILED",
    "decided -> UNKNOWN",
    "UNKNOWN -> decided",
    "findings, answers",
    "another subject of the same name",
    "only before",
    "only after",
)
#: Those that fail a comparison unless they are on the reviewed list.
ARGUED = (FLIPPED, LOST, REWORDED, GONE)
#: The share of decided verdicts that may be lost.
MOST_LOST = 0.005
_DECIDED = frozenset({"SUCCESSFUL", "FAILED"})
#: Subjects whose time grew by this factor, and by this many seconds, are listed.
_FACTOR, _SECONDS = 1.5, 1.0


@dataclass(frozen=True, slots=True)
class Change:
    """One change: of the verdict of a phase, or of the answer about a subject."""

    kind: str
    subject: str
    phase: str
    text: str

    @property
    def name(self) -> str:
        """The name by which a reviewed list argues it."""
        return f"{self.subject} {self.phase}".strip()


@dataclass(slots=True)
class Comparison:
    """All changes, how many verdicts were decided before, and the seconds of both."""

    changes: list[Change] = field(default_factory=list)
    decided: int = 0
    subjects: int = 0
    before: float = 0.0
    after: float = 0.0
    slower: list[tuple[str, float, float]] = field(default_factory=list)

    def of(self, kind: str) -> list[Change]:
        """The changes of one kind."""
        return [one for one in self.changes if one.kind == kind]


def compared(before: Mapping[str, Line], after: Mapping[str, Line]) -> Comparison:
    """Everything that differs between two ledgers."""
    found = Comparison()
    for name in sorted(before.keys() | after.keys()):
        one, two = before.get(name), after.get(name)
        if one is None or two is None:
            found.changes.append(Change(NEW if one is None else GONE, name, "", ""))
        elif one.digest != two.digest and "/" in name and one.status is not None:
            found.changes.append(Change(OTHER_SUBJECT, name, "", ""))
        else:
            found.subjects += 1
            found.decided += sum(phase.word in _DECIDED for phase in one.phases.values())
            found.changes.extend(_changes(one, two))
            found.before, found.after = found.before + one.seconds, found.after + two.seconds
            if two.seconds > max(_FACTOR * one.seconds, one.seconds + _SECONDS):
                found.slower.append((name, one.seconds, two.seconds))
    found.slower.sort(key=lambda each: each[1] - each[2])
    return found


def _changes(one: Line, two: Line) -> Iterator[Change]:
    moved = False
    for phase in sorted(one.phases.keys() | two.phases.keys()):
        first, second = one.phases.get(phase), two.phases.get(phase)
        for change in _of_phase(one.subject, phase, first, second):
            moved = moved or change.kind in (FLIPPED, LOST, GAINED)
            yield change
    if not moved and (one.status != two.status or one.said != two.said):
        words = [f"exit {one.status} -> {two.status}"] if one.status != two.status else []
        if one.said != two.said:
            words.append(f"{one.said!r} -> {two.said!r}")
        flipped = not one.phases and not two.phases and {one.status, two.status} == {0, 1}
        yield Change(FLIPPED if flipped else REWORDED, one.subject, "", "; ".join(words))


def _of_phase(subject: str, phase: str, one: Phase | None, two: Phase | None) -> Iterator[Change]:
    first, second = (each.word if each is not None else "none" for each in (one, two))
    shown = f"{_shown(one)} -> {_shown(two)}"
    if first != second:
        if {first, second} in ({"SUCCESSFUL", "FAILED"}, {"bounded", "FAILED"}) or "ERROR" in (first, second):
            yield Change(FLIPPED, subject, phase, shown)
        elif second not in _DECIDED and (first in _DECIDED or second != "bounded"):
            yield Change(LOST, subject, phase, shown)
        else:
            yield Change(GAINED, subject, phase, shown)
    elif one is not None and two is not None and _findings(one) != _findings(two):
        yield Change(REWORDED, subject, phase, shown)


def _findings(phase: Phase) -> tuple[object, ...]:
    return phase.rules, phase.warnings, phase.kind


def _shown(phase: Phase | None) -> str:
    if phase is None:
        return "no verdict"
    parts = [phase.verdict, f"({phase.qualifier[:120]})" if phase.qualifier else ""]
    parts += [f"{rule} {witness}" for rule, witness in phase.rules[:4]]
    parts += [f"warning {warning}" for warning in phase.warnings[:4]]
    return " ".join(filter(None, parts))


def report(found: Comparison, reviewed: Mapping[str, str]) -> Iterator[str]:
    """The comparison as lines of text; what is `reviewed` is counted with its argument, by name."""
    for kind in (FLIPPED, LOST, GAINED, REWORDED, OTHER_SUBJECT, GONE, NEW):
        changes = found.of(kind)
        if not changes:
            continue
        share = f", {len(changes) / max(1, found.decided):.2%} of the decided" if kind == LOST else ""
        yield f"{kind}: {len(changes)}{share}"
        by_group = Counter(one.subject.partition("/")[0] for one in changes)
        yield "  " + ", ".join(f"{group} {number}" for group, number in by_group.most_common())
        for one in changes if kind not in (NEW, OTHER_SUBJECT) else ():
            argument = argued(one, reviewed)
            yield f"  {one.name}: {one.text}" + (f"   [reviewed: {argument}]" if argument else "")
    ratio = found.after / found.before if found.before else 1.0
    yield f"processor time: {found.before:.1f} -> {found.after:.1f} s ({ratio:.2f}x)"
    for name, before, after in found.slower[:20]:
        yield f"  slower: {name}: {before:.2f} -> {after:.2f} s"
    left = unreviewed(found, reviewed)
    yield f"{found.subjects} subjects compared, {len(found.changes)} changes, {len(left)} to be argued"


def argued(change: Change, reviewed: Mapping[str, str]) -> str:
    """The argument of a change, by its name or by the longest beginning of it that the list has with a `*`."""
    if change.name in reviewed:
        return reviewed[change.name]
    fits = [key for key in reviewed if key.endswith("*") and change.name.startswith(key[:-1])]
    return reviewed[max(fits, key=len)] if fits else ""


def unreviewed(found: Comparison, reviewed: Mapping[str, str]) -> list[Change]:
    """The changes that fail the comparison."""
    return [one for one in found.changes if one.kind in ARGUED and not argued(one, reviewed)]
