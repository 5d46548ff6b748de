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
from nkiverify.analysis.sets.structure import bounds_of, programs
from nkiverify.foundation.dataclass import dataclass
from nkiverify.ir.program import Assume, Block, Branch, Loop, Program
from nkiverify.model.recorded import Executed, Returned
from nkiverify.symbolic.conditions import Condition

#: Operations of isl that this may take.
_OPERATIONS = 2_000_000


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
    isl.DEFAULT_CONTEXT.set_max_operations(_OPERATIONS)
    try:
        return walk.run()
    except isl.Error:
        return None
    finally:
        isl.DEFAULT_CONTEXT.set_max_operations(0)


class _Walk:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._regions = Regions.of_program(program)
        self._sets = self._regions.sets
        self._effects = Effects()
        #: What is returned on each path, by its allocation, and where that path is taken.
        self._returned: list[list[tuple[Key, isl.Set]]] = []

    def run(self) -> Unwritten:
        written = self._block(self._program.body, isl.Set("{ : }"))
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

    def _block(self, block: Block, context: isl.Set) -> dict[Key, isl.Set]:
        """All that may be written in a block, by allocation."""
        found: dict[Key, isl.Set] = {}

        def add(more: dict[Key, isl.Set]) -> None:
            for key, elements in more.items():
                found[key] = found[key].union(elements).coalesce() if key in found else elements

        for item in block.items:
            if isinstance(item, Assume):
                context = context.intersect(self._sets.parameters_where([item.condition]))
            elif isinstance(item, Executed):
                add(self._written(item, context))
            elif isinstance(item, Loop):
                bounds = self._sets.parameters_where(item.bounds)
                iterations = Iterations(self._sets, item.index, bounds, context)
                inner = self._block(item.body, context.intersect(bounds))
                add({key: iterations.all_perhaps(elements) for key, elements in inner.items()})
            elif isinstance(item, Branch):
                for condition, arm in ((item.condition, item.then), (item.condition.negation(), item.orelse)):
                    add(self._block(arm, context.intersect(self._sets.parameters_where([condition]))))
            elif isinstance(item, Returned):
                self._returned.append(list(self._wanted(item, context)))
        return found

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
