"""The claims of phase 3 about all of a kernel: that what is live fits, and that placed tensors do not overlap.

They are put into the shape program at the operations where most is live, and are decided like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from itertools import combinations

from nkiverify.analysis.lifetimes import sizes
from nkiverify.analysis.lifetimes.live_intervals import Lifetimes, Point, Tenant
from nkiverify.analysis.lifetimes.sizes import NoBound
from nkiverify.analysis.lifetimes.usage import Allocated, Usage, usage_of
from nkiverify.analysis.sets.keys import key_of
from nkiverify.engines.embedded import Decision
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import MemoryPeak
from nkiverify.foundation.source import Site
from nkiverify.ir.program import Block, Claim, Loop, Program
from nkiverify.ir.walk import last_number
from nkiverify.model.contracts import contract
from nkiverify.model.hardware import Hardware
from nkiverify.model.legacy_tensor import Allocator
from nkiverify.model.memory import PSUM, SBUF, MemoryRegion
from nkiverify.model.policy import applied_policy
from nkiverify.phases.phase import Claimed
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Atom, Term
from nkiverify.symbolic.conditions import Condition, condition_key
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.values import as_term

REGIONS = (SBUF, PSUM)


@dataclass(frozen=True, slots=True, eq=False)
class Need:
    """The need of a memory at a point, in bytes per partition: `total` at most. `claim` says that it fits."""

    region: MemoryRegion
    total: Term
    limit: int
    parts: tuple[tuple[Allocated, Term], ...]
    site: Site | None
    claim: Claim
    path: tuple[Condition | bool, ...]


@dataclass(slots=True, eq=False)
class MemoryClaims(Claimed):
    """The claims that were put into the program. `unbounded` says why the needs are not all there are."""

    needs: list[Need] = field(default_factory=list)
    unbounded: str = ""
    #: Those of a concrete execution, in place of `needs`.
    peaks: Callable[[], list[MemoryPeak]] | None = None
    #: Whether legacy allocators place tensors.
    by_allocator: bool = False
    #: What is live at each operation.
    lifetimes: Lifetimes | None = None


def state_claims(program: Program, hardware: Hardware, no_spills: bool) -> MemoryClaims:
    """Put the claims of phase 3 about lifetimes into `program`, whose operations have been recorded.

    That everything live fits is claimed where `no_spills` asks for it; what is needed is found out in any case.
    """
    usage = usage_of(program)
    stated = MemoryClaims()
    if usage.unknown is not None:
        stated.gap = f"a tensor of {usage.unknown.buffer} that is used without having been allocated"
        return stated
    stated.by_allocator = any(isinstance(one.storage.allocator, Allocator) for one in usage.allocated)
    lifetimes = stated.lifetimes = Lifetimes(program, usage)
    writer = _Writer(program, hardware, usage, lifetimes, stated)
    try:
        writer.capacity(no_spills)
    except NoBound as bound:
        stated.unbounded = str(bound)
        stated.gap = str(bound) if no_spills else ""
    writer.overlap()
    writer.insert()
    return stated


def demanding(claim: Claim) -> Claim | None:
    """A claim that only four times the limit refutes, for one about capacity that has not been made harder yet.

    Tensors of few partitions lie side by side: four times the limit fit in no way.
    """
    quantities = dict(claim.quantities)
    live, limit = quantities.get("live"), quantities.get("limit")
    if not isinstance(live, Term) or not isinstance(limit, int) or "four_times" in quantities:
        return None
    fits = conditions.at_most_zero(terms.add(live, terms.constant(-4 * limit)))
    return replace(claim, condition=fits, quantities=(*claim.quantities, ("four_times", 4 * limit)))


def needed(decision: Decision, values: Mapping[Atom, int]) -> int:
    """The bytes that a claim about capacity says are live, for some values; 0 where they do not say."""
    live = dict(decision.claim.quantities).get("live")
    try:
        return Valuation(values).term(live) if isinstance(live, Term) else 0
    except Undefined:
        return 0


def limit_of(region: MemoryRegion, hardware: Hardware) -> int:
    """Bytes per partition that a kernel may use."""
    return hardware.sbuf_usable_bytes if region is SBUF else hardware.psum_partition_bytes


class _Writer:
    def __init__(
        self, program: Program, hardware: Hardware, usage: Usage, lifetimes: Lifetimes, stated: MemoryClaims
    ) -> None:
        self._hardware = hardware
        self._policy = applied_policy()
        self._usage = usage
        self._lifetimes = lifetimes
        self._stated = stated
        self._number = last_number(program)
        self._inserts: dict[Block, list[tuple[int, Claim | Loop]]] = {}
        tenants = lifetimes.tenants
        self._in = {
            region: lifetimes.mask_of({one for one in tenants if one.allocated.storage.buffer is region})
            for region in REGIONS
        }
        self._placed = lifetimes.mask_of({one for one in tenants if one.allocated.storage.address is not None})

    # --- capacity ----------------------------------------------------------------------------------------------------

    def capacity(self, claimed: bool) -> None:
        """Find what is needed, and where `claimed`, state that it fits."""
        for region in REGIONS:
            seen: set[tuple[Block, int, int | str]] = set()
            for point in self._largest(self._in[region]):
                live = point.live & self._in[region]
                need = self._need(region, live, point)
                self._stated.needs.append(need)
                key = (point.block, point.segment, condition_key(need.claim.condition))
                # Where all are placed, that each is in range and none overlap says that they fit.
                if claimed and live & ~self._placed and key not in seen:
                    seen.add(key)
                    self._insert(point, need.claim)

    def _largest(self, region: int) -> Iterator[Point]:
        """Points where something of the region is live, without those where no more is than at another one of the same
        place in the program."""
        places: dict[tuple[Block, int], dict[int, Point]] = {}
        for point in self._lifetimes.points:
            live = point.live & region
            if live:
                places.setdefault((point.block, point.segment), {}).setdefault(live, point)
        for found in places.values():
            masks = list(found)
            for mask, point in found.items():
                if not any(mask & ~other == 0 and mask != other for other in masks):
                    yield point

    def _need(self, region: MemoryRegion, live: int, point: Point) -> Need:
        parts: dict[Allocated, Term] = {}
        for tenant in self._lifetimes.in_mask(live):
            taken = sizes.weight(tenant, point)
            known = parts.get(tenant.allocated)
            parts[tenant.allocated] = taken if known is None else terms.add(known, taken)
        total = terms.total(parts.values())
        limit = limit_of(region, self._hardware)
        fits = conditions.at_most_zero(terms.add(total, terms.constant(-limit)))
        quantities = (("memory", str(region)), ("live", total), ("limit", limit))
        claim = self._claim("mem.capacity_live", fits, point.site, quantities)
        return Need(region, total, limit, tuple(parts.items()), point.site, claim, point.path)

    # --- overlap -----------------------------------------------------------------------------------------------------

    def overlap(self) -> None:
        if not self._placed:
            return
        stated: set[tuple[Block, int, Tenant, Tenant]] = set()
        for region in REGIONS:
            for point in self._largest(self._in[region] & self._placed):
                tenants = list(self._lifetimes.in_mask(point.live & self._in[region] & self._placed))
                pairs = [*combinations(tenants, 2), *((one, one) for one in tenants if one.others)]
                for one, two in pairs:
                    key = (point.block, point.segment, one, two)
                    if key not in stated:
                        stated.add(key)
                        self._disjoint(point, one, two)

    def _disjoint(self, point: Point, one: Tenant, two: Tenant) -> None:
        """State that two tenants do not overlap, for every iteration that the instances of either may be of."""
        around: list[Loop] = []
        first, first_indices = self._instance(point, one, around)
        second, second_indices = self._instance(point, two, around)
        apart = _apart(first, second)
        if _is_one(one.allocated, two.allocated):
            same = conditions.conjunction(
                conditions.equals_zero(terms.add(left, right, -1))
                for left, right in zip(first_indices, second_indices, strict=True)
            )
            apart = conditions.disjunction((same, apart))
        if apart is True:
            return
        quantities = (
            ("one", _rectangle(one.allocated, first)),
            ("other", _rectangle(two.allocated, second)),
        )
        claim = self._claim("mem.placed_overlap", apart, point.site, quantities)
        item: Claim | Loop = claim
        for loop in reversed(around):
            item = Loop(loop.index, loop.extent, loop.bounds, Block([item]), None)
        self._insert(point, item)

    def _instance(self, point: Point, tenant: Tenant, around: list[Loop]) -> tuple[_Rectangle, tuple[Term, ...]]:
        """Where the instance of a tenant lies, with the iteration it is of; loops of the indices that stand for any
        iteration are added to `around`."""
        allocated = tenant.allocated
        inside = any(frame is allocated.frame for frame in point.frame.chain)
        mapping: dict[Atom, Term] = {}
        if tenant.others or (allocated.escapes and not inside):
            for loop in allocated.crossed:
                extent = terms.substitute(loop.extent, mapping)
                fresh = terms.index(loop.index.name, extent, ("instance", loop.index.uid, len(around)))
                atom = terms.index_atom(fresh)
                mapping[loop.index] = fresh
                bounds = tuple(conditions.substituted(bound, mapping) for bound in loop.bounds)
                around.append(Loop(atom, extent, bounds, Block(), None))
        indices = tuple(terms.substitute(terms.of_atom(loop.index), mapping) for loop in allocated.crossed)
        return _Rectangle.of(allocated, mapping), indices

    # --- writing -----------------------------------------------------------------------------------------------------

    def _claim(
        self, rule: str, condition: Condition | bool, site: Site | None, quantities: tuple[tuple[str, object], ...]
    ) -> Claim:
        self._number += 1
        stated = contract(rule)
        severity = self._policy.severity(stated, site)
        return Claim(self._number, stated, condition, stated.phase, site, "", quantities, severity=severity)

    def _insert(self, point: Point, item: Claim | Loop) -> None:
        self._inserts.setdefault(point.block, []).append((point.position, item))

    def insert(self) -> None:
        """Put what has been stated into the program, each before the operation it is about."""
        for block, found in self._inserts.items():
            for position, item in sorted(found, key=lambda pair: pair[0], reverse=True):
                block.items.insert(position, item)


@dataclass(frozen=True, slots=True)
class _Rectangle:
    """A range of partitions by a range of bytes: starts and ends, the ends excluded."""

    partition: Term
    last_partition: Term
    start: Term
    end: Term

    @staticmethod
    def of(allocated: Allocated, mapping: dict[Atom, Term]) -> _Rectangle:
        """Where an allocation is placed, with loop indices replaced."""
        storage = allocated.storage
        assert storage.address is not None
        partition, start, count = (as_term(part) for part in (*storage.address, storage.partitions))
        assert partition is not None and start is not None and count is not None
        ends = terms.add(partition, count), terms.add(start, sizes.bytes_of(storage))
        parts = (partition, ends[0], start, ends[1])
        return _Rectangle(*(terms.substitute(part, mapping) for part in parts))


def _is_one(one: Allocated, two: Allocated) -> bool:
    """True if there is one of both in an iteration: it is one allocation, or that of two paths through a body."""
    if one is two:
        return True
    keys = {key_of(one.storage), key_of(two.storage)}
    return len(keys) == 1 and one.frame is two.frame and one.crossed == two.crossed


def _apart(one: _Rectangle, two: _Rectangle) -> Condition | bool:
    return conditions.disjunction(
        conditions.at_most_zero(terms.add(end, start, -1))
        for end, start in (
            (one.end, two.start),
            (two.end, one.start),
            (one.last_partition, two.partition),
            (two.last_partition, one.partition),
        )
    )


def _rectangle(allocated: Allocated, where: _Rectangle) -> tuple[object, ...]:
    name = allocated.storage.name or (f"line {allocated.site.line}" if allocated.site is not None else "tensor")
    return (name, where.start, where.end)
