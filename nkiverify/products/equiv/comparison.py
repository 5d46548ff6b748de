"""The answers to the questions about two kernels (docs/equivalence.md), and the first of them: are they legal."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import field

from nkiverify.analysis.values.asked_kernel import AskedKernel
from nkiverify.analysis.values.slices import Slice
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.hardware import Hardware
from nkiverify.products.equiv.paired_runs import Illegal, Side, broken_in_memory, broken_text

#: Both kernels, run.
Executions = tuple[AskedKernel, AskedKernel]


class EquivalenceAnswer(enum.Enum):
    """The answer to one of the four questions."""

    YES = "EQUAL"
    NO = "DIFFERENT"
    UNKNOWN = "UNKNOWN"
    #: Over the reals only: equal if conversions that round changed nothing, but the kernels round different values.
    ROUNDINGS = "UNKNOWN (roundings)"
    #: Floating point only: no difference beyond the tolerance, on one input.
    TESTED = "EQUAL (tested)"


@dataclass(frozen=True, slots=True)
class Difference:
    """The first element in which two results differ: its output, coordinates, what each kernel has there, and how it
    got there."""

    output: str
    element: tuple[int, ...]
    first: str
    second: str
    first_slice: Slice
    second_slice: Slice
    #: What both kernels have there in floating point, and for which inputs.
    example: str = ""


@dataclass(frozen=True, slots=True)
class ComparisonFinding:
    """The answer to one question, with its reason in words."""

    answer: EquivalenceAnswer
    text: str
    difference: Difference | None = None


@dataclass(slots=True)
class KernelComparison:
    """The four answers. `error_bits`: equal values would agree by chance with a probability of at most 2^-bits.
    `assumed`: the ranges that only one kernel declares, which hold for both."""

    shapes: dict[str, str] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()
    legal: ComparisonFinding | None = None
    defined: ComparisonFinding | None = None
    reals: ComparisonFinding | None = None
    floats: ComparisonFinding | None = None
    error_bits: int = 0

    def not_argued(self, dimensions: tuple[str, ...]) -> tuple[str, ...]:
        """The ones among the `dimensions` for all whose values the answers are not argued: all of them."""
        return dimensions

    def findings(self) -> list[ComparisonFinding]:
        """The answers that were given."""
        return [answer for answer in (self.legal, self.defined, self.reals, self.floats) if answer is not None]


def run_legally(
    run: Callable[[], Executions], sides: Sequence[Side], hardware: Hardware
) -> tuple[Executions | None, ComparisonFinding]:
    """Both kernels, run, if they do; and the answer whether a contract was broken in no run, and they need no more
    memory than there is."""
    try:
        both = run()
    except Illegal as illegal:
        return None, ComparisonFinding(EquivalenceAnswer.NO, f"{illegal.side.label}: {illegal.text}")
    except UnsupportedConstruct as limit:
        return None, ComparisonFinding(EquivalenceAnswer.UNKNOWN, limit_text(limit))
    return both, _legality(tuple(zip(sides, both, strict=True)), hardware)


def _legality(runs: Sequence[tuple[Side, AskedKernel]], hardware: Hardware) -> ComparisonFinding:
    for side, execution in runs:
        text = broken_text(execution.run.broken)
        if text:
            return ComparisonFinding(EquivalenceAnswer.NO, f"{side.label}: {text}")
    for side, _ in runs:
        try:
            text = broken_text(broken_in_memory(side, hardware))
        except UnsupportedConstruct as limit:
            return ComparisonFinding(EquivalenceAnswer.UNKNOWN, f"the memory of {side.label}: {limit_text(limit)}")
        if text:
            return ComparisonFinding(EquivalenceAnswer.NO, f"{side.label}: {text}")
    return ComparisonFinding(EquivalenceAnswer.YES, "no contract is broken at these shapes")


def limit_text(limit: UnsupportedConstruct) -> str:
    where = f" at {limit.site}" if limit.site is not None else ""
    return f"{limit.construct}{where}"
