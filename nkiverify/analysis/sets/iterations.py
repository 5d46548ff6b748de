"""The effect of all iterations of a loop together, from that of one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import islpy as isl

from nkiverify.analysis.sets.affine import Sets, mentioned, mentions, position, renamed, without
from nkiverify.analysis.sets.quantifiers import swept
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Index
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.path_conditions import Context

_T = TypeVar("_T")


class Iterations:
    """The iterations of a loop over `index`, for which `bounds` hold.

    `context` and, as terms, `held` are what holds where the loop begins, and `stated` the bounds as terms. A set may
    depend on the index also through other parameters. Those with a definition are replaced by it. Where one stands for
    a product with the index, what iterations surely do leaves such sets out, unless they sweep along a coordinate; what
    they may do takes them for any value of these parameters.
    """

    def __init__(
        self,
        sets: Sets,
        index: Index,
        bounds: isl.Set,
        context: isl.Set,
        held: Context | None = None,
        stated: Iterable[Condition | bool] = (),
    ) -> None:
        self.bounds = bounds
        self._held = sets.beginning if held is None else held
        #: What holds in an iteration.
        self.within = self._held.with_all(stated)
        self._context = context
        self._name = sets.parameter(index)
        self._sets = sets
        self._index = index

    def all_surely(self, found: isl.Set) -> isl.Set | None:
        """The effect that at least one of all iterations surely has."""
        return self._once(Iterations._all_surely, found)

    def all_perhaps(self, found: isl.Set) -> isl.Set:
        """The effect that any of all iterations may have."""
        return self._once(Iterations._all_perhaps, found)

    def before_surely(self, found: isl.Set) -> isl.Set | None:
        """The effect that at least one of the iterations before this one surely had."""
        return self._once(Iterations._before_surely, found)

    def before_perhaps(self, found: isl.Set) -> isl.Set:
        """The effect that any of the iterations before this one may have had."""
        return self._once(Iterations._before_perhaps, found)

    def one_before_perhaps(self, found: isl.Set) -> isl.Set:
        """The effect that the iteration before this one may have had, if there is one."""
        return self._once(Iterations._one_before_perhaps, found)

    def first_perhaps(self, found: isl.Set) -> isl.Set:
        """The effect that the first iteration may have, if there is one."""
        return self._once(Iterations._first_perhaps, found)

    def last_perhaps(self, found: isl.Set) -> isl.Set:
        """The effect that the last iteration may have, if there is one."""
        return self._once(Iterations._last_perhaps, found)

    def are_some(self) -> bool:
        """True if there surely is an iteration."""
        there = without(self.bounds, [self._name, *self._sets.names.on(self._index)])
        return bool(self._sets.completed(self._context, there).is_subset(there))

    def _once(self, effect: Callable[[Iterations, isl.Set], _T], found: isl.Set) -> _T:
        # These iterations may be those of an earlier pass, through the loop around this one.
        about = (effect, self._sets, self._index, self.bounds, self._context, self._held, self.within, found)
        answer: _T = self._sets.once(_effect_of, *about)
        return answer

    def _all_surely(self, found: isl.Set) -> isl.Set | None:
        here = self._here(found)
        if self._varies(here):
            return swept(self._sets, self._index, found, self.bounds, self._context, self._held)
        return without(here, [self._name])

    def _all_perhaps(self, found: isl.Set) -> isl.Set:
        return without(self._whatever_products_are(self._where_it_is(found)), [self._name])

    def _before_surely(self, found: isl.Set) -> isl.Set | None:
        here = self._here(found)
        return None if self._varies(here) else self._before(here)

    def _before_perhaps(self, found: isl.Set) -> isl.Set:
        return self._before(self._whatever_products_are(self._where_it_is(found)))

    def _one_before_perhaps(self, found: isl.Set) -> isl.Set:
        here = self._whatever_products_are(self._here(found))
        return self._in_other(here, "{other} >= 0 and {own} = {other} + 1")

    def _first_perhaps(self, found: isl.Set) -> isl.Set:
        here = self._whatever_products_are(self._here(found))
        return without(here.intersect_params(isl.Set(f"[{self._name}] -> {{ : {self._name} = 0 }}")), [self._name])

    def _last_perhaps(self, found: isl.Set) -> isl.Set:
        here = self._whatever_products_are(self._here(found))
        followed = self._in_other(self.bounds, "{other} = {own} + 1")
        return without(here.intersect_params(self.bounds.subtract(followed)), [self._name])

    def _here(self, found: isl.Set) -> isl.Set:
        """The set in an iteration, without the parameters that depend on the index and have a definition."""
        return self._sets.once(_in_iteration, self._sets, self._index, self.bounds, found)

    def _where_it_is(self, found: isl.Set) -> isl.Set:
        """The same, where a product with the index is not negative if what holds in an iteration says so: nothing else
        is known of it once it is out of sight."""
        here = self._here(found)
        names = self._sets.names
        for name in mentioned(here, names.unknown.intersection(names.on(self._index))):
            if self.within.entails(conditions.at_most_zero(terms.scale(names.term(name), -1))):
                here = here.intersect_params(isl.Set(f"[{name}] -> {{ : {name} >= 0 }}"))
        return here

    def _varies(self, found: isl.Set) -> bool:
        return mentions(found, self._sets.names.on(self._index))

    def _before(self, found: isl.Set) -> isl.Set:
        if position(found, self._name) < 0:
            # The same in every iteration: done before this one unless this one is the first.
            return found.intersect_params(isl.Set(f"[{self._name}] -> {{ : {self._name} >= 1 }}"))
        return self._in_other(found, "0 <= {other} < {own}")

    def _whatever_products_are(self, here: isl.Set) -> isl.Set:
        """The set in an iteration for any value of the parameters that stand for products with the index."""
        return without(here, self._sets.names.on(self._index))

    def _in_other(self, found: isl.Set, order: str) -> isl.Set:
        """The set in another iteration, of which `order` says where it is from this one."""
        other = f"{self._name}_elsewhere"
        between = isl.Set(f"[{self._name}, {other}] -> {{ : {order.format(own=self._name, other=other)} }}")
        return without(renamed(found, self._name, other).intersect_params(between), [other])


def _effect_of(
    effect: Callable[[Iterations, isl.Set], _T],
    sets: Sets,
    index: Index,
    bounds: isl.Set,
    context: isl.Set,
    held: Context,
    within: Context,
    found: isl.Set,
) -> _T:
    iterations = Iterations(sets, index, bounds, context, held)
    iterations.within = within
    return effect(iterations, found)


def _in_iteration(sets: Sets, index: Index, bounds: isl.Set, found: isl.Set) -> isl.Set:
    return sets.spelt_out(found.intersect_params(bounds), sets.names.on(index))
