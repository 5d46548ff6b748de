"""The bytes of HBM that are read, or written, at all: each byte once, however often it is.

An access is a lattice: from a first element, steps along the axes of its view and along the loops around it. An inner
axis whose end is where the next step of an outer one begins is one axis with it. Where every step is longer than all
that lies within it, no two points are the same, and the product of the extents is the number of elements. Several
accesses of a tensor are one where they are the same, all of the tensor where one is, and their sum where they are
apart. What none of this decides lies between bounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from nkiverify.analysis.sets.keys import Key, indices_of, key_of
from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.indices import Mask, MaskRelation
from nkiverify.model.operation import Operation
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.products.cost.counting import NOTHING, ONE, ZERO, Amount, UnknownCost, hbm_views, product_of, term_of
from nkiverify.products.cost.formulas import Around, Cost
from nkiverify.products.cost.sums import at_least_zero, surely
from nkiverify.symbolic import conditions
from nkiverify.symbolic.atoms import Atom, Condition, Index, Min, Term
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.prover import Prover
from nkiverify.symbolic.terms import (
    add,
    all_atoms,
    coefficient_of,
    constant,
    divide,
    maximum,
    minimum,
    multiply,
    scale,
    select,
    total,
)


class _NoLattice(Exception):
    """An access is not of the form that is counted."""


@dataclass(frozen=True, slots=True, eq=False)
class _Axis:
    """Steps of `stride` bytes, `extent` of them."""

    stride: Term
    extent: Term


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """The bytes of an access, if `condition` holds: from `first`, runs of `size` bytes along axes, the longest steps
    first."""

    first: Term
    axes: tuple[_Axis, ...]
    size: int
    condition: Condition | bool

    @property
    def key(self) -> tuple[object, ...]:
        """The same for the same bytes."""
        axes = ((axis.stride.uid, axis.extent.uid) for axis in self.axes)
        return (self.first.uid, *axes, self.size, conditions.condition_key(self.condition))

    @property
    def bytes(self) -> Term:
        """How many there are."""
        return scale(product_of(axis.extent for axis in self.axes), self.size)

    @property
    def span(self) -> Term:
        """The bytes from its first one to behind its last one, where it has any."""
        return _span(self.axes, self.size)


def _span(axes: Sequence[_Axis], size: int) -> Term:
    return total([constant(size), *(multiply(axis.stride, add(axis.extent, ONE, -1)) for axis in axes)])


@dataclass(frozen=True, slots=True, eq=False)
class Once:
    """The bytes of one tensor that are read, or written, each once; `lattices` are all accesses where each is one."""

    storage: Storage
    writes: bool
    bytes: Amount


def once(cost: Cost) -> tuple[Once, ...]:
    """For each tensor in HBM how many of its bytes are read, and how many are written, at all."""
    prover = cost.prover
    sample = prover.sample()
    values = {} if sample is None else sample.given
    accesses: dict[tuple[Key, bool], tuple[Storage, Term, list[Lattice | None]]] = {}
    for executed, nest in cost.nests:
        for writes, argument, view in hbm_views(executed.operation):
            key = (key_of(view.storage), writes)
            whole = scale(
                multiply(term_of(view.storage.size), _copies(view.storage, nest)), view.storage.dtype.itemsize
            )
            found = accesses.setdefault(key, (view.storage, whole, []))[2]
            try:
                found.append(_lattice(executed.operation, argument, view, nest, prover, values))
            except (_NoLattice, UnknownCost, Undefined):
                found.append(None)
    return tuple(
        Once(storage, writes, _union(whole, found, prover)) for (_, writes), (storage, whole, found) in accesses.items()
    )


def _copies(storage: Storage, nest: Sequence[Around]) -> Term:
    """How many tensors an allocation makes: one in each iteration of the loops around it."""
    atoms = {atom for term in indices_of(storage) for atom in all_atoms(term)}
    return product_of(around.extent for around in nest if around.index in atoms)


def summed(found: Sequence[Once], *, writes: bool) -> Amount:
    """All bytes that are read, or written, at all."""
    amount = NOTHING
    for one in found:
        if one.writes is writes:
            amount = amount.plus(one.bytes)
    return amount


# --- one access -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Constraint:
    """`sum(factor * axis) + rest <= 0`, by the number of the axis."""

    factors: Mapping[int, int]
    rest: Term


def _lattice(
    operation: Operation,
    argument: str,
    view: Tensor,
    nest: Sequence[Around],
    prover: Prover,
    values: Mapping[Atom, int],
) -> Lattice:
    if view.indirect_by is not None or indices_of(view.storage) or operation.rows(argument) is not None:
        raise _NoLattice
    held: list[Condition | bool] = []
    axes: dict[int, _Axis] = {}
    constraints: list[_Constraint] = []
    indices: dict[Index, int] = {}
    rest = term_of(view.offset)
    for around in nest:
        if around.index is None:
            held.append(around.condition)
            continue
        linear = coefficient_of(rest, around.index)
        if linear is None:
            raise _NoLattice
        number = len(axes)
        indices[around.index] = number
        axes[number] = _Axis(scale(linear[0], view.itemsize), around.extent)
        rest = linear[1]
    first_axis = len(axes)
    for extent, stride in zip(view.shape, view.strides, strict=True):
        number = len(axes)
        most, limits = _extent(term_of(extent), number, indices)
        axes[number] = _Axis(scale(term_of(stride), view.itemsize), most)
        constraints += limits
    if operation.mask is not None:
        held.append(operation.mask.host)
        constraints += _of_mask(operation.mask, view, first_axis, indices)
    _no_index(indices, rest, held, axes.values())
    axes, constraints = _merged(axes, constraints)
    first = scale(rest, view.itemsize)
    for constraint in constraints:
        axes, first, condition = _limited(axes, first, constraint, prover)
        held.append(condition)
    found = []
    for axis in axes.values():
        there = conditions.at_most_zero(add(ONE, axis.extent, -1))
        if axis.stride is ZERO:
            # Again and again the same.
            held.append(True if prover.entails(there) else there)
        elif axis.extent is not ONE:
            found.append(axis)
    ordered = _apart(found, view.itemsize, prover, values)
    return Lattice(first, ordered, view.itemsize, conditions.conjunction(held))


def _extent(extent: Term, number: int, indices: Mapping[Index, int]) -> tuple[Term, list[_Constraint]]:
    """The most that an extent is, and the constraints on the axis with this number that make it less: the last tile of
    a loop is cut off by a minimum."""
    if not any(atom in indices for atom in all_atoms(extent)):
        return extent, []
    (atom, *others) = extent.atoms
    if others or not isinstance(atom, Min) or extent.monomials != {(atom,): 1}:
        raise _NoLattice
    fixed = [part for part in atom.terms if not any(one in indices for one in all_atoms(part))]
    if not fixed:
        raise _NoLattice
    limits = []
    for part in atom.terms:
        if all(part is not one for one in fixed):
            factors, rest = _linear(scale(part, -1), indices)
            limits.append(_Constraint({**factors, number: 1}, add(rest, ONE)))
    return minimum(fixed), limits


def _linear(term: Term, indices: Mapping[Index, int]) -> tuple[dict[int, int], Term]:
    factors: dict[int, int] = {}
    for index, number in indices.items():
        linear = coefficient_of(term, index)
        factor = None if linear is None else linear[0].constant
        if linear is None or factor is None:
            raise _NoLattice
        if factor:
            factors[number] = factor
        term = linear[1]
    if any(index in all_atoms(term) for index in indices):
        raise _NoLattice
    return factors, term


def _of_mask(mask: Mask, view: Tensor, first_axis: int, indices: Mapping[Index, int]) -> list[_Constraint]:
    found = []
    for part in mask.terms:
        difference = part.difference
        if part.relation is not MaskRelation.AT_MOST:
            raise _NoLattice
        factors, rest = _linear(term_of(difference.base), indices)
        aligned = zip(
            range(view.ndim - difference.ndim, view.ndim), difference.coefficients, difference.shape, strict=True
        )
        for axis, coefficient, extent in aligned:
            factor = term_of(coefficient)
            if factor is ZERO:
                continue
            if axis < 0 or factor.constant is None or term_of(extent) is not term_of(view.shape[axis]):
                raise _NoLattice
            factors[first_axis + axis] = factor.constant
        found.append(_Constraint(factors, rest))
    return found


def _no_index(
    indices: Mapping[Index, int], rest: Term, held: Sequence[Condition | bool], axes: Iterable[_Axis]
) -> None:
    """Raise `_NoLattice` where something depends on a loop in another way than by steps."""
    terms = [rest, *(term for axis in axes for term in (axis.stride, axis.extent))]
    atoms = {atom for term in terms for atom in all_atoms(term)}
    atoms |= {atom for condition in held if isinstance(condition, Condition) for atom in condition.atoms()}
    if any(isinstance(atom, Index) for atom in atoms):
        raise _NoLattice


def _merged(axes: dict[int, _Axis], constraints: list[_Constraint]) -> tuple[dict[int, _Axis], list[_Constraint]]:
    """The same with inner axes that end where the next step of an outer one begins put together with it."""
    again = True
    while again:
        again = False
        for outer, one in axes.items():
            for inner, other in axes.items():
                if inner == outer or other.stride is ZERO or multiply(other.stride, other.extent) is not one.stride:
                    continue
                if any(not _agree(constraint, outer, inner, other.extent) for constraint in constraints):
                    continue
                axes = {number: axis for number, axis in axes.items() if number != outer}
                axes[inner] = _Axis(other.stride, multiply(one.extent, other.extent))
                constraints = [
                    replace(each, factors={at: factor for at, factor in each.factors.items() if at != outer})
                    for each in constraints
                ]
                again = True
                break
            if again:
                break
    return axes, constraints


def _agree(constraint: _Constraint, outer: int, inner: int, times: Term) -> bool:
    """True if a constraint is about both axes as about the one that they are together."""
    one, other = constraint.factors.get(outer, 0), constraint.factors.get(inner, 0)
    return one == other == 0 or (times.constant is not None and one == times.constant * other)


def _limited(
    axes: dict[int, _Axis], first: Term, constraint: _Constraint, prover: Prover
) -> tuple[dict[int, _Axis], Term, Condition | bool]:
    """Axes under a constraint on one of them."""
    if not constraint.factors:
        return axes, first, conditions.at_most_zero(constraint.rest)
    if len(constraint.factors) > 1:
        raise _NoLattice
    ((number, factor),) = constraint.factors.items()
    axis = axes[number]
    if factor > 0:
        end = add(divide(scale(constraint.rest, -1), constant(factor)), ONE)
        extent = _least(at_least_zero(end, prover), axis.extent, prover)
        return {**axes, number: replace(axis, extent=extent)}, first, True
    begin = at_least_zero(scale(divide(scale(constraint.rest, -1), constant(-factor)), -1), prover)
    extent = at_least_zero(add(axis.extent, begin, -1), prover)
    return {**axes, number: replace(axis, extent=extent)}, add(first, multiply(begin, axis.stride)), True


def _least(one: Term, other: Term, prover: Prover) -> Term:
    if surely(add(one, other, -1), prover):
        return one
    return other if surely(add(other, one, -1), prover) else minimum([one, other])


def _apart(axes: Sequence[_Axis], size: int, prover: Prover, values: Mapping[Atom, int]) -> tuple[_Axis, ...]:
    """The axes, the longest steps first, if each step is longer than all that lies within it."""
    here = Valuation(values)
    ordered = sorted(axes, key=lambda axis: here.term(axis.stride))
    within: list[_Axis] = []
    for axis in ordered:
        while not surely(add(_span(within, size), axis.stride, -1), prover):
            # Windows that overlap are one row, where nothing lies between them.
            step, reach = axis.stride.constant, _dense(within, size)
            if step is None or step <= 0 or reach is None or step > reach or step % size:
                raise _NoLattice
            if not surely(add(ONE, axis.extent, -1), prover):
                raise _NoLattice
            within, axis = [], _Axis(constant(size), divide(_span([*within, axis], size), constant(size)))
        within.append(axis)
    return tuple(reversed(within))


def _dense(axes: Sequence[_Axis], size: int) -> int | None:
    """The bytes of axes that leave out nothing."""
    reach = size
    for axis in axes:
        if axis.stride.constant != reach or axis.extent.constant is None:
            return None
        reach *= axis.extent.constant
    return reach


# --- several ----------------------------------------------------------------------------------------------------------


def _union(whole: Term, accesses: Sequence[Lattice | None], prover: Prover) -> Amount:
    there = (access for access in accesses if access is not None and access.condition is not False)
    distinct = list({access.key: access for access in there}.values())
    least = []
    for one in distinct:
        if one.condition is True and (one.bytes is whole or surely(add(whole, one.bytes, -1), prover)):
            return Amount.of(whole)
        least.append(one.bytes if one.condition is True else select(one.condition, one.bytes, ZERO))  # type: ignore[arg-type]
    if None not in accesses:
        if len(least) <= 1:
            return Amount.of(least[0] if least else ZERO)
        if all(_disjoint(one, other, prover) for at, one in enumerate(distinct) for other in distinct[:at]):
            return Amount.of(total(least))
    low = maximum(least) if least else ZERO
    high = whole if None in accesses else minimum([total(least), whole])
    return Amount(low, high)


def _disjoint(one: Lattice, other: Lattice, prover: Prover) -> bool:
    """True if no byte is surely in both."""
    together = conditions.conjunction((one.condition, other.condition))
    if together is False or (isinstance(together, Condition) and prover.entails(together.negation())):
        return True
    for lower, upper in ((one, other), (other, one)):
        shift = add(upper.first, lower.first, -1)
        if surely(add(lower.span, shift, -1), prover):
            return True
        # Next to each other within each step of an outer axis that they have in common.
        for depth in range(1, min(len(lower.axes), len(upper.axes)) + 1):
            common = list(zip(lower.axes[:depth], upper.axes[:depth], strict=True))
            if any(left.stride is not right.stride for left, right in common):
                break
            period = common[-1][0].stride
            attached = surely(add(_span(lower.axes[depth:], one.size), shift, -1), prover)
            if attached and surely(add(add(shift, _span(upper.axes[depth:], other.size)), period, -1), prover):
                return True
    return False
