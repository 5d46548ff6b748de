"""Lines of which it follows from a proof that what they write is used: no concrete run needs to look for dead stores.

The walk over sets has shown that an output is written all over, and that whoever reads an element finds one that was
written. If only one line ever writes an allocation, it was that line: it is used in every run in which something that
is used reads the allocation, or that returns it. Where several lines write it, one is used whose elements are read
before another line writes: the order of the program says so, or a loop that goes round.

That is seen in some run, which a line needs to be no dead store. That no iteration overwrites what nobody has read
is shown of all runs: an allocation that each iteration has for itself, a line that reads what it overwrites, one
that another line reads after it, or elements that differ from one iteration to the next.

What cannot be known is said to be open: then concrete runs look for dead stores.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product

from nkiverify.analysis.effects import Does, Effect, Effects, begins_sum
from nkiverify.analysis.sets.disjoint import disjoint, meets, same_elements
from nkiverify.analysis.sets.keys import Key, indices_of, key_of
from nkiverify.analysis.sets.proof import Proof
from nkiverify.analysis.side_effects import Source, has_effect, source_of
from nkiverify.foundation.budget import SetsBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import identity
from nkiverify.ir.program import Loop, Program
from nkiverify.ir.walk import Path, WayStep, of_kind, walk
from nkiverify.model.recorded import Executed, Returned
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.facts import Facts


def all_used(program: Program, proof: Proof) -> bool:
    """True if it is known that no line of `program` is a dead store for all shapes, and that in none an iteration
    overwrites what nobody has read. `proof` has shown all claims."""
    launched = any(item.operation.program for item in of_kind(program.body, Executed))
    # Programs of a launch store to the same tensors, one next to the other.
    return not launched and not proof.open and _Uses(program, proof).all_used()


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """An operation in the program, or what is returned there: the `number` says which comes first.

    `way` are the blocks that lead to it, outermost first, each with the position of the item that continues.
    """

    number: int
    item: Executed | Returned
    way: tuple[WayStep, ...]
    #: The conditions that hold before it, outermost first.
    held: tuple[Condition | bool, ...]
    reads: Mapping[Key, list[Effect]]
    writes: Mapping[Key, list[Effect]]

    @property
    def source(self) -> Source | None:
        """Its line, and the name of the operation."""
        return source_of(self.item) if isinstance(self.item, Executed) else None

    @property
    def counts(self) -> bool:
        """True if it is used wherever it is executed."""
        sure = all(effect.certain for effects in self.writes.values() for effect in effects)
        return isinstance(self.item, Returned) or not sure or has_effect(self.item.operation)

    def views_read(self, key: Key) -> list[Tensor]:
        """The views of an allocation of which it reads all elements."""
        if isinstance(self.item, Returned):
            return [tensor for tensor in self.item.tensors if key_of(tensor.storage) == key]
        found = (effect for effect in self.reads.get(key, ()) if not _may_begin(effect))
        return [effect.view for effect in found if _touches_all(effect)]

    def views_written(self, key: Key) -> list[Tensor]:
        """The views of an allocation of which it writes all elements."""
        return [effect.view for effect in self.writes[key] if _touches_all(effect)]

    def keys_read(self) -> Iterator[Key]:
        """The allocations of which it reads elements, all of which have been written."""
        tensors = self.item.tensors if isinstance(self.item, Returned) else ()
        # What begins a sum may find nothing.
        effects = (effect for effects in self.reads.values() for effect in effects if not begins_sum(effect))
        views = (*tensors, *(effect.view for effect in effects if effect.does is Does.READ))
        # An argument is there from the beginning.
        yield from (key for key in map(key_of, (view.storage for view in views)) if key[0] != "argument")

    def loops(self, depth: int = 0) -> Iterator[Loop]:
        """The loops around it, from the block at `depth` of its way on."""
        return (step.loop for step in self.way[depth:] if step.loop is not None)

    def goes_on(self, key: Key) -> bool:
        """True if it reads all the elements of an allocation that it overwrites, whatever is in them."""
        read = [effect.view for effect in self.reads.get(key, ()) if effect.rows is None and not _may_begin(effect)]
        return all(any(same_elements(effect.view, view) for view in read) for effect in self.writes[key])


class _Uses:
    """Follows uses from what a program returns to what feeds it."""

    def __init__(self, program: Program, proof: Proof) -> None:
        self._unwritten = {identity(item) for item in proof.read_unwritten}
        #: What is claimed of: of paths that no shape takes it is nothing.
        self._claimed = {identity(one.item) for one in proof.stated}
        self._effects = Effects()
        self._places: list[_Place] = []
        #: The places that write and read each allocation, in order; the numbers of the places that each item holds.
        self._writers: dict[Key, list[_Place]] = {}
        self._readers: dict[Key, list[_Place]] = {}
        self._within: dict[int, tuple[int, int]] = {}
        #: What holds in each block, behind this many conditions.
        self._facts: dict[tuple[int, int], Facts] = {}
        #: Places that are used in some run, and lines that are.
        self._used: set[_Place] = set()
        self._used_lines: set[Source | None] = {None}
        #: Whether views meet, by what is asked: all of that is held by the places, or here.
        self._met: dict[tuple[int, ...], bool] = {}
        #: Allocations that something used reads.
        self._fed: set[Key] = set()
        for path, item in walk(program.body):
            if isinstance(item, Executed | Returned):
                self._add(item, path)

    def _add(self, item: Executed | Returned, path: Path) -> None:
        reads: dict[Key, list[Effect]] = {}
        writes: dict[Key, list[Effect]] = {}
        for effect in self._effects.of(item.operation) if isinstance(item, Executed) else ():
            (writes if effect.writes else reads).setdefault(key_of(effect.view.storage), []).append(effect)
        place = _Place(len(self._places), item, path.steps, path.conditions, reads, writes)
        self._places.append(place)
        for step in place.way:
            first, _ = self._within.get(identity(step.item), (place.number, 0))
            self._within[identity(step.item)] = first, place.number + 1
        for key in writes:
            self._writers.setdefault(key, []).append(place)
        for key in reads if isinstance(item, Executed) else dict.fromkeys(place.keys_read()):
            self._readers.setdefault(key, []).append(place)

    def all_used(self) -> bool:
        """True if every line is used, and none overwrites what it has written before anything reads it."""
        self._follow()
        if any(place.source not in self._used_lines for place in self._places):
            return False
        return all(self._is_kept(place) for place in self._places if place.source)

    # --- used in some run ---------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        for place in self._places:
            if isinstance(place.item, Returned) and identity(place.item) not in self._claimed:
                continue
            outputs = [key for key in place.writes if key[0] == "argument"]
            if (outputs or place.counts) and all(self._goes_on_to(place, depth) for depth in range(len(place.way))):
                for key in outputs:
                    self._use(self._writers[key])
                if place.counts:
                    self._use([place])
        found = True
        while found and not all(place.source in self._used_lines for place in self._places):
            found = False
            for place in reversed(self._places):
                if place not in self._used and any(self._is_seen(place, key) for key in place.writes):
                    found = True
                    self._use([place])

    def _use(self, places: Sequence[_Place]) -> None:
        """One of some places is used, in some run: so is what it reads there."""
        waiting = [places]
        while waiting:
            places = waiting.pop()
            if not places:
                continue
            lines = {place.source for place in places}
            if len(lines) == 1:
                self._used_lines |= lines
            if len(places) == 1:
                self._used.update(places)
            # It may have been any of them: what all of them read is used.
            for key in set.intersection(*map(self._written, places)) - self._fed:
                self._fed.add(key)
                # Who reads what it overwrites hands on what another one has written first.
                waiting.append([one for one in self._writers.get(key, ()) if key not in self._written(one)])

    def _written(self, place: _Place) -> set[Key]:
        """The allocations of which a place reads elements that have all been written."""
        return set() if identity(place.item) in self._unwritten else set(place.keys_read())

    def _is_seen(self, place: _Place, key: Key) -> bool:
        """True if something that is used reads what a place has written, before anything else writes there."""
        readers = (reader for reader in self._after(self._readers, key, place) if reader in self._used)
        return any(self._is_seen_by(place, reader, key) for reader in islice(readers, SetsBudget.READERS))

    def _is_seen_by(self, place: _Place, reader: _Place, key: Key) -> bool:
        """True if a reader that comes after a place, in one iteration of the loops around both, reads what it wrote."""
        depth = _fork(place, reader)
        if depth is None:
            return False
        here, later = place.way[depth], reader.way[depth]
        inner, others = list(place.loops(depth)), list(reader.loops(depth))
        if not all(self._goes_on_to(place, number) for number in range(depth, len(place.way))):
            return False
        first, last = self._within[identity(here.item)][0], self._within[identity(later.item)][1]
        # The reader itself, unless it comes again, reads first; who reads what it overwrites hands it on.
        rivals: list[_Place] = []
        behind: list[Tensor] = []
        around = list(reader.loops())
        for writer in self._between(key, first, last):
            if writer is place or (writer is reader and not others) or writer.goes_on(key):
                continue
            if writer.number > reader.number and list(writer.loops()) == around:
                # It may come before the reader in an earlier iteration only.
                behind += [effect.view for effect in writer.writes[key]]
            else:
                rivals.append(writer)
            if len(rivals) + len(behind) > SetsBudget.WRITERS:
                return False
        if not self._is_apart(place, rivals, key, inner):
            return False
        views = product(place.views_written(key), reader.views_read(key))
        facts = self._facts_at(place), self._facts_at(reader)
        return any(
            self._meets(written, read, inner, others, facts)
            and (not behind or disjoint(read, behind, (), others, self._facts_at(reader)))
            for written, read in views
        )

    def _is_apart(self, place: _Place, others: Iterable[_Place], key: Key, loops: Sequence[Loop]) -> bool:
        """True if other places, in the same loops, never write what a place does in an iteration of `loops`, nor does
        it in another one, if there are others."""
        attached = list(islice(others, SetsBudget.WRITERS))
        if not attached:
            return True
        around = list(place.loops())
        if len(attached) == SetsBudget.WRITERS or any(list(other.loops()) != around for other in attached):
            return False
        return self._is_disjoint(place, attached, key, loops)

    def _is_disjoint(self, place: _Place, others: Sequence[_Place], key: Key, loops: Sequence[Loop]) -> bool:
        """True if what a place writes in an iteration of `loops` neither it nor others write in another one."""
        if any(len(one.writes[key]) != 1 for one in (place, *others)):
            return False
        views = {other: other.writes[key][0].view for other in others}
        attached = [view for other, view in views.items() if not _in_different_arms(place, other)]
        return disjoint(place.writes[key][0].view, list(views.values()), attached, loops, self._facts_at(place))

    # --- never overwritten unread -------------------------------------------------------------------------------------

    def _is_kept(self, place: _Place) -> bool:
        """True if no execution of the same line overwrites anything of what a place has written, unless something of it
        has been read."""
        keys = list(place.writes)
        return any(self._is_read_next(place, key) for key in keys) or all(self._stays(place, key) for key in keys)

    def _stays(self, place: _Place, key: Key) -> bool:
        """True if no execution of the same line overwrites what a place has written to an allocation, unless it reads
        that first."""
        uniform = [other for other in self._writers[key] if other.source == place.source]
        if all(other.goes_on(key) for other in uniform):
            return True
        own = [{identity(index) for index in indices_of(effect.view.storage)} for effect in place.writes[key]]
        fresh = set.intersection(*own)
        shared = [loop for loop in place.loops() if identity(terms.of_atom(loop.index)) not in fresh]
        attached = (other for other in uniform if other is not place and not _exclude(place, other, shared))
        others = list(islice(attached, SetsBudget.WRITERS))
        if not shared and not others:
            return True
        return self._is_apart(place, others, key, shared) and self._is_disjoint(place, others, key, shared)

    def _is_read_next(self, place: _Place, key: Key) -> bool:
        """True if something always reads what a place has written before anything else writes there."""
        for reader in islice(self._after(self._readers, key, place), SetsBudget.READERS):
            depth = _fork(place, reader)
            if depth is None or any(step.branch is not None for step in reader.way[depth:]):
                return False
            others, inner = list(reader.loops(depth)), list(place.loops(depth))
            between = self._between(
                key, self._within[identity(place.way[depth].item)][0] if inner else place.number, reader.number
            )
            if any(writer is not place for writer in between):
                return False
            if inner and not self._is_disjoint(place, (), key, inner):
                return False
            views = product(place.views_written(key), reader.views_read(key))
            facts = self._facts_at(place), self._facts_at(reader)
            met = any(self._meets(written, read, (), others, facts) for written, read in views)
            if met and all(self._goes_on_to(reader, number) for number in range(depth, len(reader.way))):
                return True
        return False

    def _meets(
        self, written: Tensor, read: Tensor, inner: Sequence[Loop], others: Sequence[Loop], facts: tuple[Facts, Facts]
    ) -> bool:
        """`meets`, which is asked of the same two views for each line of a kernel that reads a tile and writes it."""
        asked = tuple(map(id, (written, read, *inner, None, *others, *facts)))
        found = self._met.get(asked)
        if found is None:
            found = self._met[asked] = meets(written, read, inner, others, facts)
        return found

    # --- the program --------------------------------------------------------------------------------------------------

    def _after(self, places: Mapping[Key, list[_Place]], key: Key, place: _Place) -> Iterator[_Place]:
        """The places of an allocation that come after a place."""
        found = places.get(key, [])
        for at in range(bisect_right(found, place.number, key=lambda one: one.number), len(found)):
            yield found[at]

    def _between(self, key: Key, first: int, last: int) -> Iterator[_Place]:
        """The places with numbers from `first` to before `last` that write an allocation."""
        found = self._writers.get(key, [])
        for at in range(bisect_left(found, first, key=lambda one: one.number), len(found)):
            if found[at].number >= last:
                return
            yield found[at]

    def _goes_on_to(self, place: _Place, depth: int) -> bool:
        """True if the item at `depth` of the way to a place leads there in some run that comes to it, and in all of
        those where it is no branch: no loop that may go round never, nor a branch in one."""
        step = place.way[depth]
        if step.branch is not None:
            return next(place.loops(), None) is None
        if step.loop is None:
            return True
        least = conditions.at_most_zero(terms.add(terms.constant(1), step.loop.extent, -1))
        return self._facts_at(place, depth).proves(least)

    def _facts_at(self, place: _Place, depth: int = -1) -> Facts:
        """The facts that hold before the item at `depth` of the way to a place."""
        depth %= len(place.way)
        step = place.way[depth]
        key = identity(step.block), step.held
        if key not in self._facts:
            known, before = (place.way[depth - 1].held, self._facts_at(place, depth - 1)) if depth else (0, Facts())
            self._facts[key] = before.extended(*place.held[known : step.held])
        return self._facts[key]


def _may_begin(effect: Effect) -> bool:
    """True if an operation that adds to a sum begins one where a condition does not hold: it reads nothing then."""
    return effect.does is Does.ACCUMULATE and isinstance(
        effect.operation.attributes.get("accumulate"), conditions.Condition
    )


def _fork(place: _Place, other: _Place) -> int | None:
    """The depth of the block in which another place comes after; None where there is none."""
    for depth, (here, there) in enumerate(zip(place.way, other.way, strict=False)):
        if here.block is not there.block:
            return None
        if here.at != there.at:
            return depth if here.at < there.at else None
    return None


def _in_different_arms(place: _Place, other: _Place) -> bool:
    """True if an iteration, or a run, comes to one of two places only."""
    for here, there in zip(place.way, other.way, strict=False):
        if here.block is not there.block:
            return True
        if here.at != there.at:
            return False
    return False


def _exclude(place: _Place, other: _Place, shared: Sequence[Loop]) -> bool:
    """True if of two places no run comes to both, but in different iterations of loops of which none is `shared`, which
    are around the first."""
    return _in_different_arms(place, other) and not any(loop in shared for loop in other.loops())


def _touches_all(effect: Effect) -> bool:
    """True if no mask, nor anything else, leaves out elements of the view."""
    return effect.operation.mask is None and effect.rows is None and effect.view.indirect_by is None
