"""The operations that one element of a result came from, found backwards through the history of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from nkiverify.analysis.element_marks import distinct
from nkiverify.analysis.values import cells as storage
from nkiverify.analysis.values.cells import Cells, Region
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.model.dependence import REDUCTION_RESULT, Link
from nkiverify.model.registry import declaration

if TYPE_CHECKING:
    from nkiverify.model.tensor import Tensor

#: An element depends on the one at the same place of an operand of as many elements.
_AT_THE_SAME_PLACE = frozenset((Link.ROW_MAJOR, Link.BROADCAST, Link.ROWS, Link.SELECTED))
#: A partition depends on the same partition of an operand of as many partitions.
_IN_THE_SAME_PARTITION = frozenset(
    (
        Link.BROADCAST,
        Link.ROWS,
        Link.SELECTED,
        Link.PARTITION,
        Link.ALONG,
        Link.STATISTICS,
        Link.AGGREGATED,
        Link.BEFORE,
        Link.REDUCED,
    )
)


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand of a recorded operation: the number of its allocation, the kernel's name for it, and its region."""

    allocation: int
    name: str
    where: Region


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One operation of a history; `functions` are those it applied that are no quotients of polynomials."""

    operation: str
    site: Site | None
    reads: Mapping[str, Operand]
    writes: Mapping[str, Operand]
    details: str
    functions: frozenset[str]
    accumulates: bool
    #: Whether it continues from what reduction registers hold, which no operand shows.
    continues: bool
    #: Whether columns of the stationary operand of a product, not rows, are for its rows.
    by_columns: bool
    #: The words of the elements it wrote, by parameter, in row-major order, where they are kept.
    words: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SliceLine:
    """One line of a kernel in a slice: what it does, and how many of its executions are in the slice."""

    site: Site | None
    text: str
    times: int


@dataclass(frozen=True, slots=True)
class Slice:
    """Where an element came from: lines of the kernel in the order of their first execution, the arguments read."""

    lines: tuple[SliceLine, ...]
    arguments: tuple[str, ...]
    functions: frozenset[str]
    #: The first line whose result the other kernel computes nowhere, as far as that is known.
    parts: SliceLine | None = None


class KeptHistory(Protocol):
    """An execution on numbers that has kept its history."""

    history: list[HistoryEntry] | None

    @property
    def argument_names(self) -> dict[int, str]:
        """The names of the arguments, by the numbers of their allocations."""

    def cells(self, tensor: Tensor) -> Cells:
        """The elements of the storage of a tensor."""


def slice_of(run: KeptHistory, tensor: Tensor, element: tuple[int, ...], other: Array | None = None) -> Slice:
    """The slice of one element of a tensor; `run` has kept its history. `other`: the words of all that the other kernel
    computes, sorted."""
    history = run.history
    assert history is not None
    whole = storage.positions_of(tuple(map(int, tensor.shape)), tuple(map(int, tensor.strides)), int(tensor.offset))
    wanted: dict[int, set[int]] = {run.cells(tensor).number: {int(whole[element])}}
    counts: dict[tuple[Site | None, str], int] = {}
    functions: set[str] = set()
    parts: SliceLine | None = None
    arguments: dict[str, None] = {}
    for entry in reversed(history):
        for parameter, target in entry.writes.items():
            missing = wanted.get(target.allocation)
            if not missing:
                continue
            places = _positions(target.where)
            hit = np.isin(places, np.fromiter(missing, dtype=np.int64))
            if not hit.any():
                continue
            if not entry.accumulates:
                missing.difference_update(places[hit].tolist())
            counts[entry.site, _described(entry)] = counts.get((entry.site, _described(entry)), 0) + 1
            functions |= entry.functions
            if other is not None and parameter in entry.words and not _contained(entry.words[parameter][hit], other):
                parts = SliceLine(entry.site, _described(entry), 1)
            if entry.continues:
                functions |= {name for other in history for name in other.functions}
            for name, operand in entry.reads.items():
                needed = _needed(entry, parameter, target.where, name, operand.where, hit)
                wanted.setdefault(operand.allocation, set()).update(needed)
    for number, elements in wanted.items():
        argument = run.argument_names.get(number)
        if argument is not None and elements:
            arguments[f"{argument} ({len(elements)} elements)"] = None
    lines = tuple(SliceLine(site, text, times) for (site, text), times in reversed(counts.items()))
    return Slice(lines, tuple(arguments), frozenset(functions), parts)


def _contained(words: Array, known: Array) -> bool:
    """True if all words are among those that are known, which are sorted."""
    places = np.minimum(np.searchsorted(known, words), max(known.size - 1, 0))
    return bool(known.size) and bool((known[places] == words).all())


def _described(entry: HistoryEntry) -> str:
    operands = ", ".join(f"{name}={operand.name}" for name, operand in entry.reads.items() if operand.name)
    parts = [part for part in (entry.details, operands) if part]
    return f"{entry.operation}({', '.join(parts)})"


def _positions(where: Region) -> Array:
    """The positions of a region's elements, flat, in row-major order; -1 where they are not touched."""
    if where.positions is None:
        return storage.positions_of(where.shape, where.strides, where.offset).ravel()
    places = np.broadcast_to(where.positions, where.shape)
    return (places if where.valid is None else np.where(where.valid, places, -1)).ravel()


def _needed(entry: HistoryEntry, parameter: str, target: Region, name: str, operand: Region, hit: Array) -> set[int]:
    """Positions of an operand that the elements `hit` of a result were computed from, or more of them."""
    places = _positions(operand)
    chosen = np.flatnonzero(hit)
    rows, columns = len(hit) // target.shape[0], operand.size // operand.shape[0]
    if name == parameter or (name == "dst" and parameter == "dst"):
        return _set(places[hit])
    link = _link(entry, parameter, name)
    if link is Link.NOTHING:
        return set()
    if link in _AT_THE_SAME_PLACE and places.size == hit.size:
        return _set(places[hit])
    if link is Link.TRANSPOSED and places.size == hit.size:
        return _set(places.reshape(operand.shape[0], -1).T.ravel()[hit])
    aligned = len(operand.shape) == len(target.shape) or link is not Link.BROADCAST
    if link in _IN_THE_SAME_PARTITION and aligned and operand.shape[0] == target.shape[0]:
        return _set(places.reshape(operand.shape[0], -1)[distinct(chosen // rows)].ravel())
    if link in (Link.STATIONARY, Link.MOVING):
        side = distinct(chosen // rows if link is Link.STATIONARY else chosen % rows)
        lines = places.reshape(operand.shape[0], columns)
        lines = lines.T if link is Link.MOVING or entry.by_columns else lines
        if side.size == 0 or int(side[-1]) < len(lines):
            return _set(lines[side].ravel())
    return _set(places)


def _link(entry: HistoryEntry, parameter: str, name: str) -> Link:
    stated = declaration(entry.operation).dependence
    if stated is None:
        return Link.EVERYTHING
    return Link.PARTITION if parameter == REDUCTION_RESULT else stated.on(name)


def _set(places: Array) -> set[int]:
    return {int(place) for place in places.tolist() if place >= 0}
