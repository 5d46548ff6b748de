"""Phase 3 on a launch that was run in plain Python: what was live when, in the order in which it happened."""

from __future__ import annotations

from collections.abc import Sequence

from nkiverify.foundation.records import LiveTensor, MemoryPeak
from nkiverify.foundation.source import Site
from nkiverify.frontend.concrete import BrokenContract, ConcreteExecution
from nkiverify.model.contracts import contract
from nkiverify.model.hardware import Hardware
from nkiverify.model.memory import MemoryRegion
from nkiverify.model.recorded import Allocation, Executed
from nkiverify.model.tensor import Storage
from nkiverify.phases.memory.claims import REGIONS, MemoryClaims, limit_of
from nkiverify.phases.memory.concrete import Live, Recorded, findings, is_placed, live_at_each
from nkiverify.phases.memory.occupancy import Key, Occupancy, key_of, name_of

_CAPACITY, _OVERLAP = "mem.capacity_live", "mem.placed_overlap"


def state_played(run: ConcreteExecution, hardware: Hardware) -> MemoryClaims:
    """Claim of the run that what is live fits, where the target asks for it, and that no placed tensor was overwritten
    while it was needed."""
    stated = MemoryClaims()
    broken = findings(run.recorded, hardware, run.no_spills)
    for one in broken:
        run.claims.claim(contract(one.rule), False, one.site, quantities=one.quantities)
        run.note(BrokenContract(contract(one.rule), one.site, one.quantities))
    rules = {one.rule for one in broken}
    operations = [item for item in run.recorded if isinstance(item, Executed)]
    placed = [item for item in operations if any(is_placed(view.storage) for view in item.operation.views)]
    if any(item.operation.body is not None for item in placed):
        # What the next iteration of a device loop finds there is not seen in a body that is run once.
        stated.gap = "a placed tensor in the body of a device loop"
    sites = {item.storage: item.site for item in run.recorded if isinstance(item, Allocation)}
    used = {view.storage for item in operations for view in item.operation.views if view.storage.buffer.on_chip}
    unknown = next((storage for storage in used if storage not in sites), None)
    if unknown is not None and (placed or run.no_spills):
        stated.gap = f"a tensor of {unknown.buffer} that is used without having been allocated"
    if placed and _OVERLAP not in rules:
        run.claims.claim(contract(_OVERLAP), True, None)
    peaks = [(region, *_followed(run.recorded, region, sites)) for region in REGIONS]
    for region, most, _ in peaks:
        if run.no_spills and _CAPACITY not in rules:
            # Tensors of few partitions may lie side by side: more than this may fit as well.
            limit = limit_of(region, hardware)
            shown = (("memory", str(region)), ("live", most.bytes), ("limit", limit))
            run.claims.claim(contract(_CAPACITY), most.bytes <= limit, most.site, quantities=shown, sufficient=True)
    by_allocator = any(view.storage.allocator for item in placed for view in item.operation.views)
    if not by_allocator:
        stated.peaks = [_peak(region, most, live, hardware, sites) for region, most, live in peaks if most.tensors]
    return stated


def _peak(
    region: MemoryRegion, most: Live, live: Occupancy, hardware: Hardware, sites: dict[Storage, Site | None]
) -> MemoryPeak:
    places, tiles = live.told()
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
