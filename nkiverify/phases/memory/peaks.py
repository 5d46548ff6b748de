"""The findings of phase 3 besides its verdict: the peak of what is live, where it is, and how far each dimension
fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from nkiverify.analysis.lifetimes.live_intervals import Lifetimes
from nkiverify.analysis.lifetimes.usage import Allocated
from nkiverify.foundation.records import Growth, LiveTensor, MemoryPeak
from nkiverify.ir.program import DomainDimension, Program
from nkiverify.phases.memory.claims import REGIONS, MemoryClaims, Need
from nkiverify.phases.memory.occupancy import in_first_iteration, name_of, occupancy
from nkiverify.symbolic.atoms import Atom, render
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.terms import all_atoms

_Values = Mapping[Atom, int]

#: Values of a dimension that the growth of a peak is reported for; the part of the largest that fits by which they go
#: beyond it, and how many times the value that is shown where any fits.
_POINTS, _BEYOND, _TIMES = 12, 8, 4


def peaks(memory: MemoryClaims, program: Program) -> tuple[MemoryPeak, ...]:
    """The peak of each memory that is used."""
    found = []
    program = _narrowed(program)
    smallest = _smallest(program)
    for region in REGIONS:
        needs = [need for need in memory.needs if need.region is region]
        # Tiles that an allocator hands out in turn share their places: a sum of them says nothing.
        if needs and not any(one.storage.allocator for need in needs for one, _ in need.parts):
            found.append(_peak(needs, program, smallest, memory.lifetimes))
    return tuple(found)


def reference_values(program: Program) -> dict[Atom, int]:
    """The shape at which peaks, and costs, are reported: in the domain, each dimension four times its smallest if it
    can be."""
    narrowed = _narrowed(program)
    return _reference(narrowed, _smallest(narrowed))


def _narrowed(program: Program) -> Program:
    """`program` with the steps and the bounds of its dimensions that are assumed before anything else."""
    if not program.dimensions or not program.assumed:
        return program
    from nkiverify.engines.shapes import Shapes

    return replace(program, dimensions=list(Shapes(program.dimensions, program.assumed).dimensions))


def _peak(needs: Sequence[Need], program: Program, smallest: _Values, lifetimes: Lifetimes | None) -> MemoryPeak:
    dimensions = program.dimensions
    values = _reference(program, smallest)
    legal = _legal(program, values)
    need, at_values = _greatest(needs, values)
    formula = need.total
    region = needs[0].region
    places, tiles = occupancy(lifetimes, region, values) if lifetimes is not None and legal else ((), ())
    fits = _fits(needs, program, smallest) if dimensions else {}
    return MemoryPeak(
        memory=str(need.region),
        limit=need.limit,
        live=render(formula),
        at={dimension.atom.name: values[dimension.atom] for dimension in dimensions},
        bytes=at_values,
        place=need.site,
        tensors=tuple(LiveTensor(_name(one), render(taken)) for one, taken in need.parts),
        fits=fits,
        places=places,
        tiles=tiles,
        along=tuple(_along(needs, program, values, fits)) if legal else (),
    )


def _smallest(program: Program) -> dict[Atom, int]:
    """The smallest value of each dimension; where conditions exclude them together, the simplest shape that they
    let pass, if one is found."""
    least: dict[Atom, int] = {one.atom: one.smallest for one in program.dimensions}
    if _legal(program, least):
        return least
    from nkiverify.engines.shapes import Shapes, TooManyShapes

    try:
        shape = next(Shapes(program.dimensions, program.assumed).tried(), None)
    except TooManyShapes:
        shape = None
    return least if shape is None else {atom: shape[str(atom)] for atom in least}


def _reference(program: Program, smallest: _Values) -> dict[Atom, int]:
    """Values at which the peak is reported: each dimension four times its smallest, as far as the domain has that."""
    sizes = {one.atom for one in program.dimensions if not one.choices}
    values = {atom: value * 4 if atom in sizes else value for atom, value in smallest.items()}
    if _legal(program, values):
        # Also where some dimensions equal others.
        return values
    values = dict(smallest)
    for dimension in program.dimensions:
        if not dimension.choices:
            larger = {**values, dimension.atom: 4 * smallest[dimension.atom]}
            if _legal(program, larger):
                values = larger
    return values


def _legal(program: Program, values: _Values) -> bool:
    """True if values are in the domain: its ranges, and what is assumed before anything else happens."""
    for dimension in program.dimensions:
        high = dimension.greatest
        if not dimension.low <= values[dimension.atom] <= high or values[dimension.atom] % dimension.multiple_of:
            return False
    return _satisfied(program.assumed, values)


def _satisfied(path: Sequence[Condition | bool], values: _Values) -> bool:
    """True if conditions hold, those about loop indices left out."""
    valuation = Valuation(values)
    for condition in path:
        if isinstance(condition, Condition) and not condition.indices():
            try:
                if not valuation.holds(condition):
                    return False
            except Undefined:
                continue
    return True


def _greatest(needs: Sequence[Need], values: _Values) -> tuple[Need, int | None]:
    """The need that is greatest for some values, and how many bytes it is; the first one where that is not known."""
    best: tuple[Need, int | None] = (needs[0], None)
    for need in needs:
        found = bytes_of(need, values)
        if found is not None and (best[1] is None or found > best[1]):
            best = (need, found)
    return best


def bytes_of(need: Need, values: _Values) -> int | None:
    """The bytes needed for some values; None where the place is not reached, or they differ in its iterations."""
    total = in_first_iteration(need.total)
    if not _satisfied(need.path, values):
        return None
    try:
        return Valuation(values).term(total)
    except Undefined:
        return None


def largest(needs: Sequence[Need], values: _Values) -> int:
    """The most bytes of a partition that are live for some values of the dimensions, at most."""
    return max((bytes_of(need, values) or 0 for need in needs), default=0)


def _fits(needs: Sequence[Need], program: Program, smallest: _Values) -> dict[str, int | None]:
    """The largest value of each dimension that fits with the others at their smallest; None for any value, and nothing
    where it is not known."""
    found: dict[str, int | None] = {}
    for dimension in program.dimensions:
        if dimension.choices or not any(dimension.atom in all_atoms(need.total) for need in needs):
            continue
        step = dimension.multiple_of
        low = smallest[dimension.atom] // step
        high = dimension.greatest // step

        def fits(count: int, dimension: DomainDimension = dimension, step: int = step) -> bool | None:
            values = {**smallest, dimension.atom: count * step}
            if not _legal(program, values):
                return None
            return largest(needs, values) <= needs[0].limit

        most = _largest_true(fits, low, high)
        if most is not None:
            if most == high:
                found[dimension.atom.name] = None
            elif fits(most + 1) is not None:
                # Of a dimension that is tied to others, so that its next value is none, nothing is known.
                found[dimension.atom.name] = most * step
    return found


def _along(
    needs: Sequence[Need], program: Program, values: _Values, fits: Mapping[str, int | None]
) -> Iterator[Growth]:
    """How much is live at most for some values of each dimension, to a little beyond what fits or a few times what is
    shown, the others as in `values`."""
    for dimension in program.dimensions:
        if dimension.choices or dimension.atom.name not in fits:
            continue
        step = dimension.multiple_of
        most = fits[dimension.atom.name]
        last = (most + most // _BEYOND + step if most is not None else _TIMES * values[dimension.atom]) // step
        first = -(-dimension.low // step)
        counts = sorted({first + (last - first) * part // _POINTS for part in range(_POINTS + 1)})
        tried = [(count * step, {**values, dimension.atom: count * step}) for count in counts]
        points = [(value, largest(needs, shape)) for value, shape in tried if _legal(program, shape)]
        if len(points) > 1:
            found, taken = zip(*points, strict=True)
            yield Growth(dimension.atom.name, found, taken)


def _largest_true(fits: Callable[[int], bool | None], low: int, high: int) -> int | None:
    """The largest number from `low` to `high` that fits, found by bisection; None where `low` does not, or the domain
    ties the dimension to another one."""
    if not fits(low):
        return None
    if fits(high):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low


def _name(allocated: Allocated) -> str:
    return name_of(allocated.storage, allocated.site)
