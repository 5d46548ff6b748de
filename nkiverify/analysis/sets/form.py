"""The questions that the walk over a program asks of sets, whatever these are made of.

There are two forms of them: boxes (`sets.boxes`), which most programs are about and which need no library, and isl's
sets (`sets.presburger`), which any affine ones are. A form that has no answer raises `NotSimple`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from nkiverify.analysis.effects import Effect
from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.operation import Operation
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic.atoms import Index
from nkiverify.symbolic.conditions import Condition

#: Elements of an allocation, or values of dimensions and indices: what a form has for them.
Found: TypeAlias = Any


class NotSimple(Exception):
    """A form has no set for what is asked about, or no answer."""


class Region(Protocol):
    """The elements an operand touches."""

    @property
    def elements(self) -> Found:
        """All of them."""


@dataclass(frozen=True, slots=True)
class Partly:
    """The elements that an operand reads, and the elements of its storage that are well defined, where `context`
    holds."""

    region: Any
    defined: Found
    context: Found


class Iterations(Protocol):
    """The effect of all iterations of a loop together, from that of one of them."""

    #: The values of the index.
    bounds: Found

    def all_surely(self, found: Found) -> Found | None:
        """The effect that at least one of all iterations surely has."""

    def all_perhaps(self, found: Found) -> Found:
        """The effect that any of all iterations may have."""

    def before_surely(self, found: Found) -> Found | None:
        """The effect that at least one of the iterations before this one surely had."""

    def before_perhaps(self, found: Found) -> Found:
        """The effect that any of the iterations before this one may have had."""


class Form(Protocol):
    """Elements and values of one program, and what is asked about them."""

    #: All values of dimensions and indices. One object.
    everywhere: Found

    # --- values of dimensions and indices -----------------------------------------------------------------------------

    def parameters_where(self, conditions: Iterable[Condition | bool]) -> Found:
        """Values for which all `conditions` hold."""

    def stated(self, condition: Condition | bool) -> Found:
        """Values for which a condition holds, whatever is known of them."""

    def completed(self, context: Found, *about: Found) -> Found:
        """`context`, with what is known of the values that `about` mentions."""

    def both(self, found: Found, other: Found) -> Found:
        """The values in two sets of them."""

    def is_implied(self, stated: Found, known: Found) -> bool:
        """True if all values that are `known` are in another set."""

    def is_empty(self, found: Found) -> bool:
        """True if a set has no values."""

    def is_common(self, context: Found, everywhere: Found, atoms: Iterable[Index]) -> bool:
        """True if what `context` says, beyond what holds `everywhere`, does not depend on `atoms`."""

    # --- elements -----------------------------------------------------------------------------------------------------

    def touched(self, effect: Effect, context: Found) -> Region | None:
        """The elements that an effect touches: all that it may read, or what it writes where that is `certain`.

        None where they cannot be told: it may then be any of the storage.
        """

    def seen(self, view: Tensor, context: Found) -> Found:
        """The elements of a view; all of its storage where they cannot be told."""

    def whole(self, storage: Storage) -> Found:
        """All elements of a storage."""

    def where(self, found: Found, context: Found) -> Found:
        """The elements of a set for the values in `context`."""

    def joined(self, found: Found, more: Found) -> Found:
        """The elements of two sets, in few parts."""

    def together(self, found: Found, more: Found) -> Found:
        """The elements of two sets."""

    def common(self, found: Found, other: Found) -> Found:
        """The elements that are in both sets."""

    def less(self, found: Found, fewer: Found) -> Found:
        """The elements of a set that are not in another one."""

    def empty(self, found: Found, context: Found) -> bool:
        """True if a set has no element for the values in `context`."""

    def within(self, found: Found, known: Found | None, context: Found) -> bool:
        """True if all elements of `found` are in `known`, for the values in `context`."""

    def meet(self, found: Found, other: Found, context: Found) -> bool:
        """True if two sets may have an element in common, for the values in `context`."""

    def meet_elsewhere(self, found: Found, other: Found, atoms: Sequence[Index], context: Found) -> bool:
        """True if an element of a set may be one of the other for other values of `atoms`."""

    def iterations(self, index: Index, bounds: Found, context: Found) -> Iterations:
        """The iterations of a loop, for whose index `bounds` hold. `context` is what holds where it begins."""

    def defined(
        self, operation: Operation, argument: str, region: Any, operands: Mapping[str, Partly | None]
    ) -> Found | None:
        """The elements written that are surely well defined, given the operands that may not be: too few.

        None where none surely is.
        """
