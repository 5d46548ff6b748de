"""The dataflow of a shape program, for all values of its dimensions at once.

The walk follows the program in order and keeps, for each allocation, the elements that hold something well defined: a
set over the dimensions and the indices of the loops around the place. What is kept is never too much, so a read inside
it is a read of written elements. A loop body is walked for an arbitrary iteration i, which finds what was there before
the loop and what the iterations before i have defined; that these have defined what the walk of the body comes to is
induction. Nothing is refuted here: what cannot be shown is open, and concrete runs look for the fault.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import islpy as isl

from nkiverify.dataflow.affine import Sets, mentions
from nkiverify.dataflow.beside import Source, has_effect, skips, source_of
from nkiverify.dataflow.dependence import masks_otherwise
from nkiverify.dataflow.earlier import Iterations
from nkiverify.dataflow.effects import (
    REGISTERS,
    Command,
    Registers,
    command_of,
    is_register_file,
    may_leave_out,
    reading_rule,
    rows_touched,
)
from nkiverify.dataflow.positions import Partly, defined_elements
from nkiverify.dataflow.regions import Key, Region, Regions, key_of
from nkiverify.dataflow.unordered import Access, Accesses, Use
from nkiverify.model.memory import PSUM
from nkiverify.model.operation import Operation
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.program import Assume, Block, Branch, Iteration, Loop, Program, Returned
from nkiverify.program import Operation as Executed
from nkiverify.source import Site
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.terms import Atom, Term

#: Operations of isl that a proof may take, about half a second's; a limit on time would depend on the machine.
MAX_OPERATIONS = 2_500_000
#: How often the guess about what a loop body does may be corrected.
_MAX_PASSES = 4
#: The last generation on which matmuls add to nothing but what matmuls wrote ("nc_matmul.accum_nonmatmul_init").
_LAST_STRICT_GENERATION = 3

#: Elements by allocation.
Elements = dict[Key, isl.Set]


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


class OutOfTime(Exception):
    """The walk takes too long, or its sets are too complex."""


@dataclass(slots=True)
class _Knowledge:
    """Elements that surely hold well-defined numbers, that surely only matmuls wrote, that may have been read out."""

    defined: Elements = field(default_factory=dict)
    products: Elements = field(default_factory=dict)
    read_out: Elements = field(default_factory=dict)

    def copy(self) -> _Knowledge:
        return _Knowledge(dict(self.defined), dict(self.products), dict(self.read_out))


@dataclass(slots=True)
class _State:
    """What holds at a place: `known` in all, `own` as far as the innermost loop body did it.

    `spoiled` and `filled` are what the body may have overwritten: by undefined numbers, by something else than matmuls.
    """

    context: isl.Set
    known: _Knowledge = field(default_factory=_Knowledge)
    own: _Knowledge = field(default_factory=_Knowledge)
    spoiled: Elements = field(default_factory=dict)
    filled: Elements = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(self.context, self.known.copy(), self.own.copy(), dict(self.spoiled), dict(self.filled))


def prove(
    program: Program,
    generation: int,
    seconds: float,
    operations: int = MAX_OPERATIONS,
    in_vain: frozenset[Source] = frozenset(),
) -> Proof:
    """Walk `program`; raises `OutOfTime` where that takes more than `seconds`, or sets become too complex for isl.

    What the operations `in_vain` write is taken for undefined: if no claim is open then, nothing that counts uses it.
    """
    isl.DEFAULT_CONTEXT.reset_operations()
    isl.DEFAULT_CONTEXT.set_max_operations(operations)
    try:
        return _Walk(program, generation, time.monotonic() + seconds, in_vain).run()
    except isl.Error:
        # What comes after the operation that was one too many may fail in any way.
        raise OutOfTime from None
    finally:
        isl.DEFAULT_CONTEXT.set_max_operations(0)


class _Walk:
    def __init__(self, program: Program, generation: int, deadline: float, in_vain: frozenset[Source]) -> None:
        self._program = program
        self._in_vain = in_vain
        self._generation = generation
        self._deadline = deadline
        self._sets = Sets()
        self._regions = Regions(self._sets)
        self._registers = Registers()
        self._proof = Proof()
        #: Whether every read is taken for one of defined elements, to find out what a loop body writes.
        self._optimistic = 0
        self._programs = _programs(program.body)
        #: What holds of the coordinates of a program.
        self._everywhere = self._sets.parameters_where(
            condition for atom in self._programs for condition in _bounds(atom)
        )
        self._accesses = Accesses(self._sets) if self._programs or _has_parallel(program.body) else None
        self._running_sums: set[Key] = set()
        #: Tensors returned, and writes to arguments, that the walk has met.
        self._outputs = 0
        self._returned_keys = {
            key_of(tensor.storage)
            for item in _items(program.body)
            if isinstance(item, Returned)
            for tensor in item.tensors
        }

    def run(self) -> Proof:
        """What can be shown of the program."""
        state = _State(self._everywhere)
        if self._accesses is not None:
            self._accesses.enter()
        list(self._block(self._program.body, state))
        if not self._outputs and any(isinstance(item, Executed) for item in _items(self._program.body)):
            self._claim("df.output_written", None, False, "nothing is returned, and no argument written")
        if self._accesses is not None:
            accesses = self._accesses.leave()
            if self._programs:
                names = [self._sets.parameter(atom) for atom in self._programs]
                shared = [access for access in accesses if access.shared]
                clash = self._accesses.clash(shared, names, self._everywhere)
                self._claim("df.programs", clash.site if clash else None, clash is None, "programs may meet")
        return self._proof

    # --- items --------------------------------------------------------------------------------------------------------

    def _block(self, block: Block, state: _State) -> Iterator[_State]:
        """The states in which the paths through a block end; `state` is changed."""
        for item in block.items:
            if time.monotonic() > self._deadline:
                raise OutOfTime
            if isinstance(item, Assume):
                state.context = state.context.intersect(self._sets.parameters_where([item.condition]))
            elif isinstance(item, Executed):
                self._operation(item, state)
            elif isinstance(item, Loop):
                self._loop(item, state)
            elif isinstance(item, Returned):
                self._returned(item, state)
            elif isinstance(item, Iteration):
                self._claim("df.affine_range", None, False, "a loop without an order is run iteration by iteration")
            elif isinstance(item, Branch):
                for condition, arm in ((item.condition, item.then), (item.condition.negation(), item.orelse)):
                    inner = state.copy()
                    inner.context = state.context.intersect(self._sets.parameters_where([condition]))
                    if not inner.context.is_empty():
                        yield from self._block(arm, inner)
                return
        yield state

    def _loop(self, loop: Loop, state: _State) -> None:
        iterations = Iterations(self._sets, loop.index, self._sets.parameters_where(loop.bounds))
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
                if _confirmed(assumed, result, context):
                    break
                self._proof.shown, self._proof.open = shown, still_open
                assumed = _weaker(assumed, result, nothing=number == _MAX_PASSES - 2)
            else:
                self._claim("df.read_unwritten", loop.site, False, "what iterations define depends on one another")
        self._after(state, iterations, result)

    def _pass(
        self, loop: Loop, state: _State, context: isl.Set, iterations: Iterations, assumed: _State | None
    ) -> _State:
        """Walk the body; `assumed` is what each iteration does."""
        body = _State(context, state.known.copy())
        if assumed is not None:
            known = body.known
            for key, found in assumed.own.defined.items():
                _add(known.defined, key, iterations.before_surely(found))
            for key, found in assumed.spoiled.items():
                _remove(known.defined, key, iterations.before_perhaps(found))
            for key, found in assumed.own.products.items():
                _add(known.products, key, iterations.before_surely(found))
            for key, found in assumed.filled.items():
                _remove(known.products, key, iterations.before_perhaps(found))
            for key, found in assumed.own.read_out.items():
                _add(known.read_out, key, iterations.before_perhaps(found))
        if self._accesses is not None:
            self._accesses.enter()
        result = _merged(list(self._block(loop.body, body)), context)
        if self._accesses is not None:
            accesses = self._accesses.leave()
            if loop.parallel and not self._optimistic:
                name = self._sets.parameter(loop.index)
                clash = self._accesses.clash(accesses, [name], context)
                self._claim("df.affine_range", clash.site if clash else loop.site, clash is None, "iterations may meet")
            for access in accesses:
                self._accesses.add(access.over(iterations.all_perhaps(access.elements)))
        return result

    def _after(self, state: _State, iterations: Iterations, result: _State) -> None:
        """The state after a loop of which each iteration does `result`."""
        for key, found in result.own.defined.items():
            self._define(state, key, iterations.all_surely(found))
        for key, found in result.spoiled.items():
            self._spoil(state, key, iterations.all_perhaps(found))
        for key, found in result.own.products.items():
            _add(state.known.products, key, iterations.all_surely(found))
            _add(state.own.products, key, iterations.all_surely(found))
        for key, found in result.filled.items():
            self._fill(state, key, iterations.all_perhaps(found))
        for key, found in result.own.read_out.items():
            _add(state.known.read_out, key, iterations.all_perhaps(found))
            _add(state.own.read_out, key, iterations.all_perhaps(found))

    def _returned(self, item: Returned, state: _State) -> None:
        for tensor in item.tensors:
            self._outputs += 1
            key = key_of(tensor.storage)
            if key[0] == "argument":
                continue
            region = self._regions.of(tensor, None, state.context, writes=False)
            found = state.known.defined.get(key)
            if found is not None:
                for atom in self._programs:
                    if found is not None:
                        found = Iterations(self._sets, atom, self._bounds(atom)).all_surely(found)
            wanted = region.elements if region is not None else self._regions.whole(tensor.storage)
            wanted = wanted.intersect_params(state.context)
            for atom in self._programs:
                wanted = Iterations(self._sets, atom, isl.Set("{ : }")).all_perhaps(wanted)
            shown = found is not None and _within(wanted, found, state.context)
            self._claim("df.output_written", None, shown, "an element may be left unwritten or undefined")

    def _bounds(self, atom: Atom) -> isl.Set:
        return self._sets.parameters_where(_bounds(atom))

    # --- operations ---------------------------------------------------------------------------------------------------

    def _operation(self, item: Executed, state: _State) -> None:
        operation = self._registers.made_explicit(item.operation)
        if operation.name == "nisa.core_barrier":
            # It names the tensor that is waited for, and reads none of it.
            names = [self._sets.parameter(atom) for atom in self._programs]
            together = not mentions(state.context.gist(self._everywhere), names)
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
                self._access(key, view, elements, Use.ADDED if adds and argument == "x" else Use.READ, item.site)
                if view.storage.buffer is PSUM and not product:
                    _add(state.known.read_out, key, elements)
                    _add(state.own.read_out, key, elements)
            if self._optimistic:
                continue
            if key[0] == "argument" or _within(elements, state.known.defined.get(key), state.context):
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
        state: _State,
        argument: str,
        view: Tensor,
        undefined: dict[str, Region | None],
        *,
        product: bool,
        adds: bool,
    ) -> None:
        key = key_of(view.storage)
        rows = rows_touched(operation, argument)
        region = self._regions.of(view, operation.mask, state.context, writes=True, rows=rows)
        certain = operation.body is None and not (
            skips(operation) or masks_otherwise(operation) or may_leave_out(operation, argument)
        )
        whole = region is None or masks_otherwise(operation)
        reached = self._regions.whole(view.storage) if whole else region.elements  # type: ignore[union-attr]
        joins = product and operation.attributes.get("accumulate") is not False
        self._access(key, view, reached, Use.ADDED if adds or joins else Use.WRITTEN, item.site)
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
            if key[0] == "argument" and not bad.intersect_params(state.context).is_empty():
                self._claim("df.read_unwritten", item.site, False, "what is written to an argument may be undefined")
        if good is not None:
            self._define(state, key, good)
        if view.storage.buffer is PSUM:
            if product:
                if sure is not None:
                    _add(state.known.products, key, sure)
                    _add(state.own.products, key, sure)
            else:
                self._fill(state, key, reached)
            if sure is not None and not joins:
                _remove(state.known.read_out, key, sure)
                _remove(state.own.read_out, key, sure)

    def _positions(
        self, operation: Operation, state: _State, undefined: dict[str, Region | None]
    ) -> dict[str, Partly | None]:
        """For each operand that may be undefined in part: where it is read, and where it is defined."""
        found: dict[str, Partly | None] = {}
        for argument, region in undefined.items():
            known = state.known.defined.get(key_of(operation.reads[argument].storage))
            if region is None or known is None:
                found[argument] = None
                continue
            touched = region.map.domain().intersect_params(state.context)
            found[argument] = Partly(touched, region.map.intersect_range(known).domain())
        return found

    def _accumulation(self, item: Executed, state: _State) -> None:
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
                shown = _within(elements, state.known.defined.get(key), where)
                self._claim("df.accumulate_unwritten", item.site, shown, "an element may be unwritten")
            if self._generation <= _LAST_STRICT_GENERATION:
                shown = _within(elements, state.known.products.get(key), where)
                self._claim("df.accumulate_other", item.site, shown, "something else may have been written there")
            return
        read_out = state.known.read_out.get(key)
        apart = read_out is None or elements.intersect(read_out).intersect_params(state.context).is_empty()
        self._claim("df.accumulate_stale", item.site, apart, "the sum may have been read out before")

    # --- noting -------------------------------------------------------------------------------------------------------

    def _define(self, state: _State, key: Key, found: isl.Set | None) -> None:
        _add(state.known.defined, key, found)
        _add(state.own.defined, key, found)

    def _spoil(self, state: _State, key: Key, found: isl.Set) -> None:
        _remove(state.known.defined, key, found)
        _remove(state.own.defined, key, found)
        _add(state.spoiled, key, found)

    def _fill(self, state: _State, key: Key, found: isl.Set) -> None:
        _remove(state.known.products, key, found)
        _remove(state.own.products, key, found)
        _add(state.filled, key, found)

    def _access(self, key: Key, view: Tensor, elements: isl.Set, use: Use, site: Site | None) -> None:
        # Iterations without an order reduce in registers one after the other.
        if self._accesses is not None and not is_register_file(view.storage):
            self._accesses.add(Access(key, elements, use, site, _is_shared(view.storage)))

    def _count(self, contract: str) -> None:
        self._proof.shown[contract] = self._proof.shown.get(contract, 0) + 1

    def _claim(self, contract: str, site: Site | None, shown: bool, reason: str) -> None:
        if self._optimistic:
            return
        if shown:
            self._count(contract)
        else:
            self._proof.open.append(Open(contract, site, reason))


# --- sets by allocation -----------------------------------------------------------------------------------------------


def _add(elements: Elements, key: Key, found: isl.Set | None) -> None:
    if found is None:
        return
    known = elements.get(key)
    elements[key] = found if known is None else known.union(found).coalesce()


def _remove(elements: Elements, key: Key, found: isl.Set) -> None:
    known = elements.get(key)
    if known is not None:
        elements[key] = known.subtract(found)


def _within(elements: isl.Set, known: isl.Set | None, context: isl.Set) -> bool:
    wanted = elements.intersect_params(context)
    return bool(wanted.is_empty() if known is None else wanted.is_subset(known))


def _merged(ends: list[_State], context: isl.Set) -> _State:
    """What a body does on all its paths together: on each, under the conditions that lead to it."""
    result = _State(context)
    for end in ends:
        condition = end.context.gist(context)
        for kind in ("defined", "products", "read_out"):
            for key, found in getattr(end.own, kind).items():
                _add(getattr(result.own, kind), key, found.intersect_params(condition))
        for key, found in end.spoiled.items():
            _add(result.spoiled, key, found.intersect_params(condition))
        for key, found in end.filled.items():
            _add(result.filled, key, found.intersect_params(condition))
    return result


def _covers(more: Elements, less: Elements, context: isl.Set) -> bool:
    return all(_within(found, more.get(key), context) for key, found in less.items())


def _confirmed(assumed: _State, result: _State, context: isl.Set) -> bool:
    """Whether an iteration does at least what was assumed of it, and spoils nothing more."""
    return (
        _covers(result.own.defined, assumed.own.defined, context)
        and _covers(result.own.products, assumed.own.products, context)
        and _covers(assumed.own.read_out, result.own.read_out, context)
        and _covers(assumed.spoiled, result.spoiled, context)
        and _covers(assumed.filled, result.filled, context)
    )


def _weaker(assumed: _State, result: _State, *, nothing: bool) -> _State:
    """The next assumption: what both say is defined, what either says is spoiled."""
    found = _State(assumed.context)
    if not nothing:
        for kind in ("defined", "products"):
            mine, other, into = (getattr(state.own, kind) for state in (assumed, result, found))
            for key in mine.keys() & other.keys():
                into[key] = mine[key].intersect(other[key])
    for part, into in (
        (assumed.own.read_out, found.own.read_out),
        (result.own.read_out, found.own.read_out),
        (assumed.spoiled, found.spoiled),
        (result.spoiled, found.spoiled),
        (assumed.filled, found.filled),
        (result.filled, found.filled),
    ):
        for key, elements in part.items():
            _add(into, key, elements)
    return found


# --- the program ------------------------------------------------------------------------------------------------------


def _items(block: Block) -> Iterable[object]:
    for item in block.items:
        yield item
        if isinstance(item, Loop):
            yield from _items(item.body)
        elif isinstance(item, Branch):
            yield from _items(item.then)
            yield from _items(item.orelse)


def _has_parallel(block: Block) -> bool:
    return any(isinstance(item, Loop) and item.parallel for item in _items(block))


def _programs(block: Block) -> tuple[Atom, ...]:
    """The coordinates of the program that stands for all of a launch."""
    found: dict[Atom, None] = {}
    for item in _items(block):
        if isinstance(item, Executed):
            for coordinate in item.operation.program:
                if isinstance(coordinate, Term):
                    found.update(dict.fromkeys(coordinate.atoms))
    return tuple(found)


def _bounds(atom: Atom) -> list[conditions.Condition | bool]:
    term = terms.of_atom(atom)
    assert isinstance(atom, terms.Index)
    return [
        conditions.at_most_zero(terms.scale(term, -1)),
        conditions.at_most_zero(terms.add(terms.add(term, atom.extent, -1), terms.constant(1))),
    ]


def _is_shared(storage: Storage) -> bool:
    """Whether all programs of a launch see the same storage."""
    return not storage.buffer.on_chip and storage.buffer.name != "private_hbm"
