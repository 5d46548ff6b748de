"""Views of a tensor: permute, broadcast, reshape, slices, reinterpretation (reference section b.3).

Every function returns a view of the same storage and states what the method's documentation asks for. Access patterns
are in `nkiverify.model.access_patterns`.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, NoReturn, TypeVar

from nkiverify.model import indirection
from nkiverify.model.contracts import require
from nkiverify.model.dtypes import DType
from nkiverify.model.extents import as_extent, as_number, is_one, is_sequence, same
from nkiverify.model.indirection import is_run_time
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import Extent, all_of, any_of, ceil_div, equal, is_symbolic, product
from nkiverify.symbolic.execution import unsupported

TensorT = TypeVar("TensorT", bound="Tensor")


def claim_on_chip_rank(rank: int, legacy: bool) -> None:
    """Claim that a tensor on chip that is used, or a view of one, has a partition dimension and a free one."""
    require("leg.operand_rank" if legacy else "tensor.operand_rank", rank >= 2, rank=rank)


def host_dimension(dim: object, rank: int) -> int:
    """A dimension number, negative ones counted from the end, claimed to exist."""
    number = as_number(dim)
    if number is None:
        raise unsupported(f"a dimension number of type {type(dim).__name__}")
    position = number + rank if number < 0 else number
    require("view.dim", 0 <= position < rank, dim=dim, rank=rank)
    if not 0 <= position < rank:
        raise IndexError(f"dimension {dim} of a tensor of {rank} dimensions")
    return position


def host_shape(shape: object) -> tuple[Extent, ...]:
    """A shape a kernel gives: integers, all claimed to be positive."""
    if isinstance(shape, Integral):
        shape = (shape,)
    extents = tuple(as_extent(part) for part in shape) if is_sequence(shape) else (None,)
    checked = tuple(part for part in extents if part is not None)
    if len(checked) < len(extents):
        require("tensor.shape_positive", False, shape=shape)
        raise TypeError(f"a shape needs integers, not {shape!r}")
    require("tensor.shape_positive", all_of(*(extent >= 1 for extent in checked)), shape=checked)
    return checked


def claim_rank(shape: Sequence[Extent]) -> None:
    """Claim that a tensor of the current API has no more dimensions than it may have."""
    require("tensor.rank_le5", len(shape) <= 5, rank=len(shape))


def permute(tensor: TensorT, dims: Sequence[int]) -> TensorT:
    """Dimensions in the order `dims`."""
    order = tuple(dims)
    valid = sorted(order) == list(range(tensor.ndim))
    require("view.permute.dims", valid, dims=order, rank=tensor.ndim)
    if not valid:
        raise ValueError(f"permute takes a permutation of {tensor.ndim} dimensions, not {order}")
    if tensor.first_is_fixed:
        require("view.permute.partition", order[0] == 0, dims=order)
    return tensor.with_layout(tuple(tensor.shape[dim] for dim in order), tuple(tensor.strides[dim] for dim in order))


def broadcast(tensor: TensorT, dim: int, size: Extent) -> TensorT:
    """Dimension `dim` repeated: stride 0."""
    at = host_dimension(dim, tensor.ndim)
    (extent,) = host_shape((size,))
    require("view.broadcast.extent", equal(tensor.shape[at], 1), extent=tensor.shape[at], dimension=at)
    if tensor.on_chip:
        require("view.broadcast.partition", at != 0, dimension=at)
    return tensor.with_layout(_replaced(tensor.shape, at, extent), _replaced(tensor.strides, at, 0))


def _replaced(parts: tuple[Extent, ...], at: int, *new: Extent) -> tuple[Extent, ...]:
    return parts[:at] + new + parts[at + 1 :]


def expand_dim(tensor: TensorT, dim: int) -> TensorT:
    """Extent 1 inserted at `dim` (which may be the rank: at the end)."""
    rank = tensor.ndim
    at = host_dimension(dim, rank + 1)
    if tensor.first_is_fixed:
        require("view.expand_dim.partition", at != 0, dimension=at)
    shape = (*tensor.shape[:at], 1, *tensor.shape[at:])
    claim_rank(shape)
    return tensor.with_layout(shape, (*tensor.strides[:at], 1, *tensor.strides[at:]))


def squeeze_dim(tensor: TensorT, dim: int) -> TensorT:
    """Extent 1 removed at `dim`."""
    at = host_dimension(dim, tensor.ndim)
    require("view.squeeze_dim.extent", equal(tensor.shape[at], 1), extent=tensor.shape[at], dimension=at)
    if tensor.first_is_fixed:
        require("view.squeeze_dim.partition", at != 0, dimension=at)
    shape = _replaced(tensor.shape, at)
    if tensor.on_chip:
        claim_on_chip_rank(len(shape), tensor.legacy)
    return tensor.with_layout(shape, _replaced(tensor.strides, at))


def reshape_dim(tensor: TensorT, dim: int, shape: Sequence[Extent]) -> TensorT:
    """Dimension `dim` split into `shape`, of which one extent may be -1."""
    at = host_dimension(dim, tensor.ndim)
    extent = tensor.shape[at]
    parts = [as_extent(part) for part in shape]
    sizes = [part for part in parts if part is not None]
    if len(sizes) < len(parts) or not sizes:
        require("tensor.shape_positive", False, shape=tuple(shape))
        raise TypeError("reshape_dim takes integers")
    open_parts = [position for position, part in enumerate(sizes) if same(part, -1)]
    if len(open_parts) == 1:
        rest = product(part for position, part in enumerate(sizes) if position != open_parts[0])
        sizes[open_parts[0]] = extent // rest
    new = host_shape(tuple(sizes))
    require("view.reshape_dim.count", equal(product(new), extent), shape=new, extent=extent, dimension=at)
    if tensor.first_is_fixed and at == 0:
        require("view.reshape_dim.partition", all_of(*(equal(part, 1) for part in new[1:])), shape=new)
    strides = [tensor.strides[at]]
    for part in reversed(new[1:]):
        strides.append(strides[-1] * part)
    result = _replaced(tensor.shape, at, *new)
    claim_rank(result)
    return tensor.with_layout(result, _replaced(tensor.strides, at, *reversed(strides)))


def flatten_dims(tensor: TensorT, start_dim: int, end_dim: int) -> TensorT:
    """Dimensions `start_dim` to `end_dim`, both included, as one."""
    first, last = host_dimension(start_dim, tensor.ndim), host_dimension(end_dim, tensor.ndim)
    require("view.flatten_dims.range", first <= last, start_dim=start_dim, end_dim=end_dim)
    if first > last:
        raise ValueError("flatten_dims needs start_dim <= end_dim")
    if tensor.first_is_fixed:
        require("view.flatten_dims.partition", first > 0, start_dim=first)
    joined = all_of(
        *(
            any_of(
                equal(tensor.shape[dim], 1), equal(tensor.strides[dim], tensor.strides[dim + 1] * tensor.shape[dim + 1])
            )
            for dim in range(first, last)
        )
    )
    require("view.flatten_dims.contiguous", joined, strides=tensor.strides, shape=tensor.shape)
    size = product(tensor.shape[first : last + 1])
    shape = (*tensor.shape[:first], size, *tensor.shape[last + 1 :])
    return tensor.with_layout(shape, (*tensor.strides[:first], tensor.strides[last], *tensor.strides[last + 1 :]))


def slice_dim(tensor: TensorT, dim: int, start: Extent, end: Extent, step: Extent = 1) -> TensorT:
    """Elements `start` to `end` (excluded) of dimension `dim`."""
    at = host_dimension(dim, tensor.ndim)
    claim_not_indirect(tensor, at)
    first, stop, pace = as_extent(start), as_extent(end), as_extent(step)
    if first is None or stop is None or pace is None:
        require("view.slice", False, start=start, end=end, step=step)
        raise TypeError("slice takes integers")
    extent = tensor.shape[at]
    legal = all_of(first >= 0, first < stop, stop <= extent, pace >= 1)
    require("view.slice", legal, start=first, end=stop, step=pace, extent=extent, dimension=at)
    if tensor.on_chip and at == tensor.block_dims:
        require("idx.partition_step", equal(pace, 1), step=pace)
    size = stop - first if is_one(pace) else ceil_div(stop - first, pace)
    stride = tensor.strides[at]
    strides = tensor.strides if is_one(pace) else _replaced(tensor.strides, at, stride * pace)
    return tensor.with_layout(_replaced(tensor.shape, at, size), strides, moved_by=((first, stride),))


def select(tensor: TensorT, dim: int, index: object) -> TensorT:
    """Element `index` of dimension `dim`, which goes away."""
    at = host_dimension(dim, tensor.ndim)
    claim_not_indirect(tensor, at)
    if is_run_time(index):
        return indirection.select(tensor, at, index)
    position = as_extent(index)
    if position is None:
        raise unsupported("NkiTensor.select with an index that is not a host integer")
    if tensor.on_chip and at == 0:
        raise unsupported("NkiTensor.select on the partition dimension of an on-chip tensor", "use indexing")
    extent = tensor.shape[at]
    legal = all_of(position >= 0, position < extent)
    require("view.select", legal, index=position, extent=extent, dimension=at)
    shape = _replaced(tensor.shape, at)
    strides = _replaced(tensor.strides, at)
    if tensor.on_chip and len(shape) < 2:
        shape, strides = (*shape, 1), (*strides, 1)
    return tensor.with_layout(shape or (1,), strides or (1,), moved_by=((position, tensor.strides[at]),))


def claim_not_indirect(tensor: Tensor, dimension: int) -> None:
    """Claim that `dimension` does not take part in an indirection already made."""
    taken = tensor.indirect_by is not None and tensor.indirect_by.by_rows and dimension == 0
    require("view.indirect_dim", not taken, dimension=dimension)


def is_contiguous(tensor: Tensor) -> Any:
    """True if each dimension's stride is the product of the extents inside it; on chip dimension 0 does not count."""
    conditions: list[Any] = []
    inner: Extent = 1
    for dim in range(tensor.ndim - 1, 0 if tensor.on_chip else -1, -1):
        conditions.append(any_of(equal(tensor.shape[dim], 1), equal(tensor.strides[dim], inner)))
        inner = inner * tensor.shape[dim]
    return all_of(*conditions)


def reshape(tensor: TensorT, shape: Sequence[Extent]) -> TensorT:
    """The same elements in row-major order in another shape."""
    if tensor.block_dims:
        raise unsupported("reshaping a tensor with block dimensions")
    new = host_shape(shape)
    require("view.reshape.count", equal(product(new), tensor.size), shape=new, old_shape=tensor.shape)
    if not tensor.legacy:
        claim_rank(new)
    if tensor.first_is_fixed:
        require("view.reshape.partition", equal(new[0], tensor.shape[0]), shape=new, old_shape=tensor.shape)
        fixed = 1
        if tensor.on_chip:
            claim_on_chip_rank(len(new), tensor.legacy)
    else:
        fixed = 0
    strides = _split_and_merge(tensor.shape[fixed:], tensor.strides[fixed:], new[fixed:])
    return tensor.with_layout(new, tensor.strides[:fixed] + strides)


def _split_and_merge(
    shape: tuple[Extent, ...], strides: tuple[Extent, ...], new: tuple[Extent, ...]
) -> tuple[Extent, ...]:
    """Strides that give `new` the elements of the old layout in row-major order.

    Old and new dimensions are grouped so that the extents of a group multiply to the same number; inside a group the
    old dimensions must follow one another without gaps (NumPy's no-copy reshape).
    """
    old = [(extent, stride) for extent, stride in zip(shape, strides, strict=True) if not is_one(extent)]
    if all(same(stride, product(extent for extent, _ in old[at + 1 :])) for at, (_, stride) in enumerate(old)):
        return _row_major(new)
    result: list[Extent] = []
    at = 0
    wanted = 0
    while wanted < len(new):
        if is_one(new[wanted]):
            result.append(1)
            wanted += 1
            continue
        if at == len(old):
            _cannot_reshape(shape, strides, new)
        first, first_wanted = at, wanted
        have, want = old[at][0], new[wanted]
        at, wanted = at + 1, wanted + 1
        while not same(have, want):
            if is_symbolic(have) or is_symbolic(want):
                raise unsupported(f"reshaping a view with gaps from {shape} to {new}")
            if have < want and at < len(old):
                have, at = have * old[at][0], at + 1
            elif want < have and wanted < len(new):
                want, wanted = want * new[wanted], wanted + 1
            else:
                _cannot_reshape(shape, strides, new)
        for dim in range(first, at - 1):
            joined = equal(old[dim][1], old[dim + 1][1] * old[dim + 1][0])
            require("view.reshape_after_permute", joined, shape=new, old_shape=shape, strides=strides)
        inner = old[at - 1][1]
        result.extend(step * inner for step in _row_major(new[first_wanted:wanted]))
    return tuple(result)


def _row_major(shape: Sequence[Extent]) -> tuple[Extent, ...]:
    strides: list[Extent] = [1]
    for extent in reversed(shape[1:]):
        strides.append(strides[-1] * extent)
    strides.reverse()
    return tuple(strides[: len(shape)])


def _cannot_reshape(shape: tuple[Extent, ...], strides: tuple[Extent, ...], new: tuple[Extent, ...]) -> NoReturn:
    require("view.reshape_after_permute", False, shape=new, old_shape=shape, strides=strides)
    raise ValueError(f"the layout of the view cannot express the shape {new}")


def reinterpret(tensor: TensorT, dtype: DType) -> TensorT:
    """The same bytes as elements of `dtype`: the last extent changes by the ratio of the sizes."""
    require("view.cast.indirect", tensor.indirect_by is None, dtype=dtype)
    old, new = tensor.dtype.itemsize, dtype.itemsize
    shape, strides = tensor.shape, tensor.strides
    moved = tensor.offset_terms
    if old != new:
        require("view.cast.contiguous", equal(strides[-1], 1), strides=strides)
    if old > new:
        ratio = old // new
        shape = (*shape[:-1], shape[-1] * ratio)
        strides = (*(stride * ratio for stride in strides[:-1]), strides[-1])
        moved = tuple((start, stride * ratio) for start, stride in moved)
    elif old < new:
        ratio = new // old
        even = all_of(shape[-1] % ratio == 0, *(stride % ratio == 0 for stride in strides[:-1]))
        if moved:
            even = all_of(even, tensor.offset % ratio == 0)
            moved = ((tensor.offset // ratio, 1),)
        require("view.cast.divisible", even, extent=shape[-1], strides=strides, offset=tensor.offset, ratio=ratio)
        shape = (*shape[:-1], shape[-1] // ratio)
        strides = (*(stride // ratio for stride in strides[:-1]), strides[-1])
    view = type(tensor).of(tensor.storage, shape, strides, dtype, moved, tensor.block_dims)
    view.bounds = tensor.bounds
    return view
