"""The contents of storages and registers that a summarised loop carries: an interval over all its iterations.

The body runs with what an arbitrary iteration may find: what is there before the loop, or what an earlier iteration has
left. That is guessed from what the body has been seen to leave, and then checked by another run of it, as all carried
state is (`nkiverify.frontend.summaries`). Where each iteration adds the same to all numbers of a storage, its index
says what it finds. Else what an iteration leaves may mention its index; where another iteration finds it, the index may
be any: the interval is that over all of them. Errs to too many numbers.

The body of a device loop is run once in each exploration (`nkiverify.model.dynamic_loops`). What its rounds find is
guessed in the same way (`CarriedByRounds`), and checked by the next exploration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nkiverify.foundation.budget import ExploringBudget
from nkiverify.model.interval_arithmetic import EXACT_INTEGERS
from nkiverify.model.known_numbers import UNKNOWN, AllocationKey, Contents, Interval, NumberOrigin, Value, unknown
from nkiverify.model.state import LoopBody, Rounds
from nkiverify.symbolic import conditions, known, maximum, minimum, terms
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


class CarriedByRounds:
    """The contents that an arbitrary round of the device loop over `index` finds, where claims rest on them."""

    def __init__(self, index: Term) -> None:
        # Equal terms are one object, in whatever exploration, as long as somebody has it.
        self.index = index
        #: What each round adds to the numbers that are there before the loop.
        self._added: dict[AllocationKey, Term] = {}
        #: What rounds have been seen to leave, where they do not add the same.
        self._left: dict[AllocationKey, Value] = {}
        #: Where that has been widened, and is to be narrowed to what a round leaves that finds it.
        self._wide: set[AllocationKey] = set()
        self._refined: dict[AllocationKey, int] = {}

    def found(self, before: Contents, rounds: Rounds, *, after: bool) -> Contents:
        """The contents that a round finds, or with `after` the next one, of a loop that begins with `before`."""
        values = before.copy()
        some = _any_round(rounds)
        for place, value in before.items():
            by, left = self._added.get(place), self._left.get(place)
            if by is not None and some is not None:
                index = terms.add(some, terms.constant(1)) if after else some
                moved = _bounded(_moved(value, terms.multiply(by, index)), rounds)
                values[place] = replace(moved, term=None if after else _counted(value, by, rounds))
            elif left is not None:
                values[place] = replace(value.joined(left), exact=False)
        return Contents(values)

    def refined(
        self, missed: Sequence[AllocationKey], before: Contents, left: Contents, rounds: Rounds, facts: Facts
    ) -> bool:
        """True if what rounds find in these storages is guessed anew, as one has `left` something else there."""
        some = _any_round(rounds)
        over = _over_rounds(left, rounds, facts)
        wide, self._wide = self._wide, set()
        found = bool(wide)
        for place in wide.difference(missed):
            self._left[place] = over.get(place) or UNKNOWN
        for place in missed:
            value, mine = over.get(place), before.get(place)
            times = self._refined[place] = self._refined.get(place, 0) + 1
            by = _same_step(mine, [left.get(place)], some) if some is not None and times == 1 else None
            if self._added.pop(place, None) is not None:
                # What was left by the first round, which found what is there before the loop, is still to be tried.
                found = True
                continue
            if by is not None:
                self._added[place] = by
            if value is None or mine is None or value.known is None or times > ExploringBudget.GROWTHS:
                self._left.pop(place, None)
                continue
            if times == ExploringBudget.GROWTHS:
                # It may grow for ever.
                value = _widened(mine.joined(self._left.get(place, mine)), value)
                self._wide.add(place)
            self._left[place] = value
            found = True
        return found

    def after(self, before: Contents, joined: Contents, body: LoopBody, facts: Facts) -> Contents:
        """The contents after the loop, of which `joined` is there before it or left by an arbitrary round."""
        rounds = body.rounds
        values = _over_rounds(joined, rounds, facts).copy()
        for place, by in self._added.items():
            value, assumption = before.get(place), body.assumed.get(place)
            as_guessed = assumption is not None and not assumption.wrong
            if as_guessed and value is not None and rounds.number is not None and not rounds.known:
                values[place] = _bounded(_moved(value, terms.multiply(by, rounds.number)), rounds)
        return Contents(values)


def _any_round(rounds: Rounds) -> Term | None:
    """An arbitrary round of a loop; None where nothing is known of how many there are."""
    most = as_term(rounds.most)
    if most is None or rounds.index is None:
        return None
    return terms.index("round", most, ("any", rounds.index.uid), representative=True)


def _bounded(value: Value, rounds: Rounds) -> Value:
    """The numbers of an arbitrary round, as far as it is known how many rounds there are."""
    bound = rounds.bound
    if value is UNKNOWN or (bound.exact and not bound.undeclared and not bound.assumptions):
        return value
    return replace(
        value,
        exact=value.exact and bound.exact,
        undeclared=value.undeclared | bound.undeclared,
        assumptions=value.assumptions | bound.assumptions,
        origin=NumberOrigin.COMPUTED,
    )


def _counted(value: Value, by: Term, rounds: Rounds) -> Term | None:
    """The one number that a round finds, by the index that analyses have of it."""
    if value.known is None or len(value.known) != 1 or rounds.index is None:
        return None
    low, high = _ends(value.known[0])
    return terms.add(low, terms.multiply(by, rounds.index)) if low is high else None


def _over_rounds(contents: Contents, rounds: Rounds, facts: Facts) -> Contents:
    """The contents that any round leaves, of which `contents` is left by an arbitrary one."""
    some = _any_round(rounds)
    if some is None:
        return contents
    last = terms.add(terms.index_atom(some).extent, terms.constant(1), -1)
    return over_iterations(contents, some, last, facts)


def _widened(one: Value, two: Value) -> Value:
    """The numbers of both, and all beyond them, up to those that float32 has, where the second goes further."""
    both = one.joined(two)
    if not one.known or not two.known:
        return both
    low, high = minimum(*(each.low for each in one.known)), maximum(*(each.high for each in one.known))
    lower, higher = minimum(*(each.low for each in two.known)), maximum(*(each.high for each in two.known))
    low = low if known(low <= lower) else minimum(lower, -EXACT_INTEGERS // 2)
    high = high if known(higher <= high) else maximum(higher, EXACT_INTEGERS // 2)
    return replace(both, intervals=(Interval(low, high),), exact=False)


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
