"""The elements of inputs that are never read, for all shapes: what is returned is examined element by element as well.

What may be read counts as read, and an input that is written too is left out, so what is found here is never read at
these shapes. An input of which nothing is read is left out as well: of it the lines that would read it say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import islpy as isl

from nkiverify.analysis.effects import Does, Effects
from nkiverify.analysis.sets.affine import EVERYWHERE, Sets
from nkiverify.analysis.sets.keys import Key, key_of
from nkiverify.analysis.sets.knowledge import Elements, add
from nkiverify.analysis.sets.regions import Regions
from nkiverify.foundation.budget import SetsBudget
from nkiverify.ir.program import Assume, Block, Branch, DomainDimension, Item, Loop, Program
from nkiverify.ir.walk import Visitor, of_kind
from nkiverify.model.recorded import Executed
from nkiverify.model.tensor import Storage
from nkiverify.symbolic.conditions import Condition


class UnreadInput:
    """The shapes of the domain at which a range of an input is never read. Not all is `reported` where a view of an
    input is not understood, which then counts as read."""

    def __init__(
        self, sets: Sets, shapes: Sequence[isl.Set], dimensions: Sequence[DomainDimension], reported: bool
    ) -> None:
        self.reported = reported
        self._sets = sets
        self._shapes = shapes
        self._dimensions = dimensions

    @property
    def any(self) -> bool:
        """True if there may be some."""
        return bool(self._shapes)

    def has(self, values: Mapping[str, int]) -> bool:
        """True if a shape may be one of them."""
        shape = self._stated({one.atom.name: f"= {values[one.atom.name]}" for one in self._dimensions})
        return any(not self._within(found, shape).is_empty() for found in self._shapes)

    def some(self) -> Iterator[dict[str, int]]:
        """One of them for each input, of small sizes."""
        small = self._stated(
            {one.atom.name: f"<= {max(SetsBudget.LARGEST_SIZE, one.smallest)}" for one in self._dimensions}
        )
        for found in self._shapes:
            inside = self._within(found, small)
            if inside.is_empty():
                continue
            point = inside.sample_point()
            space = point.get_space()
            names = [space.get_dim_name(isl.dim_type.param, at) for at in range(space.dim(isl.dim_type.param))]
            at = {name: number for number, name in enumerate(names)}
            shape = {}
            for one in self._dimensions:
                name = self._sets.parameter(one.atom)
                known = point.get_coordinate_val(isl.dim_type.param, at[name]).to_python() if name in at else 0
                shape[one.atom.name] = known or one.smallest
            yield shape

    def _within(self, found: isl.Set, shape: isl.Set) -> isl.Set:
        both = found.intersect(shape)
        return both.intersect(self._sets.completed(both, both))

    def _stated(self, of: Mapping[str, str]) -> isl.Set:
        names = {one.atom.name: self._sets.parameter(one.atom) for one in self._dimensions}
        stated = " and ".join(f"{names[name]} {text}" for name, text in of.items())
        return isl.Set(f"[{', '.join(names.values())}] -> {{ : {stated or '0 = 0'} }}")


def unread(program: Program) -> UnreadInput | None:
    """The shapes at which a part of an input is never read; None where it cannot be known by sets, as of a program that
    is about one shape."""
    if not program.dimensions or program.searches:
        return None
    isl.DEFAULT_CONTEXT.reset_operations()
    isl.DEFAULT_CONTEXT.set_max_operations(SetsBudget.OPERATIONS_OF_A_QUESTION)
    try:
        walk = _Inputs(program)
        shapes = list(walk.left())
        return UnreadInput(walk.sets, shapes, [one for one in program.dimensions if not one.choices], walk.reported)
    except isl.Error:
        return None
    finally:
        isl.DEFAULT_CONTEXT.set_max_operations(0)


class _Inputs(Visitor[None]):
    def __init__(self, program: Program) -> None:
        self._program = program
        self._regions = Regions.of_program(program)
        self.sets = self._regions.sets
        self._effects = Effects()
        self._storages: dict[Key, Storage] = {}
        self._written: set[Key] = set()
        self._ends = isl.Set("{ : 0 = 1 }")
        #: The elements that may be read so far in this block, what holds here, and how many loops are around.
        self._read: Elements = {}
        self._context = EVERYWHERE
        self._loops = 0
        #: False once a view of an input is not understood.
        self.reported = True

    def left(self) -> Iterator[isl.Set]:
        """For each input that is read the shapes at which not all of it is, where there are any."""
        self.visit(self._program.body)
        for key, found in self._read.items():
            if key in self._written:
                continue
            missing = self.sets.less(self._regions.whole(self._storages[key]), found)
            if not self.sets.empty(missing, self._ends):
                yield self.sets.where(missing, self._ends).params()

    def assume(self, item: Assume) -> Iterable[None]:
        self._context = self.sets.both(self._context, self.sets.parameters_where([item.condition]))
        return ()

    def loop(self, item: Loop) -> Iterable[None]:
        from nkiverify.analysis.sets.iterations import Iterations

        bounds = self.sets.parameters_where(item.bounds)
        iterations = Iterations(self.sets, item.index, bounds, self._context)
        self._loops += 1
        for key, elements in self._within(item.body, bounds).items():
            add(self.sets, self._read, key, iterations.all_perhaps(elements))
        self._loops -= 1
        return ()

    def arm(self, condition: Condition, block: Block, branch: Branch) -> Iterable[None]:
        for key, elements in self._within(block, self.sets.parameters_where([condition])).items():
            add(self.sets, self._read, key, elements)
        return ()

    def _within(self, block: Block, bounds: isl.Set) -> Elements:
        """The elements that may be read in a block, where `bounds` hold as well."""
        around, context = self._read, self._context
        self._read, self._context = {}, self.sets.both(context, bounds)
        self.visit(block)
        found, self._read, self._context = self._read, around, context
        return found

    def end(self, block: Block) -> Iterable[None]:
        if not self._loops:
            self._ends = self._ends.union(self._context)
        return ()

    def recorded(self, item: Item) -> Iterable[None]:
        if not isinstance(item, Executed):
            return ()
        context, found = self._context, self._read
        for effect in self._effects.of(item.operation):
            storage = effect.view.storage
            key = key_of(storage)
            if key[0] != "argument":
                continue
            if effect.writes:
                self._written.add(key)
            elif effect.does is Does.READ:
                self._storages[key] = storage
                indirect = effect.view.indirect_by is not None
                region = None if indirect else self._regions.touched(effect, context)
                self.reported = self.reported and (indirect or region is not None)
                elements = self._regions.whole(storage) if region is None else region.elements
                add(self.sets, found, key, self.sets.where(elements, context))
        return ()


def written_inputs(program: Program) -> frozenset[str]:
    """The names of inputs that are written as well."""
    storages = (view.storage for item in of_kind(program.body, Executed) for view in item.operation.writes.values())
    return frozenset(one.name for one in storages if key_of(one)[0] == "argument")
