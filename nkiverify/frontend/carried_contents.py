"""The contents of storages and registers that a summarised loop carries: an interval over all its iterations.

The body runs with what an arbitrary iteration may find: what is there before the loop, or what an earlier iteration has
left. That is guessed from what the body has been seen to leave, and then checked by another run of it, as all carried
state is (`nkiverify.frontend.summaries`). Where each iteration adds the same to all numbers of a storage, its index
says what it finds. Else what an iteration leaves may mention its index; where another iteration finds it, the index may
be any: the interval is that over all of them. Errs to too many numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nkiverify.foundation.budget import ExploringBudget
from nkiverify.model.known_numbers import UNKNOWN, AllocationKey, Contents, Interval, Value, unknown
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.integers import Extent
from nkiverify.symbolic.values import as_term

#: The part of the model's state that is compared as intervals.
CONTENTS = "contents"


class CarriedContents:
    """The contents of storages and registers that an arbitrary iteration of one loop finds."""

    def __init__(self, before: Contents) -> None:
        self._before = before
        #: What an iteration finds, as far as it has been guessed.
        self.at_start = before
        #: What each iteration is guessed to add to the numbers that are there before the loop; None where it does not.
        self._added: dict[AllocationKey, Term | None] = {}
        self._left = before
        self._refined = 0

    def found_by(self, index: Term) -> Contents:
        """The contents that iteration `index` finds, as far as they have been guessed."""
        added = {place: by for place, by in self._added.items() if by is not None}
        if not added:
            return self.at_start
        values = self.at_start.copy()
        for place, by in added.items():
            values[place] = _moved(values[place], terms.multiply(by, index))
        return Contents(values)

    def adds_as_guessed(
        self, endings: Sequence[Contents], index: Term, looked_at: Mapping[AllocationKey, bool]
    ) -> bool:
        """True if iteration `index` leaves what the next one is guessed to find, where all add the same; if not, the
        guess has been refined. `endings` are what the paths through the body leave."""
        settled = True
        for place, by in self._added.items():
            if by is None:
                continue
            expected = _moved(self.at_start.get(place), terms.multiply(by, terms.add(index, terms.constant(1))))
            if not all(expected.covers(one.get(place) or UNKNOWN) for one in endings):
                self._added[place], settled = None, False
        for place in dict.fromkeys(place for one in endings for place in self.at_start.uncovered(one)):
            if place not in self._added and looked_at.get(place):
                by = _same_step(self._before.get(place), [one.get(place) for one in endings], index)
                self._added[place] = by if self.at_start.get(place) is self._before.get(place) else None
                settled = settled and self._added[place] is None
        self._refined += not settled
        return settled

    def verified(self, ends: Sequence[Contents], looked_at: Mapping[AllocationKey, bool]) -> bool:
        """True if an iteration that finds `at_start` leaves nothing else; if not, the guess has been refined.

        `ends` are what the paths through the body leave, in any iteration. Of a storage that they have not `looked_at`
        it does not matter what they found in it: what they leave there is what they write, besides what they found. Of
        one that they took for unknown (False) it matters where numbers are known."""
        if not ends:
            return True
        left = ends[0]
        for end in ends[1:]:
            left = left.joined(end)
        self._left = left
        missed = [place for place in self.at_start.uncovered(left) if self._added.get(place) is None]
        if not any(_matters(looked_at.get(place), left.get(place)) for place in missed):
            return True
        self._refined += 1
        grown = self.at_start.joined(left)
        added = {place for place, by in self._added.items() if by is not None}
        if self._refined > ExploringBudget.GROWTHS:
            # Whatever the body writes, as the next thing may depend on it.
            written = grown.copy()
            written.update((place, UNKNOWN) for place in (*missed, *self._before.changed(left)))
            grown = Contents(written)
        if added:
            values = grown.copy()
            values.update((place, value) for place, value in self.at_start.items() if place in added)
            grown = Contents(values)
        self.at_start = grown
        return False

    @property
    def refined(self) -> bool:
        """True if an iteration may find other contents than the first one does, and has looked at them."""
        return self._refined > 0

    @property
    def forgets(self) -> bool:
        """True if numbers that are known before the loop may be others after it."""
        known = (self._before.get(place) for place in self._before.changed(self._left))
        return any(value is not None and value is not UNKNOWN for value in known)

    def after(self, *, possibly_none: bool) -> Contents:
        """The contents after the loop, which has perhaps had no iteration."""
        return self._before.joined(self._left) if possibly_none else self._left


def _moved(value: Value | None, by: Term) -> Value:
    """The same numbers, each more by `by`."""
    if value is None or value.intervals is None:
        return UNKNOWN
    ends = [[terms.add(end, by) for end in _ends(each)] for each in value.intervals]
    return replace(value, intervals=tuple(Interval(low, high) for low, high in ends))  # type: ignore[arg-type]


def _same_step(before: Value | None, afters: Sequence[Value | None], index: Term) -> Term | None:
    """The number by which all that a storage held `before` has become more, whatever path was taken; None where there
    is none, or another one in another iteration."""
    (atom,) = index.atoms
    found: list[Term] = []
    for value in (before, *afters):
        # A register is one number, which is known as a term.
        if value is None or value.known is None or len(value.known) != 1 or value.term is not None:
            return None
    assert before is not None
    for after in afters:
        assert after is not None
        assert before.intervals is not None
        assert after.intervals is not None
        pairs = zip(_ends(after.intervals[0]), _ends(before.intervals[0]), strict=True)
        found += [terms.add(one, other, -1) for one, other in pairs]
    # Equal terms are one object.
    same = found and all(one is found[0] for one in found) and found[0].constant != 0
    return found[0] if same and atom not in terms.all_atoms(found[0]) else None


def _matters(looked_at: bool | None, left: Value | None) -> bool:
    """True if a body that found something else would have been another one, as it `looked_at` it, and if it took what
    was not written for unknown, as something is known of what is `left` there."""
    return bool(looked_at) or (looked_at is False and left is not UNKNOWN)


def over_iterations(contents: Contents, index: Term, last: Term, facts: Facts) -> Contents:
    """The contents that iterations from 0 to `last` leave, of which `contents` is left by iteration `index` where
    `facts` hold."""
    (atom,) = index.atoms
    ends: tuple[Term, Term] | None = None
    values = contents.copy()
    for place, value in contents.items():
        if value.intervals is None or not any(
            atom in terms.all_atoms(end) for each in value.intervals for end in _ends(each)
        ):
            continue
        ends = ends or _narrowed(index, last, facts)
        values[place] = _over(value, index, ends, facts)
    return Contents(values)


def _ends(interval: Interval) -> tuple[Term, Term]:
    low, high = as_term(interval.low), as_term(interval.high)
    assert low is not None
    assert high is not None
    return low, high


def _narrowed(index: Term, last: Term, facts: Facts) -> tuple[Term, Term]:
    """The first and the last iteration where `facts` hold, as far as that is seen at once."""
    one = terms.constant(1)
    first = terms.constant(0)
    only = facts.value_of(index)
    if only is not None:
        return terms.constant(only), terms.constant(only)
    if facts.proves(_at_most(last, index)):
        return last, last
    if facts.proves(_at_most(one, index)):
        first = one
    before = terms.add(last, one, -1)
    if facts.proves(_at_most(index, before)):
        last = before
    return first, last


def _at_most(one: Term, two: Term) -> conditions.Condition | bool:
    return conditions.at_most_zero(terms.add(one, two, -1))


def _over(value: Value, index: Term, ends: tuple[Term, Term], facts: Facts) -> Value:
    found: list[Interval] = []
    for each in value.intervals or ():
        low, high = _ends(each)
        least, most = _extreme(low, index, ends, facts), _extreme(high, index, ends[::-1], facts)
        if least is None or most is None:
            return unknown(value)
        found.append(Interval(least, most))
    return replace(value, intervals=tuple(found), exact=False)


def _extreme(term: Term, index: Term, ends: tuple[Term, Term], facts: Facts) -> Extent | None:
    """The least of `term` over the iterations between `ends` (the greatest, where they are given in reverse); None
    where it is not seen to go one way with the index."""
    (atom,) = index.atoms
    if atom not in terms.all_atoms(term):
        return term  # type: ignore[return-value]
    parts = terms.coefficient_of(term, atom)
    if parts is None or any(atom in terms.all_atoms(part) for part in parts):
        return None
    factor, rest = parts
    nothing = terms.constant(0)
    if facts.proves(_at_most(nothing, factor)):
        at = ends[0]
    elif facts.proves(_at_most(factor, nothing)):
        at = ends[1]
    else:
        return None
    return terms.add(rest, terms.multiply(factor, at))  # type: ignore[return-value]
