"""Reading what ESBMC prints.

Two layouts are known. Up to version 7, a run says VERIFICATION SUCCESSFUL or FAILED, in the latter case after the trace
of one violated property. From version 8 on there is a table besides, with a line for every property, and with
`--multi-property` a trace for every violated one. `VERIFICATION FAILED` alone refutes nothing: it also covers an
unwinding assertion (the bound was too small). A time-out, a syntax error and a crash end with exit status 1 as well.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Collection, Mapping
from dataclasses import field, replace

from nkiverify.engines.esbmc.esbmc_process import Finished, ProcessEnding
from nkiverify.foundation.dataclass import dataclass

#: The first version that prints the table of properties.
TABLE_SINCE = (8, 0, 0)

#: How the lowering words a claim's message; the number is that of the claim.
CLAIM_MESSAGE = "claim {number}"

Version = tuple[int, int, int]


class Conclusion(enum.Enum):
    """The conclusion of a run about its program as a whole."""

    SUCCESSFUL = "VERIFICATION SUCCESSFUL"
    FAILED = "VERIFICATION FAILED"
    UNKNOWN = "VERIFICATION UNKNOWN"
    TIMED_OUT = "time-out"
    OUT_OF_MEMORY = "out of memory"
    CRASHED = "crash"
    #: No verdict that can be believed: a rejected input, torn or contradictory output.
    FAULT = "fault"


class PropertyKind(enum.Enum):
    """The subject of a property."""

    CLAIM = "claim"
    UNWINDING = "unwinding assertion"
    OVERFLOW = "arithmetic overflow"
    #: A check that ESBMC adds by itself and our programs never break: division by zero, an exception in Python.
    OTHER = "other"


class Status(enum.Enum):
    """The status of a property in the table."""

    PASSED = "PASSED"
    FAILED = "FAILED"
    NOT_CHECKED = "NOT CHECKED"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Property:
    """A property: its message, the line of the program it is on (0 where ESBMC gives none), the claim it is."""

    kind: PropertyKind
    message: str
    line: int
    claim: int | None = None

    def copies(self, same_claims: Mapping[int, Collection[int]]) -> list[Property]:
        """The same property of the other claims that the one it is of answers for."""
        others = same_claims.get(self.claim, ()) if self.claim is not None else ()
        return [replace(self, message=CLAIM_MESSAGE.format(number=other), claim=other) for other in others]


@dataclass(frozen=True, slots=True)
class ViolatedProperty:
    """A violated property with the values that variables of the program had last before it, by name."""

    property: Property
    values: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EsbmcReport:
    """The report of one run of ESBMC.

    `table` is there from version 8 on; `every` says that the run was to give a verdict on every property. `detail` says
    more about a crash or a fault.
    """

    conclusion: Conclusion
    violations: tuple[ViolatedProperty, ...] = ()
    table: tuple[tuple[Property, Status], ...] = ()
    detail: str = ""
    every: bool = False

    def without(self, claim: int) -> EsbmcReport:
        """The report as if this claim had not been asked for, of a run that gives a verdict on every property."""
        table = tuple(row for row in self.table if row[0].claim != claim)
        violations = tuple(violation for violation in self.violations if violation.property.claim != claim)
        failed_alone = self.conclusion is Conclusion.FAILED and self.every and len(table) < len(self.table)
        if failed_alone and not violations and all(status is Status.PASSED for _, status in table):
            return replace(self, conclusion=Conclusion.SUCCESSFUL, violations=(), table=table)
        return replace(self, violations=violations, table=table)

    def answering(self, same_claims: Mapping[int, Collection[int]]) -> EsbmcReport:
        """The report as if the claims that are the same as another, by its number, had been asked for, too."""
        table: list[tuple[Property, Status]] = []
        for row, status in self.table:
            table += [(one, status) for one in (row, *row.copies(same_claims))]
        violations: list[ViolatedProperty] = []
        for violation in self.violations:
            same = [violation.property, *violation.property.copies(same_claims)]
            violations += [replace(violation, property=one) for one in same]
        return replace(self, violations=tuple(violations), table=tuple(table))


_VERSION = re.compile(r"^ESBMC version (\d+)\.(\d+)(?:\.(\d+))?\b.*$", re.MULTILINE)
_CONCLUSION = re.compile(r"^VERIFICATION (SUCCESSFUL|FAILED|UNKNOWN)\n", re.MULTILINE)
_STATE = re.compile(r"^State \d+ .*thread \d+$")
_ASSIGNMENT = re.compile(r"^  ([A-Za-z_]\w*) ?= ?(-?\d+)(?: \([01 ]+\))?$")
_LINE = re.compile(r"\bline (\d+)\b")
_TABLE_ROW = re.compile(r"^  (PASSED|FAILED|NOT CHECKED|UNKNOWN) +\[[^\]]*\] +line +(\d+)  (.*)$")
_CLAIM = re.compile(CLAIM_MESSAGE.format(number=r"(\d+)"))
_OUT_OF_MEMORY = re.compile(r"^(?:ERROR: )?Out of memory|std::bad_alloc", re.MULTILINE)
_TIMED_OUT = re.compile(r"^(?:ERROR: )?Timed out$", re.MULTILINE)


def version_in(text: str) -> Version | None:
    """The version that a line of `text` names."""
    found = _VERSION.search(text)
    return (int(found[1]), int(found[2]), int(found[3] or 0)) if found else None


def read(finished: Finished, version: Version) -> EsbmcReport:
    """The report of a run of ESBMC `version`."""
    if finished.ending is ProcessEnding.TIMED_OUT:
        return EsbmcReport(Conclusion.TIMED_OUT)
    if finished.ending is not ProcessEnding.EXITED:
        return _fault(f"{finished.ending.value}: {last_line(finished.text)}")
    text = finished.text
    conclusions = {found[1] for found in _CONCLUSION.finditer(text)}
    if not conclusions:
        return _without_verdict(finished)
    if len(conclusions) > 1:
        return _fault("two verdicts that contradict each other")
    conclusion = Conclusion(f"VERIFICATION {conclusions.pop()}")
    if version_in(text) != version:
        return _fault("the output is not of the version that the build names itself")
    violations, table = _violations(text), _table(text)
    broken = _contradiction(conclusion, finished.status, violations, table, version)
    if broken:
        return _fault(broken)
    return EsbmcReport(conclusion, violations, table)


def _contradiction(
    conclusion: Conclusion,
    status: int | None,
    violations: tuple[ViolatedProperty, ...],
    table: tuple[tuple[Property, Status], ...],
    version: Version,
) -> str:
    """Why the parts of the output cannot all be true, if so."""
    failed = {property for property, found in table if found is Status.FAILED}
    if conclusion is Conclusion.SUCCESSFUL:
        if status != 0:
            return f"{conclusion.value}, but the exit status is {status}"
        if version >= TABLE_SINCE and any(found is not Status.PASSED for _, found in table):
            return f"{conclusion.value}, but not every property has passed"
    elif conclusion is Conclusion.FAILED:
        if status != 1:
            return f"{conclusion.value}, but the exit status is {status}"
        if not violations and not failed:
            return f"{conclusion.value}, but no property is named"
        if version >= TABLE_SINCE and not failed:
            return f"{conclusion.value}, but no property has failed"
    return ""


def _without_verdict(finished: Finished) -> EsbmcReport:
    if _TIMED_OUT.search(finished.text):
        return EsbmcReport(Conclusion.TIMED_OUT)
    if _OUT_OF_MEMORY.search(finished.text):
        return EsbmcReport(Conclusion.OUT_OF_MEMORY)
    if finished.status is not None and finished.status < 0:
        return EsbmcReport(Conclusion.CRASHED, detail=f"ESBMC was killed by signal {-finished.status}")
    return _fault(f"exit status {finished.status} without a verdict: {last_line(finished.text)}")


def _fault(detail: str) -> EsbmcReport:
    return EsbmcReport(Conclusion.FAULT, detail=detail)


def last_line(text: str) -> str:
    """The line of an output that most likely says what was wrong: the last with the word error, or the last."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not _VERSION.match(line)]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["no output"])[-1][:200]


def property_named(message: str, line: int) -> Property:
    """The property with this message."""
    claim = _CLAIM.fullmatch(message)
    if claim:
        return Property(PropertyKind.CLAIM, message, line, int(claim[1]))
    if message.startswith("unwinding assertion"):
        return Property(PropertyKind.UNWINDING, message, line)
    if message.startswith("arithmetic overflow"):
        return Property(PropertyKind.OVERFLOW, message, line)
    return Property(PropertyKind.OTHER, message, line)


def _violations(text: str) -> tuple[ViolatedProperty, ...]:
    """The violated properties, each with the values of its trace.

    A trace is a run of states; a state is a heading, a rule, and an assignment or the violated property, which ends it:

        State 2 file a.c line 4 function main thread 0
        ----------------------------------------------------
          k = -3 (11111111 11111101)
    """
    found: list[ViolatedProperty] = []
    values: dict[str, int] = {}
    lines = iter(text.splitlines())
    for line in lines:
        if line in ("Counterexample:", "[Counterexample]"):
            values = {}
        elif _STATE.match(line):
            next(lines, "")
            content = next(lines, "")
            if content == "Violated property:":
                found.append(ViolatedProperty(_violated(next(lines, ""), next(lines, "")), values))
                values = {}
            elif assignment := _ASSIGNMENT.match(content):
                values[assignment[1]] = int(assignment[2])
    return tuple(found)


def _violated(place: str, message: str) -> Property:
    """The property of the two lines after "Violated property:"; the place is left out where there is none."""
    if not place.startswith("  file "):
        return property_named(place.strip(), 0)
    line = _LINE.search(place)
    return property_named(message.strip(), int(line[1]) if line else 0)


def _table(text: str) -> tuple[tuple[Property, Status], ...]:
    _, _, rest = text.partition("\n** Results:\n")
    rows: list[tuple[Property, Status]] = []
    for line in rest.splitlines():
        if line.startswith("** "):
            break
        if row := _TABLE_ROW.match(line):
            rows.append((property_named(row[3].strip(), int(row[2])), Status(row[1])))
    return tuple(rows)
