"""The effects of operations on what is known, as sets for all shapes: the transfer functions of the walk `sets.flow`.

`marks.transfer` is the same for the marks of a concrete run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING

import islpy as isl

from nkiverify.analysis.effects import (
    LAST_STRICT_GENERATION,
    Does,
    Effect,
    Effects,
    adds_product,
    begins_sum,
)
from nkiverify.analysis.element_marks import exchanges
from nkiverify.analysis.reduction_registers import is_register_file, reading_rule
from nkiverify.analysis.sets.keys import Key, key_of
from nkiverify.analysis.sets.knowledge import State, add, remove
from nkiverify.analysis.sets.proof import Proof
from nkiverify.analysis.sets.regions import OperandRegion, Regions
from nkiverify.analysis.sets.structure import bounds_of, has_parallel
from nkiverify.analysis.sets.unordered import Accesses, AccessKind, ElementAccess
from nkiverify.analysis.side_effects import Source, has_effect, source_of
from nkiverify.foundation.dataclass import dataclass
from nkiverify.ir.program import Item, Program
from nkiverify.ir.walk import items
from nkiverify.model.memory import PSUM
from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Executed, Returned, programs
from nkiverify.model.state import bodies
from nkiverify.symbolic import conditions

if TYPE_CHECKING:
    from nkiverify.analysis.sets.definedness import Partly


@dataclass(slots=True)
class _Step:
    """An operation that is executed, and its operands that may be undefined, with where they are read."""

    item: Executed
    state: State
    operation: Operation
    undefined: dict[str, OperandRegion | None] = field(default_factory=dict)
    #: Whether what it writes joins a sum of which something may be undefined already.
    spoiled: bool = False

    def definedness(self) -> dict[str, Partly | None]:
        """For each operand that may be undefined in part: where it is read, and where it is defined."""
        from nkiverify.analysis.sets.definedness import Partly

        found: dict[str, Partly | None] = {}
        for argument, region in self.undefined.items():
            known = self.state.known.defined.get(key_of(self.operation.reads[argument].storage))
            found[argument] = None if region is None or known is None else Partly(region, known, self.state.context)
        return found


class Transfer:
    """Executes operations on states, and claims what they ask for."""

    def __init__(
        self,
        program: Program,
        regions: Regions,
        generation: int,
        dead_stores: frozenset[Source],
        proof: Proof,
    ) -> None:
        self.sets, self.regions = regions.sets, regions
        self.programs = programs(program.body)
        #: What holds of the coordinates of a program.
        self.everywhere = self.sets.parameters_where(
            condition for atom in self.programs for condition in bounds_of(atom)
        )
        self.accesses = Accesses(self.sets) if self.programs or has_parallel(program.body) else None
        #: Tensors returned, and writes to arguments, that the walk has met.
        self.outputs = 0
        self._program = program
        self._had: frozenset[Item] | None = None
        self._dead_stores = dead_stores
        self._generation = generation
        self._proof = proof
        self._effects = Effects()
        #: Sums over the iterations of a loop that something undefined may have joined: they stay so.
        self._undefined_sums: set[Key] = set()
        self._alike: frozenset[int] = frozenset()
        if self.programs:
            from nkiverify.analysis.uniform import independent

            self._alike = independent(program.body, self.programs)
        #: Allocations that nothing writes but products that are added.
        self._only_sums = _only_sums(program)
        returned = [item for item in items(program.body) if isinstance(item, Returned)]
        self._returned_keys = {key_of(tensor.storage) for item in returned for tensor in item.tensors}
        by_parameter = not self._returned_keys and all(item.by_parameter for item in returned)
        #: The rule that a write to an argument breaks which is not returned.
        self._of_arguments = "df.output_parameter" if by_parameter else "df.input_written"
        self._reads: dict[Does, Callable[[_Step, Effect], None]] = {
            Does.WAIT: self._wait,
            Does.READ: self._read,
            Does.ACCUMULATE: self._accumulate,
            Does.JOIN: self._join,
        }
        self._writes = {Does.WRITE: self._write, Does.CLOBBER: self._clobber}

    def undefined_sums(self) -> frozenset[Key]:
        """The sums over iterations that something undefined may have joined by now."""
        return frozenset(self._undefined_sums)

    def execute(self, item: Executed, state: State) -> None:
        """An operation is executed in `state`, which is changed."""
        effects = self._effects.of(item.operation)
        step = _Step(item, state, self._effects.explicit(item.operation))
        for effect in effects:
            if not effect.writes:
                self._reads[effect.does](step, effect)
        if step.undefined and self._dead_stores and has_effect(step.operation):
            self._proof.claim("df.read_unwritten", item.site, False, "it has a side effect")
        if step.undefined and exchanges(step.operation):
            self._proof.claim("df.read_unwritten", item.site, False, "what another program receives may be undefined")
        if exchanges(step.operation):
            met = self.is_had_by_all(item)
            self._proof.claim("sendrecv.pipe", item.site, met, "an exchange that not all programs may come to")
        for effect in effects:
            if effect.writes:
                self._writes[effect.does](step, effect)

    # --- what is read -------------------------------------------------------------------------------------------------

    def _wait(self, step: _Step, effect: Effect) -> None:
        """All programs have to come here."""
        met = self.is_had_by_all(step.item)
        self._proof.claim("core_barrier.both", step.item.site, met, "a barrier that not all programs may come to")

    def is_had_by_all(self, item: Item) -> bool:
        """True if all programs come to a meeting."""
        if self._had is None:
            # As late as this: few programs have any.
            from nkiverify.analysis.sets.meetings import had_by_all

            self._had = had_by_all(self._program, self.sets, self.programs, self.everywhere)
        return item in self._had

    def _read(self, step: _Step, effect: Effect) -> None:
        """Claim that what is read is defined, where it counts."""
        state, storage = step.state, effect.view.storage
        region, elements = self._touched(step, effect)
        self._access(step, effect, elements, AccessKind.ADDED if effect.commutes else AccessKind.READ)
        if storage.buffer is PSUM and not adds_product(step.operation):
            add(self.sets, state.known.read_out, key_of(storage), elements)
            add(self.sets, state.own.read_out, key_of(storage), elements)
        if begins_sum(effect) and key_of(storage) in self._only_sums:
            self._begun(step, effect, elements)
            return
        rule = "df.sum_unwritten" if begins_sum(effect) else reading_rule(storage)
        counts = effect.decides or effect.indexes
        if not self._is_defined(step, effect, region, elements, rule) and counts:
            self._proof.claim("df.read_unwritten", step.item.site, False, "an index may be unwritten")

    def _begun(self, step: _Step, effect: Effect, elements: isl.Set) -> None:
        """The destination of a product is a sum of products, or nothing yet, and the sum begins."""
        if self._proof.tentative:
            return
        state, key = step.state, key_of(effect.view.storage)
        written = self.sets.within(elements, state.known.defined.get(key), state.context)
        self._proof.claim("df.sum_unwritten", step.item.site, written, "an element may be unwritten")

    def _is_defined(
        self, step: _Step, effect: Effect, region: OperandRegion | None, elements: isl.Set, contract: str
    ) -> bool:
        """True if what is read is shown to be defined; where it is not, the operands say so."""
        if self._proof.tentative:
            return True
        key = key_of(effect.view.storage)
        if key[0] == "argument" or self.sets.within(elements, step.state.known.defined.get(key), step.state.context):
            self._proof.claim(contract, step.item.site, True, "")
            return True
        step.undefined[effect.argument] = region
        self._proof.read_unwritten.add(step.item)
        return False

    def _accumulate(self, step: _Step, effect: Effect) -> None:
        """The sum that a matmul adds to has to be there, and to be of the same sum."""
        if self._proof.tentative:
            return
        state, site, storage = step.state, step.item.site, effect.view.storage
        mode = step.operation.attributes.get("accumulate")
        key, (region, elements) = key_of(storage), self._touched(step, effect)
        if mode is True and not self._is_defined(step, effect, region, elements, "df.accumulate_unwritten"):
            self._proof.claim("df.accumulate_unwritten", site, False, "an element may be unwritten")
        if storage.buffer is not PSUM:
            return
        if not all(body.is_around(storage.body) for body in bodies(step.operation.body)):
            # "loop.accumulate_dynamic": not documented. What a round allocates is new in each.
            self._proof.claim("df.accumulate_stale", site, False, "a sum over the iterations of a device loop")
        if mode is None:
            read_out = state.known.read_out.get(key)
            apart = read_out is None or self.sets.empty(elements.intersect(read_out), state.context)
            self._proof.claim("df.accumulate_stale", site, apart, "the sum may have been read out before")
            return
        where = state.context
        if isinstance(mode, conditions.Condition):
            # As in `accumulate=k > 0`: what is there counts where the condition holds.
            where = self.sets.both(where, self.sets.parameters_where([mode]))
            shown = self.sets.within(elements, state.known.defined.get(key), where)
            self._proof.claim("df.accumulate_unwritten", site, shown, "an element may be unwritten")
        if self._generation <= LAST_STRICT_GENERATION:
            shown = self.sets.within(elements, state.known.products.get(key), where)
            self._proof.claim("df.accumulate_other", site, shown, "something else may have been written there")

    def _join(self, step: _Step, effect: Effect) -> None:
        """The contents need not be written: it is nothing in the first iteration. What joined it has to be defined."""
        key = key_of(effect.view.storage)
        if step.undefined:
            self._undefined_sums.add(key)
        step.spoiled = key in self._undefined_sums

    # --- what is written ----------------------------------------------------------------------------------------------

    def _write(self, step: _Step, effect: Effect) -> None:
        """Note that what is written is defined, as far as it is computed from what is."""
        item, state, operation, view = step.item, step.state, step.operation, effect.view
        key = key_of(view.storage)
        if step.undefined and key in self._only_sums:
            # What an earlier iteration added is taken for defined where it is added to.
            self._proof.claim("df.read_unwritten", item.site, False, "what is added to a sum may be undefined")
        region, reached = self._touched(step, effect)
        uniform = AccessKind.ALIKE if id(item) in self._alike else AccessKind.WRITTEN
        self._access(step, effect, reached, AccessKind.ADDED if effect.commutes else uniform)
        self.outputs += key[0] == "argument"
        if view.legacy and key[0] == "argument":
            self._proof.claim(self._of_arguments, item.site, key in self._returned_keys, "an argument is written")
        sure = region.elements if region is not None and effect.certain else None
        good = sure
        if step.undefined and region is not None and sure is not None:
            from nkiverify.analysis.sets.definedness import defined_elements

            good = defined_elements(self.sets, operation, effect.argument, region, step.definedness())
        if step.spoiled or (self._dead_stores and source_of(item) in self._dead_stores):
            good = None
            self._spoil(step, key, reached)
        elif step.undefined:
            self._spoil(step, key, reached if good is None else self.sets.less(reached, good))
        self.define(state, key, good)
        if view.storage.buffer is PSUM:
            self._note_product(step, key, sure, reached)

    def _spoil(self, step: _Step, key: Key, bad: isl.Set) -> None:
        """Note that what may be computed from undefined operands is not defined, and must not reach an argument."""
        site = step.item.site
        if step.undefined and step.operation.body is not None:
            self._proof.claim("df.read_unwritten", site, False, "a device loop may leave it undefined for itself")
        self.spoil(step.state, key, bad)
        if key[0] == "argument" and not self.sets.empty(bad, step.state.context):
            self._proof.claim("df.read_unwritten", site, False, "what is written to an argument may be undefined")

    def _note_product(self, step: _Step, key: Key, sure: isl.Set | None, reached: isl.Set) -> None:
        """The sums in PSUM that matmuls and others write."""
        state, product = step.state, adds_product(step.operation)
        if not product:
            self.fill(state, key, reached)
        elif sure is not None:
            add(self.sets, state.known.products, key, sure)
            add(self.sets, state.own.products, key, sure)
        if sure is not None and not (product and step.operation.attributes.get("accumulate") is None):
            # What is said of it, to begin again or to go on, is meant; only what is inferred may go on by mistake.
            remove(self.sets, state.known.read_out, key, sure)
            remove(self.sets, state.own.read_out, key, sure)

    def _clobber(self, step: _Step, effect: Effect) -> None:
        self.spoil(step.state, key_of(effect.view.storage), self._touched(step, effect)[1])

    # --- noting -------------------------------------------------------------------------------------------------------

    def _touched(self, step: _Step, effect: Effect) -> tuple[OperandRegion | None, isl.Set]:
        """The elements that an effect touches, and all that it may touch."""
        region = self.regions.touched(effect, step.state.context)
        return region, self.regions.whole(effect.view.storage) if region is None else region.elements

    def define(self, state: State, key: Key, found: isl.Set | None) -> None:
        """Elements hold something well defined."""
        add(self.sets, state.known.defined, key, found)
        add(self.sets, state.own.defined, key, found)

    def spoil(self, state: State, key: Key, found: isl.Set) -> None:
        """Elements may hold something undefined."""
        remove(self.sets, state.known.defined, key, found)
        remove(self.sets, state.own.defined, key, found)
        add(self.sets, state.spoiled, key, found)

    def fill(self, state: State, key: Key, found: isl.Set) -> None:
        """Elements may be written by something else than matmuls."""
        remove(self.sets, state.known.products, key, found)
        remove(self.sets, state.own.products, key, found)
        add(self.sets, state.filled, key, found)

    def _access(self, step: _Step, effect: Effect, elements: isl.Set, use: AccessKind) -> None:
        # Iterations without an order reduce in registers one after the other.
        state, storage = step.state, effect.view.storage
        if self.accesses is not None and not is_register_file(storage):
            from nkiverify.analysis.uniform import is_shared

            around = {loop: found.number for loop, found in state.iterations.items()}
            # Iterations on different paths do not meet.
            here = self.sets.where(elements, state.path)
            self.accesses.add(ElementAccess(key_of(storage), here, use, step.item.site, is_shared(storage), around))


def _only_sums(program: Program) -> frozenset[Key]:
    """The allocations in PSUM that `+=` of products writes, and nothing else."""
    sums: set[Key] = set()
    others: set[Key] = set()
    for item in items(program.body):
        if isinstance(item, Executed):
            begins = item.operation.attributes.get("begins_sum") is True
            (sums if begins else others).update(key_of(view.storage) for view in item.operation.writes.values())
    return frozenset(sums - others)
