"""Choosing conditions that keep out all shapes that a kernel must not be given, and as few of the others as can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from nkiverify.foundation.budget import DerivingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.ir.program import Program
from nkiverify.products.derive.domain_candidates import Candidate
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Undefined, Valuation

Values = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Cover:
    """The chosen conditions; `lost` are shapes that pass and are kept out all the same, `inside` shapes that fail and
    are not kept out."""

    chosen: tuple[Candidate, ...]
    lost: tuple[int, ...] = ()
    inside: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Likely:
    """Shapes that were not run, as `candidates` do not tell them apart from some that pass."""

    passing: Sequence[Values] = ()
    candidates: Sequence[Candidate] = ()


NOTHING = Likely()


def holds(condition: Condition | bool, values: Values, program: Program) -> bool:
    """True if `condition`, about dimensions, holds for their `values`; False where it divides by zero there."""
    if isinstance(condition, bool):
        return condition
    try:
        return Valuation({one.atom: values[one.atom.name] for one in program.dimensions}).holds(condition)
    except Undefined:
        return False


def cover(
    candidates: Sequence[Candidate],
    passing: Sequence[Values],
    failing: Sequence[Values],
    program: Program,
    needed: Iterable[Candidate] = (),
    likely: Likely = NOTHING,
) -> Cover:
    """Conditions that hold for the `passing` shapes and for none of the `failing` ones, with those `needed` anyway.

    Where a failing shape can only be kept out together with passing ones, those are kept out that are fewest; shapes
    that are only `likely` to pass are counted with them.
    """
    needed = list(needed)
    every = [*passing, *failing]

    def held(one: Candidate, shapes: Iterable[Values]) -> list[bool]:
        return [holds(one.condition, values, program) for values in shapes]

    truth = {one.condition.uid: held(one, every) for one in (*candidates, *needed)}
    count = len(passing)
    missed = {one.condition.uid: held(one, likely.passing).count(False) for one in likely.candidates}

    def lost(one: Candidate) -> int:
        return truth[one.condition.uid][:count].count(False) + missed.get(one.condition.uid, 0)

    def kept_out(one: Candidate) -> frozenset[int]:
        return frozenset(at for at in range(len(failing)) if not truth[one.condition.uid][count + at])

    chosen = list(needed)
    left = set(range(len(failing))) - {at for one in chosen for at in kept_out(one)}
    usable = [one for one in candidates if not lost(one)]
    gone: set[int] = set()

    def weight(one: Candidate) -> tuple[float, int, int]:
        # Cheap to read, then what leaves most shapes in.
        return (one.cost, missed.get(one.condition.uid, 0) - sum(truth[one.condition.uid]), -len(kept_out(one) & left))

    most = max(DerivingBudget.CONDITIONS, len(program.dimensions))
    while left and len(chosen) < most:
        ways = {at: [one for one in usable if at in kept_out(one)] for at in left}
        at = min(left, key=lambda each: (len(ways[each]) or 10**6, each))
        if ways[at]:
            best = min(ways[at], key=weight)
        else:
            others = [one for one in candidates if at in kept_out(one) and lost(one) < count]
            if not others:
                gone.add(at)
                left.discard(at)
                continue
            best = min(others, key=lambda one: (lost(one), one.cost, -len(kept_out(one) & left)))
        chosen.append(best)
        left -= kept_out(best)
    chosen = _fewer(chosen, usable, kept_out, {one.condition.uid for one in needed})
    out = {at for one in chosen for at in range(count) if not truth[one.condition.uid][at]}
    return Cover(tuple(chosen), tuple(sorted(out)), tuple(sorted(gone | left)))


def _fewer(
    chosen: list[Candidate],
    usable: Sequence[Candidate],
    kept_out: Callable[[Candidate], frozenset[int]],
    needed: set[int],
) -> list[Candidate]:
    """`chosen` without what the rest keeps out as well, two of them replaced by one that does what both do."""

    def reach(some: Iterable[Candidate]) -> set[int]:
        return {at for one in some for at in kept_out(one)}

    everything = reach(chosen)
    for one in sorted(chosen, key=lambda each: -each.cost):
        rest = [other for other in chosen if other is not one]
        if one.condition.uid not in needed and reach(rest) == everything:
            chosen = rest
    for one in sorted(usable, key=lambda each: each.cost):
        if one in chosen or len(chosen) < 2:
            continue
        rest = list(chosen)
        removed: list[Candidate] = []
        for other in chosen:
            without = [each for each in rest if each is not other]
            if other.condition.uid not in needed and reach([*without, one]) >= everything:
                rest, removed = without, [*removed, other]
        if len(removed) >= 2 and one.cost <= sum(other.cost for other in removed):
            chosen = [*rest, one]
    return chosen
