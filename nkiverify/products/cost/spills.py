"""Live bytes of the memories on the chip, for what a compiler spills.

Each block of a legacy tensor with block dimensions is a tile of its own. Where all accesses of one take the block that
the same loop counts, one iteration has done with it before the next one begins its own: one block of that dimension is
live. Phase 3 counts all of them, which is sufficient; a compiler that sees this needs less.

What is the same in each iteration of a loop is computed, or loaded, once by a compiler that takes it out of the loop:
it is live as long as the loop runs. Where that is more than there is, it loads or computes it again, or spills.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nkiverify.analysis.sets.keys import Key, key_of
from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.hardware import Hardware
from nkiverify.model.memory import MemoryRegion
from nkiverify.model.tensor import Storage
from nkiverify.phases.memory.claims import REGIONS, MemoryClaims, Need, limit_of
from nkiverify.phases.memory.occupancy import in_first_iteration
from nkiverify.phases.memory.peaks import bytes_of, largest
from nkiverify.products.cost.counting import ONE, product_of, term_of
from nkiverify.products.cost.formulas import Cost
from nkiverify.products.cost.invariants import kept_bytes
from nkiverify.symbolic.atoms import Atom, Index, Term
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.terms import coefficient_of, multiply


@dataclass(frozen=True, slots=True)
class Peak:
    """The most that is live in a memory, in bytes of a partition, at the shape that is reported: with all blocks of
    each tensor, and with one where they are used in turn. `kept` comes to the latter where what does not depend on a
    loop is taken out of it."""

    memory: str
    limit: int
    bytes: int
    in_turn: int
    kept: int = 0

    @property
    def overflows(self) -> bool:
        """True if more is live than there is as it is written, one block of a tensor at a time where that is enough."""
        return self.in_turn > self.limit

    @property
    def spills(self) -> bool:
        """True if more is live than there is, as it is written or with what is taken out of loops: it is spilled, or
        loaded or computed again."""
        return self.in_turn + self.kept > self.limit


def peaks(claimed: object, cost: Cost, hardware: Hardware, values: Mapping[Atom, int]) -> Iterator[Peak]:
    """The peak of each memory that is used, of the claims of phase 3."""
    if not isinstance(claimed, MemoryClaims):
        return
    turns = _turns(cost)
    for region in REGIONS:
        needs = [need for need in claimed.needs if need.region is region]
        if needs:
            in_turn = max(_in_turn(need, turns, values) for need in needs)
            kept = kept_bytes(cost, values) if region is MemoryRegion.sbuf else 0
            yield Peak(str(region), limit_of(region, hardware), largest(needs, values), in_turn, kept)


def _in_turn(need: Need, turns: Mapping[Key, Term], values: Mapping[Atom, int]) -> int:
    """The bytes of a need, where tensors have this many blocks that are used in turn."""
    total = bytes_of(need, values) or 0
    for allocated, taken in need.parts:
        blocks = turns.get(key_of(allocated.storage))
        if total and blocks is not None:
            here = Valuation(values)
            try:
                part, count = here.term(in_first_iteration(taken)), here.term(blocks)
            except Undefined:
                continue
            total -= part - part // max(1, count)
    return total


def _turns(cost: Cost) -> dict[Key, Term]:
    """How many blocks of a tensor are used in turn, one in each iteration of the loops that count them."""
    used: dict[Key, tuple[Storage, list[Index | None]]] = {}
    for executed, _ in cost.nests:
        if executed.operation.declared.behaviour.fills is not None:
            # Zeros are put where a sum begins.
            continue
        for view in executed.operation.views:
            storage = view.storage
            if view.on_chip and storage.block_dims:
                found: Sequence[Index | None] = [None] * storage.block_dims
                if not view.block_dims:
                    found = _counted(term_of(view.offset), storage)
                _, known = used.setdefault(key_of(storage), (storage, list(found)))
                known[:] = [one if one is other else None for one, other in zip(known, found, strict=True)]
    return {
        key: product_of(
            term_of(extent) for extent, index in zip(storage.shape, known, strict=False) if index is not None
        )
        for key, (storage, known) in used.items()
    }


def _counted(offset: Term, storage: Storage) -> list[Index | None]:
    """The index of the loop that counts the blocks along each of the dimensions that a view begins in."""
    found: list[Index | None] = []
    strides = [ONE]
    for extent in reversed(storage.shape[1:]):
        strides.append(multiply(strides[-1], term_of(extent)))
    for stride in [*reversed(strides)][: storage.block_dims]:
        indices = [atom for atom in offset.atoms if isinstance(atom, Index)]
        mine = [one for one in indices if (parts := coefficient_of(offset, one)) is not None and parts[0] is stride]
        found.append(mine[0] if len(mine) == 1 else None)
    return found
