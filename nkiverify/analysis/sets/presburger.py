"""isl's sets as a form of the walk: all that is affine, at the cost of loading islpy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import islpy as isl

from nkiverify.analysis.effects import Effect
from nkiverify.analysis.sets.affine import EVERYWHERE, Sets, mentions, renamed, without
from nkiverify.analysis.sets.coordinates import Jumps, apart_in
from nkiverify.analysis.sets.definedness import defined_elements
from nkiverify.analysis.sets.form import Partly
from nkiverify.analysis.sets.iterations import Iterations
from nkiverify.analysis.sets.keys import Key
from nkiverify.analysis.sets.products import Products
from nkiverify.analysis.sets.regions import Region, Regions
from nkiverify.analysis.sets.structure import views_of
from nkiverify.ir.program import Program
from nkiverify.model.operation import Operation
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic.atoms import Index


class OverLimit(Exception):
    """The operations of isl that a block may take are over."""


@contextmanager
def limited(operations: int) -> Iterator[None]:
    """Let isl take so many operations for the block; raises `OverLimit` where these are too few."""
    isl.DEFAULT_CONTEXT.reset_operations()
    isl.DEFAULT_CONTEXT.set_max_operations(operations)
    try:
        yield
    except isl.Error:
        # What comes after the operation that was one too many may fail in any way.
        raise OverLimit from None
    finally:
        isl.DEFAULT_CONTEXT.set_max_operations(0)


class Presburger(Sets):
    """The sets of a program, with a coordinate for each dimension of its tensors first."""

    everywhere = EVERYWHERE

    def __init__(self, program: Program) -> None:
        super().__init__(Products(program.dimensions))
        self._regions = Regions(self, {}, apart_in(views_of(program)))

    def refine(self, jumps: Mapping[Key, Jumps]) -> None:
        """Have finer coordinates at `jumps` from here on. What has been found of sets stays."""
        self._regions = self._regions.finer(jumps)

    # --- values of dimensions and indices -----------------------------------------------------------------------------

    def is_implied(self, stated: isl.Set, known: isl.Set) -> bool:
        """True if all values that are `known` are in another set."""
        return self.once(isl.Set.is_subset, known, stated)

    def is_empty(self, found: isl.Set) -> bool:
        """True if a set has no values."""
        return bool(found.is_empty())

    def is_common(self, context: isl.Set, everywhere: isl.Set, atoms: Iterable[Index]) -> bool:
        """True if what `context` says, beyond what holds `everywhere`, does not depend on `atoms`."""
        names = [name for atom in atoms for name in (self.parameter(atom), *self.names.on(atom))]
        return not mentions(context.gist(self.completed(everywhere, context)), names)

    # --- elements -----------------------------------------------------------------------------------------------------

    def touched(self, effect: Effect, context: isl.Set) -> Region | None:
        """The elements that an effect touches; None where they cannot be told."""
        return self._regions.touched(effect, context)

    def seen(self, view: Tensor, context: isl.Set) -> isl.Set:
        """The elements of a view; all of its storage where they cannot be told."""
        region = self._regions.of(view, None, context, writes=False)
        return region.elements if region is not None else self.whole(view.storage)

    def whole(self, storage: Storage) -> isl.Set:
        """All elements of a storage."""
        return self._regions.whole(storage)

    def together(self, found: isl.Set, more: isl.Set) -> isl.Set:
        """The elements of two sets."""
        return found.union(more)

    def common(self, found: isl.Set, other: isl.Set) -> isl.Set:
        """The elements that are in both sets."""
        return found if found is other else found.intersect(other)

    def meet(self, found: isl.Set, other: isl.Set, context: isl.Set) -> bool:
        """True if two sets may have an element in common, for the values of the parameters in `context`."""
        return not self.empty(found.intersect(other), context)

    def meet_elsewhere(self, found: isl.Set, other: isl.Set, atoms: Sequence[Index], context: isl.Set) -> bool:
        """True if an element of a set may be one of the other for other values of `atoms`."""
        names = [self.parameter(atom) for atom in atoms]
        others = [f"{name}_other" for name in names]
        differ = " or ".join(f"{name} != {other}" for name, other in zip(names, others, strict=True))
        one, two = found.intersect_params(context), other.intersect_params(context)
        # Numbers behind other parameters may differ from one iteration to the other.
        varying = list(dict.fromkeys(name for atom in atoms for name in self.names.on(atom)))
        two = without(self.spelt_out(two, varying), varying)
        for name, renaming in zip(names, others, strict=True):
            two = renamed(two, name, renaming)
        return not self.empty(one.intersect(two), isl.Set(f"[{', '.join([*names, *others])}] -> {{ : {differ} }}"))

    def iterations(self, index: Index, bounds: isl.Set, context: isl.Set) -> Iterations:
        """The iterations of a loop, for whose index `bounds` hold. `context` is what holds where it begins."""
        return Iterations(self, index, bounds, context)

    def defined(
        self, operation: Operation, argument: str, region: Region, operands: Mapping[str, Partly | None]
    ) -> isl.Set | None:
        """The elements written that are surely well defined, given the operands that may not be: too few."""
        return defined_elements(self, operation, argument, region, operands)
