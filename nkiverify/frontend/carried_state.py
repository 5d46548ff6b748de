"""State that the iterations of a summarised loop carry from one to the next.

Six kinds of it have a closed form. A local name has one, or an attribute of an object, an element of a list, an entry
of a dictionary:

    an int that grows by the same amount each time      x0 + c*i, but perhaps after the last one
    a list that grows by one append each time           i elements, the element at k the one appended for i = k
    a local name that is bound again before it is read   no value at the start of the body
    local names that change places, `a, b = b, a`       those of before the loop, moved on i % n times
    a value that each iteration leaves for the next     that of before the loop for i = 0, then what i - 1 leaves
    a value that is handed on, `before = now`           that of before the loop for i = 0, then what `now` is for i - 1

What each iteration leaves may be the number that the first one leaves, as of a running maximum where no later iteration
comes to more.

For the step of the induction the body is run with the state of iteration i, and must end in the state of
iteration i + 1; for i = 0 the closed form is the state before the loop. Everything else that changes makes the loop
unrolled.

In an execution that `puts_back`, each iteration of a loop whose body is traced once begins with the state of before the
loop, and ends in that after one iteration, which is also what the loop leaves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from nkiverify.foundation.budget import ExploringBudget
from nkiverify.foundation.source import Site, identity
from nkiverify.frontend.carried_contents import CONTENTS, CarriedContents, over_iterations
from nkiverify.frontend.carried_guesses import (
    ABSENT,
    BodyEnding,
    FollowingGuess,
    GrowthGuess,
    Guess,
    HeldPart,
    LeftGuess,
    LinearGuess,
    PassedPlace,
    PermutedGuess,
    Place,
    ReboundGuess,
    bound_index,
    is_plain_value,
    left_by,
    linear,
    part_after,
    same_parts,
    without_prefix,
)
from nkiverify.frontend.holders import Holder
from nkiverify.frontend.paths import LostName
from nkiverify.frontend.ranges import SymbolicSequence
from nkiverify.frontend.snapshot import Snapshot, StateChange, missing
from nkiverify.frontend.source_names import LoopNames
from nkiverify.model.known_numbers import AllocationKey
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import conditions, known, terms
from nkiverify.symbolic.atoms import Atom, Index, Term
from nkiverify.symbolic.lists import SymList
from nkiverify.symbolic.segments import Element, Pending
from nkiverify.symbolic.substitution import (
    CannotSubstitute,
    contents,
    made_of_kernels,
    mutable_parts,
    same_keys,
    same_value,
    substitute,
)
from nkiverify.symbolic.values import as_term

if TYPE_CHECKING:
    from nkiverify.frontend.explorer import SymbolicExecution


#: The phase that is about numbers.
_NUMERICS = 5


class CarriedState:
    """The state that the iterations of a loop carry: put in place for one of them, checked at its end, and guessed."""

    def __init__(
        self,
        run: SymbolicExecution,
        sequence: SymbolicSequence,
        site: Site,
        names: LoopNames,
        local: Mapping[str, Any],
        follows: Callable[[BodyEnding, Term], conditions.Condition | bool],
        give_up: Callable[[str], NoReturn],
    ) -> None:
        self._run = run
        self.sequence = sequence
        self._puts_back = run.puts_back and sequence.traced
        self._site = site
        #: The local names that have a value before the loop, and those values.
        self.entry = {name: local[name] for name in names.bound if name in local}
        self._names = names
        self._follows = follows
        self._give_up = give_up
        self._local: dict[str, Guess] = {name: ReboundGuess() for name in names.temporaries}
        self._held: dict[tuple[int, Any], HeldPart] = {}
        #: The number of the iteration that leaves a value, in what it is guessed to be.
        self._bound: Index | None = None
        #: Values that iterations leave, by the number of iterations, for the present path.
        self._left_after: dict[int, tuple[Term, dict[Place, Any]]] = {}
        #: Copies that stand for objects that an iteration has left, with what they held.
        self._copied: list[tuple[Any, list[Any]]] = []
        #: The values that iterations leave which start with the value from before the loop.
        self._left_of_entry: dict[Place, list[Any]] = {}
        #: Counters that the last iteration changes by another amount.
        self._ragged: set[Place] = set()
        self._lists: dict[int, GrowthGuess] = {}
        self._contents = CarriedContents(run.model.contents)
        self._permuted: PermutedGuess | None = None
        #: True of what was there before the loop; not known before the first pass.
        self.knows: Callable[[object], bool]
        #: The values that local names are to have now.
        self.values: dict[str, Any] = {}
        self._turns = 0
        self._start: dict[Place, Any] = {}

    # --- at the start of an iteration -------------------------------------------------------------------------------

    def begin_pass(self) -> None:
        """Begin another run of the body, on all its paths."""
        self._ragged.clear()

    def put_contents(self, index: Term) -> None:
        """Put in place the lists and the contents of storages that iteration `index` starts with."""
        if self._puts_back and self._lists:
            self._give_up("its iterations append to a list, which is put back")
        for growth in self._lists.values():
            growth.target.parts = growth.at(index)
        self._run.model.contents = self._contents.found_by(index)

    def put_values(self, index: Term) -> None:
        """Put in place the local names and the parts of objects that iteration `index` starts with; the path may be
        split."""
        self.values = dict(self.entry)
        for name, guess in self._local.items():
            if isinstance(guess, ReboundGuess | PermutedGuess):
                self.values.pop(name, None)
        self._turns = self._turned(index)
        self._start = dict(self._put_in_place(self._counted(index)))
        self._start.update(self.values)

    def ending(self, local: Mapping[str, Any], snapshot: Snapshot) -> BodyEnding:
        """The state in which the present path has ended."""
        values = {name: local[name] for name in self._names.bound if name in local}
        lists = {key: list(growth.target.parts) for key, growth in self._lists.items()}
        run = self._run
        changes = list(snapshot.changes())
        if any(run.is_copy(change.holder.value) for change in changes):
            # One made before this path, which is put back before the next: those made on it have been checked.
            raise run.changes_copy()
        return BodyEnding(
            values,
            changes,
            lists,
            run.model.contents,
            run.context,
            self._turns,
            self._start,
            [list(held.holder.read(held.holder.value)) for held in self._added()],
        )

    def lacks(self, name: str) -> bool:
        """True if a name has no value at the start of the body."""
        return isinstance(self._local.get(name), ReboundGuess)

    def _counted(self, iterations: Term) -> Term:
        """How many iterations count for the state that iteration number `iterations` begins with."""
        return terms.constant(0) if self._puts_back else iterations

    def _put_in_place(self, count: Term) -> dict[Place, Any]:
        """Give what iterations leave the values that it has after `count` of them, for names, as `values`, and parts
        of objects, which are returned."""
        self._left_after.clear()
        self._copied.clear()
        for name, guess in self._local.items():
            if isinstance(guess, LinearGuess | LeftGuess | FollowingGuess):
                self.values[name] = self._value_after(name, guess, count)
        found: dict[Place, Any] = {}
        for place, held in self._held.items():
            found[place] = self._value_after(place, held.guess, count)
            held.assign(found[place])
        return found

    def _guess_of(self, place: Place) -> Guess | None:
        if isinstance(place, str):
            return self._local.get(place)
        held = self._held.get(place)
        return None if held is None else held.guess

    def _value_after(self, place: Place, guess: Guess | None, count: Term) -> Any:
        """The value of a place after `count` iterations; the path is split where that is one thing before the first of
        them and another one after it."""
        if isinstance(guess, LinearGuess):
            return guess.at(count)
        if guess is None and isinstance(place, str):
            return self.entry[place]
        if not isinstance(guess, LeftGuess | FollowingGuess):
            self._give_up("a value that it hands on is carried from one iteration to the next")
        if bool(conditions.equals_zero(count)):
            return guess.entry
        before = terms.add(count, terms.constant(-1))
        if isinstance(guess, FollowingGuess):
            return self._value_after(guess.source, self._guess_of(guess.source), before)
        known = self._left_after.get(before.uid)
        if known is None:
            # With the number: one that nothing keeps would be another object when it is asked about again.
            known = self._left_after[before.uid] = before, self._left_by(before)
            copies = [part for part in mutable_parts(tuple(known[1].values())) if not self.knows(part)]
            self._copied += [(part, contents(part)) for part in copies]
            self._run.copied_on_read(copies)
        return known[1][place]

    def _left_by(self, iteration: Term) -> dict[Place, Any]:
        """The values that an iteration leaves: an object that two places share is one object in both."""
        found = {place: guess.template for place, guess in self._guesses() if isinstance(guess, LeftGuess)}
        fresh = {identity(part) for part in mutable_parts(tuple(found.values())) if not self.knows(part)}
        assert self._bound is not None
        try:
            values = substitute(tuple(found.values()), {self._bound: iteration}, lambda part: identity(part) in fresh)
        except CannotSubstitute as reason:
            self._give_up(f"an iteration leaves {reason}")
        return dict(zip(found, values, strict=True))

    def _added(self) -> list[HeldPart]:
        """The parts that objects have from the first iteration on, in the order in which they are put there."""
        return [held for held in self._held.values() if held.entry is ABSENT]

    def _in_order(self, ending: BodyEnding) -> bool:
        """True if a path leaves such parts in the order in which the next iteration is given them, and last."""
        added = self._added()
        for held, order in zip(added, ending.orders, strict=True):
            keys = [one.key for one in added if one.holder.value is held.holder.value]
            if not same_keys(order[-len(keys) :], keys):
                return False
        return True

    def _guesses(self) -> Iterator[tuple[Place, Guess]]:
        yield from self._local.items()
        for place, held in self._held.items():
            yield place, held.guess

    def check_copies(self) -> None:
        """Give up where what stands for an object that an iteration has left is changed: who else has it is not
        followed."""
        for part, before in self._copied:
            now = contents(part)
            if len(now) != len(before) or any(one is not two for one, two in zip(now, before, strict=True)):
                self._give_up(f"it changes a {type(part).__name__} that the iteration before has made")

    def _turned(self, count: Term) -> int:
        """Give the names that change places their values after `count` iterations; how often they have done so, but for
        whole periods: one path for each."""
        permuted = self._permuted
        if permuted is None:
            return 0
        period = terms.constant(permuted.period)
        turns = permuted.period - 1
        for tried in range(permuted.period - 1):
            left = terms.add(count, terms.constant(-tried))
            whole = terms.multiply(period, terms.divide(left, period))
            if bool(conditions.equals_zero(terms.add(left, whole, -1))):
                turns = tried
                break
        for name in permuted.sources:
            self.values[name] = self.entry[permuted.source(name, turns)]
        return turns

    def template(self, value: Any, index: Term, bound: Index) -> Any:
        """`value`, made in iteration `index`, as what is made in iteration `bound`."""
        for part in made_of_kernels(value):
            if not self.knows(part):
                # All elements would have the same one.
                self._give_up(f"a list keeps a {type(part).__name__} that it makes")
        try:
            return substitute(value, {terms.index_atom(index): terms.of_atom(bound)})
        except CannotSubstitute as reason:
            self._give_up(f"a list keeps {reason}")

    def same(self, one: object, two: object) -> bool:
        """True if two values are the same, also to who has the objects in them that were there before the loop."""
        return same_value(one, two, self.knows)

    def shared(self, template: Any) -> tuple[Any, ...]:
        """The mutable objects in what an iteration keeps that it did not make itself."""
        return tuple(filter(self.knows, mutable_parts(template)))

    def counts(self) -> bool:
        """True if numbers change from one iteration to the next, or lists where iterations have an order."""
        if self._puts_back:
            return False
        if self._lists and not self.sequence.parallel:
            return True
        guesses = [*self._local.values(), *(held.guess for held in self._held.values())]
        return any(isinstance(one, LinearGuess) and one.step is not terms.constant(0) for one in guesses)

    def independent(self) -> bool:
        """True if every iteration finds what the first one does, but for names that it binds itself."""
        guesses = [*self._local.values(), *(held.guess for held in self._held.values())]
        return not (self._lists or self._contents.refined) and all(isinstance(one, ReboundGuess) for one in guesses)

    def forgets(self) -> bool:
        """True if less is known of numbers in tensors after the loop than before it."""
        return self._contents.forgets

    # --- at its end ---------------------------------------------------------------------------------------------------

    def verified(self, endings: list[BodyEnding], index: Term, looked_at: Mapping[AllocationKey, bool]) -> bool:
        """True if what the body did is what was guessed; if not, the guess has been refined."""
        if self._permuted is None and self._guess_permuted(endings):
            return False
        # Every path of this pass ran with these; what one path adds is for the next pass.
        local, held = dict(self._local), dict(self._held)
        verified = True
        for name in self._names.bound:
            verified &= self._local_as_guessed(name, endings, local.get(name), index)
        for place, (holder, key, entry) in self._changed(endings).items():
            verified &= self._held_as_guessed(place, holder, key, entry, endings, held.get(place), index)
        if verified and not all(map(self._in_order, endings)):
            self._give_up("the order of what it adds to an object depends on a condition")
        for list_id in list(self._lists):
            verified &= self._list_as_guessed(list_id, endings, index, verified)
        # What storages hold depends on the rest of the state: it is compared once that is as guessed.
        return verified and self._contents_as_guessed(endings, index, looked_at)

    def _changed(self, endings: list[BodyEnding]) -> dict[tuple[int, Any], tuple[Holder, Any, Any]]:
        """The parts of objects that paths change, or that are guessed to change, with what they are before the loop;
        what is appended to a list is examined apart."""
        found = {place: (held.holder, held.key, held.entry) for place, held in self._held.items()}
        for change in (change for ending in endings for change in ending.changes):
            holder, key = change.holder, change.key
            place = (id(holder.value), key)
            if (
                place in found
                or id(holder.value) in self._lists
                or (holder.value is self._run.model and key == CONTENTS)
            ):
                continue
            if isinstance(holder.value, SymList):
                if isinstance(key, tuple) and key[:1] == ("within",):
                    continue
                if missing(change.before) and key == len(holder.value.parts):
                    self.guess_growth(holder.value)
                    continue
                if not (isinstance(change.before, Element) and isinstance(change.after, Element)):
                    self._give_up("it changes a list in other ways than by appending to it")
                found[place] = holder, key, change.before.value
                continue
            if missing(change.after) or (missing(change.before) and not holder.assigns_alone(key)):
                self._give_up(f"it changes {change.describe()}")
            found[place] = holder, key, ABSENT if missing(change.before) else change.before
        return found

    def _contents_as_guessed(
        self, endings: list[BodyEnding], index: Term, looked_at: Mapping[AllocationKey, bool]
    ) -> bool:
        if not self._contents.adds_as_guessed([ending.contents for ending in endings], index, looked_at):
            return False
        last = terms.add(self.sequence.trip_count(), terms.constant(-1))
        ends = [over_iterations(ending.contents, index, last, ending.context.facts) for ending in endings]
        return self._contents.verified(ends, looked_at)

    def _local_as_guessed(self, name: str, endings: list[BodyEnding], guess: Guess | None, index: Term) -> bool:
        """True if a name is left as guessed on every path; if not, the guess has been refined."""
        if isinstance(guess, ReboundGuess) or not endings:
            return True
        afters = [ending.local.get(name, ABSENT) for ending in endings]
        if isinstance(guess, PermutedGuess):
            if any(
                after is not self.entry[guess.source(name, ending.turns + 1)]
                for after, ending in zip(afters, endings, strict=True)
            ):
                self._give_up(f"the value of `{without_prefix(name)}` is carried from one iteration to the next")
            return True
        passed = PassedPlace(name, guess, self.entry.get(name, ABSENT), afters, endings, index)
        if self._as_guessed(passed):
            return True
        found = None if passed.entry is ABSENT else self._refined(passed)
        # Where nothing is left to be guessed it may be bound again.
        self._local[name] = ReboundGuess() if found is None else found
        return False

    def _held_as_guessed(
        self,
        place: tuple[int, Any],
        holder: Holder,
        key: Any,
        entry: Any,
        endings: list[BodyEnding],
        held: HeldPart | None,
        index: Term,
    ) -> bool:
        """As `_local_as_guessed`, of a part of an object."""
        if not endings:
            return True
        afters = [part_after(ending, place, entry) for ending in endings]
        guess = None if held is None else held.guess
        passed = PassedPlace(place, guess, entry, afters, endings, index)
        if guess is not None and self._as_guessed(passed):
            return True
        found = self._refined(passed)
        if found is None or not (isinstance(found, LinearGuess) or holder.assigns_alone(key)):
            described = StateChange(holder, key, entry, afters[0]).describe()
            self._give_up(f"it changes {described}")
        self._held[place] = HeldPart(holder, key, entry, found)
        return False

    def _as_guessed(self, passed: PassedPlace) -> bool:
        """True if the paths leave what the guess about a place says; without one, if they leave it as it was."""
        guess, entry, index = passed.guess, passed.entry, passed.index
        if isinstance(guess, LinearGuess):
            following = guess.at(terms.add(self._counted(index), terms.constant(1)))
            if all(as_term(after) is following for after in passed.afters):
                return True
            self._ragged.add(passed.place)
            return all(self._if_another_follows(after, following, ending, index) for after, ending in passed.paths())
        if isinstance(guess, FollowingGuess):
            return all(after is ending.start.get(guess.source, ABSENT) for after, ending in passed.paths())
        if isinstance(guess, LeftGuess):
            return all(
                self.same(*self._in_its_iteration((guess.template, after), ending, index))
                for after, ending in passed.paths()
            )
        return all(
            entry is after or (entry is not ABSENT and after is not ABSENT and self.same(entry, after))
            for after in passed.afters
        )

    def _in_its_iteration(self, left: tuple[Any, Any], ending: BodyEnding, index: Term) -> tuple[Any, Any]:
        """The guess of what any iteration leaves and what a path leaves, for the iteration of the path: where that is
        one iteration only, numbers in both are numbers."""
        expected, after = left
        only = ending.context.facts.value_of(index)
        number = index if only is None else terms.constant(only)
        assert self._bound is not None
        try:
            expected = substitute(expected, {self._bound: number})
            return expected, after if only is None else substitute(after, {terms.index_atom(index): number})
        except CannotSubstitute:
            return ABSENT, after

    def _if_another_follows(self, after: Any, following: Term, ending: BodyEnding, index: Term) -> bool:
        """True if a path leaves the number that is guessed wherever another iteration follows."""
        value = as_term(after) if isinstance(after, Term) or type(after) is int else None
        if value is None or self.sequence.traced or self.sequence.parallel:
            return False
        follows = self._follows(ending, index)
        if follows is False:
            return True
        self._run.check_deadline()
        equal = conditions.equals_zero(terms.add(value, following, -1))
        return equal is True or (equal is not False and ending.context.with_condition(follows).proves(equal))

    def _step(self, before: Any, after: Any, ending: BodyEnding, index: Term) -> LinearGuess | None:
        """The counter that `before` is at the start and `after` at the end of an iteration that another one follows."""
        found = linear(before, after, index)
        if found is not None and not conditions.minima(found.step):
            return found
        start, end = (as_term(one) if isinstance(one, Term) or type(one) is int else None for one in (before, after))
        if start is None or end is None:
            return None
        follows = self._follows(ending, index)
        if follows is False:
            return None
        self._run.check_deadline()
        context = ending.context.with_condition(follows)
        # One that counts as it is need not be made simpler by a solver.
        proves = context.proves if found is None else context.entails
        step = conditions.without_minima(terms.add(end, start, -1), proves)
        return LinearGuess(start, step) if terms.index_atom(index) not in terms.all_atoms(step) else found

    def _counter(self, passed: PassedPlace) -> LinearGuess | None:
        """The counter that a place is on all paths, if it is one."""

        def same(steps: Iterator[LinearGuess | None]) -> LinearGuess | None:
            # One path that differs is enough: what the others do is not asked then.
            found = next(steps)
            return found if found is not None and all(map(found.same, steps)) else None

        paths, entry, index = [*passed.paths()], passed.entry, passed.index
        simpler = same(self._step(entry, after, ending, index) for after, ending in paths)
        return simpler or same(linear(entry, after, index) for after, _ in paths)

    def _refined(self, passed: PassedPlace) -> LinearGuess | LeftGuess | FollowingGuess | None:
        """The next guess about a place; None if there is none."""
        guess, entry, afters, index = passed.guess, passed.entry, passed.afters, passed.index
        if guess is None:
            self._left_of_entry[passed.place] = afters
            counter = self._counter(passed)
            if counter is not None:
                return counter
        if self.sequence.traced or self.sequence.parallel or any(after is ABSENT for after in afters):
            return None
        if _NUMERICS in self._run.phases and any(isinstance(after, Tensor) for after in afters):
            # Ranges of numbers are known of the tiles of unrolled iterations, not of one made again from that before.
            return None
        if not isinstance(guess, LeftGuess | FollowingGuess):
            source = self._source(passed)
            if source is not None and not all(map(is_plain_value, afters)):
                return FollowingGuess(entry, source)
        for counting in (True, False):
            if (isinstance(guess, LeftGuess) and (counting or not guess.counting)) or (
                counting and is_plain_value(entry)
            ):
                continue
            if counting:
                left = [left_by(entry, after, index) for after in afters]
            else:
                # As one leaves it that is none of the first few: there, numbers are numbers.
                left = [
                    after for after, ending in passed.paths() if ending.context.facts.value_of(index) is None
                ] or afters
                if isinstance(guess, LinearGuess):
                    # It counts nothing after all: perhaps an iteration leaves the same whatever it starts with, as the
                    # most of several numbers.
                    left = self._left_of_entry.get(passed.place, left)
            if any(not self.same(left[0], one) for one in left):
                continue
            self._bound = self._bound or bound_index(self._run)
            try:
                template = substitute(left[0], {terms.index_atom(index): terms.of_atom(self._bound)})
            except CannotSubstitute:
                return None
            return LeftGuess(entry, template, counting)
        return self._left_by_first(passed)

    def _left_by_first(self, passed: PassedPlace) -> LeftGuess | None:
        """The guess that each iteration leaves the number that the first one leaves: the greatest of what iterations
        come to, where later ones come to no more."""
        if not isinstance(passed.guess, LeftGuess) or not isinstance(passed.guess.template, Term):
            return None
        first: dict[Atom, Term] = {terms.index_atom(passed.index): terms.constant(0)}
        numbers = [
            as_term(after) for after, ending in passed.paths() if ending.context.facts.value_of(passed.index) == 0
        ]
        left = [None if one is None else terms.substitute(one, first) for one in numbers]
        template = left[0] if left and all(one is left[0] for one in left) else None
        if template is None or template is passed.guess.template:
            return None
        return LeftGuess(passed.entry, template, counting=False)

    def _source(self, passed: PassedPlace) -> Place | None:
        """The other place whose value of the start of an iteration is in this one at its end, on every path."""
        for source, guess in [*self._guesses(), *((name, None) for name in self.entry if name not in self._local)]:
            if (
                source == passed.place
                or isinstance(guess, ReboundGuess | PermutedGuess | GrowthGuess)
                or self._ends_in(source, passed.place)
            ):
                continue
            if all(after is ending.start.get(source, ABSENT) for after, ending in passed.paths()):
                return source
        return None

    def _ends_in(self, source: Place, place: Place) -> bool:
        """True if the value of `source` comes from that of `place`, or from too far."""
        for _ in range(ExploringBudget.CHAIN):
            guess = self._guess_of(source)
            if source == place:
                return True
            if not isinstance(guess, FollowingGuess):
                return False
            source = guess.source
        return True

    def _guess_permuted(self, endings: list[BodyEnding]) -> bool:
        """Guess which names change places with others of before the loop, in the same way on every path; whether there
        are any. Bodies that are traced once do not change places."""
        if not endings or self.sequence.traced or self.sequence.parallel:
            return False
        # Of an object with two names it is not said which of them it comes from.
        known_as = Counter(map(id, self.entry.values()))
        candidates = [name for name in self.entry if name not in self._local and known_as[id(self.entry[name])] == 1]
        owners = {id(self.entry[name]): name for name in candidates}
        sources: dict[str, str] = {}
        for name in candidates:
            found = {owners.get(id(ending.local.get(name, ABSENT))) for ending in endings}
            (source,) = found if len(found) == 1 else (None,)
            if source is not None and source != name:
                sources[name] = source
        if not sources or set(sources) != set(sources.values()):
            return False
        for period in range(2, ExploringBudget.PERIOD + 1):
            permuted = PermutedGuess(sources, period)
            if all(permuted.source(name, period) == name for name in sources):
                self._permuted = permuted
                self._local.update(dict.fromkeys(sources, permuted))
                return True
        return False

    def guess_growth(self, target: SymList) -> None:
        self._lists[id(target)] = GrowthGuess(
            target,
            tuple(target.parts),
            bound_index(self._run),
            Pending(self._reads_growing_list),
            self.sequence.parallel,
        )

    def _reads_growing_list(self) -> NoReturn:
        self._give_up("it reads elements that it appended to a list before")

    def _list_as_guessed(self, key: int, endings: list[BodyEnding], index: Term, verified: bool) -> bool:
        """True if a list grows as guessed; if not, the guess has been refined. What is appended is of
        use where the rest of the state is `verified`."""
        growth = self._lists[key]
        appended: Any = ABSENT
        for ending in endings:
            parts = ending.lists.get(key)
            if parts is None:
                return False
            expected = growth.at(index)
            kept, added = parts[: len(expected)], parts[len(expected) :]
            if len(kept) == len(expected) and not added and len(endings) == 1:
                # Nothing is appended after all.
                del self._lists[key]
                growth.target.parts = list(growth.before)
                return False
            if len(added) != 1 or not isinstance(added[0], Element) or not same_parts(kept, expected):
                self._give_up("it changes a list in other ways than by appending one element each time")
            element = added[0]
            assert isinstance(element, Element)
            if appended is ABSENT:
                appended = element.value
            elif not self.same(appended, element.value):
                self._give_up("what it appends to a list depends on a condition")
        if appended is ABSENT:
            return True
        if not verified:
            return False
        template = self.template(appended, index, growth.index)
        if not isinstance(growth.template, Pending) and not self.same(template, growth.template):
            self._give_up("what it appends to a list depends on what it appended before")
        # No iteration read the elements that were not known yet: what it appends does not depend on them.
        self._lists[key] = GrowthGuess(
            growth.target,
            growth.before,
            growth.index,
            template,
            growth.unordered,
            self.shared(template),
        )
        return True

    # --- after the loop -----------------------------------------------------------------------------------------------

    def _final(self, place: Place, guess: Guess, endings: list[BodyEnding], index: Term, trips: Term) -> Any:
        """The value of a place after the loop."""
        if place not in self._ragged or bool(conditions.equals_zero(trips)):
            return self._value_after(place, guess, trips)
        last = terms.add(trips, terms.constant(-1))
        at_end = conditions.equals_zero(terms.add(index, last, -1))
        found: dict[int, Term] = {}
        for ending in endings:
            if at_end is not False and not ending.context.with_condition(at_end).proves(False):
                left = (
                    ending.local[place]
                    if isinstance(place, str)
                    else part_after(ending, place, self._held[place].entry)
                )
                value = as_term(left)
                assert value is not None, "as guessed"
                value = terms.substitute(value, {terms.index_atom(index): last})
                found[value.uid] = value
        if len(found) != 1:
            self._give_up("what its last iteration leaves depends on a condition")
        return found.popitem()[1]

    def after(self, endings: list[BodyEnding], index: Term, trips: Term) -> None:
        run = self._run
        if not endings:
            # Every path through the body ends in it: what follows the loop is reached with no iteration only.
            run.assume(conditions.equals_zero(trips), "no iteration comes to its end")
        for growth in self._lists.values():
            growth.target.parts = growth.at(trips)
        some = conditions.negate(conditions.at_most_zero(trips))
        run.model.contents = self._contents.after(possibly_none=not known(some))
        self.values = dict(self.entry)
        left = trips
        if self._puts_back:
            left = terms.constant(0 if bool(conditions.equals_zero(trips)) else 1)
        self._turned(trips)
        for place, held in self._held.items():
            held.assign(self._final(place, held.guess, endings, index, left))
        rebound: list[str] = []
        for name, guess in self._local.items():
            if isinstance(guess, LinearGuess) and name not in self._ragged:
                self.values[name] = guess.at(left)
            elif not isinstance(guess, PermutedGuess) and any(name in ending.local for ending in endings):
                rebound.append(name)
        if not rebound:
            return
        if any(name in self._names.live for name in rebound) and not bool(
            conditions.at_most_zero(terms.add(terms.constant(1), trips, -1))
        ):
            return
        last: dict[Atom, Term] = {terms.index_atom(index): terms.add(trips, terms.constant(-1))}
        for name in rebound:
            self.values.pop(name, None)
            guess = self._local[name]
            if isinstance(guess, LinearGuess | LeftGuess | FollowingGuess):
                if name in self._names.live:
                    self.values[name] = self._final(name, guess, endings, index, trips)
                else:
                    run.names_without_value[without_prefix(name)] = LostName(without_prefix(name), self._site, trips)
                continue
            values = [ending.local.get(name, ABSENT) for ending in endings]
            try:
                if name in self._names.live and all(one is not ABSENT and self.same(values[0], one) for one in values):
                    value = substitute(values[0], last)
                    # Without an order there is no last iteration.
                    if value is values[0] or not self.sequence.parallel:
                        self.values[name] = value
                        continue
            except CannotSubstitute:
                pass
            run.names_without_value[without_prefix(name)] = LostName(without_prefix(name), self._site, trips)
        kept = tuple(self.values[name] for name in rebound if name in self.values)
        if self._lists or len(kept) > 1:
            # Another name, or a list, may have a copy of the same object.
            run.copied_on_read([part for part in mutable_parts(kept) if not self.knows(part)])
