"""The effects of operations on what is known of the numbers in storages (`nkiverify.model.known_numbers`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from nkiverify.model.current_execution import current_execution
from nkiverify.model.dtypes import DType
from nkiverify.model.extents import is_one, is_zero, same
from nkiverify.model.interval_arithmetic import converted, single
from nkiverify.model.known_numbers import UNKNOWN, Box, Interval, Value, unknown, whole_range
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import Extent, known


def wrote(target: Tensor, value: Value | None, *, partly: bool = False) -> None:
    """Numbers of `value` are written to `target`, to all of it unless `partly`; None: of something not yet written."""
    if tracked(target.storage):
        run = current_execution()
        whole = not partly and is_whole(target) and run.is_one_allocation(target.storage.identity)
        value = UNKNOWN if value is None else value
        uniform = whole or run.symbolic or run.model.all_alike(target.storage, value)
        box = None if uniform else _box(target, all_of_it=not partly)
        run.model.write(target.storage, value, whole=whole, box=box)


def wrote_columns(target: Tensor, columns: Iterable[tuple[Extent, Extent, Value | None]], *, partly: bool) -> None:
    """Numbers are written to columns of each partition of `target`, those from the first to the last that come with
    them; `partly`: not of each."""
    if not tracked(target.storage):
        return
    model = current_execution().model
    box = _columns(target)
    for first, last, given in columns:
        value = UNKNOWN if given is None else given
        if box is None or type(first) is not int or type(last) is not int:
            wrote(target, value, partly=True)
        elif first <= last:
            at = Box(box.low, box.high, box.first + first, box.first + last, box.dense and not partly)
            model.write(target.storage, value, whole=False, box=at)


def overwritten(target: Tensor) -> None:
    """Numbers nobody keeps track of are written to `target`."""
    wrote(target, None, partly=True)


def stored(value: Value, target: Tensor) -> Value:
    """The numbers as the storage of `target` holds them, once the engines' numbers are written there."""
    return _seen_as(converted(value, target.dtype), target.dtype, target.storage.dtype)


def moved(source: Tensor, target: Tensor) -> Value | None:
    """The contents of `target` once elements of `source` are copied there; None where nothing has been written to
    it, and it holds integers."""
    value = held(source) if source.dtype.is_integer else held_or_unknown(source)
    if value is None:
        return None
    if target.dtype == source.dtype:
        return _seen_as(value, target.dtype, target.storage.dtype)
    return stored(single(any_of_dtype(value, source)), target)


def moved_columns(source: Tensor, target: Tensor) -> list[tuple[Extent, Extent, Value | None]]:
    """The contents of columns of `target`, from one to a last one, once partitions of `source` are copied to partitions
    of it; none where no more is known of some columns than of others."""
    model = current_execution().model
    box = _columns(source) if tracked(source.storage) and model.is_divided(source.storage) else None
    if box is None or target.dtype != source.dtype or target.storage.dtype != target.dtype:
        return []
    starts = sorted({box.first, *(at for at in model.starts(source.storage) if box.first < at <= box.last)})
    ends = [*(start - 1 for start in starts[1:]), box.last]
    found: list[tuple[Extent, Extent, Value | None]] = []
    for start, end in zip(starts, ends, strict=True):
        value = model.read(source.storage, Box(box.low, box.high, start, end))
        # They are some of those numbers.
        some = None if value is None else replace(value, exact=False)
        found.append((start - box.first, end - box.first, some))
    return found


def held(tensor: Tensor) -> Value | None:
    """The numbers that the elements of a view may be; None where its storage has not been written."""
    return _held(tensor, unwritten_is_unknown=False)


def held_or_unknown(tensor: Tensor) -> Value:
    """The same where it makes no difference whether a storage has been written, or with numbers that nobody knows."""
    value = _held(tensor, unwritten_is_unknown=True)
    return UNKNOWN if value is None else value


def _held(tensor: Tensor, *, unwritten_is_unknown: bool) -> Value | None:
    followed(tensor.storage)
    if not tracked(tensor.storage):
        return UNKNOWN
    model = current_execution().model
    box = _box(tensor) if model.is_divided(tensor.storage) else None
    value = model.read(tensor.storage, box, unwritten_is_unknown=unwritten_is_unknown)
    if value is None:
        return None
    value = _seen_as(value, tensor.storage.dtype, tensor.dtype)
    if value.uniform or is_whole(tensor):
        return value
    # Its elements are some of those numbers.
    return replace(value, exact=False)


def any_of_dtype(value: Value, tensor: Tensor) -> Value:
    """`value`, or every integer of the tensor's dtype where that is not known."""
    whole = whole_range(tensor.dtype)
    if value.known is not None or whole is None:
        return value
    return Value((whole,), exact=False, undeclared=value.undeclared, origin=value.origin)


def is_unknown(tensor: Tensor) -> bool:
    """True if it is known beforehand that `held` knows nothing of the elements of a view of floats."""
    followed(tensor.storage)
    return not tensor.dtype.is_integer and current_execution().model.is_unknown(tensor.storage)


def tracked(storage: Storage) -> bool:
    """True if the numbers in a storage are followed."""
    dtype = storage.dtype
    return dtype.is_integer or (dtype.is_float and current_execution().model.follows_floats)


def followed(storage: Storage) -> None:
    """Ask for numbers in a storage that are followed: those of floats are so from when they were first asked for."""
    run = current_execution()
    if storage.dtype.is_float and not run.model.follows_floats:
        raise run.floats_matter()


def _seen_as(value: Value, dtype: DType, other: DType) -> Value:
    """Elements of one dtype as a view of another shows them: integers that both have are the same."""
    if dtype == other:
        return value
    both = Interval(0, 2 ** (8 * dtype.itemsize - 1) - 1)
    fits = (
        dtype.is_integer
        and other.is_integer
        and dtype.itemsize == other.itemsize
        and value.known is not None
        and all(known(both.low <= each.low) and known(each.high <= both.high) for each in value.known)
    )
    return value if fits else unknown(value)


def is_whole(view: Tensor) -> bool:
    """True if the view surely has every element of its storage."""
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


def _columns(view: Tensor) -> Box | None:
    """The elements of a view in a concrete run, where those of a partition are side by side."""
    box = None if current_execution().symbolic else _box(view)
    return box if box is not None and box.last - box.first + 1 == view.free_size else None


def _box(view: Tensor, *, all_of_it: bool = True) -> Box | None:
    """The elements of a view in a concrete run; None where they are none of a box. With `all_of_it` all of them are
    meant, else it is only known that there are no others."""
    storage = view.storage
    numbers = [*view.shape, *view.strides, view.offset, *storage.shape]
    plain = view.indirect_by is None and view.dtype == storage.dtype and not storage.block_dims
    if not plain or not all(type(number) is int for number in numbers):
        return None
    axes = [(stride, extent) for stride, extent in zip(view.strides, view.shape, strict=True) if extent != 1]
    if any(stride <= 0 for stride, _ in axes):
        return None
    row = storage.free_size if storage.buffer.on_chip else storage.size
    low, first = divmod(view.offset, row)
    across = [(stride, extent) for stride, extent in axes if stride >= row]
    along = sorted((stride, extent) for stride, extent in axes if stride < row)
    last = first + sum(stride * (extent - 1) for stride, extent in along)
    if last >= row or len(across) > 1 or any(stride % row for stride, _ in across):
        return None
    high = low + sum(stride // row * (extent - 1) for stride, extent in across)
    step, dense = 1, all(stride == row for stride, _ in across)
    for stride, extent in along:
        dense = dense and stride == step
        step *= extent
    return Box(low, high, first, last, dense and all_of_it)
