"""The programs of a launch in a concrete run: the order in which they take turns, and the tensors they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from nkiverify.ir.program import Iteration, Unordered
from nkiverify.model.memory import SHARED_HBM
from nkiverify.model.recorded import Allocation, Executed, Returned
from nkiverify.model.tensor import Storage

#: In place of a position: a barrier that not all programs come to.
ABANDONED = -1

Recorded = Executed | Allocation | Returned | Unordered


def interleaved(items: Sequence[Recorded]) -> Iterator[int | None]:
    """Positions of `items` in the order in which they are executed: programs of a launch in turn, None at barriers.

    `ABANDONED` stands for a barrier that not all programs come to.
    """
    start = 0
    while start < len(items):
        program = _program_of(items[start])
        if not program:
            yield start
            start += 1
            continue
        end = start
        while end < len(items) and (_program_of(items[end]) or isinstance(items[end], Unordered)):
            end += 1
        yield from _in_turn(items, range(start, end))
        start = end


def _in_turn(items: Sequence[Recorded], span: range) -> Iterator[int | None]:
    parts: dict[tuple[object, ...], list[list[int]]] = {}
    program: tuple[object, ...] = ()
    for position in span:
        item = items[position]
        program = _program_of(item) or program
        segments = parts.setdefault(program, [[]])
        segments[-1].append(position)
        if isinstance(item, Executed) and item.operation.declared.barrier:
            segments.append([])
    for number in range(max(map(len, parts.values()), default=0)):
        if number:
            # Where a program does not come to a barrier, the others wait there for ever ("core_barrier.both").
            yield None if all(number < len(segments) for segments in parts.values()) else ABANDONED
        for segments in parts.values():
            if number < len(segments):
                yield from segments[number]


def _program_of(item: Recorded) -> tuple[object, ...]:
    if isinstance(item, Executed):
        return item.operation.program
    return getattr(item, "program", ())


#: Why iterations without an order cannot be told from what is around them.
DRAWN = "indices of an affine_range are taken out of its loop"


@dataclass(frozen=True, slots=True)
class Running:
    """A loop without an order that is run iteration by iteration, in its iteration `number`; -1 before the first.

    `empty`: nothing has been executed in this iteration; `used`: something was in any.
    """

    number: int = -1
    drawn: bool = False
    empty: bool = False
    used: bool = False

    def next(self, item: Iteration) -> Running:
        """The loop in its next iteration."""
        return Running(item.number, item.drawn, True, self.used)

    def executing(self) -> Running:
        """The loop when something has been executed."""
        return replace(self, empty=False, used=True)

    def loses(self, *, ends: bool) -> bool:
        """Whether the iteration that is over has done nothing, so that its index may be used elsewhere; `ends`: the
        loop is over as well.

        A `for` statement may pass over iterations; if it does nothing in any, its indices are there for others.
        """
        several = self.number > 0 or not ends
        return several and self.empty and (self.drawn or (ends and not self.used))


class SharedTensors:
    """The tensors in shared HBM that all programs of a launch see: each of them allocates it, and it is the same."""

    def __init__(self) -> None:
        self._shared: dict[tuple[int, str], Storage] = {}
        self._first: dict[int, Storage] = {}
        self._counts: dict[tuple[object, ...], int] = {}
        self._keep: list[Storage] = []

    def allocate(self, item: Allocation) -> bool:
        """Whether it makes a tensor that was not there: it is the how-manieth that each program allocates."""
        storage = item.storage
        if storage.buffer is not SHARED_HBM or not item.program:
            return True
        number = self._counts[item.program] = self._counts.get(item.program, 0) + 1
        first = self._shared.setdefault((number, str(storage.shape)), storage)
        if first is storage:
            return True
        self._first[id(storage)] = first
        self._keep.append(storage)
        return False

    def first(self, storage: Storage) -> Storage:
        """The storage that stands for `storage` in all programs."""
        return self._first.get(id(storage), storage)
