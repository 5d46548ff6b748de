"""The shapes of a domain: in which order they are tried, and which are all of them up to a bound on each dimension.

The values that a dimension may have are found from the conditions on it themselves, in whatever form they are written:
`K % 128 == 0`, `not K % 128`, `K // 128 * 128 == K`, `K % 3 == 1 or K % 3 == 2`. One dimension is settled after the
other, so that `M == 2 * K` or `M % K == 0` are conditions on M alone once K has a value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count, islice
from math import gcd, inf, lcm

from nkiverify.foundation.budget import SearchingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.ir.program import Assume, Branch, DomainDimension, Item, Loop, Program
from nkiverify.ir.walk import Visitor
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Atom, Dimension, Div, Term
from nkiverify.symbolic.conditions import Condition, Junction
from nkiverify.symbolic.evaluation import Valuation
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.terms import INT32_MAX

#: Values at which tiles end: the one before, the one itself and the one after are tried.
EDGES = (128, 512)
#: Residues that are distinguished: conditions with a longer period are asked of each value.
_MAX_PERIOD = 1 << 16


class TooManyShapes(Exception):
    """There are too many values to look at: what was found may not be all there is."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The values of one dimension, `low` to `high`: those with one of the `residues` that satisfy all of `others`."""

    atom: Dimension
    low: int
    high: int
    period: int
    residues: tuple[int, ...]
    others: tuple[Condition, ...]

    @staticmethod
    def of(dimension: DomainDimension, known: Iterable[Condition]) -> Axis:
        """The values that a dimension has in its range and under conditions on it alone."""
        atom, known = dimension.atom, list(known)
        low, high = _range(dimension, known)
        period = lcm(dimension.multiple_of, *_divisors(known))
        if period > _MAX_PERIOD:
            period = dimension.multiple_of
        moved: dict[Atom, Term] = {atom: terms.add(terms.of_atom(atom), terms.constant(period))}
        # In their canonical form, conditions with this period are the same one period further on.
        periodic = {one.uid: one for one in known if one.substitute(moved) is one}
        step = dimension.multiple_of
        residues = tuple(at for at in range(0, period, step) if Valuation({atom: at}).satisfies(periodic.values()))
        return Axis(atom, low, high, period, residues, tuple(one for one in known if one.uid not in periodic))

    def values(self, start: int | None = None, most: int = SearchingBudget.VALUES_OF_A_DIMENSION) -> Iterator[int]:
        """The values from `start` on, ascending. Raises `TooManyShapes` where it has to look at more than `most` for
        the next one."""
        low = self.low if start is None else max(start, self.low)
        looked = 0
        for period in count(low // self.period) if self.residues else ():
            for residue in self.residues:
                value = period * self.period + residue
                if value > self.high:
                    return
                if value < low:
                    continue
                if Valuation({self.atom: value}).satisfies(self.others):
                    looked = 0
                    yield value
                    continue
                looked += 1
                if looked > most:
                    raise TooManyShapes

    def first(self, most: int) -> list[int]:
        """Up to this many of the least values that are found."""
        found: list[int] = []
        try:
            found.extend(islice(self.values(most=SearchingBudget.VALUES_OF_MANY), most))
        except TooManyShapes:
            return found
        return found

    def nearest(self, value: int) -> int | None:
        """The least value that is at least `value`; the greatest below it where there is none, as far as it is
        found."""
        try:
            found = next(self.values(value), None)
        except TooManyShapes:
            return None
        if found is not None:
            return found
        below = range(
            min(value, self.high), max(self.low, min(value, self.high) - SearchingBudget.VALUES_OF_MANY) - 1, -1
        )
        return next(filter(self.has, below), None)

    def has(self, value: int) -> bool:
        """True if `value` is one of them."""
        inside = self.low <= value <= self.high and value % self.period in self.residues
        return inside and Valuation({self.atom: value}).satisfies(self.others)

    def tried(self) -> list[int]:
        """The values to try: the first ones, and those about the edges of tiles."""
        found = self.first(2 * SearchingBudget.FIRST_VALUES + 1)
        if len(found) <= 2 * SearchingBudget.FIRST_VALUES:
            return found
        edges = (edge + off for edge in EDGES for off in (-1, 0, 1))
        return sorted({*found[: SearchingBudget.FIRST_VALUES], *(value for value in edges if self.has(value))})


def _range(dimension: DomainDimension, known: Sequence[Condition]) -> tuple[int, int]:
    """Between which values the dimension is; those that are not may be among them, but none that it has is left out."""
    atom = terms.of_atom(dimension.atom)
    low, high = dimension.low, dimension.greatest
    inside = [
        conditions.at_most_zero(terms.add(terms.constant(low), atom, -1)),
        conditions.at_most_zero(terms.add(atom, terms.constant(-high))),
    ]
    facts = Facts().extended(*inside, *known)
    if facts.contradictory:
        return low, low - 1
    least, most = facts.range_of(atom)
    return (max(low, int(least)) if least > -inf else low), (min(high, int(most)) if most < inf else high)


def _divisors(known: Iterable[Condition]) -> Iterator[int]:
    for one in known:
        for atom in one.atoms():
            if isinstance(atom, Div) and (divisor := atom.denominator.constant or 0) > 0:
                yield divisor


def domain_of(program: Program, texts: Iterable[str]) -> list[Condition | bool]:
    """The conditions on dimensions of the target, or of an assert with one of `texts` that is part of the domain.

    A target that asks for the truth of a condition, as `v.assume(not K % 128)` does, splits the run into paths. Where
    one of them is excluded before anything is executed, only the other one is examined.
    """
    return list(_Domain({"domain", *texts}).block(program.body))


class _Domain(Visitor[Condition | bool]):
    """The conditions of a domain, with those on the only path on which anything is executed."""

    def __init__(self, texts: Collection[str]) -> None:
        self._texts = texts
        self._executed = False

    def assume(self, item: Assume) -> Iterable[Condition | bool]:
        return (item.condition,) if item.text in self._texts else ()

    def recorded(self, item: Item) -> Iterable[Condition | bool]:
        self._executed = True
        return ()

    def loop(self, item: Loop) -> Iterable[Condition | bool]:
        return self.recorded(item)

    def branch(self, item: Branch) -> Iterable[Condition | bool]:
        if self._executed:
            return
        excluded = [arm.is_excluded(self._texts) for _, arm in item.arms]
        if any(excluded):
            condition, arm = item.arms[excluded[0]]
            yield condition
            yield from self.block(arm)


class Shapes:
    """The shapes of the domain that `dimensions` and conditions `assumed` of them describe."""

    def __init__(self, dimensions: Sequence[DomainDimension], assumed: Iterable[Condition | bool]) -> None:
        assumed = list(assumed)
        facts = Facts().extended(*assumed)
        self._conditions = tuple(_parts(assumed))
        self.empty = any(one is False for one in assumed) or facts.contradictory
        #: The dimensions with the range, and the step, that is assumed of them.
        self.dimensions = tuple(self._narrowed(dimension, facts) for dimension in dimensions)
        #: Those that follow from the others, and so need no bound of their own.
        self._following = {
            dimension.atom
            for dimension in self.dimensions
            if (found := facts.replacements.get(dimension.atom)) is not None
            and dimension.atom not in _dimensions_of([found])
        }
        # Those first that others are expressed by.
        self._order = sorted(self.dimensions, key=lambda one: self._depends(one.atom, facts))
        self._axes: dict[tuple[Atom, int | None, tuple[int, ...]], Axis] = {}
        self._left: dict[tuple[tuple[int, ...], Atom, int], tuple[Condition, ...] | None] = {}

    def _settled(self, known: Sequence[Condition] | None, atom: Atom, value: int) -> tuple[Condition, ...] | None:
        """The rest of conditions where `atom` has a value; None where they do not all hold then."""
        key = (tuple(one.uid for one in known or ()), atom, value)
        if key not in self._left:
            mapping = {atom: terms.constant(value)}
            left = [one.substitute(mapping) for one in known or ()]
            self._left[key] = None if any(one is False for one in left) else tuple(_parts(left))
        return self._left[key]

    def _depends(self, atom: Dimension, facts: Facts) -> int:
        found = facts.replacements.get(atom)
        others = set() if found is None else _dimensions_of([found]) - {atom}
        return 0 if not others else 2 if atom in self._following else 1

    def _narrowed(self, dimension: DomainDimension, facts: Facts) -> DomainDimension:
        if dimension.choices:
            return dimension
        own = Axis.of(dimension, _about(dimension.atom, self._conditions))
        low, high = facts.range_of(terms.of_atom(dimension.atom))
        least = max(own.low, int(low)) if low > -inf else own.low
        most = min(own.high, int(high)) if high < inf else own.high
        # All values are multiples of it.
        step = gcd(own.period, *own.residues) if own.residues else dimension.multiple_of
        if -(-least // step) * step > most:
            # Of an empty domain nothing is left: what it is then is for the runs to say.
            return dimension
        unbounded = dimension.high is None and most > INT32_MAX - step
        return replace(dimension, low=least, high=None if unbounded else most, multiple_of=step)

    def axis(self, dimension: DomainDimension, known: Iterable[Condition]) -> Axis:
        """The values of a dimension under conditions of which those are taken that are about it alone."""
        own = tuple(_about(dimension.atom, known))
        key = (dimension.atom, dimension.high, tuple(one.uid for one in own))
        found = self._axes.get(key)
        if found is None:
            found = self._axes[key] = Axis.of(dimension, own)
        return found

    # --- the simplest first ------------------------------------------------------------------------------------------

    def tried(self) -> Iterator[dict[str, int]]:
        """Shapes to try, each once: the simplest first, but soon such as have one dimension just past a tile."""
        if self.empty:
            return
        # A dimension has at most the first values and three about each edge.
        last = (SearchingBudget.FIRST_VALUES + 3 * len(EDGES) - 1) * len(self._order)
        ranks = [self._of_rank(self._order, self._conditions, rank) for rank in range(last + 1)]
        seen: set[tuple[int, ...]] = set()
        for shape in chain(*ranks[:2], self._past_tiles(), *ranks[2:]):
            key = tuple(shape.values())
            if key not in seen:
                seen.add(key)
                yield self._in_order(shape)

    def _of_rank(
        self, order: Sequence[DomainDimension], known: Sequence[Condition], rank: int
    ) -> Iterator[dict[str, int]]:
        """Choices of one value of each dimension, whose positions in what is tried sum up to `rank`."""
        if not order:
            if rank == 0:
                yield {}
            return
        values = self.axis(order[0], known).tried()
        least = 0 if any(one.atom not in self._following for one in order[1:]) else rank
        for position in range(min(rank, len(values) - 1), least - 1, -1):
            left = self._settled(known, order[0].atom, values[position])
            if left is not None:
                for rest in self._of_rank(order[1:], left, rank - position):
                    yield {order[0].atom.name: values[position], **rest}

    def _past_tiles(self) -> Iterator[dict[str, int]]:
        """The first values but for one dimension, which takes one element more than a tile has."""
        for moved in self._order:
            for edge in EDGES:
                if self.axis(moved, self._conditions).has(edge + 1):
                    shape = self._first_with({moved.atom: edge + 1})
                    if shape is not None:
                        yield shape

    def _first_with(self, chosen: Mapping[Atom, int]) -> dict[str, int] | None:
        known: Sequence[Condition] | None = self._conditions
        shape: dict[str, int] = {}
        for dimension in self._order:
            least = self.axis(dimension, known or ()).first(1)
            values = [chosen[dimension.atom]] if dimension.atom in chosen else least
            known = self._settled(known, dimension.atom, values[0]) if values else None
            if known is None:
                return None
            shape[dimension.atom.name] = values[0]
        return shape

    def _in_order(self, shape: Mapping[str, int]) -> dict[str, int]:
        return {dimension.atom.name: shape[dimension.atom.name] for dimension in self.dimensions}

    def larger(self) -> Iterator[dict[str, int]]:
        """Shapes with more than one iteration in most loops: each dimension its second value, or the first past a
        tile."""
        smallest = self._first_with({})
        for past in (False, True):
            known: Sequence[Condition] | None = self._conditions
            shape: dict[str, int] = {}
            for dimension in self._order:
                values = self.axis(dimension, known or ()).tried()
                further = [value for value in values if past and value > EDGES[0] and dimension.multiple_of == 1]
                known = self._settled(known, dimension.atom, (further or values[1:2] or values)[0]) if values else None
                if known is None:
                    break
                shape[dimension.atom.name] = (further or values[1:2] or values)[0]
            if known is not None and shape != smallest:
                smallest = smallest if past else shape
                yield self._in_order(shape)

    # --- beyond a bound -----------------------------------------------------------------------------------------------

    def nearest(self, wanted: Mapping[str, int]) -> dict[str, int] | None:
        """The shape whose dimensions have the least values that are at least those `wanted`, or else their greatest;
        those that are not named have their least. None where no such shape is found."""
        known: Sequence[Condition] | None = self._conditions
        shape: dict[str, int] = {}
        for dimension in self._order:
            axis = self.axis(dimension, known or ())
            value = axis.nearest(wanted.get(dimension.atom.name, axis.low))
            known = None if value is None else self._settled(known, dimension.atom, value)
            if known is None or value is None:
                return None
            shape[dimension.atom.name] = value
        return self._in_order(shape)

    @property
    def ends(self) -> dict[str, int]:
        """The greatest values of the dimensions that the domain bounds from above."""
        return {one.atom.name: one.high for one in self.dimensions if one.high is not None and not one.choices}

    # --- all of them -------------------------------------------------------------------------------------------------

    def bounds(self, level: int, least: Mapping[str, int]) -> dict[str, int] | None:
        """Bounds up to which dimensions have at least `level` values, and `least` is within; None where there are none.

        Options and what follows from other dimensions have no bound. Raises `TooManyShapes`.
        """
        known: Sequence[Condition] | None = self._conditions
        found: dict[str, int] = {}
        for dimension in self._order:
            # Under conditions on it alone, and together with the first values of the dimensions before it.
            alone = self.axis(dimension, self._conditions).first(level)
            attached = self.axis(dimension, known or ()).first(level)
            if not alone or not attached:
                return None
            known = self._settled(known, dimension.atom, attached[0])
            if known is None:
                return None
            if not dimension.choices and dimension.atom not in self._following:
                found[dimension.atom.name] = max(alone[-1], attached[-1], least.get(dimension.atom.name, alone[0]))
        return found

    def beyond(self, bounds: Mapping[str, int]) -> dict[str, int]:
        """Of bounds those beyond which the dimension may have further values, in the order of the dimensions."""
        return {
            dimension.atom.name: bounds[dimension.atom.name]
            for dimension in self.dimensions
            if dimension.atom.name in bounds and self._goes_on(dimension, bounds[dimension.atom.name])
        }

    def _goes_on(self, dimension: DomainDimension, bound: int) -> bool:
        try:
            return next(self.axis(dimension, self._conditions).values(bound + 1), None) is not None
        except TooManyShapes:
            return True

    def within(self, bounds: Mapping[str, int]) -> Iterator[dict[str, int]]:
        """All shapes of the domain within `bounds`. Raises `TooManyShapes` where these may not be all."""
        if not self.empty:
            yield from map(self._in_order, self._within(self._order, self._conditions, bounds, count()))

    def _within(
        self,
        order: Sequence[DomainDimension],
        known: Sequence[Condition],
        bounds: Mapping[str, int],
        looked: Iterator[int],
    ) -> Iterator[dict[str, int]]:
        if not order:
            yield {}
            return
        dimension, *others = order
        name, most = dimension.atom.name, bounds.get(dimension.atom.name, INT32_MAX)
        for value in self.axis(_up_to(dimension, most), known).values():
            if next(looked) > SearchingBudget.VALUES_OF_A_DIMENSION:
                raise TooManyShapes
            left = self._settled(known, dimension.atom, value)
            if left is not None:
                for rest in self._within(others, left, bounds, looked):
                    yield {name: value, **rest}


def _up_to(dimension: DomainDimension, most: int) -> DomainDimension:
    high = dimension.greatest
    return replace(dimension, high=min(high, most))


def _parts(stated: Iterable[Condition | bool]) -> Iterator[Condition]:
    """The conditions that conjunctions, and others, consist of; not what folds to a truth value."""
    for one in stated:
        if isinstance(one, Junction) and one.conjunction:
            yield from one.parts
        elif isinstance(one, Condition):
            yield one


def _about(atom: Dimension, known: Iterable[Condition]) -> Iterator[Condition]:
    """The conditions in which no other dimension occurs, and no index."""
    for one in known:
        if not one.indices() and {found for found in one.atoms() if isinstance(found, Dimension)} == {atom}:
            yield one


def _dimensions_of(found: Iterable[Term]) -> set[Atom]:
    return {atom for term in found for atom in terms.all_atoms(term) if isinstance(atom, Dimension)}
