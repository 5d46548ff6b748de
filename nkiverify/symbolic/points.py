"""Points of a path: values of its dimensions and indices that satisfy its hypotheses, drawn before a solver is asked.

A path inherits the points of the path that it continues, filtered by what it adds. Where few are left, some values of
those that are left, or that there were before, are drawn again. What holds at one point is possible, and two values at
two points show that a term is not forced; where all points agree, nothing follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from nkiverify.foundation.budget import ProvingBudget
from nkiverify.foundation.clock import STEPS_PER_MS, count_steps
from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Atom, Div, Index, Min, Select, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Undefined, Valuation, in_range
from nkiverify.symbolic.facts import Facts

_STEPS_OF_DRAW = STEPS_PER_MS // 20

#: The number of bits of values: what bounds a product of several leaves few of them large.
_BITS = (2, 4, 7, 11, 15, 20, 31)
#: How many times as large a value is made, in bits, one after the other, as long as it may be.
_GROWTHS = (24, 12, 6, 3, 2, 1, 1)
#: Multiples of these are asked for more often than others.
_TILES = (1, 2, 64, 128, 256, 512, 2048)

#: The points without any hypotheses: nothing has a value yet.
START: tuple[Valuation, ...] = tuple(Valuation({}) for _ in range(ProvingBudget.POINTS))


def continued(
    before: tuple[Valuation, ...], facts: Facts, hypotheses: Sequence[Condition | bool], added: int
) -> tuple[Valuation, ...]:
    """Points that satisfy `hypotheses`, of which the last `added` are new; `before` satisfy the others.

    `facts` are those of all hypotheses.
    """
    new = [one for one in hypotheses[len(hypotheses) - added :] if isinstance(one, Condition)]
    random = Random(len(hypotheses))
    extended = [_extended(point, new, facts, random) for point in before]
    kept = [point for point in extended if point.satisfies(new) and in_range(point, new)]
    if len(kept) < ProvingBudget.FEW_POINTS:
        atoms = _free([one for one in hypotheses if isinstance(one, Condition)])
        seeds = kept or extended
        kept += _drawn_again(seeds, atoms, facts, [*new, *hypotheses], random, ProvingBudget.POINTS // 2 - len(kept))
    return tuple(kept)


def nearest(
    points: tuple[Valuation, ...],
    facts: Facts,
    hypotheses: Sequence[Condition | bool],
    asked: Sequence[Condition],
    least: Valuation | None = None,
) -> Valuation | None:
    """A point, of `points` or near them, or near one whose values are small, at which `asked` holds as well."""
    random = Random(len(hypotheses))
    extended = [_extended(point, asked, facts, random) for point in points]
    found = _satisfying(extended, asked)
    if found is not None:
        return found
    atoms = _free(asked)
    near = _drawn_again(extended, atoms, facts, [*asked, *hypotheses], random, 1)
    if near or least is None:
        return next(iter(near), None)
    return _grown(_extended(least, asked, facts, random), atoms, facts, hypotheses, asked, random)


def one_of(points: tuple[Valuation, ...], facts: Facts, asked: Sequence[Condition]) -> Valuation | None:
    """The first of `points`, of a path with these facts, at which `asked` holds as well."""
    random = Random(len(asked))
    return _satisfying((_extended(point, asked, facts, random) for point in points), asked)


def _satisfying(points: Iterable[Valuation], asked: Sequence[Condition]) -> Valuation | None:
    return next((point for point in points if point.satisfies(asked) and in_range(point, asked)), None)


def _drawn_again(
    seeds: Sequence[Valuation],
    atoms: Sequence[Atom],
    facts: Facts,
    conditions: Sequence[Condition | bool],
    random: Random,
    most: int,
) -> list[Valuation]:
    """At most this many points at which `conditions` hold, each with one, two or all values of `atoms` drawn again."""
    found: list[Valuation] = []
    if not seeds or not atoms:
        return found
    for number in range(ProvingBudget.DRAWS):
        count_steps(_STEPS_OF_DRAW)
        chosen = random.sample(atoms, min(len(atoms), number % 3 + 1)) if number % 4 else atoms
        # Those that were found are nearer to what is searched for than those that were not.
        seed = (found or seeds)[number % len(found or seeds)]
        bits = random.choice(_BITS)
        point = seed
        for atom in chosen:
            point = point.with_values({atom: _value(atom, point, facts, bits, random)})
        point = _repaired(point, facts, facts.replacements)
        if point.satisfies(conditions) and in_range(point, conditions):
            found.append(point)
            if len(found) >= most:
                break
    return found


def _grown(
    least: Valuation,
    atoms: Sequence[Atom],
    facts: Facts,
    hypotheses: Sequence[Condition | bool],
    asked: Sequence[Condition],
    random: Random,
) -> Valuation | None:
    """A point at which `asked` holds as well: dimensions are made as large as the others let them be, one after the
    other, with indices in their last iterations.

    That is where products leave 32 bits, in a corner of the domain that few draws come to.
    """
    dimensions = [atom for atom in atoms if not isinstance(atom, Index)]
    for _ in range(ProvingBudget.GROWN_POINTS):
        point = least
        for atom in random.sample(dimensions, len(dimensions)):
            for bits in _GROWTHS:
                count_steps(_STEPS_OF_DRAW)
                larger = _repaired(point.with_values({atom: point.given[atom] << bits}), facts, facts.replacements)
                larger = _in_last_iterations(larger, atoms)
                if larger.satisfies(hypotheses) and in_range(larger, hypotheses):
                    point = larger
                    if point.satisfies(asked) and in_range(point, asked):
                        return point
    return None


def _in_last_iterations(point: Valuation, atoms: Iterable[Atom]) -> Valuation:
    """The point with those of `atoms` that are indices in their last iterations, outer ones first."""
    for atom in atoms:
        extent = _evaluated(point, atom.extent) if isinstance(atom, Index) else None
        if extent is not None:
            point = point.with_values({atom: max(0, extent - 1)})
    return point


def _extended(point: Valuation, stated: Sequence[Condition], facts: Facts, random: Random) -> Valuation:
    """The point, with values for the atoms of `stated` that have none."""
    missing = [atom for atom in _free(stated) if atom not in point.given]
    if not missing:
        return point
    bits = random.choice(_BITS)
    for atom in missing:
        point = point.with_values({atom: _value(atom, point, facts, bits, random)})
    # Only what is new: what has a value satisfies hypotheses with it.
    return _repaired(point, facts, missing)


def _free(stated: Iterable[Condition]) -> list[Atom]:
    """The dimensions and indices of `stated`, and those that bound its indices, the bounding ones first."""
    found: dict[Atom, None] = {}
    for one in stated:
        for atom in one.atoms():
            if isinstance(atom, Index):
                found.update(dict.fromkeys(terms.all_atoms(atom.extent)))
            found[atom] = None
    free = [atom for atom in found if not isinstance(atom, Div | Min | Select)]
    return sorted(free, key=lambda atom: (isinstance(atom, Index), atom.uid))


def _value(atom: Atom, point: Valuation, facts: Facts, bits: int, random: Random) -> int:
    # Of one that an equality expresses by others, what is known is known of those.
    low, high = facts.range_of(terms.of_atom(atom))
    if isinstance(atom, Index):
        try:
            last = point.term(atom.extent) - 1
        except Undefined:
            last = 1
        return max(0, random.choice((0, 1, last, random.randint(0, max(last, 0)))))
    least = int(low) if low > -float("inf") else 0
    size = random.getrandbits(random.randint(1, bits))
    value = random.choice((least + size, least + size, size // (tile := random.choice(_TILES)) * tile + tile))
    if random.randrange(16) == 0 and high < float("inf"):
        value = int(high)
    return int(max(low, min(high, value)))


def _repaired(point: Valuation, facts: Facts, atoms: Iterable[Atom]) -> Valuation:
    """The point with those of `atoms` that an equality expresses by others, or by their own tiles, made to fit."""
    changed: dict[Atom, int] = {}
    for atom in atoms:
        if atom in facts.replacements and atom in point.given:
            value = _evaluated(point, facts.replacements[atom])
            if value is not None:
                changed[atom] = value
    return point.with_values(changed) if changed else point


def _evaluated(point: Valuation, term: Term) -> int | None:
    try:
        return point.term(term)
    except Undefined:
        return None
