"""What is known of the numbers in a storage: intervals, as far as they decide where an indirect access goes.

Tensors have no values here, with one exception: an index read at run time has to stay inside the tensor it indexes. So
each storage keeps where its contents come from: the range its argument was given, constants, copies of other storages.
That record does not follow the order of execution: whatever is written anywhere counts everywhere, so a loop body that
is run once for all iterations cannot miss what a later iteration reads. A storage that was used as an index takes no
new kind of contents after that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from nkiverify.model.dtypes import DType, DTypeKind
from nkiverify.run import Run, current_run, unsupported
from nkiverify.symbolic import Extent, equal

if TYPE_CHECKING:
    from nkiverify.model.tensor import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """Integers from `low` to `high`, both included; none where `low` is greater.

    `undeclared` names the argument whose range nobody declared, so that it is the whole dtype.
    """

    low: Extent
    high: Extent
    undeclared: str = ""

    def same_as(self, other: object) -> bool:
        """Whether both are the same interval whatever the shapes are, as far as canonical forms show."""
        if not isinstance(other, Interval):
            return False
        return equal(self.low, other.low) is True and equal(self.high, other.high) is True

    def __str__(self) -> str:
        why = f" (the whole dtype: declare a range for {self.undeclared})" if self.undeclared else ""
        return f"{self.low}..{self.high}{why}"


def whole_range(dtype: DType) -> Interval | None:
    """Every value of an integer dtype; None for other dtypes."""
    bits = 8 * dtype.itemsize
    if dtype.kind is DTypeKind.BOOL:
        return Interval(0, 1)
    if dtype.kind is DTypeKind.UNSIGNED:
        return Interval(0, 2**bits - 1)
    if dtype.kind is DTypeKind.SIGNED:
        return Interval(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return None


class Contents:
    """Where the numbers in a storage or register come from: intervals, and the contents of others."""

    __slots__ = ("_sources", "_unknown", "_used")

    def __init__(self, *initial: Interval) -> None:
        self._sources: list[Interval | Contents] = list(initial)
        self._unknown = False
        self._used = False

    def add(self, source: Interval | Contents) -> None:
        """Numbers of `source` are written."""
        for known in self._sources:
            if known is source or (isinstance(known, Interval) and known.same_as(source)):
                return
        self._check_unused()
        self._sources.append(source)

    def add_unknown(self) -> None:
        """Numbers nobody keeps track of are written."""
        self._check_unused()
        self._unknown = True

    def _check_unused(self) -> None:
        if self._used and not self._unknown:
            raise unsupported(
                "other contents written to a tensor or register that an access was indexed with",
                "use one index tensor for each source of indices",
            )

    def intervals(self) -> list[Interval] | None:
        """Intervals that together hold every number written; None where they are not known. Counts as use."""
        found: list[Interval] = []
        seen: list[Contents] = []
        waiting = [self]
        while waiting:
            current = waiting.pop()
            if any(current is earlier for earlier in seen):
                continue
            seen.append(current)
            current._used = True
            if current._unknown or not current._sources:
                return None
            for source in current._sources:
                if isinstance(source, Contents):
                    waiting.append(source)
                elif not any(source.same_as(earlier) for earlier in found):
                    found.append(source)
        return found


_NOT_HELD = object()

#: The contents of every allocation of a run.
_allocations: WeakKeyDictionary[Run, dict[object, Contents]] = WeakKeyDictionary()


def contents_of(identity: object, initial: Interval | None = None) -> Contents:
    """The contents of the allocation with this identity, in all iterations of the loops around it together."""
    held = getattr(identity, "contents", _NOT_HELD)
    if held is not _NOT_HELD:
        # Where tensors have elements, an allocation holds this record itself, and is forgotten with it.
        if held is None:
            held = identity.contents = Contents() if initial is None else Contents(initial)  # type: ignore[attr-defined]
        assert isinstance(held, Contents)
        return held
    run = current_run()
    allocations = _allocations.get(run)
    if allocations is None:
        allocations = _allocations[run] = {}
    # An identity made by a symbolic run names the place and the indices of the loops around it.
    place = (identity.site, identity.key) if hasattr(identity, "indices") else identity  # type: ignore[attr-defined]
    found = allocations.get(place)
    if found is None:
        found = allocations[place] = Contents() if initial is None else Contents(initial)
    return found


def copied(target: Tensor, source: Tensor) -> None:
    """Elements of `source` are written to `target`, as integers or not at all."""
    kept = _plain_integers(target) and _plain_integers(source) and _holds(target.dtype, source.dtype)
    if kept and target.storage is not source.storage:
        target.storage.contents.add(source.storage.contents)
    elif not kept:
        target.storage.contents.add_unknown()


def filled(target: Tensor, low: object, high: object) -> None:
    """Integers from `low` to `high` are written to `target`."""
    if _plain_integers(target) and isinstance(low, int) and isinstance(high, int):
        whole = whole_range(target.dtype)
        if whole is not None and whole.low <= low and high <= whole.high:
            target.storage.contents.add(Interval(int(low), int(high)))
            return
    target.storage.contents.add_unknown()


def _plain_integers(tensor: Tensor) -> bool:
    """Whether the view shows the integers of its storage as they are."""
    return tensor.dtype.is_integer and tensor.dtype == tensor.storage.dtype


def _holds(target: DType, source: DType) -> bool:
    """Whether every integer of `source` arrives in `target` as it is.

    Conversions go through float32 ("isa.fp32_internal"), which holds integers of 16 bits exactly and those of 32 not.
    """
    return target == source or (source.itemsize <= 2 and target.itemsize > source.itemsize)
