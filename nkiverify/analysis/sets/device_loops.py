"""Device loops as loops of the program: their bodies, which are recorded once, are those of any iteration.

The body of a device loop is emitted where its items are recorded, between two marks (`DeviceLoop`). Here the items
between become the body of a `Loop` over its rounds, so that the walk over sets treats it as any loop of the host: an
iteration finds what lines before it in the same iteration have written, and what is known afterwards is so for any
number of rounds. In it a register that counts is a term, and an access moved by it is at the place that this says.

Engines are not asked about this program: what a contract asks of an instruction is asked of what is emitted, whether
or not it is ever executed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from nkiverify.ir.program import Assume, Block, Branch, Claim, Item, Loop, Program
from nkiverify.ir.walk import Visitor
from nkiverify.model.operation import infers_sum
from nkiverify.model.recorded import DeviceLoop, Executed
from nkiverify.model.state import LoopBody, bodies
from nkiverify.model.tensor import IndirectionKind, Tensor
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.values import as_term


def nested(program: Program) -> tuple[Program, Mapping[Item, Item]]:
    """The program with its device loops as loops, and the item that each new one has been made of."""
    nesting = _Nesting()
    body = nesting.nested(program.body)
    return replace(program, body=body), nesting.origins


class _Nesting(Visitor[Item]):
    """The items of blocks in which device loops are loops; none of the blocks ends a loop that began before it."""

    def __init__(self) -> None:
        self.origins: dict[Item, Item] = {}
        #: The loops that a path leaves in their middle, by their index: what is executed there stays as it is recorded.
        self._left: set[int] = set()

    def nested(self, block: Block) -> Block:
        """The block that is made of these items."""
        return Block(list(self.block(block)))

    def block(self, block: Block) -> Iterator[Item]:
        for at, item in enumerate(block.items):
            if isinstance(item, DeviceLoop) and item.begins:
                index = _index_of(item.body)
                split = _Splitting(index, self.made)
                split.visit(Block(block.items[at + 1 :]))
                if not split.left:
                    yield from super().block(Block(block.items[:at]))
                    known, loop = _loop(item.body, self.nested(split.inside))
                    yield from (*known, loop, *self.block(split.after))
                    return
                self._left.add(index.uid)
        yield from super().block(block)

    def assume(self, item: Assume) -> Iterator[Item]:
        yield item

    def claim(self, item: Claim) -> Iterator[Item]:
        yield item

    def loop(self, item: Loop) -> Iterator[Item]:
        yield self.made(item, replace(item, body=self.nested(item.body)))

    def branch(self, item: Branch) -> Iterator[Item]:
        yield self.made(item, replace(item, then=self.nested(item.then), orelse=self.nested(item.orelse)))

    def recorded(self, item: Item) -> Iterator[Item]:
        if not isinstance(item, DeviceLoop):
            yield self._executed(item) if isinstance(item, Executed) else item

    def _executed(self, item: Executed) -> Item:
        operation = item.operation
        if any(_index_of(body).uid in self._left for body in bodies(operation.body)):
            return item
        placed = replace(
            operation,
            reads={name: _placed(view) for name, view in operation.reads.items()},
            writes={name: _placed(view) for name, view in operation.writes.items()},
            body=operation.body if infers_sum(operation) else None,
        )
        return self.made(item, replace(item, operation=placed))

    def made(self, item: Item, made: Item) -> Item:
        """The item that is made of another one."""
        self.origins[made] = self.origins.get(item, item)
        return made


class _Splitting(Visitor[Item]):
    """The items of a path, or of several, up to the end of the loop over `index`, and those behind it.

    Conditions on a path depend on no iteration: they hold behind the loop as well.
    """

    def __init__(self, index: Term, made: Callable[[Item, Item], Item]) -> None:
        self.inside, self.after = Block(), Block()
        #: Whether a path leaves the loop in its middle.
        self.left = False
        self._index = index
        self._made = made
        self._ended = False

    def assume(self, item: Assume) -> tuple[()]:
        if not self._ended:
            self.inside.items.append(item)
        self.after.items.append(item)
        return ()

    def recorded(self, item: Item) -> tuple[()]:
        if not self._ended and isinstance(item, DeviceLoop) and not item.begins:
            self._ended = item.body.rounds.index is self._index
            self.left = self._ended and item.body.left
            if self._ended:
                return ()
        (self.after if self._ended else self.inside).items.append(item)
        return ()

    claim = loop = recorded

    def branch(self, item: Branch) -> tuple[()]:
        if self._ended:
            return self.recorded(item)
        arms = _Splitting(self._index, self._made), _Splitting(self._index, self._made)
        for arm, block in zip(arms, (item.then, item.orelse), strict=True):
            arm.visit(block)
        then, orelse = arms
        self.inside.items.append(self._made(item, replace(item, then=then.inside, orelse=orelse.inside)))
        self.after.items.append(self._made(item, replace(item, then=then.after, orelse=orelse.after)))
        self.left = then.left or orelse.left
        return ()


def _index_of(body: LoopBody) -> Term:
    """The index of a device loop of a symbolic run."""
    index = body.rounds.index
    assert index is not None
    return index


def _loop(body: LoopBody, inside: Block) -> tuple[list[Assume], Loop]:
    """A device loop, and what is known of the numbers that say how often it goes round."""
    rounds, index = body.rounds, _index_of(body)
    atom = terms.index_atom(index)
    bounds: list[Condition | bool] = [conditions.at_most_zero(terms.scale(index, -1))]
    if rounds.number is not None:
        bounds.append(conditions.at_most_zero(terms.add(terms.add(index, rounds.number, -1), terms.constant(1))))
    known: list[Assume] = []
    for number, value in rounds.known:
        for each in value.known if value.known is not None and len(value.known) == 1 else ():
            low, high = as_term(each.low), as_term(each.high)
            assert low is not None
            assert high is not None
            known.append(Assume(conditions.at_most_zero(terms.add(low, number, -1)), of_number=True))
            known.append(Assume(conditions.at_most_zero(terms.add(number, high, -1)), of_number=True))
    extent = atom.extent if rounds.number is None else rounds.number
    return known, Loop(atom, extent, tuple(bounds), inside, None, counted=rounds.number is not None)


def _placed(view: Tensor) -> Tensor:
    """A view that a register moves whose number is known as a term, where that says it is."""
    moves = view.indirect_by
    if moves is None or moves.kind is not IndirectionKind.SCALAR or moves.value is None:
        return view
    number = moves.value.number
    if number is None:
        return view
    found = view.with_layout(view.shape, view.strides, moved_by=((number, moves.stride),))  # type: ignore[arg-type]
    found.indirect_by = None
    return found
