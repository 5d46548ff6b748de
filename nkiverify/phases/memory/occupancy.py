"""The tensors that are live in a memory at each line of a kernel, and their bytes.

Of a line that is passed more than once it is where most is live. It is reported for readers, and decides nothing.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterable, Mapping, Sequence

from nkiverify.analysis.lifetimes import sizes
from nkiverify.analysis.lifetimes.live_intervals import Lifetimes, Point
from nkiverify.analysis.lifetimes.sizes import NoBound
from nkiverify.foundation.records import Line, Span, Tile
from nkiverify.foundation.source import Site
from nkiverify.model.memory import MemoryRegion
from nkiverify.model.tensor import Storage
from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Atom, Index, Term, render
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.terms import constant, substitute
from nkiverify.symbolic.values import as_term

#: Bound names of an assignment: `tile = nl.ndarray(`, `self.q: Tensor = …`.
_ASSIGNED = re.compile(r"\s*([A-Za-z_][\w.]*)\s*(?::[^=]+)?=[^=]")

#: A tensor, by what a reader tells it from others by: what allocates it, its name, shape, dtype and size.
Key = tuple[Site | None, str, tuple[str, ...], str, str]
#: The bytes that each tensor takes.
Taken = Mapping[Key, int]


class Occupancy:
    """Gathers what is live at each line: of several times that a line is passed, the one with most bytes counts."""

    def __init__(self) -> None:
        self._most: dict[tuple[str, int], tuple[int, Taken]] = {}

    def is_most(self, site: Site | None, total: int) -> bool:
        """True if this many bytes have not been live at the line before."""
        if site is None or site.line <= 0:
            return False
        known = self._most.get((site.file, site.line))
        return known is None or total > known[0]

    def passes(self, site: Site | None, taken: Taken, total: int) -> None:
        """The line is passed while so much is live, more than ever before."""
        assert site is not None
        self._most[site.file, site.line] = (total, taken)

    def reported(self) -> tuple[tuple[Line, ...], tuple[Tile, ...]]:
        """The lines in the order in which they were first passed, and the tensors with where they are live."""
        taken = [one for _, one in self._most.values()]
        keys = dict.fromkeys(key for one in taken for key in one)
        tiles = (
            Tile(name, site, shape, dtype, size, tuple(_spans([one.get(key, 0) for one in taken])))
            for key in keys
            for site, name, shape, dtype, size in [key]
        )
        return tuple(Line(file, line) for file, line in self._most), tuple(tiles)


def key_of(storage: Storage, site: Site | None) -> Key:
    """The facts that a reader tells the tensors of an allocation by."""
    shape = tuple(map(_shown, storage.shape))
    return (site, name_of(storage, site), shape, str(storage.dtype), render(sizes.bytes_of(storage)))


def name_of(storage: Storage, site: Site | None, otherwise: str = "") -> str:
    """The kernel's name of a tensor allocated at `site`: its `name=`, or the variable it is first bound to; else
    `otherwise`, by default the line."""
    otherwise = otherwise or (f"line {site.line}" if site is not None else "a tensor")
    if storage.name or site is None:
        return storage.name or otherwise
    match = _ASSIGNED.match(linecache.getline(site.file, site.line))
    return match.group(1) if match is not None else otherwise


def occupancy(
    lifetimes: Lifetimes, region: MemoryRegion, values: Mapping[Atom, int]
) -> tuple[tuple[Line, ...], tuple[Tile, ...]]:
    """The tensors that are live in `region` at each line for some values of the dimensions; none where a size is not
    known.

    Like the claims of phase 3 it is never less than what a concrete run has: see `Lifetimes`.
    """
    mask = lifetimes.mask_of({one for one in lifetimes.tenants if one.allocated.storage.buffer is region})
    gathered = Occupancy()
    weighed = _Weights(lifetimes, values)
    try:
        for point in lifetimes.points:
            if weighed.reached(point):
                taken = weighed.taken(point.live & mask, point)
                total = sum(taken.values())
                if gathered.is_most(point.site, total):
                    gathered.passes(point.site, taken, total)
    except (NoBound, Undefined):
        return (), ()
    return gathered.reported()


class _Weights:
    """The bytes of the tensors at the points of a program, each worked out once for a loop body."""

    def __init__(self, lifetimes: Lifetimes, values: Mapping[Atom, int]) -> None:
        self._lifetimes = lifetimes
        self._valuation = Valuation(values)
        self._keys: dict[object, Key] = {}
        self._taken: dict[tuple[int, object], Taken] = {}
        self._reached: dict[int, bool] = {}

    def reached(self, point: Point) -> bool:
        """True if the conditions before a point hold, those left out that nobody knows: those about loop indices."""
        # The points, which have them, are there as long as this is.
        path = id(point.path)
        if path not in self._reached:
            self._reached[path] = all(map(self._may_hold, point.path))
        return self._reached[path]

    def _may_hold(self, condition: Condition | bool) -> bool:
        if isinstance(condition, Condition) and condition.indices():
            return True
        try:
            return self._valuation.holds(condition)
        except Undefined:
            return True

    def taken(self, live: int, point: Point) -> Taken:
        """The bytes of each tensor. Raises `NoBound`, and `Undefined`."""
        found = self._taken.get((live, point.frame))
        if found is None:
            bytes_of: dict[Key, int] = {}
            for tenant in self._lifetimes.in_mask(live):
                allocated = tenant.allocated
                key = self._keys.setdefault(allocated, key_of(allocated.storage, allocated.site))
                size = self._valuation.term(in_first_iteration(sizes.weight(tenant, point)))
                bytes_of[key] = bytes_of.get(key, 0) + size
            found = self._taken[live, point.frame] = bytes_of
        return found


def in_first_iteration(total: Term) -> Term:
    """`total` in the first iteration of all loops, where a tile takes most: later ones may be cut off at the end."""
    indices: dict[Atom, Term] = {atom: constant(0) for atom in terms.all_atoms(total) if isinstance(atom, Index)}
    return substitute(total, indices) if indices else total


def _spans(amounts: Sequence[int]) -> Iterable[Span]:
    """Runs of the same number of bytes, without those of none."""
    first = 0
    for position in range(1, len(amounts) + 1):
        if position == len(amounts) or amounts[position] != amounts[first]:
            if amounts[first]:
                yield Span(first, position - 1, amounts[first])
            first = position


def _shown(extent: object) -> str:
    term = as_term(extent)
    assert term is not None
    return render(term)
