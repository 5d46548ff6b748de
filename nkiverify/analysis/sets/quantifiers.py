"""The effect of all iterations of a loop together, where their index does not come in affinely, as in `window * step`.

Iterations that go further and further along a coordinate leave nothing out, if each begins where those before it have
come to. An element that the last iteration comes far enough for has a first iteration that does; it is shown that
this one reaches the element. Other iterations are the same sets with another number in place of the index, which is
put into the products before these are taken for parameters: `(window - 1) * step` is `window * step - step`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import islpy as isl

from nkiverify.analysis.sets.affine import AffineText, Sets, mentioned, renamed, without
from nkiverify.foundation.budget import SetsBudget
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Index, Term
from nkiverify.symbolic.path_conditions import Context


def swept(sets: Sets, index: Index, found: isl.Set, bounds: isl.Set, context: isl.Set, held: Context) -> isl.Set | None:
    """Elements that are in `found` for at least one value of `index`; None where none can be known.

    `bounds` hold for the values of the index, 0 to `index.extent` - 1, `context` and, as terms, `held` whatever it is.
    """
    found = found.intersect_params(bounds)
    varying = {sets.parameter(index), *sets.names.on(index)}
    resting: isl.Set | None = None
    if _has_many_parts(found):
        found, resting = _apart(found, varying)
        if _has_many_parts(found):
            return None
    one = terms.constant(1)
    previous = terms.add(terms.of_atom(index), one, -1)
    last = terms.add(index.extent, one, -1)
    not_first = sets.stated(conditions.at_most_zero(terms.add(one, terms.of_atom(index), -1)))
    at = partial(at_value, sets, index, held=held)
    begin = at(found, terms.constant(0))
    some = at(bounds, terms.constant(0))
    result: isl.Set | None = None
    for coordinate, reached in _reaches(found, varying):
        at_last = at(reached, last)
        at_first = at(reached, terms.constant(0))
        here = reached.subtract(at(reached, previous)).intersect_params(bounds.intersect(not_first))
        for start in [] if _has_divisions(begin) else begin.get_basic_sets():
            candidate = _endless(start, coordinate).intersect(at_last).intersect_params(some)
            if sets.within(candidate.intersect(at_first), begin, context) and sets.within(
                candidate.intersect(here), found, context
            ):
                result = candidate if result is None else result.union(candidate)
    if result is None:
        return None
    result = result if resting is None else result.intersect(resting)
    # What holds there in any case need not be said of the elements: it may depend on the index of a loop around.
    known = sets.completed(context, result)
    if held.entails(conditions.at_most_zero(terms.add(one, index.extent, -1))):
        known = sets.both(known, some)
    return result.gist_params(known).coalesce()


def _has_many_parts(found: isl.Set) -> bool:
    """True if a set is too much to be swept."""
    return found.n_basic_set() > SetsBudget.PARTS or _has_divisions(found)


def _apart(found: isl.Set, varying: set[str]) -> tuple[isl.Set, isl.Set | None]:
    """Two sets whose elements in common are in `found`, the second of which does not depend on the iteration: of a tile
    whose columns alone depend on it, its columns and its rows. `found` by itself where it is not made of two.

    An element of both in some iteration is in `found` in that one, so the first can be swept alone.
    """
    moving = isl.Set.universe(found.get_space())
    for part in found.get_basic_sets()[:1]:
        for constraint in part.get_constraints():
            if _depends(constraint, varying):
                moving = moving.add_constraint(constraint)
    resting = without(found, varying)
    return (moving, resting) if moving.intersect(resting).is_subset(found) else (found, None)


def _reaches(found: isl.Set, varying: set[str]) -> Iterator[tuple[int, isl.Set]]:
    """How far an iteration goes along a coordinate: upper bounds that depend on the iteration."""
    seen: list[isl.Set] = []
    for part in found.get_basic_sets():
        for coordinate in range(part.dim(isl.dim_type.set)):
            reached = isl.Set.universe(found.get_space())
            bounded = False
            for constraint in part.get_constraints():
                if _is_above(constraint, coordinate) and _depends(constraint, varying):
                    bounded = True
                    reached = reached.add_constraint(constraint)
            if bounded and not any(reached.is_equal(other) for other in seen):
                seen.append(reached)
                yield coordinate, reached


def _is_above(constraint: isl.Constraint, coordinate: int) -> bool:
    """True if a constraint bounds this coordinate, and no other, from above."""
    kind = isl.dim_type.set
    factors = [constraint.get_coefficient_val(kind, at).to_python() for at in range(constraint.dim(kind))]
    others = [factor for at, factor in enumerate(factors) if at != coordinate]
    return not constraint.is_equality() and factors[coordinate] < 0 and not any(others)


def _has_divisions(found: isl.Set) -> bool:
    """True if a set has constraints that are about floors of divisions."""
    return any(part.dim(isl.dim_type.div) for part in found.get_basic_sets())


def _depends(constraint: isl.Constraint, names: set[str]) -> bool:
    kind = isl.dim_type.param
    return any(
        constraint.get_dim_name(kind, at) in names and constraint.get_coefficient_val(kind, at).to_python()
        for at in range(constraint.dim(kind))
    )


def _endless(part: isl.BasicSet, coordinate: int) -> isl.Set:
    """A set without its upper bounds along a coordinate."""
    result = isl.Set.universe(part.get_space())
    for constraint in part.get_constraints():
        if not _is_above(constraint, coordinate):
            result = result.add_constraint(constraint)
    return result


def at_value(sets: Sets, index: Index, found: isl.Set, value: Term, held: Context) -> isl.Set:
    """`found` with `value` in place of the index, in all parameters that depend on it, where `held` holds."""
    own = sets.parameter(index)
    names = mentioned(found, {own, *sets.names.on(index)})
    # All get other names first: what comes in their place may mention parameters of these names.
    for name in names:
        found = renamed(found, name, f"{name}_was")
    for name in names:
        text = AffineText(sets.names)
        changed = terms.substitute(sets.names.term(name), {index: value})
        number = text.number(sets.products.without_minima(changed, held))
        parameters = ", ".join([*text.parameters, f"{name}_was"])
        found = found.intersect_params(isl.Set(f"[{parameters}] -> {{ : {name}_was = {number} }}"))
    return without(found, [f"{name}_was" for name in names])
