"""Device loops as loops of the program: their bodies, which are recorded once, are those of any iteration.

The body of a device loop is emitted where its items are recorded, between two marks (`DeviceLoop`). Here the items
between become the body of a `Loop` over its rounds, so that the walk over sets treats it as any loop of the host: an
iteration finds what lines before it in the same iteration have written, and what is known afterwards is so for any
number of rounds. In it a register that counts is a term, and an access moved by it is at the place that this says.

Engines are not asked about this program: what a contract asks of an instruction is asked of what is emitted, whether
or not it is ever executed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nkiverify.foundation.dataclass import dataclass
from nkiverify.ir.program import Assume, Block, Branch, Item, Loop, Program
from nkiverify.model.operation import infers_sum
from nkiverify.model.recorded import DeviceLoop, Executed
from nkiverify.model.state import LoopBody, bodies
from nkiverify.model.tensor import IndirectionKind, Tensor
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Index, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.values import as_term


def nested(program: Program) -> tuple[Program, Mapping[Item, Item]]:
    """The program with its device loops as loops, and the item that each new one has been made of."""
    nesting = _Nesting()
    body = nesting.block(program.body.items)
    return replace(program, body=body), nesting.origins


@dataclass(slots=True)
class _Split:
    """The items before the end of a device loop, and those after it, on each path; whether one has `left` it."""

    inside: Block
    after: Block
    left: bool = False


class _Nesting:
    def __init__(self) -> None:
        self.origins: dict[Item, Item] = {}
        #: The loops that a path leaves in their middle, by their index: what is executed there stays as it is recorded.
        self._left: set[int] = set()

    def block(self, items: Sequence[Item]) -> Block:
        """Items, none of which ends a loop that began before them."""
        found = Block()
        for at, item in enumerate(items):
            if isinstance(item, DeviceLoop) and item.begins:
                split = self._split(items[at + 1 :], _index_of(item.body))
                if not split.left:
                    known, loop = _loop(item.body, self.block(split.inside.items))
                    found.items += [*known, loop, *self.block(split.after.items).items]
                    return found
                self._left.add(_index_of(item.body).uid)
            elif isinstance(item, Branch):
                made = replace(item, then=self.block(item.then.items), orelse=self.block(item.orelse.items))
                found.items.append(self._made(item, made))
            elif isinstance(item, Loop):
                found.items.append(self._made(item, replace(item, body=self.block(item.body.items))))
            elif isinstance(item, Executed):
                found.items.append(self._executed(item))
            elif not isinstance(item, DeviceLoop):
                found.items.append(item)
        return found

    def _split(self, items: Sequence[Item], index: Term) -> _Split:
        """The items of a path, or of several, up to the end of the loop over `index`, and those behind it.

        Conditions on a path depend on no iteration: they hold behind the loop as well.
        """
        found = _Split(Block(), Block())
        for at, item in enumerate(items):
            if isinstance(item, DeviceLoop) and not item.begins and item.body.rounds.index is index:
                found.after.items += items[at + 1 :]
                found.left = item.body.left
                break
            if isinstance(item, Branch):
                then, orelse = self._split(item.then.items, index), self._split(item.orelse.items, index)
                found.inside.items.append(self._made(item, replace(item, then=then.inside, orelse=orelse.inside)))
                found.after.items.append(self._made(item, replace(item, then=then.after, orelse=orelse.after)))
                found.left = then.left or orelse.left
                break
            found.inside.items.append(item)
            if isinstance(item, Assume):
                found.after.items.append(item)
        return found

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
        return self._made(item, replace(item, operation=placed))

    def _made(self, item: Item, made: Item) -> Item:
        self.origins[made] = self.origins.get(item, item)
        return made


def _index_of(body: LoopBody) -> Term:
    """The index of a device loop of a symbolic run."""
    index = body.rounds.index
    assert index is not None
    return index


def _loop(body: LoopBody, inside: Block) -> tuple[list[Assume], Loop]:
    """A device loop, and what is known of the numbers that say how often it goes round."""
    rounds, index = body.rounds, _index_of(body)
    (atom,) = index.atoms
    assert isinstance(atom, Index)
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
