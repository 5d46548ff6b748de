"""What the iterations of a loop do together, from what one of them does."""

from __future__ import annotations

import islpy as isl

from nkiverify.dataflow.affine import Sets, mentions, position, renamed, without
from nkiverify.symbolic.terms import Atom


class Iterations:
    """The iterations of a loop over `index`, for which `bounds` hold.

    A set may depend on the index also through parameters that stand for products with it. What all iterations surely do
    leaves such sets out; what they may do takes them for any value of these parameters.
    """

    def __init__(self, sets: Sets, index: Atom, bounds: isl.Set) -> None:
        self.bounds = bounds
        self._name = sets.parameter(index)
        self._sets = sets
        self._index = index

    def all_surely(self, found: isl.Set) -> isl.Set | None:
        """What at least one of all iterations surely does."""
        if mentions(found, self._sets.names.on(self._index)) or mentions(self.bounds, self._sets.names.on(self._index)):
            return None
        return without(found.intersect_params(self.bounds), [self._name])

    def all_perhaps(self, found: isl.Set) -> isl.Set:
        """What any of all iterations may do."""
        return without(found.intersect_params(self.bounds), [self._name, *self._sets.names.on(self._index)])

    def before_surely(self, found: isl.Set) -> isl.Set | None:
        """What at least one of the iterations before this one surely did."""
        if mentions(found, self._sets.names.on(self._index)) or mentions(self.bounds, self._sets.names.on(self._index)):
            return None
        return self._before(found.intersect_params(self.bounds))

    def before_perhaps(self, found: isl.Set) -> isl.Set:
        """What any of the iterations before this one may have done."""
        return self._before(without(found.intersect_params(self.bounds), self._sets.names.on(self._index)))

    def _before(self, found: isl.Set) -> isl.Set:
        if position(found, self._name) < 0:
            # The same in every iteration: done before this one unless this one is the first.
            return found.intersect_params(isl.Set(f"[{self._name}] -> {{ : {self._name} >= 1 }}"))
        other = f"{self._name}_before"
        order = isl.Set(f"[{self._name}, {other}] -> {{ : 0 <= {other} < {self._name} }}")
        return without(renamed(found, self._name, other).intersect_params(order), [other])
