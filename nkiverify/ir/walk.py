"""The walk over a shape program: the only place that knows how items nest, and what holds where.

`walk` yields every item with its `Path`. A `Visitor` is for analyses that have a state of their own to carry into
loops and out of branches: it has a method for each kind of item, and `block` calls them in program order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Generic, TypeVar

from nkiverify.foundation.dataclass import dataclass
from nkiverify.ir.program import Assume, Block, Branch, Claim, Drawn, Item, Loop, Program
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.substitution import same_value

T = TypeVar("T")


class Visitor(Generic[T]):
    """An analysis of a shape program, by kind of item; each method yields what it finds.

    A method that is not overridden finds nothing in an item, and visits the blocks inside of it.
    """

    def block(self, block: Block) -> Iterator[T]:
        """The findings in a block, in program order."""
        for item in block.items:
            self.before(item)
            if isinstance(item, Claim):
                yield from self.claim(item)
            elif isinstance(item, Assume):
                yield from self.assume(item)
            elif isinstance(item, Loop):
                yield from self.loop(item)
            elif isinstance(item, Branch):
                yield from self.branch(item)
            else:
                yield from self.recorded(item)
        if not (block.items and isinstance(block.items[-1], Branch)):
            yield from self.end(block)

    def visit(self, block: Block) -> None:
        """Visit a block for what the methods do, whatever they yield."""
        for _ in self.block(block):
            pass

    def before(self, item: Item) -> None:
        """Prepare for an item that is visited next."""

    def assume(self, item: Assume) -> Iterable[T]:
        """The findings where a condition is assumed."""
        return ()

    def claim(self, item: Claim) -> Iterable[T]:
        """The findings in a claim."""
        return ()

    def recorded(self, item: Item) -> Iterable[T]:
        """The findings in an operation, an allocation, or anything else that is recorded for analyses."""
        return ()

    def loop(self, item: Loop) -> Iterable[T]:
        """The findings in a loop."""
        return self.block(item.body)

    def branch(self, item: Branch) -> Iterable[T]:
        """The findings in a branch."""
        for condition, arm in item.arms:
            yield from self.arm(condition, arm, item)

    def arm(self, condition: Condition, block: Block, branch: Branch) -> Iterable[T]:
        """The findings on the paths of `branch` on which `condition` holds."""
        return self.block(block)

    def end(self, block: Block) -> Iterable[T]:
        """The findings where a path comes to the end of a block, which one with a branch does in its arms."""
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class WayStep:
    """A part of the way to an item: the item of a block that it is in, or the item itself, at the end of the way.

    `held` conditions hold before it, of those on the way.
    """

    block: Block
    at: int
    held: int

    @property
    def item(self) -> Item:
        """The item at this position of the block."""
        return self.block.items[self.at]

    @property
    def loop(self) -> Loop | None:
        """The item, if it is a loop."""
        return self.item if isinstance(self.item, Loop) else None

    @property
    def branch(self) -> Branch | None:
        """The item, if it is a branch."""
        return self.item if isinstance(self.item, Branch) else None


@dataclass(slots=True, eq=False)
class Path:
    """The way from the root of a program to an item, outermost first. It changes as the walk continues: copy it to keep
    it."""

    #: The loops and the branches around the item.
    loops: list[Loop] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)
    #: The conditions that hold, each with whether it does because a division came before.
    held: list[tuple[Condition | bool, bool]] = field(default_factory=list)
    _blocks: list[_Frame] = field(default_factory=list)

    @property
    def conditions(self) -> tuple[Condition | bool, ...]:
        """The conditions that hold here."""
        return tuple(condition for condition, _ in self.held)

    @property
    def steps(self) -> tuple[WayStep, ...]:
        """The positions that lead to the item."""
        return tuple(WayStep(frame.block, frame.at, frame.here) for frame in self._blocks)

    def hypotheses(self, claim: Claim) -> tuple[Condition | bool, ...]:
        """The conditions that a claim may use: of a division every zero is reported, whatever was divided before."""
        if not claim.of_division:
            return self.conditions
        return tuple(condition for condition, of_division in self.held if not of_division)

    def hold(self, *conditions: Condition | bool, of_division: bool = False) -> None:
        """`conditions` hold from here on."""
        self.held += ((condition, of_division) for condition in conditions)


def walk(block: Block) -> Iterator[tuple[Path, Item]]:
    """Every item in a block, in program order, with the way to it from there."""
    path = Path()
    # Not one generator within another: every item would go through as many as there are loops around it.
    waiting: list[_Frame] = [_Frame(block)]
    while waiting:
        frame = waiting[-1]
        frame.enter(path)
        for item in frame.items(path):
            yield path, item
            if isinstance(item, Assume):
                path.hold(item.condition, of_division=item.of_division)
            elif isinstance(item, Loop):
                waiting.append(_Frame(item.body, item.bounds, item))
                break
            elif isinstance(item, Branch):
                waiting += (_Frame(arm, (condition,), item) for condition, arm in reversed(item.arms))
                break
        else:
            frame.leave(path)
            waiting.pop()


class _Frame:
    """A block that is walked, or will be, and the position of the item that is visited."""

    __slots__ = ("_around", "_before", "_bounds", "_entered", "at", "block", "here")

    def __init__(
        self, block: Block, bounds: Sequence[Condition | bool] = (), around: Loop | Branch | None = None
    ) -> None:
        self.block = block
        self.at = -1
        #: How many conditions hold before the item, and before the block.
        self.here = self._before = 0
        self._bounds = bounds
        self._around = around
        self._entered = False

    def enter(self, path: Path) -> None:
        """Put the conditions of the block on the way, if they are not."""
        if not self._entered:
            self._entered, self._before = True, len(path.held)
            path.hold(*self._bounds)
            path._blocks.append(self)
            if isinstance(self._around, Loop):
                path.loops.append(self._around)
            elif self._around is not None:
                path.branches.append(self._around)

    def items(self, path: Path) -> Iterator[Item]:
        """The items that are left."""
        items = self.block.items
        while self.at + 1 < len(items):
            self.at += 1
            self.here = len(path.held)
            yield items[self.at]

    def leave(self, path: Path) -> None:
        """Take the conditions of the block off the way."""
        del path.held[self._before :]
        path._blocks.pop()
        if isinstance(self._around, Loop):
            path.loops.pop()
        elif self._around is not None:
            path.branches.pop()


def items(block: Block) -> Iterator[Item]:
    """Everything in a block, in program order."""
    return (item for _, item in walk(block))


def of_kind(block: Block, kind: type[T]) -> Iterator[T]:
    """Every item of one kind in a block, in program order."""
    return (item for _, item in ways_to(block, kind))


def ways_to(block: Block, kind: type[T]) -> Iterator[tuple[Path, T]]:
    """Every item of one kind in a block, in program order, with the way to it."""
    return ((path, item) for path, item in walk(block) if isinstance(item, kind))


def claims(program: Program) -> Iterator[tuple[Claim, tuple[Condition | bool, ...]]]:
    """Every claim with all conditions on the way from the root to it, outermost first.

    Claims about a division are listed with the assumptions that follow from earlier divisions as well.
    """
    return ((claim, path.conditions) for path, claim in ways_to(program.body, Claim))


def last_number(program: Program) -> int:
    """The greatest number of a claim; 0 where there is none."""
    return max((claim.number for claim in of_kind(program.body, Claim)), default=0)


def conditions_in(block: Block) -> Iterator[Condition]:
    """The conditions that are assumed, claimed and branched on in a block, without constant ones."""
    for item in items(block):
        if isinstance(item, Assume | Claim | Branch) and isinstance(item.condition, Condition):
            yield item.condition


def insert(block: Block, before: Mapping[Item | None, Sequence[Claim]]) -> None:
    """Put claims before the items they are about."""
    for inner in [block, *(inner for item in items(block) for inner in inner_blocks(item))]:
        inner.items[:] = [one for item in inner.items for one in (*before.get(item, ()), item)]


def inner_blocks(item: Item) -> tuple[Block, ...]:
    """The blocks of a loop or a branch, in their order; none of anything else."""
    if isinstance(item, Loop):
        return (item.body,)
    return (item.then, item.orelse) if isinstance(item, Branch) else ()


def carries_state(program: Program) -> bool:
    """True if an iteration of a loop whose body is traced once may leave something in Python for others."""
    return program.carries or any(
        isinstance(item, Drawn) or (isinstance(item, Loop) and item.counts) for item in items(program.body)
    )


def terms_in(item: Item, *, claimed: bool) -> Iterator[Term]:
    """The extent of a loop, or the terms of what is assumed or branched on; of what is claimed if it is asked for."""
    if isinstance(item, Loop):
        yield item.extent
    elif isinstance(item, Assume | Branch | Claim) and isinstance(item.condition, Condition):
        yield from item.condition.terms() if claimed or not isinstance(item, Claim) else ()


class _Executes(Visitor[object]):
    """The operations and assumptions of a program, as nested data; claims are left out."""

    def assume(self, item: Assume) -> Iterable[object]:
        return [item.condition]

    def recorded(self, item: Item) -> Iterable[object]:
        return [item]

    def loop(self, item: Loop) -> Iterable[object]:
        rounds = item.index, item.extent, item.bounds, item.parallel, item.counted
        return [(rounds, list(self.block(item.body)))]

    def arm(self, condition: Condition, block: Block, branch: Branch) -> Iterable[object]:
        return [(condition, list(self.block(block)))]


def executes_the_same(one: Program, two: Program) -> bool:
    """True if two programs surely execute the same operations on the same elements, in the same order, and place what
    they allocate alike."""
    first, second = (list(_Executes().block(program.body)) for program in (one, two))
    return same_value(first, second)
