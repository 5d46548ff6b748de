"""The facts that a walk needs of a program beforehand: its launch grid, and what concerns one iteration only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nkiverify.analysis.sets.keys import Key, indices_of, key_of
from nkiverify.ir.program import Block, Branch, Claim, Loop, ParallelLoop, Program, items
from nkiverify.model.recorded import Allocation, Executed, Returned
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Index, Term


def local_allocations(block: Block) -> dict[Index, set[Key]]:
    """By the index of a loop: the allocations of which each iteration has its own, that nothing else ever looks at.

    Loops of one index are on different paths. Should one follow another on a path, it has no such allocations.
    """
    found: dict[Index, set[Key]] = {}
    places: dict[Key, set[tuple[int, Index]]] = {}
    repeated: set[Index] = set()

    def views(item: Executed | Returned) -> Iterable[Tensor]:
        if isinstance(item, Returned):
            return item.tensors
        return (*item.operation.reads.values(), *item.operation.writes.values())

    def walk(block: Block, around: tuple[Index, ...], before: set[Index]) -> None:
        met: set[Storage] = set()
        for item in block.items:
            if isinstance(item, Claim):
                continue
            if isinstance(item, Loop):
                if item.index in before:
                    repeated.add(item.index)
                before.add(item.index)
                found.setdefault(item.index, set())
                walk(item.body, (*around, item.index), set(before))
            elif isinstance(item, Branch):
                walk(item.then, around, set(before))
                walk(item.orelse, around, set(before))
            elif isinstance(item, Executed | Returned):
                for storage in (view.storage for view in views(item)):
                    if storage in met:
                        continue
                    met.add(storage)
                    own = {
                        (at, atom)
                        for at, index in enumerate(indices_of(storage))
                        for atom in around
                        if index is terms.of_atom(atom)
                    }
                    key = key_of(storage)
                    places[key] = places[key] & own if key in places else own

    walk(block, (), set())
    for key, own in places.items():
        for _, atom in own:
            if atom not in repeated:
                found[atom].add(key)
    return found


def views_of(program: Program) -> Iterator[Tensor]:
    """Every view that an operation of a program has, or that is returned."""
    for item in items(program.body):
        if isinstance(item, Executed):
            yield from item.operation.reads.values()
            yield from item.operation.writes.values()
        elif isinstance(item, Returned):
            yield from item.tensors


def has_parallel(block: Block) -> bool:
    """True if any loop has no order."""
    return any(isinstance(item, ParallelLoop) or (isinstance(item, Loop) and item.parallel) for item in items(block))


def executes(block: Block) -> bool:
    """True if anything is executed in a block."""
    return any(isinstance(item, Executed | Allocation) for item in items(block))


def programs(block: Block) -> tuple[Index, ...]:
    """The coordinates of the program that stands for all of a launch."""
    found: dict[Index, None] = {}
    for item in items(block):
        if isinstance(item, Executed):
            for coordinate in item.operation.program:
                if isinstance(coordinate, Term):
                    found.update(dict.fromkeys(atom for atom in coordinate.atoms if isinstance(atom, Index)))
    return tuple(found)


def bounds_of(atom: Index) -> list[conditions.Condition | bool]:
    """The range of an index, as conditions."""
    term = terms.of_atom(atom)
    return [
        conditions.at_most_zero(terms.scale(term, -1)),
        conditions.at_most_zero(terms.add(terms.add(term, atom.extent, -1), terms.constant(1))),
    ]
