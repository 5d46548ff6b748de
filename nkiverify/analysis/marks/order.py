"""The programs of a launch in a concrete run: the order in which they take turns, and the tensors they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from itertools import zip_longest

from nkiverify.analysis.element_marks import exchanges
from nkiverify.foundation.dataclass import dataclass
from nkiverify.ir.program import Iteration, Unordered
from nkiverify.model.memory import SHARED_HBM
from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Allocation, Executed, Returned
from nkiverify.model.state import bodies
from nkiverify.model.tensor import Register, Storage

#: In place of a position: a barrier, or an exchange, that not all programs come to.
ABANDONED = -1

Recorded = Executed | Allocation | Returned | Unordered


@dataclass(frozen=True, slots=True)
class Exchange:
    """Operations that every program does at the same time, sending to one program and receiving from another one.

    Each position comes with that of the operation whose operands it receives.
    """

    received: tuple[tuple[int, int], ...]


def interleaved(items: Sequence[Recorded]) -> Iterator[int | Exchange | None]:
    """Positions of `items` in the order in which they are executed: programs of a launch in turn, None at barriers.

    `ABANDONED` stands for a barrier that not all programs come to, or exchanges that are not each other's: whose
    positions come like others then.
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


@dataclass(frozen=True, slots=True)
class Unmatched:
    """An exchange, or a barrier, of one of two programs at a position, to which the other one does not come."""

    contract: str
    position: int
    program: object
    because: str


def unmatched(items: Sequence[Recorded]) -> Unmatched | None:
    """The first meeting of the two programs of a launch that is none: in the order of their programs, the first of one
    is with the first of the other, and so on. None as well where data decide whom a program meets, or how often it
    comes to one (`repeats_meeting`)."""
    meetings: dict[tuple[object, ...], list[int]] = {}
    for position, item in enumerate(items):
        program = _program_of(item)
        if not program:
            continue
        # One that executes nothing has allocated something, and comes to no meeting.
        found = meetings.setdefault(program, [])
        if not isinstance(item, Executed):
            continue
        if exchanges(item.operation) or item.operation.declared.behaviour.barrier:
            ranks = (item.operation.attributes.get(name) for name in ("send_to_rank", "recv_from_rank"))
            if item.operation.body is not None or any(isinstance(rank, Register) for rank in ranks):
                return None
            found.append(position)
    if len(meetings) != 2 or any(len(program) != 1 for program in meetings):
        return None
    (one, first), (other, second) = meetings.items()
    for here, there in zip_longest(first, second):
        if here is None or there is None:
            program, position = (one, here) if here is not None else (other, there)
            assert position is not None
            return _unmatched(items, position, program, "the other program does not come to it")
        because = _difference(items, here, there)
        if because:
            return _unmatched(items, here, one, f"the other program, at {_site_of(items[there])}, {because}")
    return None


def repeats_meeting(items: Sequence[Recorded]) -> bool:
    """True if a program of a launch may come to a meeting again, in a device loop: perhaps others do so less often."""
    return any(
        isinstance(item, Executed)
        and (exchanges(item.operation) or item.operation.declared.behaviour.barrier)
        and item.operation.program
        and any(body.once for body in bodies(item.operation.body))
        for item in items
    )


def _unmatched(items: Sequence[Recorded], position: int, program: tuple[object, ...], because: str) -> Unmatched:
    item = items[position]
    assert isinstance(item, Executed)
    rule = "sendrecv.pipe" if exchanges(item.operation) else "core_barrier.both"
    return Unmatched(rule, position, program[0], because)


def _site_of(item: Recorded) -> str:
    site = getattr(item, "site", None)
    return f"line {site.line}" if site is not None else "another line"


def _difference(items: Sequence[Recorded], here: int, there: int) -> str:
    """The difference between what the other program does and its part of a meeting; empty where there is none."""
    one, other = items[here], items[there]
    assert isinstance(one, Executed) and isinstance(other, Executed)
    if not exchanges(one.operation) or not exchanges(other.operation):
        if exchanges(one.operation) == exchanges(other.operation):
            return ""
        return "comes to a barrier" if exchanges(one.operation) else "sends and receives"
    if _exchange(items, (here, there)) is not None:
        return ""
    mine, others = one.operation, other.operation
    if mine.attributes.get("pipe_id") != others.attributes.get("pipe_id"):
        return f"uses pipe {others.attributes.get('pipe_id')}, not {mine.attributes.get('pipe_id')}"
    sent, wanted = others.reads["src"], mine.writes["dst"]
    if sent.dtype != wanted.dtype:
        return f"sends {sent.dtype}, not {wanted.dtype}"
    if (sent.shape[0], sent.size) != (wanted.shape[0], wanted.size):
        return f"sends {sent.shape[0]} rows of {sent.free_size}, not {wanted.shape[0]} of {wanted.free_size}"
    sent, wanted = mine.reads["src"], others.writes["dst"]
    if (sent.dtype, sent.shape[0], sent.size) != (wanted.dtype, wanted.shape[0], wanted.size):
        return f"waits for {wanted.dtype}, {wanted.shape[0]} rows of {wanted.free_size}, which is not what is sent"
    return "sends to, or waits for, another rank"


def one_by_one(items: Sequence[Recorded]) -> Iterator[int]:
    """Positions of `items` in the order in which they are executed, each operation of an exchange by itself."""
    for step in interleaved(items):
        if isinstance(step, Exchange):
            yield from (position for position, _ in step.received)
        elif step is not None and step != ABANDONED:
            yield step


@dataclass(slots=True)
class _Turns:
    """The operations of a program from one barrier, or exchange, to the next; and the exchanges, None for barriers."""

    segments: list[list[int]] = field(default_factory=lambda: [[]])
    meetings: list[int | None] = field(default_factory=list)


def _in_turn(items: Sequence[Recorded], span: range) -> Iterator[int | Exchange | None]:
    parts = _turns_of(items, span, meeting=True)
    meetings = _meetings(items, parts)
    if meetings is None:
        if any(position is not None for turns in parts.values() for position in turns.meetings):
            # A core that nobody sends to waits for ever ("sendrecv.pipe").
            yield ABANDONED
        parts = _turns_of(items, span, meeting=False)
        # Where a program does not come to a barrier, the others wait there for ever ("core_barrier.both").
        ends = [len(turns.meetings) for turns in parts.values()]
        meetings = [None if number < min(ends) else ABANDONED for number in range(max(ends))]
    for number in range(len(meetings) + 1):
        if number:
            yield meetings[number - 1]
        for turns in parts.values():
            if number < len(turns.segments):
                yield from turns.segments[number]


def _turns_of(items: Sequence[Recorded], span: range, *, meeting: bool) -> dict[tuple[object, ...], _Turns]:
    """The turns of each program, which end at barriers; `meeting`: at exchanges as well."""
    parts: dict[tuple[object, ...], _Turns] = {}
    program: tuple[object, ...] = ()
    for position in span:
        item = items[position]
        program = _program_of(item) or program
        turns = parts.setdefault(program, _Turns())
        operation = item.operation if isinstance(item, Executed) else None
        if meeting and operation is not None and exchanges(operation):
            turns.meetings.append(position)
            turns.segments.append([])
            continue
        turns.segments[-1].append(position)
        if operation is not None and operation.declared.behaviour.barrier:
            turns.meetings.append(None)
            turns.segments.append([])
    return parts


def _meetings(items: Sequence[Recorded], parts: dict[tuple[object, ...], _Turns]) -> list[int | Exchange | None] | None:
    """Where all programs meet; None if they do not come to the same meetings, or exchange with others."""
    if len({len(turns.meetings) for turns in parts.values()}) != 1:
        return None
    found: list[int | Exchange | None] = []
    for together in zip(*(turns.meetings for turns in parts.values()), strict=True):
        positions = [position for position in together if position is not None]
        if not positions:
            found.append(None)
            continue
        exchange = _exchange(items, positions) if len(positions) == len(together) else None
        if exchange is None:
            return None
        found.append(exchange)
    return found


def _exchange(items: Sequence[Recorded], positions: Sequence[int]) -> Exchange | None:
    """The exchange of operations, one of each program; None where they are not each other's."""
    of_rank: dict[object, tuple[int, Operation]] = {}
    for position in positions:
        item = items[position]
        assert isinstance(item, Executed)
        program = item.operation.program
        if len(program) != 1:
            return None
        of_rank[program[0]] = position, item.operation
    received = []
    for rank, (position, operation) in of_rank.items():
        source = of_rank.get(operation.attributes.get("recv_from_rank"))
        target = of_rank.get(operation.attributes.get("send_to_rank"))
        if source is None or target is None:
            return None
        agreed = source[1].attributes.get("send_to_rank") == rank == target[1].attributes.get("recv_from_rank")
        if not agreed or source[1].attributes.get("pipe_id") != operation.attributes.get("pipe_id"):
            return None
        sent, wanted = source[1].reads["src"], operation.writes["dst"]
        if (sent.dtype, sent.shape[0], sent.size) != (wanted.dtype, wanted.shape[0], wanted.size):
            return None
        received.append((position, source[0]))
    return Exchange(tuple(received))


def _program_of(item: Recorded) -> tuple[object, ...]:
    if isinstance(item, Executed):
        return item.operation.program
    return getattr(item, "program", ())


#: Why iterations without an order cannot be known from what is around them.
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
        """True if the iteration that is over has done nothing, so that its index may be used elsewhere; `ends`: the
        loop is over as well.

        A `for` statement may pass over iterations; if it does nothing in any, its indices are there for others.
        """
        several = self.number > 0 or not ends
        return several and self.empty and (self.drawn or (ends and not self.used))


class SharedTensors:
    """The tensors in shared HBM that all programs of a launch see: each of them allocates it, and it is the same."""

    def __init__(self) -> None:
        self._shared: dict[tuple[int, str], Storage] = {}
        self._first: dict[Storage, Storage] = {}
        self._counts: dict[tuple[object, ...], int] = {}

    def allocate(self, item: Allocation) -> bool:
        """True if it makes a tensor that was not there: its ordinal among what each program allocates."""
        storage = item.storage
        if storage.buffer is not SHARED_HBM or storage.constant or not item.program:
            return True
        number = self._counts[item.program] = self._counts.get(item.program, 0) + 1
        first = self._shared.setdefault((number, str(storage.shape)), storage)
        if first is storage:
            return True
        self._first[storage] = first
        return False

    def first(self, storage: Storage) -> Storage:
        """The storage that stands for `storage` in all programs."""
        return self._first.get(storage, storage)
