"""The facts that a walk needs of a program beforehand: its launch grid, and what concerns one iteration only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nkiverify.analysis.sets.keys import Key, indices_of, key_of
from nkiverify.ir.program import Block, Branch, Item, Loop, ParallelLoop, Program
from nkiverify.ir.walk import Visitor, items, of_kind
from nkiverify.model.recorded import Allocation, Executed, Returned
from nkiverify.model.state import bodies
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Index
from nkiverify.symbolic.conditions import Condition


def local_allocations(block: Block) -> dict[Index, set[Key]]:
    """By the index of a loop: the allocations of which each iteration has its own, that nothing else ever looks at.

    Loops of one index are on different paths. Should one follow another on a path, it has no such allocations.
    """
    local = _Local()
    local.visit(block)
    return local.found()


class _Local(Visitor[None]):
    """The loops of a block, and the indices by which each allocation differs wherever it is examined."""

    def __init__(self) -> None:
        self._loops: dict[Index, None] = {}
        self._places: dict[Key, set[tuple[int, Index]]] = {}
        self._repeated: set[Index] = set()
        self._around: tuple[Index, ...] = ()
        #: The loops before this place, on its path; what has been examined in this block.
        self._before: set[Index] = set()
        self._met: set[Storage] = set()

    def found(self) -> dict[Index, set[Key]]:
        found: dict[Index, set[Key]] = {index: set() for index in self._loops}
        for key, own in self._places.items():
            for _, atom in own:
                if atom not in self._repeated:
                    found[atom].add(key)
        return found

    def loop(self, item: Loop) -> Iterable[None]:
        if item.index in self._before:
            self._repeated.add(item.index)
        self._before.add(item.index)
        self._loops.setdefault(item.index)
        self._within(item.body, (*self._around, item.index))
        return ()

    def arm(self, condition: Condition, block: Block, branch: Branch) -> Iterable[None]:
        self._within(block, self._around)
        return ()

    def _within(self, block: Block, around: tuple[Index, ...]) -> None:
        kept = self._around, self._before, self._met
        self._around, self._before, self._met = around, set(self._before), set()
        self.visit(block)
        self._around, self._before, self._met = kept

    def recorded(self, item: Item) -> Iterable[None]:
        for storage in (view.storage for view in _views(item)):
            if storage not in self._met:
                self._met.add(storage)
                rounds = (body.rounds.index for body in bodies(storage.body))
                own = {
                    (at, atom)
                    for at, index in enumerate((*indices_of(storage), *rounds))
                    for atom in self._around
                    if index is terms.of_atom(atom)
                }
                key = key_of(storage)
                self._places[key] = self._places[key] & own if key in self._places else own
        return ()


def _views(item: Item) -> Iterable[Tensor]:
    if isinstance(item, Returned):
        return item.tensors
    return (*item.operation.reads.values(), *item.operation.writes.values()) if isinstance(item, Executed) else ()


def views_of(program: Program) -> Iterator[Tensor]:
    """Every view that an operation of a program has, or that is returned."""
    return (view for item in items(program.body) for view in _views(item))


def has_parallel(block: Block) -> bool:
    """True if any loop has no order."""
    return any(of_kind(block, ParallelLoop)) or any(loop.parallel for loop in of_kind(block, Loop))


def executes(block: Block) -> bool:
    """True if anything is executed in a block."""
    return any(isinstance(item, Executed | Allocation) for item in items(block))


def bounds_of(atom: Index) -> list[conditions.Condition | bool]:
    """The range of an index, as conditions."""
    term = terms.of_atom(atom)
    return [
        conditions.at_most_zero(terms.scale(term, -1)),
        conditions.at_most_zero(terms.add(terms.add(term, atom.extent, -1), terms.constant(1))),
    ]
