"""The ranges of a shape program, for all values of its dimensions at once.

The walk follows the program in order, as that over sets does (`sets.flow`), and computes every operation once, on
families. A loop body is walked for an arbitrary iteration: it is assumed what the storages that it changes hold when an
iteration begins, and shown that they hold it when the next one does (`growth`). Errs to too many numbers. What nothing
has written counts for nothing here: that it is not read is the matter of phase 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field

import numpy as np

from nkiverify.analysis.effects import is_certain
from nkiverify.analysis.fixpoint import fixpoint
from nkiverify.analysis.ranges.extent_sizes import Sizes
from nkiverify.analysis.ranges.families import Carried, NumberFamily
from nkiverify.analysis.ranges.family_numbers import Families
from nkiverify.analysis.ranges.family_step import FamilyStep, anything
from nkiverify.analysis.ranges.growth import SOME_MORE, composed, weakened
from nkiverify.analysis.ranges.range_arithmetic import least_fill
from nkiverify.analysis.ranges.range_findings import RangeFindings
from nkiverify.analysis.ranges.storage_contents import Place, RangeState, StorageContents, nothing
from nkiverify.analysis.sets.keys import Key
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.budget import RangesBudget
from nkiverify.foundation.clock import now
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.source import Site
from nkiverify.ir.program import Assume, Block, Branch, Item, Loop, Program
from nkiverify.ir.walk import Visitor
from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Allocation, Executed
from nkiverify.model.tensor import Storage, Tensor, row_major
from nkiverify.symbolic.conditions import Condition, equals_zero
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.terms import INT32_MAX, of_atom


class FamilyWalk(Visitor[RangeState]):
    """The walk over a program. `asked` gives the ends of an argument's elements.

    `peels`: the first iteration of a loop is walked apart from the others, where there is one for sure. Running maxima
    that begin with -inf, and sums that begin with 0, are others from then on.
    """

    def __init__(
        self,
        program: Program,
        asked: Callable[[Storage], tuple[float, float]],
        deadline: float,
        *,
        peels: bool = False,
        kind: type[Families] = Families,
    ) -> None:
        self._program = program
        self._asked = asked
        self._deadline = deadline
        self._left = RangesBudget.OPERATIONS
        self._sizes = Sizes(Facts())
        self.n = kind(RangeFindings(everywhere=True), self._sizes)
        self.state = RangeState()
        self.running: dict[Key, str] = {}
        #: Operations that are not followed, and why, in order; the lines that compute something.
        self.unfollowed: list[tuple[str, Site | None]] = []
        self.lines: set[Site | None] = set()
        #: Who wants to hear of each operation that has been computed: its results, by parameter.
        self.wrote: Callable[[Executed, dict[str, Array]], None] | None = None
        self.peels = peels
        #: Whether there was a loop that has a first iteration for sure.
        self.peelable = False
        #: What was found out about loops the last time they were walked.
        self._guesses: dict[Loop, _Assumed] = {}

    @property
    def findings(self) -> RangeFindings:
        """The findings so far."""
        return self.n.findings

    def run(self) -> None:
        """Walk the program; raises `UnsupportedConstruct` where that takes too long."""
        self._states(self._program.body)
        if self.findings.lost and not self.findings.found and not self.unfollowed:
            self._lose("numbers whose bound is lost", None)

    # --- items --------------------------------------------------------------------------------------------------------

    def _states(self, block: Block) -> list[RangeState]:
        """The states in which the paths through a block end; `state` is changed."""
        before = self._sizes.facts
        try:
            return list(self.block(block))
        finally:
            self._sizes.facts = before

    def assume(self, item: Assume) -> Iterable[RangeState]:
        self._suppose(item.condition)
        return ()

    def recorded(self, item: Item) -> Iterable[RangeState]:
        if isinstance(item, Executed):
            self._execute(item)
        elif isinstance(item, Allocation):
            self.state.allocate(item.storage)
        return ()

    def loop(self, item: Loop) -> Iterable[RangeState]:
        self._loop(item)
        return ()

    def arm(self, condition: Condition, block: Block, branch: Branch) -> Iterable[RangeState]:
        state, facts = self.state, self._sizes.facts
        if facts.proves(condition.negation()):
            return ()
        self.state = state.copy()
        self._suppose(condition)
        found = self._states(block)
        self.state, self._sizes.facts = state, facts
        return found

    def end(self, block: Block) -> Iterable[RangeState]:
        return (self.state,)

    def _suppose(self, *conditions: Condition | bool) -> None:
        self._sizes.facts = self._sizes.facts.extended(*conditions)

    # --- operations ---------------------------------------------------------------------------------------------------

    def certain(self, operation: Operation, argument: str) -> bool:
        """True if all elements of a view are written."""
        return operation.mask is None and operation.rows(argument) is None and is_certain(operation, argument)

    def covers(self, view: Tensor) -> bool:
        """True if a view is all of its storage."""
        storage, same = view.storage, self._sizes.same
        return (
            view.ndim == len(storage.shape)
            and all(map(same, view.shape, storage.shape))
            and all(map(same, view.strides, row_major(storage.shape)))
            and same(view.offset, 0)
        )

    def _execute(self, item: Executed) -> None:
        operation, findings = item.operation, self.n.findings
        self._left -= 1
        if self._left < 0 or now() > self._deadline:
            raise UnsupportedConstruct("the ranges of a program of so many operations")
        findings.operation, findings.site = operation.name, item.site
        findings.fills = not operation.reads
        self.lines.add(item.site)
        meaning = operation.declared.computes
        try:
            for view in (*operation.reads.values(), *operation.writes.values()):
                self._begin(view.storage)
            if operation.body is not None:
                raise UnsupportedConstruct("a device loop, for all sizes")
            if meaning is None:
                raise UnsupportedConstruct(f"the values of {operation.name}")
            meaning(FamilyStep(self, operation))
            for view in operation.writes.values():
                if not view.storage.buffer.on_chip:
                    # It may be returned.
                    self.n.returned(self.state.read(view, self.n).numbers)
            if self.wrote is not None:
                views = operation.writes.items()
                self.wrote(item, {name: self.state.read(view, self.n).numbers for name, view in views})
        except UnsupportedConstruct as limit:
            self._lose(limit.construct, item.site)
            self._forget(operation)

    def _lose(self, construct: str, site: Site | None) -> None:
        if (construct, site) not in self.unfollowed:
            self.unfollowed.append((construct, site))

    def _forget(self, operation: Operation) -> None:
        """Say that what an operation writes may be anything."""
        for view in operation.writes.values():
            self.state.write(view, anything(self.n, view.shape), self.n, all_of_it=False, whole=False)
        for engine in ("scalar", "vector"):
            self.state.registers(engine).numbers[:2] = np.nan

    def _begin(self, storage: Storage) -> None:
        """An argument holds any number of its range."""
        contents = self.state.contents(storage)
        if hasattr(storage.identity, "indices") or not contents.numbers[0, 0] > contents.numbers[1, 0]:
            return
        if storage.elements is not None:
            known = self.n.entered(np.asarray(storage.elements), storage.dtype)
            contents.numbers = known.numbers.copy()  # type: ignore[attr-defined]
            return
        low, high = self._asked(storage)
        contents.numbers = contents.numbers.copy()
        contents.numbers[0], contents.numbers[1] = low, high

    # --- loops --------------------------------------------------------------------------------------------------------

    def _loop(self, loop: Loop) -> None:
        least, most = self._sizes.range_of(loop.extent)
        if most <= 0:
            return
        # Iterations without an order have no first one that is known.
        peelable = least >= 1 and not loop.parallel and not loop.counts
        self.peelable |= peelable
        if self.peels and peelable:
            self._first_iteration(loop)
            least, most = least - 1, most - 1
            if most <= 0:
                return
        facts, entry = self._sizes.facts, self.state
        # A walk of the body that assumes nothing tells what it writes.
        assumed = self._guesses.get(loop, _Assumed()).joined(entry, self.n)
        times = min(most, float(INT32_MAX))
        reported, unfollowed = self.findings, self.unfollowed
        body = _LoopBody(self, loop, entry, times)
        # What was found out the last time is an assumption like one that was weakened: it may hold as it is.
        first = 1 if loop in self._guesses else 0
        if fixpoint(body, assumed, passes=RangesBudget.PASSES, first=first) is None:
            assumed.give_up(list(assumed.held), list(assumed.kept))
            body.left = self.iteration(loop, entry, assumed)
        found = body.left
        self._guesses[loop] = assumed
        # The last walk assumes what is so. Of what may be anything by then, the reason was reported before.
        reported.adopt(body.found if assumed.knows_nothing else self.findings)
        reported.lost |= assumed.knows_nothing
        unfollowed.extend(each for each in self.unfollowed if each not in unfollowed)
        self.n.findings, self.unfollowed = reported, unfollowed
        if assumed.lost:
            self._lose("what grows in each iteration of a loop, without a bound that is seen", loop.site)
        self._sizes.facts = facts
        self.state = assumed.after(entry, found, times, least >= 1)
        self.state.forget(loop.index)

    def _first_iteration(self, loop: Loop) -> None:
        """Walk the body as the first iteration does it: what is there is what was there before the loop."""
        facts = self._sizes.facts
        self._suppose(*loop.bounds, equals_zero(of_atom(loop.index)))
        self._merge(self._states(loop.body))
        self._sizes.facts = facts
        self.state.forget(loop.index)

    def _merge(self, ends: list[RangeState]) -> None:
        """Go on with the state in which any of the paths through a block may have ended."""
        if ends:
            self.state = ends[0]
        for other in ends[1:]:
            self.state.join(other, self.n)

    def begin_findings(self) -> None:
        """Report what follows apart from what was reported before."""
        self.n.findings, self.unfollowed = RangeFindings(everywhere=True), []

    def iteration(self, loop: Loop, entry: RangeState, assumed: _Assumed) -> RangeState:
        """Walk the body, where storages hold what is assumed; the state at its end."""
        facts = self._sizes.facts
        self.state = assumed.begins(entry, self.n)
        self._suppose(*loop.bounds)
        self._merge(self._states(loop.body))
        self._sizes.facts = facts
        return self.state


@dataclass(slots=True)
class _LoopBody:
    """The domain of storages that a loop body writes, of which each holds any number of an interval."""

    walk: FamilyWalk
    loop: Loop
    entry: RangeState
    times: float
    #: What all walks of the body have found.
    found: RangeFindings = field(default_factory=lambda: RangeFindings(everywhere=True))
    #: The state at the end of the last walk.
    left: RangeState = field(default_factory=RangeState)

    def transfer(self, assumed: _Assumed) -> RangeState:
        self.walk.begin_findings()
        self.left = self.walk.iteration(self.loop, self.entry, assumed)
        self.found.adopt(self.walk.findings)
        return self.left

    def widened(self, assumed: _Assumed, found: RangeState, number: int) -> tuple[_Assumed, bool] | None:
        return assumed, assumed.weaken(self.entry, found, self.loop, self.times, number, self.walk.n)


@dataclass(slots=True)
class _Assumed:
    """Numbers in storages that a loop body writes, when an iteration begins; `lost` are those without a bound."""

    held: dict[Place, Array] = field(default_factory=dict)
    kept: dict[Key, Array] = field(default_factory=dict)
    lost: set[Place] = field(default_factory=set)

    @property
    def knows_nothing(self) -> bool:
        """True if something may be anything."""
        return any(np.isnan(numbers[0]).any() for numbers in (*self.held.values(), *self.kept.values()))

    def give_up(self, places: Sequence[Place], allocations: Sequence[Key] = ()) -> None:
        """Storages, and all those of allocations, may hold anything."""
        for place in places:
            self.lost.add(place)
            self.held[place] = self.held[place].copy()
            self.held[place][:2] = np.nan
        for key in allocations:
            self.lost.add((key,))
            self.kept[key] = self.kept[key].copy()
            self.kept[key][:2] = np.nan

    def joined(self, entry: RangeState, n: Families) -> _Assumed:
        """The same, and what is there before the first iteration."""
        held = {place: n.joined(numbers, entry.numbers_at(place)) for place, numbers in self.held.items()}
        return _Assumed(held, dict(self.kept), set(self.lost))

    def begins(self, entry: RangeState, n: Families) -> RangeState:
        """The state in which an iteration begins."""
        state = entry.copy()
        state.written = set()
        for place, numbers in self.held.items():
            before = state.held.get(place) or StorageContents(numbers)
            carried = Carried(place, before.dtype, (1.0, 1.0), (0.0, 0.0)) if before.dtype.is_float else None
            state.held[place] = StorageContents(numbers.copy(), carried, indices=before.indices, dtype=before.dtype)
        for key, numbers in self.kept.items():
            state.kept[key] = n.joined(numbers, state.kept.get(key, nothing()))
        return state

    def weaken(self, entry: RangeState, found: RangeState, loop: Loop, times: float, number: int, n: Families) -> bool:
        """Assume as much less as an iteration needs that did `found`; whether that is nothing: then it is proved."""
        proved = True
        for place in found.written:
            contents = found.held.get(place)
            if contents is None and place in entry.held:
                # Another storage of its allocation was written, which may be this one.
                contents = StorageContents(found.kept.get(place[0], nothing()))  # type: ignore[call-overload]
            if contents is None or loop.index in contents.indices or place in self.lost:
                continue
            before = entry.numbers_at(place)
            assumed = self.held.get(place)
            if assumed is None:
                # What goes wrong where nothing is carried may go well where something is.
                known = before if np.isnan(contents.numbers[0, 0]) else contents.numbers
                self.held[place] = n.joined(before, known)
                proved = False
                continue
            carried = contents.carried if contents.carried is not None and contents.carried.base == place else None
            family = NumberFamily(contents.numbers, (), (), n.sizes, carried=carried)
            following = weakened(assumed, before, family, times, number)
            if following is None:
                self.give_up([place])
                proved = False
                continue
            self.held[place], same = following
            proved &= same
        for key, numbers in found.kept.items() if number else ():
            known = n.joined(self.kept.get(key, nothing()), entry.kept.get(key, nothing()))
            together = n.joined(known, numbers)
            stays = np.array_equal(together[:3], known[:3], equal_nan=True)
            stays &= np.array_equal(least_fill(together), least_fill(known))
            if not stays:
                proved = False
                size = np.where(np.isfinite(together[:2]), np.abs(together[:2]), 0.0)
                together[:2] += size * SOME_MORE * np.array([[-1.0], [1.0]])
            self.kept[key] = together
            if number > RangesBudget.PASSES_OF_GROWTH and not stays:
                self.give_up([], [key])
        return proved and number > 0

    def after(self, entry: RangeState, found: RangeState, times: float, once: bool) -> RangeState:
        """The state after the loop, whose body runs at least `once`, or perhaps not at all."""
        for place, numbers in self.held.items():
            before, ends = entry.held.get(place), found.held.get(place)
            result = numbers.copy()
            if ends is not None and once:
                result[0], result[1] = np.maximum(numbers[0], ends.numbers[0]), np.minimum(numbers[1], ends.numbers[1])
                result[2] = ends.numbers[2]
            if place in self.lost:
                result[:2] = np.nan
            inner = ends.carried if ends is not None else None
            outer = before.carried if before is not None else None
            carried = composed(outer, inner, times) if inner is not None and inner.base == place else None
            known = ends or before or StorageContents(numbers)
            found.held[place] = StorageContents(result, carried, indices=known.indices, dtype=known.dtype)
        found.written |= entry.written
        return found
