"""The dataflow of a shape program, for all values of its dimensions at once.

The walk follows the program in order and keeps, for each allocation, the elements that hold something well defined: a
set over the dimensions and the indices of the loops around the place. What is kept is never too much, so a read inside
it is a read of written elements. A loop body is walked for an arbitrary iteration i, which finds what was there before
the loop and what the iterations before i have defined; that these have defined what the walk of the body comes to is
induction. Nothing is refuted here: what cannot be shown is open, and concrete runs look for the fault.
"""

from __future__ import annotations

import time
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field

import islpy as isl

from nkiverify.analysis.alike import independent, is_shared
from nkiverify.analysis.effects import (
    REGISTERS,
    Command,
    Registers,
    command_of,
    exchanges,
    is_register_file,
    may_leave_out,
    reading_rule,
    rows_touched,
)
from nkiverify.analysis.marks.order import DRAWN, Running
from nkiverify.analysis.masks import left_by, masks_otherwise
from nkiverify.analysis.sets.affine import Sets, mentions
from nkiverify.analysis.sets.coordinates import Jumps, jumps_of
from nkiverify.analysis.sets.iterations import Iterations
from nkiverify.analysis.sets.keys import Key, key_of
from nkiverify.analysis.sets.knowledge import Elements, State, add, confirmed, merged, remove, weaker
from nkiverify.analysis.sets.positions import Partly, defined_elements
from nkiverify.analysis.sets.products import Products
from nkiverify.analysis.sets.regions import Region, Regions
from nkiverify.analysis.sets.structure import bounds_of, executes, has_parallel, items, local_allocations, programs
from nkiverify.analysis.sets.unordered import Access, Accesses, Use
from nkiverify.analysis.side_effects import Source, has_effect, skips, source_of
from nkiverify.foundation.source import Site
from nkiverify.ir.program import (
    Allocation,
    Assume,
    Block,
    Branch,
    Drawn,
    Iteration,
    Loop,
    ParallelLoop,
    Program,
    Returned,
)
from nkiverify.ir.program import Operation as Executed
from nkiverify.model.memory import PSUM
from nkiverify.model.operation import Operation
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import conditions
from nkiverify.symbolic.terms import Index

#: Operations of isl that a proof may take, one or two seconds'; a limit on time would depend on the machine.
MAX_OPERATIONS = 8_000_000
#: How often the guess about what a loop body does may be corrected.
_MAX_PASSES = 4
#: The last generation on which matmuls add to nothing but what matmuls wrote ("nc_matmul.accum_nonmatmul_init").
_LAST_STRICT_GENERATION = 3


#: Why a loop without an order is open.
MEET = "iterations may meet"


@dataclass(frozen=True, slots=True)
class Open:
    """A claim that could not be shown, with the reason."""

    contract: str
    site: Site | None
    reason: str


@dataclass(slots=True)
class Proof:
    """What the walk has shown: how many claims of each contract, and which are open."""

    shown: dict[str, int] = field(default_factory=dict)
    open: list[Open] = field(default_factory=list)
    #: Whether an operation may read an unwritten element, be it that none reaches an output.
    reads_unwritten: bool = False

    @property
    def claims(self) -> int:
        """All claims."""
        return sum(self.shown.values()) + len(self.open)


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
    operations: int = MAX_OPERATIONS,
    in_vain: frozenset[Source] = frozenset(),
) -> Proof:
    """Walk `program`; raises `Inconclusive` where that takes more than `seconds`, or more `operations` of isl.

    Elements have a coordinate for each dimension of their tensor first. Where that leaves anything open, and addresses
    jump by products of dimensions, they have finer ones next. What the operations `in_vain` write is taken for
    undefined: if no claim is open then, nothing that counts uses it.
    """
    deadline = time.monotonic() + seconds
    proof = _walked(_Walk(program, generation, deadline, {}, in_vain), operations)
    if not proof.open:
        return proof
    jumps = jumps_of(item.operation for item in items(program.body) if isinstance(item, Executed))
    if not any(jumps.values()):
        return proof
    try:
        finer = _walked(_Walk(program, generation, deadline, jumps, in_vain), operations)
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


class _Walk:
    def __init__(
        self,
        program: Program,
        generation: int,
        deadline: float,
        jumps: Mapping[Key, Jumps],
        in_vain: frozenset[Source],
    ) -> None:
        self._program = program
        self._in_vain = in_vain
        self._generation = generation
        self._deadline = deadline
        self._sets = Sets(Products(program.dimensions))
        self._regions = Regions(self._sets, jumps)
        self._registers = Registers()
        self._proof = Proof()
        #: Whether every read is taken for one of defined elements, to find out what a loop body writes.
        self._optimistic = 0
        self._programs = programs(program.body)
        #: What holds of the coordinates of a program.
        self._everywhere = self._sets.parameters_where(
            condition for atom in self._programs for condition in bounds_of(atom)
        )
        self._alike = independent(program.body, self._programs) if self._programs else frozenset()
        self._accesses = Accesses(self._sets) if self._programs or has_parallel(program.body) else None
        self._local = local_allocations(program.body)
        self._running_sums: set[Key] = set()
        #: Of a launch grid: by allocation, what any program writes on any path; what each path returns.
        self._written: Elements = {}
        self._returns: list[tuple[Key, isl.Set]] = []
        #: Tensors returned, and writes to arguments, that the walk has met.
        self._outputs = 0
        self._returned_keys = {
            key_of(tensor.storage)
            for item in items(program.body)
            if isinstance(item, Returned)
            for tensor in item.tensors
        }

    def run(self) -> Proof:
        """What can be shown of the program."""
        state = State(self._everywhere, isl.Set("{ : }"))
        if self._accesses is not None:
            self._accesses.enter()
        list(self._block(self._program.body, state))
        self._outputs_of_programs()
        if not self._outputs and any(isinstance(item, Executed) for item in items(self._program.body)):
            self._claim("df.output_written", None, False, "nothing is returned, and no argument written")
        if self._accesses is not None:
            accesses = self._leave({}, self._everywhere)
            if self._programs:
                names = [self._sets.parameter(atom) for atom in self._programs]
                shared = [access for access in accesses if access.shared]
                clash = self._accesses.clash(shared, names, self._everywhere, programs=True)
                self._claim("df.programs", clash.site if clash else None, clash is None, "programs may meet")
        return self._proof

    # --- items --------------------------------------------------------------------------------------------------------

    def _block(self, block: Block, state: State) -> Iterator[State]:
        """The states in which the paths through a block end; `state` is changed."""
        for item in block.items:
            if time.monotonic() > self._deadline:
                raise OutOfTime("the time for a proof for all shapes is over")
            if state.iterations and (isinstance(item, Executed | Allocation) or _executes_in_loop(item)):
                state.iterations = {loop: running.executing() for loop, running in state.iterations.items()}
            if isinstance(item, Assume):
                self._suppose(item.condition, state)
            elif isinstance(item, Executed):
                self._operation(item, state)
            elif isinstance(item, Loop):
                self._loop(item, state)
            elif isinstance(item, Returned):
                self._returned(item, state)
            elif isinstance(item, Iteration):
                self._iteration(item.loop, state, item)
            elif isinstance(item, ParallelLoop):
                self._iteration(item.loop, state)
            elif isinstance(item, Drawn):
                self._claim("df.affine_range", item.site, False, DRAWN)
            elif isinstance(item, Branch):
                for condition, arm in ((item.condition, item.then), (item.condition.negation(), item.orelse)):
                    inner = state.copy()
                    self._suppose(condition, inner)
                    if not inner.context.is_empty():
                        yield from self._block(arm, inner)
                return
        yield state

    def _iteration(self, loop: object, state: State, begins: Iteration | None = None) -> None:
        """A loop without an order goes on with its next iteration, or it begins or ends."""
        running = state.iterations.pop(loop, Running())
        if running.loses(ends=begins is None):
            self._claim("df.affine_range", None, False, DRAWN)
        if begins is not None:
            state.iterations[loop] = running.next(begins)

    def _suppose(self, condition: conditions.Condition | bool, state: State) -> None:
        """`condition` holds from here on."""
        stated = self._sets.stated(condition)
        known = self._sets.completed(state.context, stated)
        if not known.is_subset(stated):
            state.path = state.path.intersect(stated)
            state.context = known.intersect(stated)

    def _loop(self, loop: Loop, state: State) -> None:
        iterations = Iterations(self._sets, loop.index, self._sets.parameters_where(loop.bounds), state.context)
        context = state.context.intersect(iterations.bounds)
        if context.is_empty():
            return
        self._optimistic += 1
        assumed = self._pass(loop, state, context, iterations, None)
        self._optimistic -= 1
        result = assumed
        if not self._optimistic:
            for number in range(_MAX_PASSES):
                shown, still_open = dict(self._proof.shown), list(self._proof.open)
                result = self._pass(loop, state, context, iterations, assumed)
                if confirmed(self._sets, assumed, result, context):
                    break
                self._proof.shown, self._proof.open = shown, still_open
                assumed = weaker(assumed, result, nothing=number == _MAX_PASSES - 2)
            else:
                self._claim("df.read_unwritten", loop.site, False, "what iterations define depends on one another")
        self._after(state, iterations, result)

    def _pass(self, loop: Loop, state: State, context: isl.Set, iterations: Iterations, assumed: State | None) -> State:
        """Walk the body; `assumed` is what each iteration does."""
        body = State(context, isl.Set("{ : }"), state.known.copy(), iterations=dict(state.iterations))
        if assumed is not None:
            known = body.known
            for key, found in assumed.own.defined.items():
                add(known.defined, key, iterations.before_surely(found))
            for key, found in assumed.spoiled.items():
                remove(known.defined, key, iterations.before_perhaps(found))
            for key, found in assumed.own.products.items():
                add(known.products, key, iterations.before_surely(found))
            for key, found in assumed.filled.items():
                remove(known.products, key, iterations.before_perhaps(found))
            for key, found in assumed.own.read_out.items():
                add(known.read_out, key, iterations.before_perhaps(found))
        if self._accesses is not None:
            self._accesses.enter()
        result = merged(list(self._block(loop.body, body)), context, self._local[loop.index])
        if self._accesses is not None:
            local = self._local[loop.index]
            accesses = [access for access in self._leave(state.iterations, context) if access.key not in local]
            if loop.parallel and not self._optimistic:
                name = self._sets.parameter(loop.index)
                clash = self._accesses.clash(accesses, [name], context)
                self._claim("df.affine_range", clash.site if clash else loop.site, clash is None, MEET)
                if not executes(loop.body):
                    self._claim("df.affine_range", loop.site, False, DRAWN)
            for access in accesses:
                reached = iterations.all_perhaps(access.elements)
                self._accesses.add(access.over(reached.intersect_params(state.path)))
        return result

    def _leave(self, around: Container[object], context: isl.Set) -> list[Access]:
        """The accesses of a body that ends; those of loops without an order in it that are not `around` it are
        compared."""
        assert self._accesses is not None
        accesses = self._accesses.leave()
        loops = dict.fromkeys(loop for access in accesses for loop in access.iterations if loop not in around)
        for loop in [] if self._optimistic else loops:
            clash = self._accesses.clash_of_iterations(accesses, loop, context)
            self._claim("df.affine_range", clash.site if clash else None, clash is None, MEET)
        return accesses

    def _after(self, state: State, iterations: Iterations, result: State) -> None:
        """The state after a loop of which each iteration does `result`."""
        for key, found in result.own.defined.items():
            self._define(state, key, iterations.all_surely(found))
        for key, found in result.spoiled.items():
            self._spoil(state, key, iterations.all_perhaps(found))
        for key, found in result.own.products.items():
            add(state.known.products, key, iterations.all_surely(found))
            add(state.own.products, key, iterations.all_surely(found))
        for key, found in result.filled.items():
            self._fill(state, key, iterations.all_perhaps(found))
        for key, found in result.own.read_out.items():
            add(state.known.read_out, key, iterations.all_perhaps(found))
            add(state.own.read_out, key, iterations.all_perhaps(found))

    def _returned(self, item: Returned, state: State) -> None:
        for tensor in item.tensors:
            self._outputs += 1
            key = key_of(tensor.storage)
            if key[0] == "argument":
                continue
            region = self._regions.of(tensor, None, state.context, writes=False)
            wanted = region.elements if region is not None else self._regions.whole(tensor.storage)
            found = state.known.defined.get(key)
            if self._programs:
                # Others may have taken another path: what each path writes counts for the programs that take it.
                if found is not None:
                    add(self._written, key, found.intersect_params(state.path))
                self._returns.append((key, wanted.intersect_params(state.context)))
            else:
                self._output(wanted, found, state.context)

    def _outputs_of_programs(self) -> None:
        for key, wanted in self._returns:
            found = self._written.get(key)
            for atom in self._programs:
                if found is not None:
                    found = Iterations(self._sets, atom, self._bounds(atom), self._everywhere).all_surely(found)
                wanted = Iterations(self._sets, atom, isl.Set("{ : }"), self._everywhere).all_perhaps(wanted)
            self._output(wanted, found, isl.Set("{ : }"))

    def _output(self, wanted: isl.Set, found: isl.Set | None, context: isl.Set) -> None:
        shown = found is not None and self._sets.within(wanted, found, context)
        self._claim("df.output_written", None, shown, "an element may be left unwritten or undefined")

    def _bounds(self, atom: Index) -> isl.Set:
        return self._sets.parameters_where(bounds_of(atom))

    # --- operations ---------------------------------------------------------------------------------------------------

    def _operation(self, item: Executed, state: State) -> None:
        operation = self._registers.made_explicit(item.operation)
        if operation.name == "nisa.core_barrier":
            # It names the tensor that is waited for, and reads none of it.
            names = [
                name for atom in self._programs for name in (self._sets.parameter(atom), *self._sets.names.on(atom))
            ]
            known = self._sets.completed(self._everywhere, state.context)
            together = not mentions(state.context.gist(known), names)
            self._claim("df.programs", item.site, together, "a barrier that not all programs may come to")
            return
        product = operation.name in ("nisa.nc_matmul", "nisa.nc_matmul_mx") and "dst" in operation.writes
        # A mask over another grid leaves out nothing that is read for certain.
        mask = None if masks_otherwise(operation) else operation.mask
        adds = self._adds_in_place(operation)
        undefined: dict[str, Region | None] = {}
        for argument, view in operation.reads.items():
            key = key_of(view.storage)
            rows = rows_touched(operation, argument)
            region = self._regions.of(view, mask, state.context, writes=False, rows=rows)
            elements = region.elements if region is not None else self._regions.whole(view.storage)
            accumulates = product and argument == "dst"
            if not accumulates:
                self._access(state, view, elements, Use.ADDED if adds and argument == "x" else Use.READ, item.site)
                if view.storage.buffer is PSUM and not product:
                    add(state.known.read_out, key, elements)
                    add(state.own.read_out, key, elements)
            if accumulates and operation.attributes.get("accumulate") is not True:
                # What is there counts where the condition holds: see `_accumulation`.
                continue
            if self._optimistic:
                continue
            if key[0] == "argument" or self._sets.within(elements, state.known.defined.get(key), state.context):
                self._count("df.accumulate_unwritten" if accumulates else reading_rule(view.storage))
                continue
            if accumulates:
                self._claim("df.accumulate_unwritten", item.site, False, "an element may be unwritten")
            elif argument.endswith(".index") or operation.name.startswith("nisa.register"):
                self._claim("df.read_unwritten", item.site, False, "an index may be unwritten")
            undefined[argument] = region
            self._proof.reads_unwritten = True
        if undefined and self._in_vain and has_effect(operation):
            self._claim("df.read_unwritten", item.site, False, "it has an effect besides")
        if undefined and exchanges(operation):
            self._claim("df.read_unwritten", item.site, False, "what another program receives may be undefined")
        if product:
            self._accumulation(item, state)
        for argument, view in operation.writes.items():
            self._write(item, operation, state, argument, view, undefined, product=product, adds=adds)
        if operation.name == "nl.loop_reduce":
            self._running_sums.update(key_of(view.storage) for view in operation.writes.values())

    def _adds_in_place(self, operation: Operation) -> bool:
        """Whether it adds to what is there: the sum does not depend on the order of iterations ("leg.affine_range")."""
        target, added = operation.writes.get("dst"), operation.reads.get("x")
        if operation.name == "nl.add" and target is not None and added is target:
            return True
        value = operation.reads.get("value")
        return operation.name == "setitem" and value is not None and key_of(value.storage) in self._running_sums

    def _write(
        self,
        item: Executed,
        operation: Operation,
        state: State,
        argument: str,
        view: Tensor,
        undefined: dict[str, Region | None],
        *,
        product: bool,
        adds: bool,
    ) -> None:
        key = key_of(view.storage)
        rows = rows_touched(operation, argument)
        region = self._region_written(operation, argument, view, state, rows)
        certain = operation.body is None and not (
            skips(operation) or masks_otherwise(operation) or may_leave_out(operation, argument)
        )
        whole = region is None or masks_otherwise(operation)
        reached = self._regions.whole(view.storage) if whole else region.elements  # type: ignore[union-attr]
        joins = product and operation.attributes.get("accumulate") is not False
        use = Use.ADDED if adds or joins else Use.ALIKE if id(item) in self._alike else Use.WRITTEN
        self._access(state, view, reached, use, item.site)
        self._outputs += key[0] == "argument"
        if view.legacy and key[0] == "argument":
            self._claim("df.input_written", item.site, key in self._returned_keys, "an argument is written")
        sure = region.elements if region is not None and certain else None
        good = sure
        if undefined and region is not None and sure is not None:
            good = defined_elements(operation, argument, region, self._positions(operation, state, undefined))
        if argument == REGISTERS and command_of(operation) is Command.CLOBBER:
            self._spoil(state, key, reached)
            return
        spoils = bool(self._in_vain) and source_of(item) in self._in_vain
        if spoils:
            good = None
        if undefined or spoils:
            if undefined and operation.body is not None:
                self._claim("df.read_unwritten", item.site, False, "a device loop may leave it undefined for itself")
            bad = reached if good is None else reached.subtract(good)
            self._spoil(state, key, bad)
            if key[0] == "argument" and not self._sets.empty(bad, state.context):
                self._claim("df.read_unwritten", item.site, False, "what is written to an argument may be undefined")
        if good is not None:
            self._define(state, key, good)
        if view.storage.buffer is PSUM:
            if product:
                if sure is not None:
                    add(state.known.products, key, sure)
                    add(state.own.products, key, sure)
            else:
                self._fill(state, key, reached)
            if sure is not None and not (product and operation.attributes.get("accumulate") is None):
                # What is said of it, to begin anew or to go on, is meant; only what is inferred may go on by mistake.
                remove(state.known.read_out, key, sure)
                remove(state.own.read_out, key, sure)

    def _region_written(
        self, operation: Operation, argument: str, view: Tensor, state: State, rows: tuple[int, int] | None
    ) -> Region | None:
        try:
            left = left_by(operation, argument) if operation.mask is not None else None
        except LookupError:
            return None
        return self._regions.of(view, operation.mask, state.context, writes=True, rows=rows, left=left)

    def _positions(
        self, operation: Operation, state: State, undefined: dict[str, Region | None]
    ) -> dict[str, Partly | None]:
        """For each operand that may be undefined in part: where it is read, and where it is defined."""
        found: dict[str, Partly | None] = {}
        for argument, region in undefined.items():
            known = state.known.defined.get(key_of(operation.reads[argument].storage))
            found[argument] = None if region is None or known is None else Partly(region, known, state.context)
        return found

    def _accumulation(self, item: Executed, state: State) -> None:
        """What a matmul adds to has to be there, and to be of the same sum."""
        if self._optimistic:
            return
        operation = item.operation
        view = operation.writes["dst"]
        mode = operation.attributes.get("accumulate")
        if mode is False or view.storage.buffer is not PSUM:
            return
        if operation.body is not None:
            # "loop.accumulate_dynamic": not documented.
            self._claim("df.accumulate_stale", item.site, False, "a sum over the iterations of a device loop")
        key = key_of(view.storage)
        region = self._regions.of(view, operation.mask, state.context, writes=False)
        elements = region.elements if region is not None else self._regions.whole(view.storage)
        if mode is not None:
            where = state.context
            if isinstance(mode, conditions.Condition):
                # As in `accumulate=k > 0`: what is there counts where the condition holds.
                where = where.intersect(self._sets.parameters_where([mode]))
                shown = self._sets.within(elements, state.known.defined.get(key), where)
                self._claim("df.accumulate_unwritten", item.site, shown, "an element may be unwritten")
            if self._generation <= _LAST_STRICT_GENERATION:
                shown = self._sets.within(elements, state.known.products.get(key), where)
                self._claim("df.accumulate_other", item.site, shown, "something else may have been written there")
            return
        read_out = state.known.read_out.get(key)
        apart = read_out is None or self._sets.empty(elements.intersect(read_out), state.context)
        self._claim("df.accumulate_stale", item.site, apart, "the sum may have been read out before")

    # --- noting -------------------------------------------------------------------------------------------------------

    def _define(self, state: State, key: Key, found: isl.Set | None) -> None:
        add(state.known.defined, key, found)
        add(state.own.defined, key, found)

    def _spoil(self, state: State, key: Key, found: isl.Set) -> None:
        remove(state.known.defined, key, found)
        remove(state.own.defined, key, found)
        add(state.spoiled, key, found)

    def _fill(self, state: State, key: Key, found: isl.Set) -> None:
        remove(state.known.products, key, found)
        remove(state.own.products, key, found)
        add(state.filled, key, found)

    def _access(self, state: State, view: Tensor, elements: isl.Set, use: Use, site: Site | None) -> None:
        # Iterations without an order reduce in registers one after the other.
        if self._accesses is not None and not is_register_file(view.storage):
            key, around = key_of(view.storage), {loop: found.number for loop, found in state.iterations.items()}
            # Iterations on different paths do not meet.
            here = elements.intersect_params(state.path)
            self._accesses.add(Access(key, here, use, site, is_shared(view.storage), around))

    def _count(self, contract: str) -> None:
        self._proof.shown[contract] = self._proof.shown.get(contract, 0) + 1

    def _claim(self, contract: str, site: Site | None, shown: bool, reason: str) -> None:
        if self._optimistic:
            return
        if shown:
            self._count(contract)
        else:
            self._proof.open.append(Open(contract, site, reason))


def _executes_in_loop(item: object) -> bool:
    return isinstance(item, Loop) and executes(item.body)
