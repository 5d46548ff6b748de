"""The dataflow of a shape program, for all values of its dimensions at once.

The walk follows the program in order and keeps, for each allocation, the elements that hold something well defined: a
set over the dimensions and the indices of the loops around the place. What is kept is never too much, so a read inside
it is a read of written elements. A loop body is walked for an arbitrary iteration i, which finds what was there before
the loop and what the iterations before i have defined; that these have defined what the walk of the body comes to is
induction. Nothing is refuted here: what cannot be shown is open, and concrete runs look for the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import islpy as isl

from nkiverify.analysis.marks.order import DRAWN, Running
from nkiverify.analysis.sets.affine import EVERYWHERE
from nkiverify.analysis.sets.coordinates import jumps_of
from nkiverify.analysis.sets.keys import Key, key_of
from nkiverify.analysis.sets.knowledge import Elements, State, add, confirmed, merged, remove, weaker
from nkiverify.analysis.sets.proof import Proof, joined
from nkiverify.analysis.sets.regions import Regions
from nkiverify.analysis.sets.structure import executes, local_allocations
from nkiverify.analysis.sets.transfer import Transfer
from nkiverify.analysis.sets.turns import ProgramTurns
from nkiverify.analysis.side_effects import Source
from nkiverify.foundation.budget import SetsBudget
from nkiverify.foundation.clock import now
from nkiverify.ir.program import SEARCHED, Assume, Block, Branch, Drawn, Item, Iteration, Loop, ParallelLoop, Program
from nkiverify.ir.walk import Visitor, of_kind
from nkiverify.model.recorded import Allocation, DeviceLoop, Executed, Returned, programs
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.conditions import Comparison, Relation
from nkiverify.symbolic.path_conditions import Context

if TYPE_CHECKING:
    from nkiverify.analysis.sets.iterations import Iterations


class Inconclusive(Exception):
    """The walk ends before the program does."""


class TooComplex(Inconclusive):
    """The sets take isl more operations than they may."""


class OutOfTime(Inconclusive):
    """The time of the target is over."""


def prove(
    program: Program,
    generation: int,
    seconds: float,
    operations: int | None = None,
    dead_stores: frozenset[Source] = frozenset(),
) -> Proof:
    """Walk `program`; raises `Inconclusive` where that takes more than `seconds`, or more `operations` of isl: as
    many as a program of its length may take, if not said.

    Elements have a coordinate for each dimension of their tensor first. Where that leaves anything open, and addresses
    jump by products of dimensions, they have finer ones next. What the operations `dead_stores` write is taken for
    undefined: if no claim is open then, nothing that counts uses it. Paths that many questions have split are
    tried first without what says that numbers are not equal: what is shown for more shapes is shown for theirs.
    """
    if not all(program.searches.values()) and programs(program.body):
        # It is one number in the sets, and each program of the launch may have another one.
        raise Inconclusive(SEARCHED)
    proved = partial(
        _proved, generation=generation, deadline=now() + seconds, operations=operations, dead_stores=dead_stores
    )
    if programs(program.body) and any(
        item.operation.declared.behaviour.barrier for item in of_kind(program.body, Executed)
    ):
        # As late as this: few programs have barriers.
        from nkiverify.analysis.sets.common_paths import apart

        return joined([_of_path(path, proved) for path in apart(program)])
    return _of_path(program, proved)


def _of_path(program: Program, proved: Callable[[Program], Proof]) -> Proof:
    if not any(of_kind(program.body, DeviceLoop)):
        return _nested(program, proved)
    # As late as this: few programs have one.
    from nkiverify.analysis.sets.device_loops import nested

    looping, origins = nested(program)
    return _about(_nested(looping, proved), origins)


def _about(proof: Proof, origins: Mapping[Item, Item]) -> Proof:
    """A proof as one about the items that those of its program have been made of."""
    proof.stated = [replace(one, item=one.item and origins.get(one.item, one.item)) for one in proof.stated]
    proof.read_unwritten = {origins.get(item, item) for item in proof.read_unwritten}
    return proof


def _nested(program: Program, proved: Callable[[Program], Proof]) -> Proof:
    """The proof, where it is open with flattened loops as loops within one another."""
    proof = proved(program)
    if not proof.open:
        return proof
    from nkiverify.analysis.sets.flattened import nested_loops

    nested, origins = nested_loops(program)
    if nested is program:
        return proof
    try:
        other = proved(nested)
    except Inconclusive:
        return proof
    return _about(other, origins) if len(other.open) < len(proof.open) else proof


def _proved(
    program: Program,
    generation: int,
    deadline: float,
    operations: int | None,
    dead_stores: frozenset[Source],
) -> Proof:
    if operations is None:
        executed = sum(1 for _ in of_kind(program.body, Executed))
        operations = max(SetsBudget.OPERATIONS, SetsBudget.OPERATIONS_FOR_EACH * executed)
    forgets = _splits(program) >= SetsBudget.SPLITS
    # All walks ask the same sets: what one has made, the next finds.
    regions = Regions.of_program(program)
    proof = _walked(_Walk(program, regions, generation, deadline, dead_stores, forgets), operations)
    if forgets and proof.open:
        with suppress(TooComplex):
            proof = _walked(_Walk(program, regions, generation, deadline, dead_stores), operations)
    if not proof.open:
        return proof
    jumps = jumps_of(item.operation for item in of_kind(program.body, Executed))
    if not any(jumps.values()):
        return proof
    try:
        finer = _walked(_Walk(program, regions.finer(jumps), generation, deadline, dead_stores), operations)
    except TooComplex:
        return proof
    return finer if len(finer.open) < len(proof.open) else proof


def _walked(walk: _Walk, operations: int) -> Proof:
    isl.DEFAULT_CONTEXT.reset_operations()
    isl.DEFAULT_CONTEXT.set_max_operations(operations)
    try:
        return walk.run()
    except isl.Error:
        # What comes after the operation that was one too many may fail in any way.
        raise TooComplex("the sets of a proof for all shapes are too complex") from None
    finally:
        isl.DEFAULT_CONTEXT.set_max_operations(0)


class _Walk(Visitor[State]):
    def __init__(
        self,
        program: Program,
        regions: Regions,
        generation: int,
        deadline: float,
        dead_stores: frozenset[Source],
        forgets: bool = False,
    ) -> None:
        self._program = program
        self._deadline = deadline
        self._proof = Proof()
        #: What operations do to a state.
        self._transfer = Transfer(program, regions, generation, dead_stores, self._proof)
        self._sets, self._regions = self._transfer.sets, self._transfer.regions
        self._programs, self._everywhere = self._transfer.programs, self._transfer.everywhere
        self._accesses = self._transfer.accesses
        self._local = local_allocations(program.body)
        #: Of a launch grid: by allocation, what any program writes on any path; what each path returns.
        self._written: Elements = {}
        #: What any program may have left undefined, where programs have waited for others: of what another one has
        #: defined before, a program may not know.
        self._spoiled: Elements = {}
        self._met = False
        #: Of a launch grid, and of loops without an order: what may meet.
        self._turns: ProgramTurns | None = None
        if self._accesses is not None:
            self._turns = ProgramTurns(self._transfer, self._accesses, self._proof, self._local)
        self._returns: list[tuple[Key, isl.Set]] = []
        #: Whether that numbers are not equal, `N % 24 != 0`, is left out of what is known on a path that stands for
        #: itself: what one of a loop body, or of a program of a launch, defines is defined on that path alone.
        self._forgets = forgets and not self._programs
        #: By loop: where it was tried, with which sums undefined, and what an iteration of it does.
        self._tried_before: dict[Loop, tuple[isl.Set, frozenset[Key], State]] = {}
        #: How many loops are around, how many of them have no order, and how many ways of branches.
        self._loops = 0
        self._unordered = 0
        self._arms = 0
        #: What is known where the walk is.
        self._state = State(self._everywhere, EVERYWHERE, self._sets.beginning)

    def run(self) -> Proof:
        """The parts of the program that can be shown."""
        if self._accesses is not None:
            self._accesses.enter()
        self._states(self._program.body, self._state)
        self._proof.at = None
        self._outputs_of_programs()
        if not self._transfer.outputs and any(of_kind(self._program.body, Executed)):
            self._proof.claim("df.output_written", None, False, "nothing is returned, and no argument written")
        if self._turns is not None:
            self._turns.end()
        return self._proof

    def _barrier(self, item: Executed, state: State) -> None:
        """A barrier; where a branch is around, or a loop without an order, it is followed at shapes that are run."""
        apart = self._arms or self._unordered or state.iterations
        if self._turns is not None and not apart and self._transfer.is_had_by_all(item):
            self._turns.barrier(state)
            self._met = True

    # --- items --------------------------------------------------------------------------------------------------------

    def _states(self, block: Block, state: State) -> list[State]:
        """The states in which the paths through a block end; `state` is changed."""
        around, self._state = self._state, state
        found = list(self.block(block))
        self._state = around
        return found

    def before(self, item: Item) -> None:
        if now() > self._deadline:
            raise OutOfTime("the time for a proof for all shapes is over")
        self._proof.at = item

    def assume(self, item: Assume) -> Iterable[State]:
        if item.of_number:
            stated = self._sets.stated(item.condition)
            self._state.context = self._sets.both(self._sets.completed(self._state.context, stated), stated)
        else:
            self._suppose(item.condition, self._state, assumed=True)
        return ()

    def recorded(self, item: Item) -> Iterable[State]:
        state = self._state
        if isinstance(item, Executed | Allocation):
            self._executing(state)
        if isinstance(item, Executed):
            self._transfer.execute(item, state)
            if item.operation.declared.behaviour.barrier:
                self._barrier(item, state)
        elif isinstance(item, Returned):
            self._returned(item, state)
        elif isinstance(item, Iteration):
            self._iteration(item.loop, state, item)
        elif isinstance(item, ParallelLoop):
            self._iteration(item.loop, state)
        elif isinstance(item, Drawn):
            self._proof.claim("df.affine_range", item.site, False, DRAWN)
        return ()

    def loop(self, item: Loop) -> Iterable[State]:
        if self._state.iterations and executes(item.body):
            self._executing(self._state)
        self._loop(item, self._state)
        return ()

    def arm(self, condition: conditions.Condition, block: Block, branch: Branch) -> Iterable[State]:
        inner = self._state.copy()
        self._suppose(condition, inner)
        if inner.context.is_empty():
            return ()
        self._arms += 1
        found = self._states(block, inner)
        self._arms -= 1
        return found

    def end(self, block: Block) -> Iterable[State]:
        return (self._state,)

    def _executing(self, state: State) -> None:
        """The iterations of loops without an order that are under way execute something."""
        state.iterations = {loop: running.executing() for loop, running in state.iterations.items()}

    def _iteration(self, loop: object, state: State, begins: Iteration | None = None) -> None:
        """A loop without an order continues with its next iteration, or it begins or ends."""
        running = state.iterations.pop(loop, Running())
        if running.loses(ends=begins is None):
            self._proof.claim("df.affine_range", None, False, DRAWN)
        if begins is not None:
            state.iterations[loop] = running.next(begins)

    def _suppose(self, condition: conditions.Condition | bool, state: State, *, assumed: bool = False) -> None:
        """`condition` holds from here on: that of a branch, or one that is `assumed`."""
        if self._forgets and not self._loops and _is_unequal(condition):
            return
        condition = _one_sided(condition, state.held)
        state.held = state.held.with_condition(condition)
        stated = self._sets.stated(condition)
        known = self._sets.completed(state.context, stated)
        if not self._sets.once(isl.Set.is_subset, known, stated):
            state.path = self._sets.both(state.path, stated)
            state.context = self._sets.both(known, stated)
            if not assumed:
                state.taken = self._sets.both(state.taken, stated)

    def _loop(self, loop: Loop, state: State) -> None:
        from nkiverify.analysis.sets.iterations import Iterations

        bounds = self._sets.parameters_where(loop.bounds)
        iterations = Iterations(self._sets, loop.index, bounds, state.context, state.held, loop.bounds)
        context = self._sets.both(state.context, iterations.bounds)
        if context.is_empty():
            return
        result = assumed = self._tried(loop, state, context, iterations)
        if not self._proof.tentative:
            for number in range(SetsBudget.PASSES):
                stated = list(self._proof.stated)
                result = self._pass(loop, state, context, iterations, assumed)
                if confirmed(self._sets, assumed, result, context):
                    break
                self._proof.stated = stated
                assumed = weaker(self._sets, assumed, result, nothing=number == SetsBudget.PASSES - 2)
            else:
                reason = "what iterations define depends on one another"
                self._proof.claim("df.read_unwritten", loop.site, False, reason)
            if self._turns is not None:
                self._turns.after_loop(loop, state, iterations)
        self._after(state, iterations, result, surely=loop.counted)

    def _tried(self, loop: Loop, state: State, context: isl.Set, iterations: Iterations) -> State:
        """The effect of an iteration that finds everything defined.

        That depends on no more than is compared here. A walk of the loop around this one asks for it again, whatever
        is known by then.
        """
        undefined = self._transfer.undefined_sums()
        known = self._tried_before.get(loop)
        if known is not None and known[0] is context and known[1] == undefined:
            return known[2]
        self._proof.tentative += 1
        result = self._pass(loop, state, context, iterations, None)
        self._proof.tentative -= 1
        self._tried_before[loop] = context, undefined, result
        return result

    def _pass(self, loop: Loop, state: State, context: isl.Set, iterations: Iterations, assumed: State | None) -> State:
        """Walk the body; `assumed` is what each iteration does. None: nothing is asked of what it finds."""
        body = State(context, EVERYWHERE, iterations.within, iterations=dict(state.iterations))
        if assumed is not None:
            known = body.known = state.known.copy()
            for key, found in assumed.own.defined.items():
                add(self._sets, known.defined, key, iterations.before_surely(found))
            for key, found in assumed.spoiled.items():
                remove(self._sets, known.defined, key, iterations.before_perhaps(found))
            for key, found in assumed.own.products.items():
                add(self._sets, known.products, key, iterations.before_surely(found))
            for key, found in assumed.filled.items():
                remove(self._sets, known.products, key, iterations.before_perhaps(found))
            for key, found in assumed.own.read_out.items():
                add(self._sets, known.read_out, key, iterations.before_perhaps(found))
        body.spoiled_before = self._spoiled_before(state, assumed, iterations)
        if self._accesses is not None:
            self._accesses.enter()
        self._loops += 1
        self._unordered += loop.parallel
        result = merged(self._sets, self._states(loop.body, body), context, self._local[loop.index])
        self._loops -= 1
        self._unordered -= loop.parallel
        if self._turns is not None:
            self._turns.after_body(loop, state, context, iterations)
        return result

    def _spoiled_before(self, state: State, assumed: State | None, iterations: Iterations) -> Elements:
        """The elements that a program may have left undefined before an iteration of a loop that begins in `state`."""
        if not self._programs:
            return {}
        found = dict(state.spoiled_before)
        for key, spoiled in state.spoiled.items():
            add(self._sets, found, key, spoiled)
        for key, spoiled in (assumed.spoiled if assumed is not None else {}).items():
            add(self._sets, found, key, iterations.before_perhaps(spoiled))
        return found

    def _after(self, state: State, iterations: Iterations, result: State, *, surely: bool) -> None:
        """The state after a loop of which each iteration does `result`, if it is `surely` known how many there are."""
        for key, found in result.own.defined.items() if surely else ():
            self._transfer.define(state, key, iterations.all_surely(found))
        for key, found in result.spoiled.items():
            self._transfer.spoil(state, key, iterations.all_perhaps(found))
        for key, found in result.own.products.items() if surely else ():
            add(self._sets, state.known.products, key, iterations.all_surely(found))
            add(self._sets, state.own.products, key, iterations.all_surely(found))
        for key, found in result.filled.items():
            self._transfer.fill(state, key, iterations.all_perhaps(found))
        for key, found in result.own.read_out.items():
            add(self._sets, state.known.read_out, key, iterations.all_perhaps(found))
            add(self._sets, state.own.read_out, key, iterations.all_perhaps(found))

    def _returned(self, item: Returned, state: State) -> None:
        for tensor in item.tensors:
            self._transfer.outputs += 1
            key = key_of(tensor.storage)
            if key[0] == "argument":
                continue
            region = self._regions.of(tensor, None, state.context, writes=False)
            wanted = region.elements if region is not None else self._regions.whole(tensor.storage)
            found = state.known.defined.get(key)
            if self._programs:
                # Others may have taken another path: what each path writes counts for the programs that take it.
                if found is not None:
                    add(self._sets, self._written, key, self._sets.where(found, state.path))
                if self._met:
                    add(self._sets, self._spoiled, key, state.spoiled.get(key))
                self._returns.append((key, self._sets.where(wanted, state.context)))
            else:
                self._output(wanted, found, state.context)

    def _outputs_of_programs(self) -> None:
        if self._turns is None:
            return
        for key, wanted in self._returns:
            found = self._written.get(key)
            found = None if found is None else self._turns.of_any_program(found)
            spoiled = self._spoiled.get(key)
            if found is not None and spoiled is not None:
                found = self._sets.less(found, self._turns.perhaps_of_any_program(spoiled))
            self._output(self._turns.perhaps_of_any_program(wanted), found, EVERYWHERE)

    def _output(self, wanted: isl.Set, found: isl.Set | None, context: isl.Set) -> None:
        shown = found is not None and self._sets.within(wanted, found, context)
        self._proof.claim("df.output_written", None, shown, "an element may be left unwritten or undefined")


def _is_unequal(condition: conditions.Condition | bool) -> bool:
    return isinstance(condition, Comparison) and condition.relation is Relation.UNEQUAL


def _one_sided(condition: conditions.Condition | bool, held: Context) -> conditions.Condition | bool:
    """`condition` as it comes to where the conditions `held` hold: a number that is not 0, and not negative either, is
    at least 1, which is one part of a set and not two."""
    if not isinstance(condition, Comparison) or condition.relation is not Relation.UNEQUAL:
        return condition
    for sign in (1, -1):
        term = terms.scale(condition.term, sign)
        if held.entails(conditions.at_most_zero(term)):
            return conditions.at_most_zero(terms.add(term, terms.constant(1)))
    return condition


def _splits(program: Program) -> int:
    """How often a path is split by whether numbers are equal."""
    splits = (item.condition for item in of_kind(program.body, Branch))
    return sum(_is_unequal(one) or _is_unequal(one.negation()) for one in splits)
