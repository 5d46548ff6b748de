"""The tensors that are live at each operation of a shape program.

A tensor is live from the first operation that uses it to the last, both included, in the order of the program; one that
is used in a loop it was allocated before is live all through the loop; what a helper was given is so from its beginning
to its end. This is never less than what is live at that
operation of a concrete run, and the same but for the first and last iterations of loops.

Sets of tensors are bit masks. An allocation whose instances escape loops has two bits: one for the instance of the
present iteration, one for all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nkiverify.analysis.lifetimes.usage import Allocated, Frame, Usage
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.ir.program import Assume, Block, Branch, Item, Loop, Program
from nkiverify.model.recorded import Executed
from nkiverify.symbolic.conditions import Condition


@dataclass(frozen=True, slots=True, eq=False)
class Tenant:
    """The meaning of one bit of a mask: the instance of the present iteration, or (`others`) all other ones."""

    allocated: Allocated
    others: bool


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """An operation, at `position` in `block`, with the mask of what is live there."""

    block: Block
    position: int
    live: int
    site: Site | None
    frame: Frame
    #: Counts the assumptions passed in the block: what is behind one is reached under more conditions.
    segment: int
    #: What holds there.
    path: tuple[Condition | bool, ...]


class Lifetimes:
    """The points of a program and what the bits of their masks stand for."""

    def __init__(self, program: Program, usage: Usage) -> None:
        self._usage = usage
        self.tenants: list[Tenant] = []
        self._now: dict[Allocated, int] = {}
        self._others: dict[Allocated, int] = {}
        #: Bits by the frame whose iterations they are about, `usage.root` for the program itself.
        self._own: dict[Frame, int] = {}
        self._own_now: dict[Frame, int] = {}
        for allocated in usage.allocated:
            if allocated.takes_space:
                self._add(allocated)
        self._carried = {
            body: _union(self._bits(one) for one in found if one.takes_space) for body, found in usage.carried.items()
        }
        self._used: dict[Item, int] = {}
        self._collect(program.body)
        self.points: list[Point] = []
        given = _union(self._bits(one) for one in usage.given.values())
        self._walk(program.body, usage.root, given, given, 0, ())

    def in_mask(self, mask: int) -> Iterator[Tenant]:
        """The tenants that the bits of a mask stand for."""
        while mask:
            low = mask & -mask
            yield self.tenants[low.bit_length() - 1]
            mask ^= low

    def mask_of(self, chosen: Mapping[Tenant, object] | set[Tenant]) -> int:
        """The mask of some tenants."""
        return _union(1 << number for number, tenant in enumerate(self.tenants) if tenant in chosen)

    def _add(self, allocated: Allocated) -> None:
        home = allocated.home or self._usage.root
        bit = self._bit(Tenant(allocated, others=False))
        self._now[allocated] = bit
        if not allocated.escapes:
            self._own[home] = self._own.get(home, 0) | bit
            return
        others = self._others[allocated] = self._bit(Tenant(allocated, others=True))
        self._own[home] = self._own.get(home, 0) | bit | others
        # In the body that allocates, the instance of this iteration counts from its first use to the end.
        self._own_now[allocated.frame] = self._own_now.get(allocated.frame, 0) | bit

    def _bit(self, tenant: Tenant) -> int:
        self.tenants.append(tenant)
        return 1 << (len(self.tenants) - 1)

    def _bits(self, allocated: Allocated) -> int:
        return self._now[allocated] | self._others.get(allocated, 0)

    def _collect(self, block: Block) -> int:
        """Note the uses of every item, those inside it included; the union."""
        total = 0
        for item in block.items:
            mask = 0
            if isinstance(item, Executed):
                for use in self._usage.uses[item]:
                    if use.allocated.takes_space:
                        mask |= self._bits(use.allocated)
                body = item.operation.body
                while body is not None:
                    mask |= self._carried.get(body, 0)
                    body = body.outer
            elif isinstance(item, Loop):
                mask = self._collect(item.body)
            elif isinstance(item, Branch):
                mask = self._collect(item.then) | self._collect(item.orelse)
            self._used[item] = mask
            total |= mask
        return total

    def _used_now(self, item: Item) -> int:
        """Bits of escaping allocations whose instance of this very iteration the item uses."""
        if not isinstance(item, Executed):
            return self._used[item]
        return _union(
            self._now[use.allocated]
            for use in self._usage.uses[item]
            if use.allocated.takes_space and use.same == len(use.allocated.frame.chain)
        )

    def _walk(
        self, block: Block, frame: Frame, born: int, later: int, around: int, path: tuple[Condition | bool, ...]
    ) -> None:
        """Note the points of `block`: `born` is what has been used, `later` what will be used after it, in `frame`;
        `around` is what is live outside of it."""
        own, now = self._own.get(frame, 0), self._own_now.get(frame, 0)
        around &= ~now
        later |= now
        after: list[int] = [0] * len(block.items)
        live = later
        for position in range(len(block.items) - 1, -1, -1):
            after[position] = live
            live |= self._uses(block.items[position], own, now)
        segment = 0
        for position, item in enumerate(block.items):
            uses = self._uses(item, own, now)
            here = around | ((born | uses) & (after[position] | uses))
            if isinstance(item, Executed):
                self.points.append(Point(block, position, here, item.site, frame, segment, path))
            elif isinstance(item, Loop):
                self._walk(item.body, self._usage.frames[item], 0, 0, here, (*path, *item.bounds))
            elif isinstance(item, Branch):
                self._walk(item.then, frame, born, later, around, (*path, item.condition))
                self._walk(item.orelse, frame, born, later, around, (*path, item.condition.negation()))
            elif isinstance(item, Assume):
                segment += 1
                path = (*path, item.condition)
            born |= uses

    def _uses(self, item: Item, own: int, now: int) -> int:
        uses = self._used.get(item, 0) & own
        return uses | (self._used_now(item) & now) if now else uses


def _union(masks: Iterator[int]) -> int:
    total = 0
    for mask in masks:
        total |= mask
    return total
