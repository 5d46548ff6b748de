"""Operations that do the same in each iteration of a loop around them, which a compiler takes out of it (loop-invariant
code motion): their results are live as long as the loop runs.

Under-approximated: an operation is said to be invariant only where all that it reads is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nkiverify.analysis.sets.keys import Key, indices_of, key_of
from nkiverify.analysis.uniform import UnknownValue, call_of
from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.memory import MemoryRegion
from nkiverify.model.recorded import Executed
from nkiverify.model.tensor import Storage
from nkiverify.products.cost.counting import term_of
from nkiverify.products.cost.formulas import Around, Cost
from nkiverify.symbolic.atoms import Atom, Condition, Index, Term
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.terms import all_atoms


def kept_bytes(cost: Cost, values: Mapping[Atom, int]) -> int:
    """Bytes of a partition of SBUF that results of invariant operations take, but for one tile of each: once they are
    out of the outermost loop that they do not depend on, there is one for each iteration of the loops within it."""
    invariants = _Invariants(cost)
    here = Valuation(values)
    found: dict[Key, int] = {}
    for executed, nest in cost.nests:
        loops = [around for around in nest if around.index is not None and around.loop is not None]
        tiles = [view for view in executed.operation.writes.values() if view.storage.buffer is MemoryRegion.sbuf]
        try:
            turns = [here.term(around.extent) for around in loops]
            free = [around for around in loops if invariants.holds(executed, around)] if tiles else []
            outermost = next((one for one in free if turns[loops.index(one)] > 1), None)
            if outermost is None:
                continue
            first = loops.index(outermost)
            copies = 1
            for around, turn in zip(loops[first + 1 :], turns[first + 1 :], strict=True):
                copies *= 1 if around in free else turn
            for view in tiles:
                size = here.term(term_of(view.free_size)) * view.itemsize
                key = key_of(view.storage)
                found[key] = max(found.get(key, 0), size * (copies - 1))
        except Undefined:
            continue
    return sum(found.values())


@dataclass(frozen=True, slots=True)
class _Access:
    """An operation with what is around it, and the tensors that it reads and writes."""

    executed: Executed
    nest: Sequence[Around]
    reads: frozenset[Key]
    writes: frozenset[Key]

    def within(self, index: Index) -> bool:
        return any(around.index is index for around in self.nest)


class _Invariants:
    """The operations of a program, and for each loop those that depend on its iteration."""

    def __init__(self, cost: Cost) -> None:
        self._accesses = [
            _Access(
                executed,
                nest,
                frozenset(key_of(view.storage) for view in executed.operation.reads.values()),
                frozenset(key_of(view.storage) for view in executed.operation.writes.values()),
            )
            for executed, nest in cost.nests
        ]
        self._storages = {
            key_of(view.storage): view.storage for executed, _ in cost.nests for view in executed.operation.views
        }
        self._dependent: dict[Index, set[int]] = {}

    def holds(self, executed: Executed, around: Around) -> bool:
        """True if an operation surely does the same in each iteration of a loop around it."""
        index = around.index
        assert index is not None
        if index not in self._dependent:
            self._dependent[index] = {id(one.executed) for one in self._depending(index)}
        return id(executed) not in self._dependent[index]

    def _depending(self, index: Index) -> Iterator[_Access]:
        """The operations in the loop over `index` that may do something else in each iteration."""
        inside = [one for one in self._accesses if one.within(index)]
        written_inside = {key for one in inside for key in one.writes}
        written_before = {key for one in self._accesses if not one.within(index) for key in one.writes}
        varying: set[Key] = set()
        left = inside
        while left:
            found = [one for one in left if self._varies(one, index, varying, written_before, written_inside)]
            if not found:
                return
            yield from found
            varying |= {key for one in found for key in one.writes}
            left = [one for one in left if one not in found]

    def _varies(
        self, one: _Access, index: Index, varying: set[Key], written_before: set[Key], written_inside: set[Key]
    ) -> bool:
        operation = one.executed.operation
        if (one.reads | one.writes) & varying or _mentions(one, index):
            return True
        # What comes from the iteration before, or from before the loop, in the first one.
        return any(
            key in written_before or (key in one.writes and not _made_in(self._storages[key], index))
            for key in one.reads & written_inside
        ) or any(view.indirect_by is not None for view in operation.views)


def _made_in(storage: Storage, index: Index) -> bool:
    """True if each iteration of a loop has a tensor of its own."""
    return any(index in all_atoms(term) for term in indices_of(storage))


def _mentions(one: _Access, index: Index) -> bool:
    terms: list[Term] = []
    try:
        call_of(one.executed.operation, terms)
    except UnknownValue:
        return True
    conditions = [around.condition for around in one.nest if isinstance(around.condition, Condition)]
    return any(index in all_atoms(term) for term in terms) or any(index in each.atoms() for each in conditions)
