"""What operations do to what is known of the numbers in storages (`nkiverify.model.known_numbers`)."""

from __future__ import annotations

from dataclasses import replace

from nkiverify.model.dtypes import DType, DTypeKind
from nkiverify.model.execution import current_execution
from nkiverify.model.extents import as_extent, is_one, is_zero, same
from nkiverify.model.known_numbers import UNKNOWN, Interval, Value, whole_range
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import Extent, equal, known


def copied(target: Tensor, source: Tensor, *, partly: bool = False) -> None:
    """Elements of `source` are written to `target`, as integers or not at all; with `partly`, some stay as they are."""
    kept = _plain_integers(target) and _plain_integers(source) and _holds(target.dtype, source.dtype)
    wrote(target, held(source) if kept else UNKNOWN, partly=partly)


def filled(target: Tensor, low: object, high: object) -> None:
    """Integers from `low` to `high` are written to `target`, one number or different ones to different elements."""
    whole = whole_range(target.dtype)
    first, last = _integer(low), _integer(high)
    if not _plain_integers(target) or whole is None or first is None or last is None:
        wrote(target, UNKNOWN)
    elif known(whole.low <= first) and known(last <= whole.high):
        wrote(target, Value((Interval(first, last),), uniform=equal(first, last) is True))
    else:
        wrote(target, UNKNOWN)


def _integer(value: object) -> Extent | None:
    return None if isinstance(value, bool) else as_extent(value)


def wrote(target: Tensor, value: Value | None, *, partly: bool = False) -> None:
    """Numbers of `value` are written to `target`, to all of it unless `partly`; None: of something not yet written."""
    if tracked(target.storage):
        run = current_execution()
        whole = not partly and _is_whole(target) and run.is_one_allocation(target.storage.identity)
        run.model.write(target.storage, UNKNOWN if value is None else value, whole=whole)


def overwritten(target: Tensor) -> None:
    """Numbers nobody keeps track of are written to `target`."""
    if tracked(target.storage):
        current_execution().model.write(target.storage, UNKNOWN, whole=False)


def held(tensor: Tensor) -> Value | None:
    """What the elements of a view may be; None where its storage has not been written."""
    if not _plain_integers(tensor):
        return UNKNOWN
    value = current_execution().model.read(tensor.storage)
    if value is None or value.uniform or _is_whole(tensor):
        return value
    # Its elements are some of those numbers.
    return replace(value, exact=False)


def tracked(storage: Storage) -> bool:
    """Whether the numbers in a storage are followed: no others are used as indices."""
    return storage.dtype.is_integer


def _is_whole(view: Tensor) -> bool:
    """Whether the view surely has every element of its storage."""
    if view.indirect_by is not None or not same(view.size, view.storage.size) or view.dtype != view.storage.dtype:
        return False
    if not all(is_zero(start) or is_zero(step) for start, step in view.offset_terms):
        return False
    step: Extent = 1
    for extent, stride in zip(reversed(view.shape), reversed(view.strides), strict=True):
        if not is_one(extent) and not same(stride, step):
            return False
        step = step * extent
    return True


def _plain_integers(tensor: Tensor) -> bool:
    """Whether the view shows the integers of its storage as they are."""
    return tensor.dtype.is_integer and tensor.dtype == tensor.storage.dtype


def _holds(target: DType, source: DType) -> bool:
    """Whether every integer of `source` arrives in `target` as it is.

    Conversions go through float32 ("isa.fp32_internal"), which holds integers of 16 bits exactly and those of 32 not.
    """
    if target == source:
        return True
    loses_sign = source.kind is DTypeKind.SIGNED and target.kind is not DTypeKind.SIGNED
    return source.itemsize <= 2 and target.itemsize > source.itemsize and not loses_sign
