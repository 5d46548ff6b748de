"""The accesses of programs of a launch, and of iterations without an order, that may meet.

Programs take turns, which end at barriers that all of them come to: what they do in different turns does not meet.
A barrier in the body of a loop ends one turn within each iteration. What an iteration does behind its last barrier is
of one turn with what the next iteration does before its first one, and so are the ends of the loop with what is around
it.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING

import islpy as isl

from nkiverify.analysis.marks.order import DRAWN
from nkiverify.analysis.sets.affine import EVERYWHERE
from nkiverify.analysis.sets.keys import Key
from nkiverify.analysis.sets.knowledge import State
from nkiverify.analysis.sets.proof import Proof
from nkiverify.analysis.sets.structure import bounds_of, executes
from nkiverify.analysis.sets.transfer import Transfer
from nkiverify.analysis.sets.unordered import Accesses, ElementAccess, Turns
from nkiverify.ir.program import Loop
from nkiverify.symbolic.atoms import Index

if TYPE_CHECKING:
    from nkiverify.analysis.sets.iterations import Iterations

#: Why a loop without an order is open.
MEET = "iterations may meet"


class ProgramTurns:
    """Compares accesses that may meet, and knows what programs have defined for one another where they wait."""

    def __init__(
        self, transfer: Transfer, accesses: Accesses, proof: Proof, local: Mapping[Index, Container[Key]]
    ) -> None:
        self._transfer = transfer
        self._sets, self._programs, self._everywhere = transfer.sets, transfer.programs, transfer.everywhere
        self._accesses = accesses
        self._proof = proof
        #: By the index of a loop, what its body allocates.
        self._local = local
        #: Memory that programs share, as far as turns of theirs have come to it.
        self._shared: dict[Key, None] = {}
        #: By loop around barriers: the first and the last turn of an iteration.
        self._ends: dict[Loop, Turns] = {}

    def end(self) -> None:
        """The program ends, and its last turn."""
        self._compare(self._leave({}, self._everywhere).last, self._everywhere)

    def barrier(self, state: State) -> None:
        """All programs have come here, in the same iteration of the loops around: what one of them has defined in
        memory that they share, the others find, and what they do from here on meets nothing of before."""
        self._wait(state.context)
        for key in self._shared:
            found = state.known.defined.get(key)
            found = None if found is None else self.of_any_program(self._sets.where(found, state.path))
            self._transfer.define(state, key, found)
            for spoiled in (state.spoiled_before.get(key), state.spoiled.get(key)):
                if spoiled is not None:
                    # Perhaps by the program that stored there last.
                    self._transfer.spoil(state, key, self.perhaps_of_any_program(spoiled))

    def perhaps_of_any_program(self, found: isl.Set) -> isl.Set:
        """The elements that at least one program of the launch may have, of those that each may."""
        from nkiverify.analysis.sets.iterations import Iterations

        for atom in self._programs:
            found = Iterations(self._sets, atom, EVERYWHERE, self._everywhere).all_perhaps(found)
        return found

    def of_any_program(self, written: isl.Set) -> isl.Set | None:
        """The elements that at least one program of the launch has surely `written`, of those that each has."""
        from nkiverify.analysis.sets.iterations import Iterations

        found: isl.Set | None = written
        for atom in self._programs:
            if found is not None:
                bounds = self._sets.parameters_where(bounds_of(atom))
                found = Iterations(self._sets, atom, bounds, self._everywhere).all_surely(found)
        return found

    def after_body(self, loop: Loop, state: State, context: isl.Set, iterations: Iterations) -> None:
        """The body of a loop that begins in `state` ends; `context` is that of the body."""
        turns = self._leave(state.iterations, context)
        # What is only tried is walked again.
        if not self._proof.tentative:
            self._of_iterations(loop, turns, state, context, iterations)

    def after_loop(self, loop: Loop, state: State, iterations: Iterations) -> None:
        """A loop that begins in `state` ends: where it has barriers, the first turn of its first iteration is one with
        what was before, and the last one of its last iteration with what comes."""
        turns = self._ends.pop(loop, None)
        if turns is None:
            return
        if not iterations.are_some():
            self._proof.claim("df.programs", loop.site, False, "a loop with a barrier may have no iteration")
        for access in turns.first or ():
            self._accesses.add(access.over(self._sets.where(iterations.first_perhaps(access.elements), state.path)))
        last = [(access, iterations.last_perhaps(access.elements)) for access in turns.last]
        self._wait(state.context, [access.over(self._sets.where(found, state.path)) for access, found in last])

    def _of_iterations(self, loop: Loop, turns: Turns, state: State, context: isl.Set, iterations: Iterations) -> None:
        """Compare the accesses of an iteration, and note those of all iterations together."""
        local = self._local[loop.index]
        for turn in (turns.first or (), turns.last):
            # What an iteration allocates, programs share in this one only.
            own = [access for access in turn if access.key in local and access.shared]
            if own:
                self._compare(own, context)
        accesses = [access for access in turns.last if access.key not in local]
        if turns.first is not None:
            first = [access for access in turns.first if access.key not in local]
            self._ends[loop] = Turns(first, accesses)
            before = [access.over(iterations.one_before_perhaps(access.elements)) for access in accesses]
            self._compare([*before, *first], context)
            self._compare(accesses, context)
            return
        if loop.parallel:
            clash = self._accesses.clash(accesses, [self._sets.parameter(loop.index)], context)
            self._proof.claim("df.affine_range", clash.site if clash else loop.site, clash is None, MEET)
            if not executes(loop.body):
                self._proof.claim("df.affine_range", loop.site, False, DRAWN)
        for access in accesses:
            reached = iterations.all_perhaps(access.elements)
            self._accesses.add(access.over(self._sets.where(reached, state.path)))

    def _wait(self, context: isl.Set, then: Sequence[ElementAccess] = ()) -> None:
        """A turn of the programs ends, and the next one begins with the accesses `then`. The first turn of a body is
        compared once it is known what comes before."""
        context = context if self._accesses.of_body else self._everywhere
        is_first = self._accesses.of_body and self._accesses.is_first
        turn = self._accesses.wait(then)
        self._ended(turn, {}, context)
        if not is_first:
            self._compare(turn, context)

    def _leave(self, around: Container[object], context: isl.Set) -> Turns:
        """The accesses of a body that ends."""
        turns = self._accesses.leave()
        self._ended(turns.last, around, context)
        return turns

    def _ended(self, turn: Sequence[ElementAccess], around: Container[object], context: isl.Set) -> None:
        """Compare the accesses of loops without an order in a turn that ends, but for those `around` it."""
        self._shared.update((access.key, None) for access in turn if access.shared)
        loops = dict.fromkeys(loop for access in turn for loop in access.iterations if loop not in around)
        for loop in [] if self._proof.tentative else loops:
            clash = self._accesses.clash_of_iterations(turn, loop, context)
            self._proof.claim("df.affine_range", clash.site if clash else None, clash is None, MEET)

    def _compare(self, turn: Sequence[ElementAccess], context: isl.Set) -> None:
        """Claim that no two programs of the launch meet in these accesses of one turn."""
        if not self._programs:
            return
        names = [self._sets.parameter(atom) for atom in self._programs]
        shared = [access for access in turn if access.shared]
        clash = self._accesses.clash(shared, names, context, programs=True)
        self._proof.claim("df.programs", clash.site if clash else None, clash is None, "programs may meet")
