"""What a run found, as plain data: engines and phases produce it, reports and the dashboard consume it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


class Verdict(enum.Enum):
    """The outcome of one target in one phase by one engine, in the words ESBMC users know."""

    SUCCESSFUL = "SUCCESSFUL"
    FAILED = "FAILED"
    UNKNOWN = "UNKNOWN"
    VACUOUS = "VACUOUS"
    ERROR = "ERROR"


class Kind(enum.Enum):
    """What sort of target it is, in the words of the corpus table."""

    CONCRETE = "concrete"
    SYMBOLIC = "symbolic"
    UNBOUNDED = "unbounded"
    CONTROL = "control"
    HISTORICAL = "historical"
    BOUNDARY = "boundary"
    HOST_ARITHMETIC = "host arithmetic"
    FINDING = "finding"


@dataclass(frozen=True, slots=True)
class Violation:
    """One refuted claim. `witness` maps dimension names to the values for which the concrete run breaks the
    contract."""

    contract: str
    statement: str
    source: str
    file: str
    line: int
    message: str
    witness: dict[str, int | str]
    column: int = -1
    end_line: int = -1
    end_column: int = -1
    stub: str = ""
    replayed: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """One target, one phase, one engine.

    `qualifier` is what stands in brackets after the verdict: "bounded 8", "not replayed", the reason of an UNKNOWN.
    `closed_by` counts the claims each rung of the engine decided. `reason` says why the verdict is not a plain one.
    """

    target: str
    kernel: str
    family: str
    kind: Kind
    phase: int
    engine: str
    expected: Verdict | None
    verdict: Verdict
    qualifier: str = ""
    claims: int = 0
    closed_by: dict[str, int] = field(default_factory=dict)
    milliseconds: float = 0.0
    assumptions: tuple[str, ...] = ()
    violations: tuple[Violation, ...] = ()
    reason: str = ""
    flags: str = ""
    tags: tuple[str, ...] = ()
    traceback: str = ""

    @property
    def as_expected(self) -> bool:
        """UNKNOWN, VACUOUS and ERROR are never as expected, whatever was written down as the expectation."""
        if self.verdict not in (Verdict.SUCCESSFUL, Verdict.FAILED) or self.qualifier == "not replayed":
            return False
        return self.expected is None or self.expected is self.verdict
