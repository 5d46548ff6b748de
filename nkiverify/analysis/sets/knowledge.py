"""Knowledge at a place of a program: sets of elements by allocation, and how those of several paths go together."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import field

import islpy as isl

from nkiverify.analysis.marks.order import Running
from nkiverify.analysis.sets.affine import EVERYWHERE, Sets
from nkiverify.analysis.sets.keys import Key
from nkiverify.foundation.dataclass import dataclass
from nkiverify.symbolic.path_conditions import Context

#: Elements by allocation.
Elements = dict[Key, isl.Set]


@dataclass(slots=True)
class Knowledge:
    """Elements that surely hold well-defined numbers, that surely only matmuls wrote, that may have been read out."""

    defined: Elements = field(default_factory=dict)
    products: Elements = field(default_factory=dict)
    read_out: Elements = field(default_factory=dict)

    def copy(self) -> Knowledge:
        """The same, to be changed apart."""
        return Knowledge(dict(self.defined), dict(self.products), dict(self.read_out))


@dataclass(slots=True)
class State:
    """Knowledge at a place: `known` in all, `own` as far as the innermost loop body did it.

    `spoiled` and `filled` are what the body may have overwritten: by undefined numbers, by something else than matmuls.
    `spoiled_before` is what the program may have overwritten by undefined numbers before the body.
    """

    context: isl.Set
    #: The conditions that lead here from the beginning of the innermost loop body, as far as `context` there left it
    #: open whether they hold.
    path: isl.Set
    #: All conditions that lead here from the beginning of the program, as terms.
    held: Context
    #: Those of them that are conditions of branches: where one that is assumed does not hold, the kernel has ended with
    #: a fault, and nothing comes after.
    taken: isl.Set = EVERYWHERE
    known: Knowledge = field(default_factory=Knowledge)
    own: Knowledge = field(default_factory=Knowledge)
    spoiled: Elements = field(default_factory=dict)
    filled: Elements = field(default_factory=dict)
    spoiled_before: Elements = field(default_factory=dict)
    #: Loops without an order that are run iteration by iteration, in the iteration that this place belongs to.
    iterations: dict[object, Running] = field(default_factory=dict)

    def copy(self) -> State:
        """The same, to be changed apart."""
        return State(
            self.context,
            self.path,
            self.held,
            self.taken,
            self.known.copy(),
            self.own.copy(),
            dict(self.spoiled),
            dict(self.filled),
            self.spoiled_before,
            dict(self.iterations),
        )


def add(sets: Sets, elements: Elements, key: Key, found: isl.Set | None) -> None:
    """More elements of an allocation."""
    if found is None:
        return
    known = elements.get(key)
    elements[key] = found if known is None else sets.joined(known, found)


def remove(sets: Sets, elements: Elements, key: Key, found: isl.Set) -> None:
    """Fewer elements of an allocation."""
    known = elements.get(key)
    if known is not None:
        elements[key] = sets.less(known, found)


def merged(sets: Sets, ends: list[State], context: isl.Set, local: Container[Key]) -> State:
    """The effect of a body on all its paths together: on each, under the conditions that lead to it; what it surely
    does, in all iterations that are on it and end without a fault.

    What it does to allocations in `local` is of no interest to other iterations.
    """
    result = State(context, EVERYWHERE, sets.beginning)
    for end in ends:
        for mine, whole, path in (
            (end.own.defined, result.own.defined, end.taken),
            (end.own.products, result.own.products, end.taken),
            (end.own.read_out, result.own.read_out, end.path),
            (end.spoiled, result.spoiled, end.path),
            (end.filled, result.filled, end.path),
        ):
            for key, found in mine.items():
                if key not in local:
                    add(sets, whole, key, sets.where(found, path))
    return result


def _covers(sets: Sets, more: Elements, less: Elements, context: isl.Set) -> bool:
    return all(sets.within(found, more.get(key), context) for key, found in less.items())


def confirmed(sets: Sets, assumed: State, result: State, context: isl.Set) -> bool:
    """True if an iteration does at least what was assumed of it, and spoils nothing more."""
    return (
        _covers(sets, result.own.defined, assumed.own.defined, context)
        and _covers(sets, result.own.products, assumed.own.products, context)
        and _covers(sets, assumed.own.read_out, result.own.read_out, context)
        and _covers(sets, assumed.spoiled, result.spoiled, context)
        and _covers(sets, assumed.filled, result.filled, context)
    )


def weaker(sets: Sets, assumed: State, result: State, *, nothing: bool) -> State:
    """The next assumption: what both say is defined, what either says is spoiled."""
    found = State(assumed.context, assumed.path, assumed.held)
    if not nothing:
        for kind in ("defined", "products"):
            mine, other, into = (getattr(state.own, kind) for state in (assumed, result, found))
            for key in mine.keys() & other.keys():
                into[key] = mine[key] if mine[key] is other[key] else mine[key].intersect(other[key])
    for part, into in (
        (assumed.own.read_out, found.own.read_out),
        (result.own.read_out, found.own.read_out),
        (assumed.spoiled, found.spoiled),
        (result.spoiled, found.spoiled),
        (assumed.filled, found.filled),
        (result.filled, found.filled),
    ):
        for key, elements in part.items():
            add(sets, into, key, elements)
    return found
