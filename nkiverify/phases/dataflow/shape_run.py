"""A concrete run on one shape, as it is examined for dead stores: by places in the kernel."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from math import prod

from nkiverify.analysis.marks.liveness import DeadStore, Liveness, liveness
from nkiverify.analysis.marks.order import Recorded
from nkiverify.analysis.marks.storage_cells import Layouts
from nkiverify.analysis.side_effects import Source, source_of
from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.recorded import Executed


@dataclass
class Shape:
    """A concrete run on `values`: its operations by their place in the kernel, and which of them are dead stores."""

    values: dict[str, int]
    recorded: Sequence[Recorded]
    #: What walks over the record share.
    layouts: Layouts

    @cached_property
    def _liveness(self) -> Liveness:
        return liveness(self.recorded, self.layouts)

    @property
    def dead_stores(self) -> dict[int, DeadStore]:
        """The dead stores among its operations."""
        return self._liveness.dead_stores

    @cached_property
    def sources(self) -> dict[Source, list[int]]:
        """Its operations by their place in the kernel, as far as they touch anything."""
        found: dict[Source, list[int]] = {}
        for position in self._liveness.executed:
            source = self.source(position)
            if source is not None:
                found.setdefault(source, []).append(position)
        return found

    @property
    def elements(self) -> int:
        """The elements of all operands."""
        operations = [item.operation for item in self.recorded if isinstance(item, Executed)]
        views = [view for one in operations for view in (*one.reads.values(), *one.writes.values())]
        return sum(prod(map(int, view.shape)) for view in views)

    def executed(self, position: int) -> Executed:
        """The operation at a position of the run."""
        item = self.recorded[position]
        assert isinstance(item, Executed)
        return item

    def source(self, position: int) -> Source | None:
        """Its place in the kernel."""
        return source_of(self.executed(position))

    def never_used(self, source: Source) -> bool:
        """True if every execution there is a dead store."""
        return all(position in self.dead_stores for position in self.sources.get(source, ()))

    def readers(self, source: Source) -> set[Source]:
        """The other places that read what is written there, dead themselves."""
        found = {self.source(reader) for at in self.sources[source] for reader in self.dead_stores[at].readers}
        return {reader for reader in found if reader is not None and reader != source}

    def arguments_of(self, sources: Collection[Source]) -> list[str]:
        """The tensors that are arguments of which nothing is read but by these places."""
        read: dict[bool, dict[str, None]] = {True: {}, False: {}}
        for item in self.recorded:
            if isinstance(item, Executed):
                storages = (view.storage for view in item.operation.reads.values())
                names = dict.fromkeys(one.name for one in storages if isinstance(one.identity, tuple))
                read[source_of(item) in sources] |= names
        return [name for name in read[True] if name not in read[False]]

    def overwrites_itself(self, source: Source) -> int | None:
        """The first operation there that the same line overwrites before anything reads it, if one is."""
        for position in self.sources.get(source, ()):
            by = self.overwritten(position)
            if by is not None and self.source(by) == source:
                return position
        return None

    def overwritten(self, position: int) -> int | None:
        """The operation that overwrote what nothing had read, if one did."""
        found = self.dead_stores.get(position)
        return None if found is None or found.readers else found.overwritten_by
