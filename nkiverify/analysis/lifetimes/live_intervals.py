"""The tensors that are live at each operation of a shape program.

A tensor is live from the first operation that uses it to the last, both included, in the order of the program; one that
is used in a loop it was allocated before is live all through the loop; what a helper was given is so from its beginning
to its end. This is never less than what is live at that
operation of a concrete run, and the same but for the first and last iterations of loops.

Sets of tensors are bit masks. An allocation whose instances escape loops has two bits: one for the instance of the
present iteration, one for all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from nkiverify.analysis.lifetimes.usage import Allocated, Frame, Usage
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.ir.program import Assume, Block, Branch, Item, Loop, Program
from nkiverify.ir.walk import Visitor, walk
from nkiverify.model.recorded import Executed
from nkiverify.model.state import bodies
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
        self._collect(program)
        given = _union(self._bits(one) for one in usage.given.values())
        points = _Points(self, usage.frames, usage.root, (given, given, 0), ())
        self.points = list(points.block(program.body))

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

    def _collect(self, program: Program) -> None:
        """Note the uses of every item, those inside it included."""
        for path, item in walk(program.body):
            mask = self._mask(item) if isinstance(item, Executed) else 0
            for step in path.steps if mask else ():
                self._used[step.item] = self._used.get(step.item, 0) | mask

    def _mask(self, item: Executed) -> int:
        mask = _union(self._bits(use.allocated) for use in self._usage.uses[item] if use.allocated.takes_space)
        for body in bodies(item.operation.body):
            mask |= self._carried.get(body, 0)
        return mask

    def _used_now(self, item: Item) -> int:
        """Bits of escaping allocations whose instance of this very iteration the item uses."""
        if not isinstance(item, Executed):
            return self._used.get(item, 0)
        return _union(
            self._now[use.allocated]
            for use in self._usage.uses[item]
            if use.allocated.takes_space and use.same == len(use.allocated.frame.chain)
        )

    def uses(self, item: Item, own: int, now: int) -> int:
        """The bits of `own` that an item uses, and those of `now` whose instance of this iteration it uses."""
        uses = self._used.get(item, 0) & own
        return uses | (self._used_now(item) & now) if now else uses

    def of_frame(self, frame: Frame) -> tuple[int, int]:
        """The bits about the iterations of a frame, and those of its instances of this iteration."""
        return self._own.get(frame, 0), self._own_now.get(frame, 0)


class _Points(Visitor[Point]):
    """The points of a block: `born` is what has been used, `later` what will be used after it, in `frame`; `around` is
    what is live outside of it."""

    def __init__(
        self,
        lifetimes: Lifetimes,
        frames: Mapping[Loop, Frame],
        frame: Frame,
        masks: tuple[int, int, int],
        path: tuple[Condition | bool, ...],
    ) -> None:
        self._lifetimes = lifetimes
        self._frames = frames
        self._frame = frame
        self._born, self._later, self._around = masks
        self._path = path
        self._own, self._now = lifetimes.of_frame(frame)
        self._outside = self._around & ~self._now
        #: Of the item that is visited: its position, what it uses, and what is live there.
        self._position = -1
        self._segment = self._uses = self._here = 0
        self._after: list[int] = []

    def block(self, block: Block) -> Iterator[Point]:
        live = self._later | self._now
        self._after = [0] * len(block.items)
        for position in range(len(block.items) - 1, -1, -1):
            self._after[position] = live
            live |= self._lifetimes.uses(block.items[position], self._own, self._now)
        self._block = block
        return super().block(block)

    def before(self, item: Item) -> None:
        self._born |= self._uses
        self._position += 1
        self._uses = self._lifetimes.uses(item, self._own, self._now)
        live = (self._born | self._uses) & (self._after[self._position] | self._uses)
        self._here = self._outside | live

    def recorded(self, item: Item) -> Iterable[Point]:
        if isinstance(item, Executed):
            here = self._position, self._here, item.site, self._frame, self._segment, self._path
            yield Point(self._block, *here)

    def loop(self, item: Loop) -> Iterable[Point]:
        return self._within(item.body, self._frames[item], (0, 0, self._here), item.bounds)

    def arm(self, condition: Condition, block: Block, branch: Branch) -> Iterable[Point]:
        masks = self._born, self._later | self._now, self._outside
        return self._within(block, self._frame, masks, (condition,))

    def _within(
        self, block: Block, frame: Frame, masks: tuple[int, int, int], bounds: Sequence[Condition | bool]
    ) -> Iterable[Point]:
        return _Points(self._lifetimes, self._frames, frame, masks, (*self._path, *bounds)).block(block)

    def assume(self, item: Assume) -> Iterable[Point]:
        self._segment += 1
        self._path = (*self._path, item.condition)
        return ()


def _union(masks: Iterator[int]) -> int:
    total = 0
    for mask in masks:
        total |= mask
    return total
