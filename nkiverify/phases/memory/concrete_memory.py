"""Phase 3 on one concrete run: what was live when, and whether a placed tensor was overwritten while it was needed.

The symbolic claims ask for no more than what is sufficient; this finds what certainly goes wrong. A tensor counts for
the partitions that it has only, as several can be placed side by side: for whole quarters where an engine touches it,
which has them start at one. Placed tensors conflict where one is read after another wrote over it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from nkiverify.analysis.lifetimes.usage import on_chip_views
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.source import Site
from nkiverify.model.access_patterns import in_units
from nkiverify.model.hardware import Hardware
from nkiverify.model.legacy_tensor import Allocator, tiles_of
from nkiverify.model.memory import PSUM, MemoryRegion
from nkiverify.model.packing import ANY_START, PARTITIONS, QUARTER
from nkiverify.model.placement import bytes_per_partition
from nkiverify.model.recorded import Executed
from nkiverify.model.state import LoopBody, bodies
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.phases.memory.claims import REGIONS, limit_of
from nkiverify.symbolic import Extent

#: What a run recorded; anything but operations is passed over.
Recorded = Sequence[object]


@dataclass(frozen=True, slots=True)
class MemoryFault:
    """A contract of phase 3 that a concrete run broke, with the numbers."""

    rule: str
    site: Site | None
    quantities: tuple[tuple[str, object], ...]


@dataclass(slots=True, eq=False)
class _Life:
    """From the first to the last operation that uses a storage, by position; `by_engine` if an engine touches it, and
    no DMA only."""

    first: int
    last: int
    read: bool = False
    assigned: bool = False
    by_engine: bool = False


def findings(recorded: Recorded, hardware: Hardware, no_spills: bool) -> list[MemoryFault]:
    """The faults of memory that are certain in a run, each contract once per line."""
    found: dict[tuple[str, Site | None], MemoryFault] = {}
    for operations in _programs(recorded):
        over = _capacity(operations, hardware) if no_spills else ()
        for one in (*over, *_Placement(hardware).conflicts(operations)):
            found.setdefault((one.rule, one.site), one)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class Live:
    """The live tensors at one operation: the bytes of a partition, and each tensor with what it takes."""

    bytes: int = 0
    site: Site | None = None
    tensors: tuple[tuple[Storage, int], ...] = ()


def live_at_each(recorded: Recorded, region: MemoryRegion) -> Iterator[tuple[Site | None, int, Mapping[Storage, int]]]:
    """Each operation with the bytes that are live there, in all and of each tensor: a mapping that continues changing.

    Every tensor starts at partition 0.
    """
    for operations in _programs(recorded):
        begins, ends = _begins_and_ends(_lives(operations), region)
        live: dict[Storage, int] = {}
        taken = 0
        for position, item in enumerate(operations):
            for storage in begins.get(position, ()):
                live[storage] = _bytes(storage)
                taken += live[storage]
            yield item.site, taken, live
            for storage in ends.get(position, ()):
                taken -= live.pop(storage)


def live_most(recorded: Recorded, region: MemoryRegion) -> Live:
    """The most that is live at one operation."""
    most = Live()
    for site, taken, live in live_at_each(recorded, region):
        if taken > most.bytes:
            most = Live(taken, site, tuple(live.items()))
    return most


def peak(recorded: Recorded, region: MemoryRegion) -> int:
    """The most bytes of a partition live at one operation."""
    return live_most(recorded, region).bytes


def _programs(recorded: Recorded) -> list[list[Executed]]:
    """The operations of each program of a launch grid, in order: every one has a core, and its memories, to itself."""
    programs: dict[tuple[int, ...], list[Executed]] = {}
    for item in recorded:
        if isinstance(item, Executed):
            programs.setdefault(tuple(map(int, item.operation.program)), []).append(item)
    return list(programs.values())


# --- lifetimes --------------------------------------------------------------------------------------------------------


def _lives(operations: Sequence[Executed]) -> dict[Storage, _Life]:
    lives: dict[Storage, _Life] = {}
    spans: dict[LoopBody, tuple[int, int]] = {}
    carried: dict[LoopBody, set[Storage]] = {}
    for position, item in enumerate(operations):
        writes = item.operation.writes
        around = list(bodies(item.operation.body))
        for body in around:
            spans[body] = (spans.get(body, (position, position))[0], position)
        for view in on_chip_views(item):
            life = lives.setdefault(view.storage, _Life(position, position))
            life.last = position
            life.by_engine = life.by_engine or item.operation.engine not in ANY_START
            if item.operation.declared.behaviour.assigns and view is not writes.get("dst"):
                life.assigned = True
            elif view is not writes.get("result"):
                life.read = True
            for body in around:
                if not body.is_around(view.storage.body):
                    carried.setdefault(body, set()).add(view.storage)
    for body, storages in carried.items():
        for storage in storages:
            life = lives[storage]
            life.first, life.last = min(life.first, spans[body][0]), max(life.last, spans[body][1])
    for storage, life in lives.items():
        if isinstance(storage.identity, tuple):
            # What a helper was given is there from its beginning to its end.
            life.first, life.last = 0, len(operations) - 1
    return {storage: life for storage, life in lives.items() if life.read or not life.assigned}


def _begins_and_ends(
    lives: Mapping[Storage, _Life], region: MemoryRegion
) -> tuple[dict[int, list[Storage]], dict[int, list[Storage]]]:
    """The storages of a memory by the position of the first, and by that of the last operation that uses them."""
    begins: dict[int, list[Storage]] = {}
    ends: dict[int, list[Storage]] = {}
    for storage, life in lives.items():
        if storage.buffer is region:
            begins.setdefault(life.first, []).append(storage)
            ends.setdefault(life.last, []).append(storage)
    return begins, ends


def _bytes(storage: Storage) -> int:
    size = storage.dtype.itemsize
    for extent in (*storage.shape[storage.block_dims + 1 :], *tiles_of(storage)):
        size *= int(extent)
    return size


def _rows(storage: Storage, life: _Life) -> int:
    """Partitions that a storage needs, at the least."""
    partitions = min(int(storage.partitions), PARTITIONS)
    return -(-partitions // QUARTER) * QUARTER if life.by_engine else partitions


def _capacity(operations: Sequence[Executed], hardware: Hardware) -> Iterator[MemoryFault]:
    lives = _lives(operations)
    for region in REGIONS:
        limit = limit_of(region, hardware)
        begins, ends = _begins_and_ends(lives, region)
        # Of the storages that are live: bytes of a partition, those of each partition added up, and how many the
        # compiler places.
        live = in_all = unplaced = 0
        for position, item in enumerate(operations):
            for storage in begins.get(position, ()):
                size = _bytes(storage)
                live, in_all = live + size, in_all + size * _rows(storage, lives[storage])
                unplaced += not is_placed(storage)
            if in_all > PARTITIONS * limit and unplaced:
                quantities = (("memory", str(region)), ("live", live), ("limit", limit))
                yield MemoryFault("mem.capacity_live", item.site, quantities)
            for storage in ends.get(position, ()):
                size = _bytes(storage)
                live, in_all = live - size, in_all - size * _rows(storage, lives[storage])
                unplaced -= not is_placed(storage)


def is_placed(storage: Storage) -> bool:
    """True if the kernel says where it is."""
    return storage.address is not None or storage.allocator is not None


# --- placed tensors ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Part:
    """The part that a view touches: partitions and bytes, ends excluded, of one tile of a storage."""

    storage: Storage
    block: tuple[int, ...]
    rows: slice
    bytes: slice


@dataclass(slots=True)
class _Placement:
    """The tile that wrote each byte of each memory last, and at which operation."""

    hardware: Hardware
    _tiles: dict[tuple[Storage, tuple[int, ...]], int] = field(default_factory=dict)
    #: The operation that wrote to a tile first, by its number.
    _begun: dict[int, int] = field(default_factory=dict)
    _owners: dict[MemoryRegion, np.ndarray] = field(default_factory=dict)
    _written: dict[MemoryRegion, np.ndarray] = field(default_factory=dict)
    #: Where a part of a memory begins or ends, partitions and bytes, in order: what lies between two has one story.
    _edges: dict[MemoryRegion, tuple[dict[int, int], dict[int, int]]] = field(default_factory=dict)

    def conflicts(self, operations: Sequence[Executed]) -> Iterator[MemoryFault]:
        steps = [
            (position, item, self._parts(item.operation.reads), self._parts(item.operation.writes))
            for position, item in enumerate(operations)
        ]
        self._cut([part for _, _, reads, writes in steps for part in (*reads, *writes)])
        for position, item, reads, writes in steps:
            for part in writes:
                if (place := self._left_out(part)) is not None:
                    partition, start = place
                    placed = (("tensor", _called(part)), ("partition", partition), ("start", start))
                    yield MemoryFault("mem.addr_range", item.site, placed)
            for part in reads:
                other = self._overwritten(part)
                if other is not None:
                    shown = (("tensor", _called(part)), ("overwritten_by", other))
                    yield MemoryFault("mem.placed_overlap", item.site, shown)
            for part in writes:
                number = self._tiles.setdefault((part.storage, part.block), len(self._tiles) + 1)
                self._begun.setdefault(number, position)
                self._in(self._owners, part)[...] = number
                self._in(self._written, part)[...] = position

    def _parts(self, views: Mapping[str, Tensor]) -> list[_Part]:
        return [part for view in views.values() if (part := self._part(view)) is not None]

    def _cut(self, parts: Sequence[_Part]) -> None:
        """Tell the partitions and bytes of each memory apart as far as one of these parts does."""
        for region in {part.storage.buffer for part in parts}:
            here = [part for part in parts if part.storage.buffer is region]
            self._edges[region] = _edges(one.rows for one in here), _edges(one.bytes for one in here)

    def _overwritten(self, part: _Part) -> str | None:
        """The tile that wrote over what a tile, written before, is now read from.

        What another one left there before is no such thing: it is read unwritten, which is for phase 4.
        """
        number = self._tiles.get((part.storage, part.block))
        if number is None:
            return None
        owners = self._in(self._owners, part)
        later = self._in(self._written, part) >= self._begun[number]
        others = owners[(owners != number) & (owners != 0) & later]
        if others.size == 0:
            return None
        first = int(others[0])
        storage, block = next(tile for tile, mine in self._tiles.items() if mine == first)
        return _called(_Part(storage, block, part.rows, part.bytes))

    def _left_out(self, part: _Part) -> tuple[int, int] | None:
        """The partition and the byte at which a function of the kernel places a tile that does not lie in the memory
        there; None of other tiles. What numbers place is claimed where it is allocated."""
        allocator = part.storage.allocator
        if not isinstance(allocator, Allocator) or not callable(allocator.rule):
            return None
        if allocator.holds(part.block, *_size_of_block(part.storage), self.hardware):
            return None
        return part.rows.start, part.bytes.start

    def _in(self, arrays: dict[MemoryRegion, np.ndarray], part: _Part) -> np.ndarray:
        """The entries for a part in an array about its memory."""
        region = part.storage.buffer
        rows, columns = self._edges[region]
        if region not in arrays:
            arrays[region] = np.zeros((len(rows), len(columns)), dtype=np.int32)
        return arrays[region][
            rows[part.rows.start] : rows[part.rows.stop], columns[part.bytes.start] : columns[part.bytes.stop]
        ]

    def _part(self, view: Tensor) -> _Part | None:
        storage = view.storage
        if not storage.buffer.on_chip or not is_placed(storage):
            return None
        row = int(in_units(storage.free_size, storage.dtype, view.dtype))
        tile, rest = divmod(int(view.offset), int(storage.partitions) * row)
        block = _unravelled(tile, [int(extent) for extent in storage.shape[: storage.block_dims]])
        column = rest % row
        reach = sum((int(n) - 1) * abs(int(step)) for n, step in zip(view.shape[1:], view.strides[1:], strict=True))
        partition, start = _address(storage, block, self.hardware)
        size = view.dtype.itemsize
        bytes_ = slice(start + column * size, start + (column + reach + 1) * size)
        return _Part(storage, block, slice(partition, partition + int(storage.partitions)), bytes_)


def _edges(parts: Iterable[slice]) -> dict[int, int]:
    """The ends of `parts` with their positions in order."""
    return {
        edge: number for number, edge in enumerate(sorted({edge for one in parts for edge in (one.start, one.stop)}))
    }


def _unravelled(tile: int, counts: Sequence[int]) -> tuple[int, ...]:
    block: list[int] = []
    for count in reversed(counts):
        tile, position = divmod(tile, count)
        block.append(position)
    return tuple(reversed(block))


def _address(storage: Storage, block: tuple[int, ...], hardware: Hardware) -> tuple[int, int]:
    """The partition and the byte at which a block of a storage is placed."""
    allocator = storage.allocator
    if isinstance(allocator, Allocator):
        partition, start = allocator.address(block, *_size_of_block(storage), hardware.psum_bank_bytes)
        return int(partition), int(start)
    assert storage.address is not None
    partition, start = storage.address
    return int(partition), int(start)


def _size_of_block(storage: Storage) -> tuple[Extent, Extent]:
    """The partitions of a block of a storage, and its bytes in each."""
    return storage.partitions, bytes_per_partition(storage.shape[storage.block_dims :], storage.dtype)


def _called(part: _Part) -> str:
    storage = part.storage
    name = storage.name or ("PSUM" if storage.buffer is PSUM else "SBUF") + " tensor"
    return f"{name}{list(part.block)}" if part.block else name
