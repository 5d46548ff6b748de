"""Meetings of the programs of a launch, for all shapes: barriers, and exchanges of two programs.

`marks.order` is the same for a concrete run. A program comes to its meetings in an order: a meeting has a number among
those on its path, within the iteration of each loop around it. Programs may come to one on different paths, as in the
arms of `if core == 0`: so a meeting is had by all if those of one number together are on the paths of all programs.
Errs to "no": what that leaves open, concrete runs look at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

import islpy as isl

from nkiverify.analysis.element_marks import exchanges
from nkiverify.analysis.sets.affine import EVERYWHERE, Sets
from nkiverify.analysis.sets.iterations import Iterations
from nkiverify.foundation.dataclass import dataclass
from nkiverify.ir.program import Assume, Block, Branch, Item, Loop, Program
from nkiverify.ir.walk import Visitor, ways_to
from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Executed
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Index, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.values import as_term

#: The programs that exchange something ("sendrecv.ranks").
_RANKS = (0, 1)


@dataclass(frozen=True, slots=True)
class _Meeting:
    """A place where a program meets others, in this `order` among those on its path, for these values of the
    parameters."""

    item: Executed
    order: tuple[object, ...]
    context: isl.Set

    @property
    def exchanges(self) -> bool:
        """True if tiles are exchanged there."""
        return exchanges(self.item.operation)


def had_by_all(program: Program, sets: Sets, programs: Sequence[Index], everywhere: isl.Set) -> frozenset[Item]:
    """The meetings that each of the `programs`, of whose coordinates `everywhere` holds, comes to with all others."""
    by_order: dict[tuple[object, ...], list[_Meeting]] = {}
    for meeting in _Meetings(program.body, sets).found():
        by_order.setdefault(meeting.order, []).append(meeting)
    had: set[Item] = set()
    for group in by_order.values():
        if _is_complete(group, sets, programs, everywhere):
            had |= {meeting.item for meeting in group} - _unlike(group, sets, programs)
    return frozenset(had)


class _Meetings(Visitor[_Meeting]):
    """The meetings in a block, each with what holds on the way to it."""

    def __init__(self, body: Block, sets: Sets) -> None:
        self._body = body
        self._sets = sets
        #: The loops and branches that meetings are in.
        self._around: set[Item] = set()
        for path, item in ways_to(body, Executed):
            if _meets(item):
                self._around.update(path.loops, path.branches)
        self._context = EVERYWHERE
        #: The order of the next meeting.
        self._order: tuple[object, ...] = ()
        self._number = 0

    def found(self) -> Iterator[_Meeting]:
        """All meetings."""
        return self.block(self._body)

    def assume(self, item: Assume) -> Iterable[_Meeting]:
        self._suppose(item.condition)
        return ()

    def recorded(self, item: Item) -> Iterable[_Meeting]:
        if isinstance(item, Executed) and _meets(item):
            yield _Meeting(item, (*self._order, self._number), self._context)
            self._number += 1

    def loop(self, item: Loop) -> Iterable[_Meeting]:
        if item not in self._around or not item.counted:
            # How often programs come to meetings in a loop that is not counted, nobody knows: they are had by none.
            return
        kept = self._context, self._order, self._number
        self._order, self._number = (*self._order, self._number, item.index), 0
        for condition in item.bounds:
            self._suppose(condition)
        yield from self.block(item.body)
        self._context, self._order, self._number = kept
        self._number += 1

    def arm(self, condition: Condition, block: Block, branch: Branch) -> Iterable[_Meeting]:
        if branch not in self._around:
            return
        kept = self._context, self._number
        self._suppose(condition)
        yield from self.block(block)
        self._context, self._number = kept

    def _suppose(self, condition: Condition | bool) -> None:
        stated = self._sets.stated(condition)
        self._context = self._sets.both(self._sets.completed(self._context, stated), stated)


def _meets(item: Executed) -> bool:
    return exchanges(item.operation) or item.operation.declared.behaviour.barrier


def _is_complete(group: Sequence[_Meeting], sets: Sets, programs: Sequence[Index], everywhere: isl.Set) -> bool:
    """True if all programs come to a meeting that one comes to."""
    comes = group[0].context
    for meeting in group[1:]:
        comes = sets.joined(comes, meeting.context)
    for atom in programs:
        if not sets.within(Iterations(sets, atom, everywhere, everywhere).all_perhaps(comes), comes, everywhere):
            return False
    return True


def _unlike(group: Sequence[_Meeting], sets: Sets, programs: Sequence[Index]) -> set[Item]:
    """Those meetings of one number that are no meeting with all others of it."""
    if not any(meeting.exchanges for meeting in group):
        return set()
    if len(programs) != len(_RANKS) - 1:
        return {meeting.item for meeting in group}
    found: set[Item] = set()
    for pair in product(group, repeat=len(_RANKS)):
        context = EVERYWHERE
        for rank, meeting in zip(_RANKS, pair, strict=True):
            context = sets.both(context, _of_program(sets, meeting.context, programs[0], rank))
        if not sets.empty(context, EVERYWHERE):
            by_rank = {rank: meeting.item.operation for rank, meeting in zip(_RANKS, pair, strict=True)}
            alike = all(meeting.exchanges for meeting in pair) or not any(meeting.exchanges for meeting in pair)
            if not alike or (pair[0].exchanges and not _each_others(by_rank, sets, programs[0], context)):
                found.update(meeting.item for meeting in pair)
    return found


def _of_program(sets: Sets, context: isl.Set, program: Index, rank: int) -> isl.Set:
    """The values of the other parameters that the program of a rank may have."""
    here = sets.stated(conditions.equals_zero(terms.add(terms.of_atom(program), terms.constant(-rank))))
    return Iterations(sets, program, here, EVERYWHERE).all_perhaps(context)


def _each_others(operations: Mapping[int, Operation], sets: Sets, program: Index, context: isl.Set) -> bool:
    """True if each program sends as much as the one waits for that it sends to, by the same pipe ("sendrecv.pipe")."""

    def of(rank: int, value: object) -> object:
        term = as_term(value)
        return value if term is None else terms.substitute(term, {program: terms.constant(rank)})

    def number_of(rank: int, name: str) -> int | None:
        """The number that a program gives for an argument, if it is known."""
        value = of(rank, operations[rank].attributes.get(name))
        value = value.constant if isinstance(value, Term) else value
        return value if isinstance(value, int) else None

    def are_equal(one: object, other: object) -> bool:
        mine, others = as_term(one), as_term(other)
        if mine is None or others is None:
            return False
        return sets.within(context, sets.stated(conditions.equals_zero(terms.add(mine, others, -1))), context)

    for rank, operation in operations.items():
        source, target = number_of(rank, "recv_from_rank"), number_of(rank, "send_to_rank")
        if source is None or target is None or {source, target} - set(_RANKS):
            return False
        if not number_of(source, "send_to_rank") == rank == number_of(target, "recv_from_rank"):
            return False
        mine, others = (of(each, operations[each].attributes.get("pipe_id")) for each in (rank, source))
        if not are_equal(mine, others):
            return False
        sent, wanted = operations[source].reads["src"], operation.writes["dst"]
        if sent.dtype != wanted.dtype:
            return False
        for one, other in ((sent.shape[0], wanted.shape[0]), (sent.size, wanted.size)):
            if not are_equal(of(source, one), of(rank, other)):
                return False
    return True
