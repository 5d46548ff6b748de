"""The cost of a kernel as it is reported: plain numbers and texts, which a process hands on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from difflib import get_close_matches
from functools import cached_property

from nkiverify.analysis.sets.keys import Key, key_of
from nkiverify.foundation.budget import CostingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError
from nkiverify.foundation.source import Site
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import Target
from nkiverify.ir.program import Claim, Program
from nkiverify.ir.walk import of_kind
from nkiverify.model.current_execution import SHAPE_PHASES
from nkiverify.model.hardware import Hardware
from nkiverify.model.recorded import Allocation, Executed, Returned
from nkiverify.phases import MEMORY, PHASES
from nkiverify.phases.memory.peaks import reference_values
from nkiverify.products.cost.bound import EngineSeconds, times
from nkiverify.products.cost.budget import Budgeted, budgeted
from nkiverify.products.cost.counting import NOTHING, Amount, CostFigures
from nkiverify.products.cost.formulas import Cost, NoNumber, cost_of
from nkiverify.products.cost.lints import CostWarning, lints
from nkiverify.products.cost.once import Once, once, summed
from nkiverify.products.cost.spills import Peak, peaks
from nkiverify.symbolic.atoms import Atom, Min, Term, render
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.terms import make, of_atom, scale
from nkiverify.verify.exploration import explore

#: Why there are no figures of a program without operations: a budget would hold of it whatever it says.
_NOTHING_DONE = "it executes no operation of NKI: no shape that was asked about is one that it takes, or it has none"
#: Sums of figures that have a name of their own.
SUMS = {
    "instructions": (
        CostFigures.DMA_INSTRUCTIONS,
        CostFigures.TENSOR_INSTRUCTIONS,
        CostFigures.SCALAR_INSTRUCTIONS,
        CostFigures.VECTOR_INSTRUCTIONS,
        CostFigures.GPSIMD_INSTRUCTIONS,
        CostFigures.OPEN_INSTRUCTIONS,
    ),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A figure: its formula, at least and at most, and its number at the shape that is reported."""

    name: str
    low: str
    high: str
    least: int | None
    most: int | None


@dataclass(frozen=True, slots=True)
class TrafficAtPlace:
    """The bytes that the operation at a place reads and writes of HBM."""

    site: Site | None
    operation: str
    figure: str
    formula: str
    number: int | None


@dataclass(frozen=True, slots=True)
class Bounding:
    """The engine that bounds the time for values of a dimension, in order, the others as they are reported."""

    dimension: str
    engines: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class CostReport:
    """The cost of a kernel on one generation of the hardware. `refused` says why there are no figures. `assumed` are
    the options of what was inferred, `where` the conditions of the domain that was derived, where nobody gave them."""

    subject: str
    hardware: str
    refused: str = ""
    assumed: str = ""
    where: tuple[str, ...] = ()
    at: Mapping[str, int] = field(default_factory=dict)
    rows: tuple[Row, ...] = ()
    places: tuple[TrafficAtPlace, ...] = ()
    unknown: tuple[tuple[Site | None, str], ...] = ()
    peaks: tuple[Peak, ...] = ()
    times: EngineSeconds | None = None
    bounding: tuple[Bounding, ...] = ()
    found: tuple[CostWarning, ...] = ()
    budgets: tuple[Budgeted, ...] = ()

    @property
    def by_name(self) -> dict[str, Row]:
        """The rows by name."""
        return {row.name: row for row in self.rows}

    @property
    def intensity(self) -> float | None:
        """Floating-point operations of matmuls for each byte of HBM that is moved as written."""
        rows = self.by_name
        flops = rows["flops"].most if "flops" in rows else None
        moved = [rows[name].most for name in ("hbm_read", "hbm_written") if name in rows]
        total = sum(number for number in moved if number is not None)
        return flops / total if flops and total and None not in moved else None


@dataclass(frozen=True, slots=True)
class CostQuestion:
    """A question about a cost: the shape that numbers are for, budgets, warnings."""

    at: Mapping[str, int] = field(default_factory=dict)
    budgets: tuple[str, ...] = ()
    lints: bool = False


class _Figures:
    """The figures of a program by name, as amounts."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.cost: Cost = cost_of(program)
        self.once: tuple[Once, ...] = once(self.cost)

    @property
    def moved_once(self) -> Amount:
        """The bytes of HBM that are read, and those that are written, each once."""
        return summed(self.once, writes=False).plus(summed(self.once, writes=True))

    def named(self, name: str) -> Amount | None:
        """A figure, or a dimension; None where it has no closed form. Raises `UsageError` where there is none."""
        if name in ("once", "hbm_read_once"):
            return summed(self.once, writes=False)
        if name == "hbm_written_once":
            return summed(self.once, writes=True)
        if name in self.cost.dimensions:
            return Amount.of(of_atom(self.cost.dimensions[name]))
        parts = SUMS.get(name) or [figure for figure in CostFigures if figure.value == name]
        if not parts:
            named = [figure.value for figure in CostFigures if not figure.value.endswith("least")]
            known = [*named, *SUMS, "once", "hbm_read_once", "hbm_written_once", *self.cost.dimensions]
            near = get_close_matches(name, known, 1)
            said = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise UsageError(f"--budget: there is no figure {name}; {said}")
        total = NOTHING
        for part in parts:
            low, high = self.cost.formula(part)
            if low is None or high is None:
                return None
            total = total.plus(Amount(low, high))
        return total

    def _once(self) -> Iterator[tuple[str, Amount]]:
        """The bytes that are read and written at all; of these those of tensors that are the kernel's own, where it has
        some in HBM."""
        yield "hbm_read_once", summed(self.once, writes=False)
        yield "hbm_written_once", summed(self.once, writes=True)
        own = [one for one in self.once if key_of(one.storage) in self._own]
        if own:
            yield "scratch_read_once", summed(own, writes=False)
            yield "scratch_written_once", summed(own, writes=True)

    @cached_property
    def _own(self) -> set[Key]:
        """The tensors in HBM that are neither given to the kernel nor returned by it."""
        used = {key_of(one.storage) for one in self.once}
        returned = {key_of(tensor.storage) for item in of_kind(self.program.body, Returned) for tensor in item.tensors}
        allocated = {key_of(item.storage) for item in of_kind(self.program.body, Allocation)}
        return used & allocated - returned

    def rows(self, values: Mapping[Atom, int]) -> Iterator[Row]:
        """All figures that are not nothing, with their numbers."""
        for figure in CostFigures:
            if figure.value.endswith("least") or not any(True for _ in self.cost.of(figure)):
                continue
            low, high = self.cost.formula(figure)
            least, most = _numbers(self.cost, figure, values)
            one, other = ("no closed form" if term is None else shown(term) for term in (low, high))
            yield Row(figure.value, one, other, least, most)
        here = Valuation(values)
        for name, amount in self._once():
            try:
                yield Row(name, shown(amount.low), shown(amount.high), here.term(amount.low), here.term(amount.high))
            except Undefined:
                yield Row(name, shown(amount.low), shown(amount.high), None, None)


def _numbers(cost: Cost, figure: CostFigures, values: Mapping[Atom, int]) -> tuple[int | None, int | None]:
    try:
        return cost.at(figure, values)
    except (NoNumber, Undefined):
        return None, None


def report(subject: str, target: Target, hardware: Hardware, asked: CostQuestion, seconds: float) -> CostReport:
    """The cost of a target."""
    try:
        exploration = explore(target, hardware, Limits(seconds=seconds), SHAPE_PHASES | {4})
    except UnsupportedConstruct as limit:
        return CostReport(subject, hardware.name, _stopped(limit.construct, limit.site))
    stopped = exploration.run.unsupported_construct
    if stopped is not None:
        return CostReport(subject, hardware.name, _stopped(stopped.construct, stopped.site))
    program = exploration.program
    if next(of_kind(program.body, Executed), None) is None:
        return CostReport(subject, hardware.name, _NOTHING_DONE)
    figures = _Figures(program)
    unknown = [(one.site, one.what) for one in figures.cost.unknown]
    unknown += [
        (claim.site, "a loop that is followed for some iterations only")
        for claim in of_kind(program.body, Claim)
        if claim.unwinding
    ]
    shape = _shape(program, asked.at)
    values = {atom: shape[name] for name, atom in figures.cost.dimensions.items()}
    said = "; ".join(f"{what}{f' at {site}' if site is not None else ''}" for site, what in unknown)
    budgets = tuple(budgeted(text, program, figures.named, said) for text in asked.budgets)
    found = lints(figures.cost, hardware) if asked.lints else ()
    return CostReport(
        subject,
        hardware.name,
        at=shape,
        rows=tuple(figures.rows(values)),
        places=tuple(_places(figures.cost, values)),
        unknown=tuple(unknown),
        times=_times(figures, hardware, values),
        bounding=tuple(_bounding(figures, hardware, values)),
        found=found,
        budgets=budgets,
        # The last: it puts claims into the program.
        peaks=tuple(peaks(exploration.claimed(PHASES[MEMORY.number], seconds), figures.cost, hardware, values)),
    )


def _stopped(construct: str, site: Site | None) -> str:
    return f"{construct} at {site}" if site is not None else construct


def _shape(program: Program, given: Mapping[str, int]) -> dict[str, int]:
    """The shape that numbers are reported for. Raises `UsageError` where it is not in the domain."""
    known = {one.atom.name: one.atom for one in program.dimensions}
    for name in given:
        if name not in known:
            raise UsageError(f"--at: there is no dimension {name}; there are {', '.join(known) or 'none'}")
    # Those that are not given follow: B of a matmul has as many rows as A, whatever that is.
    pinned = [
        replace(one, low=given[one.atom.name], high=given[one.atom.name]) if one.atom.name in given else one
        for one in program.dimensions
    ]
    reference = reference_values(replace(program, dimensions=pinned))
    values = {name: reference[atom] for name, atom in known.items()}
    here = Valuation({atom: values[name] for name, atom in known.items()})
    if given and not here.satisfies(program.domain):
        shown = ", ".join(f"{name} = {value}" for name, value in given.items())
        raise UsageError(f"--at: {shown} is not in the domain")
    return values


def _places(cost: Cost, values: Mapping[Atom, int]) -> Iterator[TrafficAtPlace]:
    for one in cost.counted:
        if one.figure in (CostFigures.HBM_READ, CostFigures.HBM_WRITTEN):
            formula = "no closed form" if one.high.closed is None else shown(one.high.closed)
            try:
                number: int | None = one.high.at(values)
            except (NoNumber, Undefined):
                number = None
            yield TrafficAtPlace(one.executed.site, one.executed.operation.name, one.figure.value, formula, number)


def _times(figures: _Figures, hardware: Hardware, values: Mapping[Atom, int]) -> EngineSeconds | None:
    try:
        return times(figures.cost, figures.moved_once, hardware, values)
    except (NoNumber, Undefined):
        return None


def _bounding(figures: _Figures, hardware: Hardware, values: Mapping[Atom, int]) -> Iterator[Bounding]:
    program = figures.program
    for dimension in program.dimensions:
        if dimension.choices:
            continue
        found: list[tuple[str, int, int]] = []
        value = max(dimension.smallest, dimension.multiple_of, 1)
        for _ in range(CostingBudget.DOUBLINGS):
            here = {**values, dimension.atom: value}
            if value > dimension.greatest:
                break
            if Valuation(here).satisfies(program.domain):
                reported = _times(figures, hardware, here)
                if reported is None:
                    break
                engine = reported.bound[0]
                if found and found[-1][0] == engine:
                    found[-1] = (engine, found[-1][1], value)
                else:
                    found.append((engine, value, value))
            value *= 2
        if found:
            yield Bounding(dimension.atom.name, tuple(found))


def shown(term: Term) -> str:
    """A term as Python source would write it, with `max` where a minimum is subtracted."""
    parts = []
    for monomial, coefficient in term.monomials.items():
        least = [atom for atom in monomial if isinstance(atom, Min)]
        if coefficient > 0 or len(least) != 1 or monomial.count(least[0]) > 1:
            continue
        (atom,) = least
        greatest = f"max({', '.join(sorted(render(scale(each, -1)) for each in atom.terms))})"
        others = make({tuple(one for one in monomial if one is not atom): -coefficient})
        factor = render(others)
        parts.append(greatest if factor == "1" else f"{factor}*{greatest}")
        term = make({each: number for each, number in term.monomials.items() if each is not monomial})
    rest = render(term)
    return " + ".join([*parts, *([rest] if rest != "0" or not parts else [])]).replace("+ -", "- ")


def incomplete(reports: Sequence[CostReport]) -> bool:
    """True if figures are refused, or not all that is done is counted."""
    return any(one.refused or one.unknown for one in reports)
