"""The accesses of iterations or programs without an order to one element."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

import islpy as isl

from nkiverify.analysis.sets.affine import Sets, mentions, renamed, without
from nkiverify.analysis.sets.keys import Key
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site


class AccessKind(enum.Enum):
    """The kind of an access to elements. Sums in place commute with one another, and so do stores that all programs
    make the same."""

    WRITTEN = "written"
    ALIKE = "written alike by all programs"
    READ = "read"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class ElementAccess:
    """Elements that may be used at a place. `shared`: all programs of a launch see the storage.

    `iterations` are those it belongs to, of loops without an order that are run iteration by iteration.
    """

    key: Key
    elements: isl.Set
    use: AccessKind
    site: Site | None
    shared: bool
    iterations: Mapping[object, int] = field(default_factory=dict)

    def over(self, elements: isl.Set) -> ElementAccess:
        """The same of other elements."""
        return replace(self, elements=elements)


#: The uses by another iteration that the use of an element by one must not meet.
_AGAINST = {
    AccessKind.WRITTEN: (AccessKind.WRITTEN, AccessKind.ALIKE, AccessKind.READ, AccessKind.ADDED),
    # Alike in all programs; iterations of a loop differ.
    AccessKind.ALIKE: (AccessKind.WRITTEN, AccessKind.ALIKE, AccessKind.READ, AccessKind.ADDED),
    AccessKind.READ: (AccessKind.WRITTEN, AccessKind.ALIKE, AccessKind.ADDED),
    AccessKind.ADDED: (AccessKind.WRITTEN, AccessKind.ALIKE, AccessKind.READ),
}
#: Pairs of uses of one element by two programs, or by two iterations of a loop, that may change what is computed.
_BETWEEN_PROGRAMS = (
    (AccessKind.WRITTEN, AccessKind.WRITTEN),
    (AccessKind.WRITTEN, AccessKind.ALIKE),
    (AccessKind.WRITTEN, AccessKind.READ),
    (AccessKind.WRITTEN, AccessKind.ADDED),
    (AccessKind.ALIKE, AccessKind.READ),
    (AccessKind.ALIKE, AccessKind.ADDED),
    (AccessKind.ADDED, AccessKind.READ),
)
_BETWEEN_ITERATIONS = (*_BETWEEN_PROGRAMS, (AccessKind.ALIKE, AccessKind.ALIKE))


@dataclass(slots=True)
class Turns:
    """The accesses of a body in the turns of its programs, which end at barriers: those of the `first` turn, None where
    it has no barrier, and those of the `last` one."""

    first: list[ElementAccess] | None = None
    last: list[ElementAccess] = field(default_factory=list)


class Accesses:
    """The accesses of the loop bodies that are being walked, the innermost last."""

    def __init__(self, sets: Sets) -> None:
        self._sets = sets
        self._open: list[Turns] = []

    def enter(self) -> None:
        """A body begins."""
        self._open.append(Turns())

    def leave(self) -> Turns:
        """A body ends: its accesses."""
        return self._open.pop()

    def add(self, access: ElementAccess) -> None:
        """Note an access."""
        self._open[-1].last.append(access)

    @property
    def of_body(self) -> bool:
        """True where the innermost body is that of a loop, and not the whole program."""
        return len(self._open) > 1

    @property
    def is_first(self) -> bool:
        """True if the innermost body has had no barrier yet."""
        return self._open[-1].first is None

    def wait(self, then: Sequence[ElementAccess] = ()) -> list[ElementAccess]:
        """The accesses of the turn of the innermost body that ends; the next one begins with `then`."""
        body = self._open[-1]
        turn, body.last = body.last, list(then)
        if body.first is None:
            body.first = turn
        return turn

    def clash(
        self, accesses: Sequence[ElementAccess], names: Sequence[str], context: isl.Set, *, programs: bool = False
    ) -> ElementAccess | None:
        """An access that may meet one of another iteration; None if surely none does.

        `names` are the parameters that differ from one iteration to the other, or from one of the `programs` of a
        launch to the other.
        """
        by_key: dict[Key, dict[AccessKind, isl.Set]] = {}
        for access in accesses:
            uses = by_key.setdefault(access.key, {})
            known = uses.get(access.use)
            uses[access.use] = access.elements if known is None else known.union(access.elements)
        others = [f"{name}_other" for name in names]
        differ = isl.Set(
            f"[{', '.join([*names, *others])}] -> {{ : "
            + " or ".join(f"{name} != {other}" for name, other in zip(names, others, strict=True))
            + " }"
        )
        for key, uses in by_key.items():
            if set(uses) <= {AccessKind.READ} or set(uses) <= {AccessKind.ADDED}:
                continue
            for one, two in _BETWEEN_PROGRAMS if programs else _BETWEEN_ITERATIONS:
                if one in uses and two in uses and self._meet(uses[one], uses[two], names, others, differ, context):
                    return next(access for access in accesses if access.key == key and access.use is one)
        return None

    def clash_of_iterations(
        self, accesses: Sequence[ElementAccess], loop: object, context: isl.Set
    ) -> ElementAccess | None:
        """An access that may meet one of another iteration of a loop that was run iteration by iteration."""
        earlier: dict[tuple[Key, AccessKind], isl.Set] = {}
        by_number: dict[int, list[ElementAccess]] = {}
        for access in accesses:
            if loop in access.iterations:
                by_number.setdefault(access.iterations[loop], []).append(access)
        for _, mine in sorted(by_number.items()):
            for access in mine:
                for use in _AGAINST[access.use]:
                    others = earlier.get((access.key, use))
                    if others is not None and not self._sets.empty(access.elements.intersect(others), context):
                        return access
            for access in mine:
                key = (access.key, access.use)
                earlier[key] = access.elements if key not in earlier else earlier[key].union(access.elements).coalesce()
        return None

    def _meet(
        self,
        one: isl.Set,
        two: isl.Set,
        names: Sequence[str],
        others: Sequence[str],
        differ: isl.Set,
        context: isl.Set,
    ) -> bool:
        # Numbers behind other parameters may differ from one iteration to the other.
        varying = [
            name
            for atom_name in names
            for name, atoms in self._sets.names.depends.items()
            if name != atom_name and any(self._sets.names.of.get((atom,)) == atom_name for atom in atoms)
        ]

        def meet(mine: isl.Set, theirs: isl.Set) -> bool:
            mine, theirs = mine.intersect_params(context), theirs.intersect_params(context)
            theirs = without(self._sets.spelt_out(theirs, varying), varying)
            for name, other in zip(names, others, strict=True):
                theirs = renamed(theirs, name, other)
            return not self._sets.empty(mine.intersect(theirs), differ)

        if max(one.n_basic_set(), two.n_basic_set()) > 1:
            # Sets of many parts are often apart along one coordinate, which their parts have in common.
            for axis in range(one.dim(isl.dim_type.set)):
                mine, theirs = _along(one, axis), _along(two, axis)
                if mentions(mine, [*names, *varying]) and not meet(mine, theirs):
                    return False
        return meet(one, two)


def _along(found: isl.Set, axis: int) -> isl.Set:
    """The positions of the elements of a set along one coordinate."""
    kind = isl.dim_type.set
    after = found.project_out(kind, axis + 1, found.dim(kind) - axis - 1)
    return after.project_out(kind, 0, axis).coalesce()
