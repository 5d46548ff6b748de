"""Summarising a loop by one run of its body.

A loop over a symbolic range is summarised: its body runs once for an arbitrary index `i` with `0 <= i < n`, once for
each path through it. That says everything about the loop if no state is carried from one iteration to the next. What a
body changes is found by comparing snapshots. Carried state that has a closed form (`nkiverify.frontend.carried_state`)
is guessed from one run of the body and then checked by another run that starts from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from nkiverify.foundation.budget import ExploringBudget
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.source import Site
from nkiverify.frontend.carried_guesses import BodyEnding, bound_index, without_prefix
from nkiverify.frontend.carried_state import CarriedState
from nkiverify.frontend.holders import OpaqueState
from nkiverify.frontend.paths import PathEnded, RunAgain
from nkiverify.frontend.ranges import SymbolicSequence
from nkiverify.frontend.refused import refuse_class
from nkiverify.frontend.snapshot import Snapshot
from nkiverify.frontend.source_names import LoopNames
from nkiverify.ir.program import Loop as LoopItem
from nkiverify.model.known_numbers import AllocationKey
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Atom, Term
from nkiverify.symbolic.lists import SymList
from nkiverify.symbolic.segments import Segment

if TYPE_CHECKING:
    from nkiverify.frontend.drawn_loops import DrawnLoop
    from nkiverify.frontend.explorer import SymbolicExecution
    from nkiverify.frontend.paths import Scope
    from nkiverify.model.state import Looked


class SummarisedLoop:
    """Drives a `for` statement so that its body runs once per path for an arbitrary index."""

    def __init__(
        self,
        sequence: SymbolicSequence,
        run: SymbolicExecution,
        site: Site,
        frame: FrameType,
        names: LoopNames,
        name: str,
        consumers: tuple[DrawnLoop, ...] = (),
    ) -> None:
        self._name = name
        self._run = run
        self._site = site
        self._frame: FrameType | None = frame
        #: The loops over generators whose bodies are parts of this one's; their names are prefixed.
        self._consumers = dict(zip(map("@{}.".format, range(len(consumers))), consumers, strict=True))
        for prefix, one in self._consumers.items():
            names = names.with_prefixed(prefix, one.names)
        local = self._locals()
        self._state = CarriedState(run, sequence, site, names, local, self._follows, self._give_up)
        #: Why nothing follows from the present pass, unless it has found another guess.
        self._doubt: str | None = None
        self._path_ended = False
        #: How many copies had been made on reading when the present path through the body began.
        self._copies = 0
        #: What was there before it, and the pass in progress.
        self._snapshot: Snapshot | None = None
        self._looked: Looked | None = None
        #: How many paths through the body come to its end.
        self._paths = 0
        #: The number of the iteration that the present pass is about.
        self._index: Term
        self._depth = run.depth
        self._try_depth = run.try_depth
        self.restoring = True
        for name in names.grown:
            # One that an earlier loop has left is no list that this one may change: the body has another of its name.
            if isinstance(local.get(name), SymList) and not run.is_copy(local[name]):
                self._state.guess_growth(local[name])

    # --- what the rewritten statement calls ---------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        """True if the local `name` is to be bound now."""
        return name in self._state.values

    def get(self, name: str) -> object:
        """The value the local `name` is to have now."""
        return self._state.values.get(name)

    def _locals(self) -> dict[str, Any]:
        """The local names that have a value now, and those values."""
        assert self._frame is not None
        found = dict(self._frame.f_locals)
        for prefix, one in self._consumers.items():
            found.update((prefix + name, value) for name, value in one.values().items())
        return found

    def _put_in_consumers(self) -> None:
        values = self._state.values
        for prefix, one in self._consumers.items():
            one.put({name: values[prefix + name] for name in one.names.bound if prefix + name in values})

    def leave(self) -> None:
        """The loop is left by `break` or `return`: which iteration does so cannot be said by one run of the body."""
        self._give_up("it is left by `break` or `return`")

    def absorb(self, error: BaseException) -> bool:
        """True if the exception that ended the body ends only a path through it."""
        run = self._run
        if self._path_ended and isinstance(error, Exception | PathEnded):
            # A generator continues where who runs over it has ended the path.
            run.truncate(self._depth + 1)
            return run.unsupported_construct is None
        if isinstance(error, UnsupportedConstruct | RunAgain | GeneratorExit | KeyboardInterrupt):
            return False
        if isinstance(error, PathEnded):
            if not run.path_has_ended:
                return False
            run.truncate(self._depth + 1)
            self._path_ended = True
            return run.unsupported_construct is None
        if not isinstance(error, Exception):
            return False
        run.refuse_limits(error)
        if run.may_be_about_us(error):
            # Or it is due to what holds before the first iteration only, as a tile of which there is none as yet.
            self._doubt = self._doubt or f"an iteration may raise {type(error).__name__}"
            run.truncate(self._depth + 1)
            run.end_path()
            self._path_ended = True
            return True
        if self._try_depth > 0:
            self._give_up(f"an iteration may raise {type(error).__name__}, which is handled outside the loop")
        run.refuse_fault_of_model(error)
        run.truncate(self._depth + 1)
        run.claim_exception(error)
        self._path_ended = True
        return True

    def refuse_unbound(self, name: str | None) -> None:
        """Give up the loop if `name`, which could not be found, is one it has no value for at the start of the body."""
        if name is not None and any(self._state.lacks(prefix + name) for prefix in ("", *self._consumers)):
            self._give_up(f"the value of `{without_prefix(name)}` is carried from one iteration to the next")

    def traced_index(self) -> Atom | None:
        """The number of its iteration, of a loop whose body is traced once."""
        return terms.index_atom(self._index) if self._state.sequence.traced else None

    def _give_up(self, reason: str) -> NoReturn:
        raise self._run.give_up_loop(self._site, reason)

    # --- driving ------------------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Any]:
        run = self._run
        ordinal = run.next_ordinal()
        assert self._frame is not None
        run.open_loops.append(self)
        iterators = [one.iterator for one in self._consumers.values()]
        extra = (run.model, *iterators, *self._state.entry.values())
        snapshot = self._snapshot = Snapshot(self._frame, extra, run.snapshots_of_modules)
        if snapshot.refused is not None:
            refuse_class(snapshot.refused)
        if snapshot.opaque is not None:
            self._give_up(f"{snapshot.opaque} is within reach, whose state cannot be compared")
        self._state.knows = snapshot.knows
        around = [one.summary for one in self._consumers.values()]
        for one in self._consumers.values():
            one.summary = self
        for _ in range(ExploringBudget.PASSES):
            trips = self._state.sequence.trip_count()
            index = self._index = terms.index(self._name, trips, (*run.scope_key, ordinal))
            bounds = self._bounds(index)
            context = run.context
            for bound in bounds:
                context = context.with_condition(bound)
            scope = run.open_scope(context, index, ordinal, self._site)
            endings: list[BodyEnding] = []
            self._doubt = None
            self._state.begin_pass()
            self._looked = run.model.begin_pass()
            while True:
                run.check_time()
                self._begin_path(snapshot, scope, index)
                yield self._state.sequence.element(index)
                if not all(one.asking for one in self._consumers.values()):
                    self._give_up("the generator is advanced by the body of a loop over it")
                if not self._path_ended:
                    run.check_alive()
                    self._state.check_copies()
                    run.check_copies(self._copies)
                    endings.append(self._ending(snapshot))
                if not scope.next_path():
                    break
            run.close_scope()
            self._restore(snapshot)
            looked_at, self._looked = run.model.end_pass(self._looked), None
            if self._verified(endings, index, looked_at):
                if self._doubt is not None:
                    self._give_up(self._doubt)
                break
        else:
            self._give_up("its carried state has no closed form")
        run.open_loops.remove(self)
        for one, summary in zip(self._consumers.values(), around, strict=True):
            one.summary = summary
        known = run.program.independent
        known[self._site] = known.get(self._site, True) and self._state.independent()
        parallel, counts = self._state.sequence.parallel, self._state.sequence.traced and self._state.counts()
        run.record(LoopItem(terms.index_atom(index), trips, bounds, scope.block, self._site, parallel, counts))
        self._state.after(endings, index, trips)
        self._put_in_consumers()
        self._paths, self._trips = len(endings), trips
        self._frame = self._snapshot = None

    def collected(self, values: list[Any]) -> SymList:
        """The list a comprehension makes, given the elements that the passes evaluated, those of the last one last."""
        last = values[len(values) - self._paths :]
        if not all(self._state.same(last[0], value) for value in last):
            self._give_up("the elements of the list depend on a condition")
        bound = bound_index(self._run)
        template = self._state.template(last[0], self._index, bound)
        return SymList(
            parts=[Segment(self._trips, bound, template, self._state.shared(template), self._state.sequence.parallel)]
        )

    def _bounds(self, index: Term) -> tuple[conditions.Condition | bool, ...]:
        """The conditions on the index of an iteration."""
        return self._state.sequence.bounds(index)

    def _follows(self, ending: BodyEnding, index: Term) -> conditions.Condition | bool:
        """The condition on which another iteration follows the one that has ended so."""
        return conditions.at_most_zero(
            terms.add(terms.add(index, terms.constant(2)), self._state.sequence.trip_count(), -1)
        )

    def _begin_path(self, snapshot: Snapshot, scope: Scope, index: Term) -> None:
        self._restore(snapshot)
        self._path_ended = False
        self._copies = self._run.copies
        self._state.put_contents(index)
        self._run.model.begin_path()
        self._run.begin_path(scope)
        self._state.put_values(index)
        self._put_in_consumers()

    def _restore(self, snapshot: Snapshot) -> None:
        try:
            snapshot.restore()
        except OpaqueState as opaque:
            self._give_up(f"{opaque} is changed in it")

    def _ending(self, snapshot: Snapshot) -> BodyEnding:
        return self._state.ending(self._locals(), snapshot)

    def _verified(self, endings: list[BodyEnding], index: Term, looked_at: Mapping[AllocationKey, bool]) -> bool:
        """True if what the body did is what was guessed; if not, the guess has been refined."""
        return self._state.verified(endings, index, looked_at)
