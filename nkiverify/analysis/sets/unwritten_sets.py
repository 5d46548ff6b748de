"""The shapes for which an output surely has an element that nothing writes.

All that is ever written, on any path and in any iteration, is taken for as much as it may be. Where that leaves out an
element of what is returned on each path, every run on such a shape does: nothing else of the run has to be known.
"""

from __future__ import annotations

from collections.abc import Iterable

import islpy as isl

from nkiverify.analysis.effects import Effects
from nkiverify.analysis.sets.affine import Sets
from nkiverify.analysis.sets.iterations import Iterations
from nkiverify.analysis.sets.keys import Key, key_of
from nkiverify.analysis.sets.regions import Regions
from nkiverify.analysis.sets.structure import bounds_of
from nkiverify.foundation.budget import SetsBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.ir.program import Assume, Block, Branch, Item, Loop, Program
from nkiverify.ir.walk import Visitor
from nkiverify.model.recorded import Executed, Returned, programs
from nkiverify.symbolic.conditions import Condition


@dataclass(frozen=True, slots=True)
class Unwritten:
    """The `shapes` for which an element is left out: values of parameters of `sets`."""

    sets: Sets
    shapes: isl.Set

    def holds_for(self, conditions: Iterable[Condition | bool]) -> bool:
        """True if an element is surely left out for all shapes of which the conditions hold."""
        given = self.sets.parameters_where(conditions)
        return bool(self.sets.completed(given, self.shapes).is_subset(self.shapes))


def unwritten(program: Program) -> Unwritten | None:
    """The shapes of the domain of `program` for which that is known; None where the sets are too complex."""
    walk = _Walk(program)
    isl.DEFAULT_CONTEXT.reset_operations()
    isl.DEFAULT_CONTEXT.set_max_operations(SetsBudget.OPERATIONS_OF_A_QUESTION)
    try:
        return walk.run()
    except isl.Error:
        return None
    finally:
        isl.DEFAULT_CONTEXT.set_max_operations(0)


class _Walk(Visitor[None]):
    def __init__(self, program: Program) -> None:
        self._program = program
        self._regions = Regions.of_program(program)
        self._sets = self._regions.sets
        self._effects = Effects()
        #: What is returned on each path, by its allocation, and where that path is taken.
        self._returned: list[list[tuple[Key, isl.Set]]] = []
        #: What may be written so far in this block, by allocation, and what holds here.
        self._found: dict[Key, isl.Set] = {}
        self._context = isl.Set("{ : }")

    def run(self) -> Unwritten:
        self.visit(self._program.body)
        written = self._found
        for atom in programs(self._program.body):
            iterations = Iterations(self._sets, atom, self._sets.parameters_where(bounds_of(atom)), isl.Set("{ : }"))
            written = {key: iterations.all_perhaps(found) for key, found in written.items()}
        shapes = isl.Set("{ : }") if self._returned else isl.Set("{ : 0 = 1 }")
        for path in self._returned:
            left_out = isl.Set("{ : 0 = 1 }")
            for key, wanted in path:
                found = written.get(key)
                left_out = left_out.union((wanted if found is None else wanted.subtract(found)).params())
            shapes = shapes.intersect(left_out)
        return Unwritten(self._sets, shapes)

    def assume(self, item: Assume) -> Iterable[None]:
        self._context = self._context.intersect(self._sets.parameters_where([item.condition]))
        return ()

    def recorded(self, item: Item) -> Iterable[None]:
        if isinstance(item, Executed):
            self._add(self._written(item, self._context))
        elif isinstance(item, Returned):
            self._returned.append(list(self._wanted(item, self._context)))
        return ()

    def loop(self, item: Loop) -> Iterable[None]:
        bounds = self._sets.parameters_where(item.bounds)
        iterations = Iterations(self._sets, item.index, bounds, self._context)
        inner = self._within(item.body, bounds)
        self._add({key: iterations.all_perhaps(elements) for key, elements in inner.items()})
        return ()

    def arm(self, condition: Condition, block: Block, branch: Branch) -> Iterable[None]:
        self._add(self._within(block, self._sets.parameters_where([condition])))
        return ()

    def _within(self, block: Block, bounds: isl.Set) -> dict[Key, isl.Set]:
        """All that may be written in a block, where `bounds` hold as well, by allocation."""
        around, context = self._found, self._context
        self._found, self._context = {}, context.intersect(bounds)
        self.visit(block)
        found, self._found, self._context = self._found, around, context
        return found

    def _add(self, more: dict[Key, isl.Set]) -> None:
        for key, elements in more.items():
            self._found[key] = self._found[key].union(elements).coalesce() if key in self._found else elements

    def _written(self, item: Executed, context: isl.Set) -> dict[Key, isl.Set]:
        found: dict[Key, isl.Set] = {}
        for effect in self._effects.of(item.operation):
            if effect.writes:
                view = effect.view
                region = self._regions.of(view, None, context, writes=False) if view.indirect_by is None else None
                elements = self._regions.whole(view.storage) if region is None else region.elements
                key = key_of(view.storage)
                found[key] = found[key].union(elements) if key in found else elements
        return found

    def _wanted(self, item: Returned, context: isl.Set) -> Iterable[tuple[Key, isl.Set]]:
        for tensor in item.tensors:
            region = self._regions.of(tensor, None, context, writes=True)
            key = key_of(tensor.storage)
            if region is not None and key[0] != "argument":
                yield key, region.elements
