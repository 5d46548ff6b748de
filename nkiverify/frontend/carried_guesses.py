"""Guesses about the state that iterations of a summarised loop carry, and how a pass over its body ends.

A guess says what a place (a local name, or a part of an object) has at the start of iteration i, by what it has before
the loop and what the first pass leaves there. `frontend.carried_state` puts guesses in place, checks and refines them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.frontend.holders import Holder
from nkiverify.frontend.snapshot import StateChange, missing
from nkiverify.model.known_numbers import Contents
from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Index, Term
from nkiverify.symbolic.lists import SymList
from nkiverify.symbolic.path_conditions import Context
from nkiverify.symbolic.segments import Element, Part, Segment
from nkiverify.symbolic.substitution import is_plain, state_of
from nkiverify.symbolic.values import as_term

if TYPE_CHECKING:
    from nkiverify.frontend.explorer import SymbolicExecution


#: Stands for the value of a place that has none.
ABSENT: Any = object()

#: What carries a value from one iteration to the next: a local name, or an object (by its identity) and a part of it.
Place = str | tuple[int, Any]


@dataclass(frozen=True, slots=True, eq=False)
class LinearGuess:
    """An int that is `start + step*i` at the start of iteration i."""

    start: Term
    step: Term

    def at(self, index: Term) -> Term:
        """The value at the start of iteration `index`."""
        return terms.add(self.start, terms.multiply(self.step, index))

    def same(self, other: Guess | None) -> bool:
        """True if another guess says the same."""
        # Equal terms are one object; `==` on terms would ask the run.
        return isinstance(other, LinearGuess) and self.start is other.start and self.step is other.step


@dataclass(frozen=True, slots=True, eq=False)
class GrowthGuess:
    """A list to which each iteration appends one element, `template` with `index` for the iteration's number."""

    target: SymList
    before: tuple[Part, ...]
    index: Index
    template: Any
    #: Whether the iterations have no order.
    unordered: bool
    shared: tuple[Any, ...] = ()

    def at(self, count: Term) -> list[Part]:
        """The parts of the list after `count` iterations."""
        return [*self.before, Segment(count, self.index, self.template, self.shared, self.unordered)]


@dataclass(frozen=True, slots=True, eq=False)
class LeftGuess:
    """A value that an iteration leaves for the next one: `template` with the loop's `bound` for the number of the
    iteration that leaves it."""

    entry: Any
    template: Any
    #: Whether numbers in it that change are guessed to be counters.
    counting: bool


@dataclass(frozen=True, slots=True, eq=False)
class FollowingGuess:
    """The value that `source` had at the start of the iteration before."""

    entry: Any
    source: Place


@dataclass(frozen=True, slots=True)
class ReboundGuess:
    """A local name that has no value at the start of an iteration."""


@dataclass(frozen=True, slots=True, eq=False)
class PermutedGuess:
    """Names that change places: after `period` iterations each has the value again that it had before the loop, which
    after one is that of the name `sources` says."""

    sources: Mapping[str, str]
    period: int

    def source(self, name: str, turns: int) -> str:
        """The name that had, before the loop, what `name` has after this many iterations."""
        for _ in range(turns):
            name = self.sources[name]
        return name


Guess = LinearGuess | LeftGuess | FollowingGuess | GrowthGuess | ReboundGuess | PermutedGuess


@dataclass(frozen=True, slots=True, eq=False)
class HeldPart:
    """A part of an object that iterations change."""

    holder: Holder
    key: Any
    entry: Any
    guess: LinearGuess | LeftGuess | FollowingGuess

    def assign(self, value: Any) -> None:
        """Give it a value, or none where it has none before the loop."""
        if value is ABSENT:
            self.holder.remove(self.key)
            return
        self.holder.assign(self.key, Element(value) if isinstance(self.holder.value, SymList) else value)


@dataclass(slots=True)
class BodyEnding:
    """The state in which one path through the body ended."""

    local: dict[str, Any]
    changes: list[StateChange]
    lists: dict[int, list[Part]]
    contents: Contents
    context: Context
    #: How often names that change places had done so at its start, but for whole periods.
    turns: int
    #: The values at its start.
    start: dict[Place, Any]
    #: The names of the parts of objects that have some which they did not have before the loop, in their order.
    orders: list[list[Any]]
    #: The condition that a `while` statement tests after it.
    tested: object = True


@dataclass(frozen=True, slots=True, eq=False)
class PassedPlace:
    """A place in one pass over the body: the guess about it, or None, its value before the loop, and the values that
    the paths of iteration `index` leave there."""

    place: Place
    guess: Guess | None
    entry: Any
    afters: list[Any]
    endings: list[BodyEnding]
    index: Term

    def paths(self) -> Iterator[tuple[Any, BodyEnding]]:
        """The value that each path leaves, with the path."""
        return zip(self.afters, self.endings, strict=True)


def bound_index(run: SymbolicExecution) -> Index:
    """A new index for the elements of a segment; it occurs in no claim."""
    return terms.index_atom(terms.index("element", terms.constant(0), ("bound", *run.scope_key, run.next_ordinal())))


def without_prefix(name: str) -> str:
    """A local name as the kernel has it."""
    return name.rpartition(".")[2]


def part_after(ending: BodyEnding, place: tuple[int, Any], entry: Any) -> Any:
    """The value that a path leaves in a part of an object that is `entry` before the loop."""
    for change in ending.changes:
        if (id(change.holder.value), change.key) == place:
            if missing(change.after):
                return ABSENT
            return change.after.value if isinstance(change.after, Element) else change.after
    return entry


def is_plain_value(value: Any) -> bool:
    """True for numbers, symbolic ones as well, texts and the like."""
    return isinstance(value, Term) or is_plain(value)


def left_by(before: Any, after: Any, index: Term) -> Any:
    """`after`, left by iteration `index`, where a number in it that is `before` at the start counts iterations."""
    counter = linear(before, after, index)
    if counter is not None:
        return after if counter.step is terms.constant(0) else counter.at(terms.add(index, terms.constant(1)))
    if type(before) is not type(after) or before is after:
        return after
    if type(after) is tuple and len(before) == len(after):
        return tuple(left_by(one, two, index) for one, two in zip(before, after, strict=True))
    if isinstance(after, tuple) and hasattr(after, "_make") and len(before) == len(after):
        return after._make(left_by(one, two, index) for one, two in zip(before, after, strict=True))
    if dataclasses.is_dataclass(after):
        own, other = state_of(after), state_of(before)
        if own.keys() == other.keys():
            copy = object.__new__(type(after))
            for name, part in own.items():
                object.__setattr__(copy, name, left_by(other[name], part, index))
            return copy
    return after


def linear(before: Any, after: Any, index: Term) -> LinearGuess | None:
    """The counter that is `before` at the start and `after` at the end of iteration `index`, if there is one."""
    # An int of another class, as of NumPy's, has limits and attributes of its own.
    if not all(isinstance(one, Term) or type(one) is int for one in (before, after)):
        return None
    start, end = as_term(before), as_term(after)
    if start is None or end is None:
        return None
    step = terms.add(end, start, -1)
    if terms.index_atom(index) in terms.all_atoms(step):
        return None
    return LinearGuess(start, step)


def same_parts(kept: list[Part], expected: list[Part]) -> bool:
    """True if as many parts of a list are the same ones."""
    for one, two in zip(kept, expected, strict=True):
        if one is two:
            continue
        if not (isinstance(one, Segment) and isinstance(two, Segment)):
            return False
        if one.length is not two.length or one.template is not two.template or one.shared != two.shared:
            return False
    return True
