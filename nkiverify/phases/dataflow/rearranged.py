"""Runs of a kernel in other orders: if its loops without one hand something on that the shadow memory does not see.

What an iteration keeps (a view, an index, a number, whatever it is made into) is used by another one, or after the
loop, without a trace in the elements of tensors. So the kernel is run again, its iterations in another order and some
of them left out: each that is run has to do what it did, and so has everything outside of the loops. Where that is not
so, what is executed depends on which iterations there were before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from nkiverify.analysis.marks.order import DRAWN, Recorded
from nkiverify.analysis.values.known_run import KnownElements
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.late import numpy as np
from nkiverify.frontend.concrete import ConcreteExecution, Order
from nkiverify.frontend.target import Target
from nkiverify.ir.program import CARRIED, Drawn, Iteration, ParallelLoop
from nkiverify.model.hardware import Hardware
from nkiverify.model.indices import IndexTensor, Mask
from nkiverify.model.recorded import Allocation, Executed, Returned
from nkiverify.model.tensor import Register, Storage, Tensor
from nkiverify.phases.dataflow.played import play

#: One execution of a loop: the iterations around it, how many loops have begun there before, and the program.
LoopKey = tuple["Place", int, object]
#: The iterations that something is executed in, each with its number, those of outer loops first.
Place = tuple[tuple[LoopKey, int], ...]


@dataclass(frozen=True, slots=True)
class Iterated:
    """One execution of a loop: how many iterations came to their end, whether one more was left in its middle, and
    whether something else than a `for` statement asked for the numbers."""

    whole: int
    left: bool
    drawn: bool

    @property
    def as_it_was(self) -> range:
        """The order in which the iterations were run."""
        return range(self.whole + self.left)


def backwards(done: Iterated) -> Iterable[int]:
    """The last iteration first, without the middle one where there are several, and one that was left in its middle at
    the end; who has drawn numbers may count them himself, and gets them as they were."""
    if done.drawn:
        return done.as_it_was
    middle = done.whole // 2 if done.whole > 2 else None
    return [at for at in range(done.whole - 1, -1, -1) if at != middle] + [done.whole] * done.left


def shortened(done: Iterated) -> Iterable[int]:
    """The iterations without the last one, and without one that was left in its middle, as long as there is another."""
    return range(done.whole - 1 if done.whole > 1 else max(done.whole, 1))


@dataclass(frozen=True, slots=True)
class _Order:
    """An order in which iterations are run, the loops that it is for, and what it shows where something differs.

    With `puts_back`, each iteration finds the variables of Python as the first one did.
    """

    of: Callable[[Iterated], Iterable[int]]
    concerns: Callable[[Iterated], bool]
    shows: str
    puts_back: bool = False


def _loses_some(done: Iterated) -> bool:
    """True if the last iterations can be left out, and no other order leaves out any."""
    return done.whole > 0 if done.left else done.whole == 2 or (done.drawn and done.whole > 1)


#: However the iterations of a loop depend on others, one of these changes what they do.
_ORDERS = (
    _Order(backwards, lambda done: not done.drawn and done.whole > 1, DRAWN),
    _Order(shortened, _loses_some, DRAWN),
    _Order(lambda done: done.as_it_was, lambda done: done.drawn and done.whole > 1, CARRIED, puts_back=True),
)


def handed_on(
    target: Target, values: Mapping[str, int], hardware: Hardware, seconds: float, run: ConcreteExecution
) -> str:
    """Why what a `run` for these values recorded may be something else with other iterations before it; "" if not."""
    recorded = run.recorded
    if not run.traced.in_order and not any(isinstance(item, Iteration) and item.number for item in recorded):
        return ""
    loops = _iterated(recorded)
    before: dict[Place, list[object]] | None = None
    for order in _ORDERS:
        if not any(map(order.concerns, loops.values())) and not (order.puts_back and run.traced.in_order):
            continue
        before = described(recorded) if before is None else before
        arranged = _Rearranged(loops, order.of, order.puts_back)
        other = ConcreteExecution(hardware, False, seconds, records=True, elements=KnownElements(), order=arranged)
        ended = play(target, values, other).recorded is other.recorded
        if not ended or _differ(before, described(other.recorded), loops, order.of):
            return order.shows
    return ""


def _differ(
    one: Mapping[Place, list[object]],
    two: Mapping[Place, list[object]],
    loops: Mapping[LoopKey, Iterated],
    order: Callable[[Iterated], Iterable[int]],
) -> bool:
    run = {key: set(order(done)) for key, done in loops.items()}

    def left_out(place: Place) -> bool:
        return any(number not in run.get(key, (number,)) for key, number in place)

    return any(one.get(place) != two.get(place) and not left_out(place) for place in {**one, **two})


class _Places:
    """Follows what is recorded: the iterations that something belongs to."""

    def __init__(self) -> None:
        self.running: dict[object, tuple[LoopKey, int]] = {}
        self._begun: Counter[tuple[Place, object]] = Counter()

    def here(self, program: object) -> Place:
        """The iterations that a program of the launch is in."""
        return tuple((key, number) for key, number in self.running.values() if key[2] == program)

    def see(self, item: Recorded) -> None:
        """A loop begins, continues or ends."""
        if isinstance(item, ParallelLoop):
            self.running.pop(item.loop, None)
            if item.begins:
                here = self.here(item.program)
                self.running[item.loop] = (here, self._begun[here, item.program], item.program), -1
                self._begun[here, item.program] += 1
        elif isinstance(item, Iteration):
            self.running[item.loop] = self.running[item.loop][0], item.number


def _iterated(recorded: Sequence[Recorded]) -> dict[LoopKey, Iterated]:
    """The loops of a run."""
    places = _Places()
    keys: dict[object, LoopKey] = {}
    counts: Counter[object] = Counter()
    drawn: set[object] = set()
    whole: set[object] = set()
    for item in recorded:
        places.see(item)
        if isinstance(item, ParallelLoop) and item.begins:
            keys[item.loop] = places.running[item.loop][0]
        elif isinstance(item, ParallelLoop) and not item.left:
            whole.add(item.loop)
        elif isinstance(item, Iteration):
            counts[item.loop] += 1
            drawn |= {item.loop} if item.drawn else set()
    found = {}
    for loop, key in keys.items():
        left = loop not in whole and counts[loop] > 0
        found[key] = Iterated(counts[loop] - left, left, loop in drawn)
    return found


class _Rearranged(Order):
    """Another order of the iterations of loops that an earlier run has shown."""

    def __init__(
        self,
        loops: Mapping[LoopKey, Iterated],
        arrangement: Callable[[Iterated], Iterable[int]],
        puts_back: bool,
    ) -> None:
        super().__init__(puts_back)
        self._loops = loops
        self._arrangement = arrangement
        self._places = _Places()
        self._seen = 0

    def iterations(self, run: ConcreteExecution, length: int) -> Iterable[int]:
        """The numbers of the loop that has just begun."""
        for item in run.recorded[self._seen :]:
            self._places.see(item)
        self._seen = len(run.recorded)
        key, _ = list(self._places.running.values())[-1]
        done = self._loops.get(key)
        return range(length) if done is None else self._arrangement(done)


# --- what is executed -------------------------------------------------------------------------------------------------


def described(recorded: Sequence[Recorded]) -> dict[Place, list[object]]:
    """The items of a run by the iterations that they belong to, as values that can be compared with those of another
    run. A tensor is known by where it is allocated, in Python's order there. Its name and its address do not
    count."""
    places, storages = _Places(), dict[Storage, object]()
    found: dict[Place, list[object]] = {}
    here: dict[object, Place] = {}
    for item in recorded:
        if isinstance(item, Iteration | ParallelLoop):
            places.see(item)
            here.clear()
            continue
        program = item.operation.program if isinstance(item, Executed) else getattr(item, "program", ())
        if program not in here:
            here[program] = places.here(program)
        items = found.setdefault(here[program], [])
        if isinstance(item, Allocation):
            storages[item.storage] = (here[program], program, len(items))
        items.append(_described(item, storages))
    return found


def _described(item: Executed | Allocation | Returned | Drawn, storages: Mapping[Storage, object]) -> object:
    if isinstance(item, Executed):
        one = item.operation
        parts = (one.reads, one.writes, one.attributes, one.mask)
        return (one.name, item.site, *(_value(part, storages) for part in parts))
    if isinstance(item, Allocation):
        return item.storage.shape, item.storage.dtype, item.storage.buffer, item.site
    if isinstance(item, Returned):
        return _value(item.tensors, storages)
    return item.site


def _value(value: object, storages: Mapping[Storage, object]) -> object:
    """A value that is equal to that of another run if both are the same; what cannot be known so is unequal. Registers
    are not kept from one another: one that a round makes has no place where it is allocated."""
    if isinstance(value, Tensor):
        moves = value.indirect_by
        there = None if moves is None else (moves.kind, _value(moves.index, storages), moves.reach, moves.stride)
        storage = storages.get(value.storage, value.storage.identity)
        return storage, value.dtype, value.shape, value.strides, value.offset, there
    if isinstance(value, Register):
        return Register, value.frozen, value.keeps
    if isinstance(value, Mask):
        return value.host, tuple((_value(term.difference, storages), term.relation) for term in value.terms)
    if isinstance(value, IndexTensor):
        return value.base, value.coefficients, value.shape
    if isinstance(value, dict):
        return tuple((key, _value(part, storages)) for key, part in value.items())
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    if isinstance(value, list | tuple):
        return tuple(_value(part, storages) for part in value)
    return value
