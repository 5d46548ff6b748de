"""Phase 3 on a concrete execution: what was live when, in the order in which it happened."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from nkiverify.foundation.records import LiveTensor, MemoryPeak
from nkiverify.foundation.source import Site
from nkiverify.model.contracts import contract
from nkiverify.model.hardware import Hardware
from nkiverify.model.memory import MemoryRegion
from nkiverify.model.recorded import Allocation, Executed
from nkiverify.model.tensor import Storage
from nkiverify.phases.memory.claims import REGIONS, MemoryClaims, limit_of
from nkiverify.phases.memory.concrete_memory import Live, Recorded, findings, is_placed, live_at_each
from nkiverify.phases.memory.occupancy import Key, Occupancy, key_of, name_of
from nkiverify.phases.phase import Explored, Statement, state

_CAPACITY, _OVERLAP = "mem.capacity_live", "mem.placed_overlap"


def state_played(kernel: Explored) -> MemoryClaims:
    """Claim of a concrete execution that what is live fits, where the target asks for it, and that no placed tensor was
    overwritten while it was needed."""
    stated = MemoryClaims()
    recorded, no_spills = list(kernel.program.body.items), kernel.run.no_spills
    broken = findings(recorded, kernel.hardware, no_spills)
    statements = [Statement(None, contract(one.rule), False, one.site, one.quantities) for one in broken]
    rules = {one.rule for one in broken}
    operations = [item for item in recorded if isinstance(item, Executed)]
    placed = [item for item in operations if any(is_placed(view.storage) for view in item.operation.views)]
    if any(item.operation.body is not None for item in placed):
        # What the next iteration of a device loop finds there is not seen in a body that is run once.
        stated.gap = "a placed tensor in the body of a device loop"
    sites = {item.storage: item.site for item in recorded if isinstance(item, Allocation)}
    used = {view.storage for item in operations for view in item.operation.views if view.storage.buffer.on_chip}
    unknown = next((storage for storage in used if storage not in sites), None)
    if unknown is not None and (placed or no_spills):
        stated.gap = f"a tensor of {unknown.buffer} that is used without having been allocated"
    if placed and _OVERLAP not in rules:
        statements.append(Statement(None, contract(_OVERLAP), True, None))

    @cache
    def followed() -> list[tuple[MemoryRegion, Live, Occupancy]]:
        return [(region, *_followed(recorded, region, sites)) for region in REGIONS]

    for region, most, _ in followed() if no_spills and _CAPACITY not in rules else ():
        # Tensors of few partitions may lie side by side: more than this may fit as well.
        limit = limit_of(region, kernel.hardware)
        shown = (("memory", str(region)), ("live", most.bytes), ("limit", limit))
        fits = most.bytes <= limit
        statements.append(Statement(None, contract(_CAPACITY), fits, most.site, shown, sufficient=True))
    by_allocator = any(view.storage.allocator for item in placed for view in item.operation.views)
    if not by_allocator:
        stated.peaks = lambda: [
            _peak(region, most, live, kernel.hardware, sites) for region, most, live in followed() if most.tensors
        ]
    state(kernel.program, kernel.run.policy, statements)
    return stated


def _peak(
    region: MemoryRegion, most: Live, live: Occupancy, hardware: Hardware, sites: dict[Storage, Site | None]
) -> MemoryPeak:
    places, tiles = live.reported()
    return MemoryPeak(
        memory=str(region),
        limit=limit_of(region, hardware),
        live=str(most.bytes),
        at={},
        bytes=most.bytes,
        place=most.site,
        tensors=_taken(most.tensors, sites),
        fits={},
        places=places,
        tiles=tiles,
    )


def _followed(recorded: Recorded, region: MemoryRegion, sites: dict[Storage, Site | None]) -> tuple[Live, Occupancy]:
    """The most that was live at one operation, and what was live at each line."""
    most, gathered = Live(), Occupancy()
    keys: dict[Storage, Key] = {}
    for site, total, live in live_at_each(recorded, region):
        if total > most.bytes:
            most = Live(total, site, tuple(live.items()))
        if gathered.is_most(site, total):
            taken: dict[Key, int] = {}
            for storage, size in live.items():
                key = keys.get(storage) or keys.setdefault(storage, key_of(storage, sites.get(storage)))
                taken[key] = taken.get(key, 0) + size
            gathered.passes(site, taken, total)
    return most, gathered


def _taken(tensors: Sequence[tuple[Storage, int]], sites: dict[Storage, Site | None]) -> tuple[LiveTensor, ...]:
    """The bytes of tensors that are live together, those that one line has allocated together."""
    taken: dict[tuple[str, Site | None], int] = {}
    for storage, size in tensors:
        site = sites.get(storage)
        name = name_of(storage, site)
        taken[name, site] = taken.get((name, site), 0) + size
    return tuple(LiveTensor(name, str(size)) for (name, _), size in taken.items())
