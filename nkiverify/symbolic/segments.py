"""The parts of a list whose length may be symbolic: elements one by one, or as many as a loop had iterations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from nkiverify.foundation.dataclass import dataclass
from nkiverify.symbolic.atoms import Atom, Index, Term


class Pending:
    """The element of a segment that is still being found out. `read` raises what is right where it is asked for."""

    __slots__ = ("read",)

    def __init__(self, read: Callable[[], NoReturn]) -> None:
        self.read = read


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """One element."""

    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """`length` elements: `template` with `index` standing for the position within the segment."""

    length: Term
    index: Index
    template: Any
    #: Mutable objects in the template that were there before the loop: all elements share them.
    shared: tuple[Any, ...] = ()
    #: Whether each was made in one of several iterations without an order: who reads one, or asks how many there are,
    #: uses what other iterations leave.
    unordered: bool = False


Part = Element | Segment


class ListOfParts:
    """The parts of `nkiverify.symbolic.lists.SymList`, for what walks and rewrites values."""

    __slots__ = ("frozen", "parts")

    parts: list[Part]
    #: A copy read out of a segment: changing it could not be seen by other readers of the same element.
    frozen: bool

    def substituted(self, recurse: Callable[[Any], Any], mapping: Mapping[Atom, Term], fresh: bool) -> ListOfParts:
        """The list with `recurse` applied to every part, for the atoms of `mapping`; in any case a copy if `fresh`."""
        raise NotImplementedError
