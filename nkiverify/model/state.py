"""The state of the model: everything it keeps between two operations, in one place.

A run has one `ModelState`. It is one of the mutable objects that `nkiverify.frontend.snapshot` records: what a loop
body changes in it is state that the loop carries, and a path begins with what was there when its scope was opened.
Nothing else in `nkiverify.model` or the stubs changes while a kernel runs; AUDIT.md lists what was examined ("State of
the model"), and `tests/model/test_state.py` fails for what is not in that list.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol

from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.extents import is_one
from nkiverify.model.known_numbers import UNKNOWN, AllocationKey, Assumption, Box, Contents, Value, WrittenNumbers
from nkiverify.model.memory import SHARED_HBM
from nkiverify.symbolic import Extent, constant_value, equal
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.execution import execution_in_progress
from nkiverify.symbolic.terms import all_atoms

_ANOTHER_ITERATION = "another iteration of a device loop writes"
_ANOTHER_PROGRAM = "another program of the launch may write"
_ANOTHER_EXCHANGE = "another core may send other numbers for"


class HoldsNumbers(Protocol):
    """A storage or a register."""

    @property
    def identity(self) -> object:
        """The identity of the allocation."""


@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """The iterations of a device loop whose body is run once for all.

    `index` counts them, and `number` is how many there are, in a symbolic run that records; None where that is not
    known: perhaps there is none. `known` are the ranges of numbers at run time that `number` mentions. `can_be_none`
    and `can_be_one`: there is an input for which it has no iteration, or just one; `from_data`: that is taken for
    granted of one, as data decide of which nothing is said. `register` counts from `first` on, where that is a number.
    There are at `most` so many, as far as `bound` is known of: the numbers that bound them, and what that rests on.
    """

    index: Term | None = None
    number: Term | None = None
    known: tuple[tuple[Term, Value], ...] = ()
    can_be_none: bool = False
    can_be_one: bool = False
    from_data: bool = False
    register: object = None
    first: int | None = None
    most: Extent | None = None
    bound: Value = UNKNOWN

    def counted_in(self, number: Term) -> bool:
        """True if a number depends on the iteration."""
        return self.index is not None and not self.index.atoms.isdisjoint(all_atoms(number))


#: Those of which nothing is known.
ANY_ROUNDS = Rounds()


class LoopBody:
    """One body of a device loop being emitted, `outer` the one around it. What is allocated in it is not used after.

    `once`: it is run once for all its iterations. `loop`: the `while` statement that it is of, if any. `rounds` are the
    iterations it stands for. One that is `left` ends by a `break`: no page says what that means. `before` and `assumed`
    are the model's: what storages held before the loop, and what such a body takes for granted.
    """

    __slots__ = ("__weakref__", "assumed", "before", "left", "loop", "once", "outer", "rounds")

    def __init__(
        self,
        outer: LoopBody | None = None,
        once: bool = True,
        loop: object = None,
        rounds: Rounds = ANY_ROUNDS,
    ) -> None:
        self.outer = outer
        self.once = once
        self.loop = loop
        self.rounds = rounds
        self.left = False
        self.before = Contents()
        self.assumed: dict[AllocationKey, Assumption] = {}

    def is_around(self, body: LoopBody | None) -> bool:
        """True if `body` is this one or inside it."""
        return any(one is self for one in bodies(body))

    def settled(self, value: Value) -> Value:
        """The form of a value once nothing more can break the assumptions of this body."""
        if value.known is None and value.number is None:
            return UNKNOWN
        return value.without(frozenset(self.assumed.values()))

    def after_last(self, value: Value) -> Value:
        """The form of a value after the last iteration: nobody knows which one that was."""
        counted = value.number is not None and self.rounds.counted_in(value.number)
        return replace(value, term=None) if counted else value


def bodies(body: LoopBody | None) -> Iterator[LoopBody]:
    """A body of a device loop and those around it, the innermost first; none where there is no body."""
    while body is not None:
        yield body
        body = body.outer


class GuessesRounds(Protocol):
    """The part of an execution that guesses what the rounds of a device loop find, whose body is run once for all."""

    def found_by_round(self, body: LoopBody, *, after: bool = False) -> Contents:
        """The contents that an arbitrary round of a loop finds; with `after`, those that the round after it does."""

    def check_rounds(self, body: LoopBody, missed: list[AllocationKey], left: Contents) -> None:
        """A round has `left` these contents, and in the storages that are `missed` others than the next one is expected
        to find: raises the signal to raise where the run is to be made again with another guess."""

    def after_rounds(self, body: LoopBody, left: Contents) -> Contents:
        """The contents after a loop, whose rounds have `left` these."""


@dataclass(frozen=True, slots=True)
class Looked:
    """The notes of the model on a path through a loop body, as `ModelState` has it."""

    own: set[AllocationKey]
    looked_at: dict[AllocationKey, bool]
    assumed: dict[tuple[int, AllocationKey], tuple[Term, Assumption]]


#: The coordinates of a program in the grid of its launch.
Program = tuple[Extent, ...]


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel execution in progress: its grid, and the coordinates of the program that runs."""

    grid: tuple[Extent, ...]
    program: tuple[Extent, ...]
    #: Whether the kernel is of the legacy API.
    legacy: bool = False


class ModelState:
    """The state of the model between two operations of a run.

    `contents` (by `read` and `write`) is what the storages of integers and the registers may hold. `launch` is the
    kernel execution in progress, `body` the device loop whose body is being emitted, `fixed_orders` how many
    `no_reorder` blocks are, `arguments` how many tensors the kernel has been given. All of them are immutable values
    that are replaced, so that to record them is to keep them.

    `follows` is off where tensors have elements, which say what an index is; `follows_floats` where nothing has asked
    for floats yet: few kernels make an index of them, and a run in which one does is made again. What programs of a
    launch write to memory they share is no matter of one path: `_shared` belongs to the run as a whole, and only ever
    makes more unknown. So does `_exchanged`, what cores send each other. `launch_grid` belongs to the run, too: a
    caller assigns it before the kernel is called.
    """

    __slots__ = (
        "_assumed",
        "_contents",
        "_exchanged",
        "_looked_at",
        "_own",
        "_recorded",
        "_shared",
        "_written",
        "arguments",
        "assigned",
        "body",
        "entered",
        "fixed_orders",
        "follows",
        "follows_floats",
        "launch",
        "launch_grid",
        "overwritten",
        "taken",
    )

    def __init__(self, follows: bool = True) -> None:
        self._contents: dict[AllocationKey, Value] = {}
        #: What `contents` gave last, as long as nothing has been written since.
        self._recorded: Contents | None = None
        self._shared: dict[AllocationKey, Assumption] = {}
        #: The numbers that cores send each other, by dtype: those of the first exchange, as long as no other one, on
        #: whatever path, sends more.
        self._exchanged: dict[object, tuple[Value, Assumption]] = {}
        #: What the present path through a loop body has made itself, by allocating or by writing all of it; and what
        #: the paths have examined besides, False where they have taken what was not written yet for unknown. Neither
        #: is state of the run: they say what that depends on.
        self._own: set[AllocationKey] = set()
        self._looked_at: dict[AllocationKey, bool] = {}
        #: What bodies of device loops take for granted, by the loop: on all paths, as the claims of one path stand for
        #: those that come to the same place on another.
        self._assumed: dict[tuple[int, AllocationKey], tuple[Term, Assumption]] = {}
        #: How often each storage has been written, and bodies of loops been entered: these only ever grow, so that what
        #: was `taken` from a storage before, or in another iteration, is not taken for what is there now.
        self._written: dict[AllocationKey, int] = {}
        self.entered = 0
        self.taken: dict[AllocationKey, object] = {}
        #: Legacy tiles assigned under the mask of what made them; and those to which something else was written since
        #: they were made. These only ever grow, too.
        self.assigned: set[object] = set()
        self.overwritten: set[object] = set()
        self.follows = follows
        self.follows_floats = True
        self.launch: Launch | None = None
        #: The grid of launches that name none, where a function that launches kernels is checked for a grid.
        self.launch_grid: tuple[Extent, ...] = ()
        self.body: LoopBody | None = None
        self.fixed_orders = 0
        self.arguments = 0

    # --- recording and putting back -----------------------------------------------------------------------------------

    def __nki_state__(self) -> dict[str, Any]:
        """The state that a loop body may not change without being noticed."""
        return {
            "contents": self.contents,
            "launch": self.launch,
            "body": self.body,
            "fixed_orders": self.fixed_orders,
            "arguments": self.arguments,
        }

    def __nki_restore__(self, state: dict[str, Any]) -> None:
        self.contents = state["contents"]
        self.launch, self.body, self.fixed_orders = state["launch"], state["body"], state["fixed_orders"]
        self.arguments = state["arguments"]

    # --- contents -----------------------------------------------------------------------------------------------------

    @property
    def contents(self) -> Contents:
        """The numbers that storages and registers may hold now."""
        if self._recorded is None:
            self._recorded = Contents(self._contents)
        return self._recorded

    @contents.setter
    def contents(self, contents: Contents) -> None:
        if contents is not self._recorded:
            self._contents = contents.copy()
            self._recorded = contents

    def read(self, holder: HoldsNumbers, box: Box | None = None, *, unwritten_is_unknown: bool = False) -> Value | None:
        """The numbers that a storage, or a part of it, or a register may hold; None where nothing has been written
        since it was allocated. `unwritten_is_unknown`: the caller makes no difference between that and numbers not
        known."""
        place = place_of(holder.identity)
        value = self._value_of(holder)
        if value is not UNKNOWN and place not in self._own:
            counts = value is not None or not unwritten_is_unknown
            self._looked_at[place] = counts or self._looked_at.get(place, False)
        if value is not None and value.parts:
            value = value.within(box)
        if value is None or value.intervals is None or not self._is_shared(holder):
            return value
        shared = self._shared.setdefault(place, Assumption())
        return value if shared in value.assumptions else value.assuming(shared)

    def exchanged(self, dtype: object, sent: Value) -> Value:
        """The numbers that a core receives where it sends those of `sent`: what any core of the run sends in that
        dtype, as the other one does, wherever it is. Errs to too many: only constant ends are kept."""
        sent = replace(sent.whole(), term=None)
        numbers = [end for each in sent.known or () for end in (each.low, each.high)]
        if sent.known is None or any(constant_value(end) is None for end in numbers):
            sent = UNKNOWN
        received, assumption = self._exchanged.setdefault(dtype, (sent, Assumption()))
        if not received.covers(sent):
            assumption.break_it(_ANOTHER_EXCHANGE)
        return received.assuming(assumption)

    def is_unknown(self, holder: HoldsNumbers) -> bool:
        """True if nothing at all is known of what a storage holds."""
        value = self._value_of(holder)
        return value is not None and value.intervals is None and not value.undeclared and not value.parts

    def is_divided(self, holder: HoldsNumbers) -> bool:
        """True if more is known of parts of a storage than of all of it."""
        value = self._value_of(holder)
        return value is not None and bool(value.parts)

    def starts(self, holder: HoldsNumbers) -> set[int]:
        """The columns of a storage at which a part begins of which more is known, and those behind its ends."""
        value = self._value_of(holder)
        boxes = [part.box for part in value.parts if part.box is not None] if value is not None else []
        return {at for box in boxes for at in (box.first, box.last + 1)}

    def all_alike(self, holder: HoldsNumbers, value: Value) -> bool:
        """True if no part of a storage is known better than all of it once numbers of `value` are written there."""
        before = self._value_of(holder)
        return before is None or (value.known is None and before.known is None and not before.parts)

    def _value_of(self, holder: HoldsNumbers) -> Value | None:
        run = execution_in_progress()
        if run is not None and run.is_of_another_iteration(holder.identity):
            return UNKNOWN
        return self._contents.get(place_of(holder.identity))

    def write(self, holder: HoldsNumbers, value: Value, *, whole: bool, box: Box | None = None) -> None:
        """Numbers of `value` are written, over all that was there if `whole` (of one allocation), else next to it, or
        over what was in a `box` of it."""
        if not self.follows:
            return
        place = place_of(holder.identity)
        if self._is_shared(holder):
            self._shared.setdefault(place, Assumption()).break_it(_ANOTHER_PROGRAM)
            value, box = UNKNOWN, None
        if value.term is not None and hasattr(holder, "size") and not (whole and is_one(holder.size)):
            # Only a register is one number, or all of a tile of one element.
            value = replace(value, term=None)
        before = self._contents.get(place)
        self._written[place] = self._written.get(place, 0) + 1
        if whole:
            self._own.add(place)
        elif before is not None:
            value = before.overwritten(value, box)
        elif box is not None:
            value = replace(value, parts=(WrittenNumbers(box, value),))
        # A record of its own even of the same numbers: that it was written shows.
        self._contents[place] = value if value is UNKNOWN else replace(value)
        self._recorded = None

    def times_written(self, holder: HoldsNumbers) -> int:
        """How often a storage has been written, on all paths so far."""
        return self._written.get(place_of(holder.identity), 0)

    def allocated(self, identity: object) -> None:
        """A storage or register begins to exist: nothing has been written to it.

        Of those that other iterations of the loops around it have made, which are of the same place, nothing is known
        here.
        """
        if not self.follows:
            # Who knows an allocation keeps its elements.
            return
        place = place_of(identity)
        self._own.add(place)
        self._written[place] = self._written.get(place, 0) + 1
        if self._contents.pop(place, None) is not None:
            self._recorded = None

    def given(self, identity: object, value: Value) -> None:
        """An argument of the kernel has these numbers."""
        if self.follows:
            self._contents[place_of(identity)] = value
            self._recorded = None

    def _is_shared(self, holder: HoldsNumbers) -> bool:
        """True if other programs of the launch in progress reach the storage."""
        if getattr(holder, "buffer", None) is not SHARED_HBM or self.launch is None:
            return False
        return any(equal(extent, 1) is not True for extent in self.launch.grid)

    # --- what a loop body depends on ----------------------------------------------------------------------------------

    def begin_pass(self) -> Looked:
        """All paths through the body of a loop are followed from here on; what to give to `end_pass`."""
        before = Looked(self._own, self._looked_at, self._assumed)
        self._looked_at, self._assumed = {}, {}
        self.begin_path()
        return before

    def begin_path(self) -> None:
        """A path through the body of a loop begins."""
        self._own = set()
        self.entered += 1

    def end_pass(self, before: Looked) -> dict[AllocationKey, bool]:
        """All paths have been followed; the storages and registers whose values at the start of the body count: False
        where only numbers that are known would make a difference, as there were none."""
        found = self._looked_at
        outer = dict(before.looked_at)
        for place, counts in found.items():
            if place not in before.own:
                outer[place] = counts or outer.get(place, False)
        self._own, self._looked_at, self._assumed = before.own, outer, before.assumed
        return found

    @property
    def stands_for_iterations(self) -> bool:
        """True if what is executed is executed once for several iterations of a device loop."""
        return any(body.once for body in bodies(self.body))

    # --- device loops -------------------------------------------------------------------------------------------------

    def enter_body(self, body: LoopBody, run: GuessesRounds) -> None:
        """The body of a device loop begins, which is run once for all its iterations.

        Each storage holds what it does before the loop, or what the run has guessed that an iteration finds, on the
        assumption that no iteration leaves anything else there.
        """
        self.entered += 1
        if not body.once:
            self.body = body
            return
        body.before = self.contents
        values: dict[AllocationKey, Value] = {}
        for place, value in run.found_by_round(body).items():
            assumption = body.assumed[place] = self._assumption(body, place)
            values[place] = value.whole().assuming(assumption)
        self._contents = values
        self._recorded = None
        self.body = body

    def _assumption(self, body: LoopBody, place: AllocationKey) -> Assumption:
        index = body.rounds.index
        if index is None:
            return Assumption()
        # Equal terms are one object, on whatever path, as long as somebody has it.
        return self._assumed.setdefault((index.uid, place), (index, Assumption()))[1]

    def leave_body(self, body: LoopBody, run: GuessesRounds, *, ended: bool) -> None:
        """The body of a device loop ends, and with it what was left inside it without an end.

        What an iteration leaves where the next one would find something else breaks the assumption about it, unless the
        run is made again with a guess of what iterations find. After the loop a storage holds what it did before it, or
        what an iteration has left. Nothing is checked unless it has `ended`.
        """
        if not body.is_around(self.body):
            return
        self.body = body.outer
        if not ended or not body.once:
            return
        after = self.contents
        left, expected = after.mapped(body.settled), run.found_by_round(body, after=True)
        missed: list[AllocationKey] = []
        found = True
        while found:
            found = False
            for place in expected.uncovered(after.mapped(body.settled)):
                assumption = body.assumed.get(place)
                if assumption is not None and not assumption.wrong:
                    found = True
                    missed.append(place)
                    assumption.break_it(_ANOTHER_ITERATION)
        run.check_rounds(body, missed, left)
        self.contents = run.after_rounds(body, after.mapped(body.settled)).mapped(body.after_last)


def place_of(identity: object) -> AllocationKey:
    """The facts that the allocations of one line have in common in all iterations of the loops around it."""
    # An identity made by a symbolic run names the place and the indices of the loops around it.
    return (identity.site, identity.key) if hasattr(identity, "indices") else identity  # type: ignore[attr-defined]
