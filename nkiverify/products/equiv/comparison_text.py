"""The four answers about two kernels, as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from nkiverify.foundation.budget import ReportingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.model.policy import ACCEPT_TESTED
from nkiverify.products.equiv.comparison import ComparisonFinding, Difference, EquivalenceAnswer, KernelComparison
from nkiverify.report.style import Style
from nkiverify.results import wording
from nkiverify.results.wording import counted, place

if TYPE_CHECKING:
    from nkiverify.analysis.values.slices import Slice
    from nkiverify.products.equiv.gradients import GradientAnswers

AnswersT = TypeVar("AnswersT", "KernelComparison", "GradientAnswers")

_LEGAL = {EquivalenceAnswer.YES: "LEGAL", EquivalenceAnswer.NO: "ILLEGAL"}
#: What is said of dimensions for which nothing is argued.
_ONLY_HERE = f"the answers are those at these shapes; give numbers, or --accept {ACCEPT_TESTED}"
_QUESTIONS = (("legal", "legal"), ("defined", "defined"), ("reals", "over the reals"), ("floats", "floating point"))


@dataclass(frozen=True, slots=True)
class NeverRun:
    """A way that a kernel goes from `site` where `text` holds, which it does at none of the shapes."""

    site: Site | None
    text: str


@dataclass(frozen=True, slots=True)
class Answered(Generic[AnswersT]):
    """The answers about two kernels `at` each choice of dimensions, the chosen ones first; the kernels are known by
    their references, `PATH::NAME`, and names."""

    references: tuple[str, str]
    names: tuple[str, str]
    at: list[tuple[dict[str, int], AnswersT]]
    #: What the kernels do at none of these shapes.
    untaken: list[NeverRun]
    #: Kernels for which no other sizes are tried, as they may not be made for them.
    made_for_sizes: tuple[str, ...]
    #: Dimensions of which values were asked about that no shape has, and for which nothing is argued.
    open: tuple[str, ...] = ()


def text(answered: Answered[KernelComparison], base: Path, style: Style) -> str:
    """The output of `nkiverify equiv`."""
    lines = [style.head(" and ".join(answered.references))]
    (chosen, found), *others = answered.at
    if chosen:
        lines.append("  chosen: " + sizes(chosen))
    lines += _answers(found, answered.names, base, style)
    for dimensions, other in others:
        if [one.answer for one in other.findings()] == [one.answer for one in found.findings()]:
            lines.append(f"  also: {sizes(dimensions)}: the same answers")
        else:
            lines.append(f"  also: {sizes(dimensions)}")
            lines += _answers(other, answered.names, base, style)
    lines += untried(answered, base, style)
    return "\n".join(lines)


def untried(answered: Answered[Any], base: Path, style: Style) -> list[str]:
    """The lines about what was not tried: ways of the kernels that no shape takes, and other shapes of kernels that are
    made for some sizes."""
    lines = {
        f"{'' if way.site is None else f'{place(way.site.file, way.site.line, base)}: '}{way.text}": None
        for way in answered.untaken
    }
    found = [
        f"  {style.warn('never run')}       {line}, at none of these shapes"
        for line in list(lines)[: ReportingBudget.LINES_OF_A_SLICE]
    ]
    explained = {name for one in getattr(answered.at[0][1], "for_all", ()) if one.why_not for name in one.dimensions}
    open = [name for name in answered.open if name not in explained]
    if open:
        found.append(f"{for_all_of(open)}{style.warn('not argued')}: {_ONLY_HERE}")
    made_for_sizes = answered.made_for_sizes
    return (
        found
        if not made_for_sizes
        else [
            *found,
            f"  also: no other sizes, for which {' and '.join(made_for_sizes)} may not be made: "
            "make_kernel(M), with a dimension, is made for each",
        ]
    )


def for_all_of(dimensions: Iterable[str]) -> str:
    """The beginning of the line about all values of dimensions."""
    label = f"for all {', '.join(dimensions)}"
    return f"  {label:15} "


def sizes(dimensions: Mapping[str, int]) -> str:
    """Dimensions with their values."""
    return ", ".join(f"{name} = {value}" for name, value in dimensions.items())


def _answers(found: KernelComparison, names: tuple[str, str], base: Path, style: Style) -> list[str]:
    """The four answers at one choice of shapes."""
    lines = []
    if found.shapes:
        lines.append("  at: " + ", ".join(f"{name} {shape}" for name, shape in found.shapes.items()))
    lines += [f"  assumed: {text}" for text in found.assumed]
    for name, called in _QUESTIONS:
        finding: ComparisonFinding | None = getattr(found, name)
        if finding is None:
            lines.append(f"  {called:15} not asked: the kernels do not both run")
            continue
        lines.append(f"  {called:15} {painted(name, finding.answer, style)}: {wording.text(finding.text, base)}")
    if found.reals is not None and found.reals.difference is not None:
        lines += _difference(found.reals.difference, names, base)
    return lines


def _difference(difference: Difference, names: tuple[str, str], base: Path) -> list[str]:
    """The element, an example in floating point, where the runs part, and where the element came from."""
    lines = []
    element = ", ".join(map(str, difference.element))
    if difference.example:
        lines.append(f"  {difference.output}[{element}] is {difference.example}")
    sides = (
        (names[0], difference.first, difference.first_slice),
        (names[1], difference.second, difference.second_slice),
    )
    for name, _, came_from in sides:
        if came_from.parts is not None:
            where = came_from.parts.site
            at = "" if where is None else f"{place(where.file, where.line, base)}  "
            lines.append(f"  {name} computes what the other one does not from {at}{came_from.parts.text} on")
    for name, value, came_from in sides:
        if came_from.lines:
            lines.append(f"  {difference.output}[{element}] of {name}, modulo the primes {value}:")
            lines += _slice(came_from, base)
    return lines


def painted(question: str, answer: EquivalenceAnswer, style: Style) -> str:
    """The word of an answer, in its colour."""
    word = _LEGAL.get(answer, answer.value) if question == "legal" else answer.value
    if answer is EquivalenceAnswer.NO:
        return style.bad(word)
    return style.warn(word) if answer in (EquivalenceAnswer.UNKNOWN, EquivalenceAnswer.ROUNDINGS) else style.good(word)


def _slice(found: Slice, base: Path) -> list[str]:
    lines = []
    hidden = len(found.lines) - ReportingBudget.LINES_OF_A_SLICE
    if hidden > 0:
        lines.append(f"    … {counted(hidden, 'line')} before")
    for line in found.lines[-ReportingBudget.LINES_OF_A_SLICE :]:
        where = "" if line.site is None else place(line.site.file, line.site.line, base)
        times = "" if line.times == 1 else f"  ({line.times} times)"
        lines.append(f"    {where}  {line.text}{times}")
    lines.append(f"    from {', '.join(found.arguments) or 'no argument'}")
    return lines
