"""Access patterns: `tensor.ap(pattern)` sees a storage through pairs of step and count (reference section b.4).

The documentation states no bound check, and nothing on the hardware keeps a pattern from running into the next
partition's numbers; what it implies is claimed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from nkiverify.model import indirection, views
from nkiverify.model.contracts import require
from nkiverify.model.dtypes import DType
from nkiverify.model.extents import as_extent, is_sequence, is_zero
from nkiverify.model.tensor import Bound, Reach, Tensor
from nkiverify.model.views import claim_rank
from nkiverify.symbolic import Extent, all_of, equal, known, minimum, product
from nkiverify.symbolic.execution import unsupported

TensorT = TypeVar("TensorT", bound="Tensor")


def access_pattern(
    tensor: TensorT,
    pattern: Sequence[Sequence[Extent]],
    offset: Extent | None,
    scalar_offset: object,
    vector_offset: object,
    indirect_dim: object,
    dtype: DType,
) -> TensorT:
    """The storage of `tensor` seen through `pattern`; steps, counts and `offset` count elements of `dtype`.

    A scalar or vector of indices known at run time moves the pattern. Where it goes is claimed where the view is used:
    kernels make patterns that run past the end before they ask whether there is anything left.
    """
    require("ap.exclusive", scalar_offset is None or vector_offset is None)
    require("view.one_indirection", tensor.indirect_by is None)
    pairs = _pairs(pattern)
    steps = tuple(step for step, _ in pairs)
    counts = tuple(count for _, count in pairs)
    require("ap.pattern", all_of(*(count >= 1 for count in counts)), counts=counts)
    claim_rank(counts)
    if tensor.offset_terms:
        require("ap.offset_semantics", equal(tensor.offset, 0), view_offset=tensor.offset)
    start = 0 if offset is None else as_extent(offset)
    if start is None:
        raise unsupported(f"an access pattern with an offset of type {type(offset).__name__}")
    moved = _moved_by(tensor, start, dtype)
    if scalar_offset is not None:
        reach = _scalar_reach(tensor, steps, counts, start, indirect_dim, dtype)
        moves = indirection.by_scalar(scalar_offset, reach)
        return type(tensor).of(tensor.storage, counts, steps, dtype, moved, indirect_by=moves)
    if vector_offset is not None:
        # The leading step is ignored: rows are those of the tensor itself ("ap.vector_offset").
        stride = in_units(tensor.strides[0], tensor.dtype, dtype)
        low, high = span(steps[1:], counts[1:])
        size = in_units(tensor.storage.size, tensor.storage.dtype, dtype)
        moves = indirection.by_vector(
            tensor, vector_offset, counts[0], Reach(stride, start + low, start + high, size), indirect_dim, stride
        )
        return type(tensor).of(tensor.storage, counts, (stride, *steps[1:]), dtype, moved, indirect_by=moves)
    view = type(tensor).of(tensor.storage, counts, steps, dtype, moved)
    if tensor.on_chip:
        view.bounds = _on_chip_bounds(tensor, steps, counts, start, dtype)
    else:
        size = in_units(tensor.storage.size, tensor.storage.dtype, dtype)
        low, high = span(steps, counts)
        fits = all_of(start + low >= 0, start + high < size)
        view.bounds = _bounds(
            "ap.in_bounds", fits, {"offset": start, "first": start + low, "last": start + high, "elements": size}
        )
    return view


def _bounds(contract: str, condition: object, quantities: Mapping[str, object]) -> tuple[Bound, ...]:
    """The conditions to claim where a view is used. What is entailed is stated at once, and need not be carried."""
    if condition is True:
        require(contract, True, **quantities)
        return ()
    return (Bound(contract, condition, quantities),)


def _scalar_reach(
    tensor: Tensor,
    steps: Sequence[Extent],
    counts: Sequence[Extent],
    start: Extent,
    indirect_dim: object,
    dtype: DType,
) -> Reach:
    """Where a pattern goes that starts at `start` plus a scalar times what is inside `indirect_dim` of the tensor."""
    dim = views.host_dimension(indirect_dim, tensor.ndim)
    unit = in_units(product(tensor.shape[dim + 1 :]), tensor.dtype, dtype)
    if not tensor.on_chip:
        low, high = span(steps, counts)
        return Reach(unit, start + low, start + high, in_units(tensor.storage.size, tensor.storage.dtype, dtype))
    if dim == 0:
        raise unsupported("an access pattern with scalar_offset over the partitions of an on-chip tensor")
    partition_free = _claimed_row(tensor, steps, counts, dtype)
    for bound in _partition_bounds(tensor, counts, start, partition_free):
        require(bound.contract, bound.condition, **bound.quantities)
    low, high = span(steps[1:], counts[1:])
    column = start if is_zero(start) else start % partition_free
    return Reach(unit, column + low, column + high, partition_free)


def _moved_by(tensor: Tensor, start: Extent, dtype: DType) -> tuple[tuple[Extent, Extent], ...]:
    """An offset as a sum of products; on chip, partitions and what is left of a row."""
    if is_zero(start):
        return ()
    if not tensor.on_chip:
        return ((start, 1),)
    free = in_units(tensor.storage.free_size, tensor.storage.dtype, dtype)
    if known(start >= 0) and known(start < free):
        return ((start, 1),)
    return ((start // free, free), (start % free, 1))


def _pairs(pattern: Sequence[Sequence[Extent]]) -> list[tuple[Extent, Extent]]:
    pairs: list[tuple[Extent, Extent]] = []
    well_formed = is_sequence(pattern) and len(pattern) > 0
    for pair in pattern if well_formed else ():
        step, count = (as_extent(part) for part in pair) if len(pair) == 2 else (None, None)
        if step is None or count is None:
            well_formed = False
            break
        pairs.append((step, count))
    if not well_formed:
        require("ap.pattern", False, pattern=pattern)
        raise TypeError(f"an access pattern is a list of [step, count] pairs of integers, not {pattern!r}")
    return pairs


def in_units(count: Extent, of: DType, dtype: DType) -> Extent:
    """`count` elements of one dtype in elements of another of the same storage."""
    if of.itemsize == dtype.itemsize:
        return count
    return count * of.itemsize // dtype.itemsize


def span(steps: Sequence[Extent], counts: Sequence[Extent]) -> tuple[Extent, Extent]:
    """Least and greatest sum of step times index."""
    low: Extent = 0
    high: Extent = 0
    for step, count in zip(steps, counts, strict=True):
        reach: Any = step * (count - 1)
        if known(step >= 0):
            high = high + reach
        elif known(step <= 0):
            low = low + reach
        else:
            low, high = low + minimum(0, reach), high + reach - minimum(0, reach)
    return low, high


def _claimed_row(tensor: Tensor, steps: Sequence[Extent], counts: Sequence[Extent], dtype: DType) -> Extent:
    """The elements of one partition, claimed to be the step of a pattern's first pair."""
    free = in_units(tensor.storage.free_size, tensor.storage.dtype, dtype)
    require("ap.first_pair_partition", equal(steps[0], free), step=steps[0], free_elements=free, counts=tuple(counts))
    return free


def _partition_bounds(tensor: Tensor, counts: Sequence[Extent], start: Extent, free: Extent) -> tuple[Bound, ...]:
    partition = 0 if is_zero(start) else start // free
    partitions = tensor.storage.partitions
    return _bounds(
        "ap.partition_overflow",
        all_of(partition >= 0, partition + counts[0] <= partitions),
        {"start_partition": partition, "count": counts[0], "partitions": partitions},
    )


def _on_chip_bounds(
    tensor: Tensor, steps: Sequence[Extent], counts: Sequence[Extent], start: Extent, dtype: DType
) -> tuple[Bound, ...]:
    free = _claimed_row(tensor, steps, counts, dtype)
    column = start if is_zero(start) else start % free
    low, high = span(steps[1:], counts[1:])
    shown = {"offset": column, "first": column + low, "last": column + high, "free_elements": free}
    fits = all_of(column + low >= 0, column + high < free)
    return (*_partition_bounds(tensor, counts, start, free), *_bounds("ap.in_bounds", fits, shown))
