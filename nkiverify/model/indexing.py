"""Basic indexing `t[key]`: integers, slices, `...` and `nl.ds`.

Bounds are claims, never clamped: the documentation states no clamping, NumPy's would hide the fault, and the legacy
compiler rejects it (reference section b.2, `idx.oob`). Negative numbers count from the end, as the docstring of
`NkiTensor.__getitem__` has it. Keys with index tensors (legacy) go to `nkiverify.model.access`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.access import Access, MaskedOperand
from nkiverify.model.contracts import entailed, require
from nkiverify.model.current_execution import current_execution
from nkiverify.model.extents import IndexRange, as_extent, is_one
from nkiverify.model.indices import IndexTensor, Mask
from nkiverify.model.indirection import claim_reach, claim_scalar_index
from nkiverify.model.tensor import Indirection, IndirectionKind, Reach, Register, Tensor
from nkiverify.symbolic import Extent, ceil_div, constant_value
from nkiverify.symbolic.execution import unsupported

TensorT = TypeVar("TensorT", bound="Tensor")


@dataclass(frozen=True, slots=True)
class SizedSlice:
    """`nl.ds(start, size)`: the slice `start : start + size` ("idx.ds")."""

    start: object
    size: object


#: The key of all of one dimension.
_ALL = (slice(None),)


class _Interval(NamedTuple):
    """The part of one dimension a key names."""

    start: Extent
    size: Extent
    step: Extent


def index(tensor: TensorT, key: object) -> Any:
    """`tensor[key]`: a view, or for index tensors an access that waits for its mask."""
    keys = key if isinstance(key, tuple) else (key,)
    if _are_plain(keys):
        return _basic(tensor, keys)
    if has_index_tensor(keys):
        return Access.of(tensor, keys)
    if isinstance(key, Mask) and tensor.legacy and tensor.on_chip and not tensor.block_dims:
        return MaskedOperand(tensor, key)
    if tensor.legacy and tensor.on_chip and any(isinstance(part, Access | Tensor) for part in keys):
        return _at_run_time(tensor, keys)
    return _basic(tensor, keys)


def _at_run_time(tensor: TensorT, keys: tuple[object, ...]) -> TensorT:
    """`tile[:, place]` of the legacy API: the elements of each partition at a place known at run time."""
    open_key = [at for at, part in enumerate(keys) if part is Ellipsis]
    missing = _ALL * (tensor.ndim - len(keys) + len(open_key))
    at = open_key[0] if open_key else len(keys)
    keys = keys[:at] + missing + keys[at + 1 :]
    chosen = [axis for axis, part in enumerate(keys) if isinstance(part, Access | Tensor)]
    axis = chosen[0]
    part = keys[axis]
    place = part.resolve() if isinstance(part, Access) else part
    assert isinstance(place, Tensor)
    legal = len(chosen) == 1 and axis != tensor.block_dims and tensor.indirect_by is None and place.dtype.is_integer
    require("leg.indirect", legal, dimension=axis, index_dtype=place.dtype)
    if not legal:
        raise TypeError("a tile is indexed with one integer known at run time, in a free dimension")
    claim_scalar_index("leg.indirect", place)
    view = _basic(tensor, (*keys[:axis], 0, *keys[axis + 1 :]))
    moves = Indirection(IndirectionKind.SCALAR, place, Reach(1, 0, 0, tensor.shape[axis]), tensor.strides[axis])
    claim_reach("leg.oob_dynamic", moves)
    view.indirect_by = moves
    return view


def has_index_tensor(keys: tuple[object, ...]) -> bool:
    """True if one of the keys is an index tensor."""
    for part in keys:
        kind = type(part)
        if kind is not slice and kind is not int and isinstance(part, IndexTensor):
            return True
    return False


def _basic(tensor: TensorT, keys: tuple[object, ...]) -> TensorT:
    keys = expand_keys(keys, len(tensor.shape))
    symbolic = current_execution().symbolic
    on_chip = tensor.on_chip
    partition = tensor.block_dims if on_chip else -1
    shape: list[Extent] = []
    strides: list[Extent] = []
    moved: list[tuple[Extent, Extent]] = []
    blocks = tensor.block_dims
    moves: Indirection | None = None
    size: Extent
    axis = -1
    for part, extent, stride in zip(keys, tensor.shape, tensor.strides, strict=True):
        axis += 1
        plain = type(part) is int  # asked first, as are the other shortcuts: every index of every kernel comes by here
        if isinstance(part, slice):
            start, stop, step = part.start, part.stop, part.step
            if start is None and stop is None and step is None:
                shape.append(extent)
                strides.append(stride)
                continue
            if step is None and type(start) is type(stop) is type(extent) is int and 0 <= start < stop <= extent:
                # Plain numbers inside the dimension: what `_slice` comes to, without what it does for others.
                if symbolic:
                    entailed("idx.oob")
                if axis == partition:
                    require("idx.partition_step", True, step=1)
                if start:
                    moved.append((start, stride))
                shape.append(stop - start)
                strides.append(stride)
                continue
            start, size, step = _slice(part, extent, axis)
        elif not plain and isinstance(part, SizedSlice) and isinstance(part.start, Register):
            moves = _moved_by(tensor, part.start, part.size, axis, moves)
            shape.append(_host_integer(part.size, axis))
            strides.append(stride)
            continue
        elif not plain and isinstance(part, SizedSlice):
            start, size, step = _sized_slice(part, extent, axis)
        elif not plain and isinstance(part, Register):
            moves = _moved_by(tensor, part, 1, axis, moves)
            continue
        else:
            if type(part) is int and type(extent) is int and 0 <= part < extent:
                if symbolic:
                    entailed("idx.oob")
                if part:
                    moved.append((part, stride))
            else:
                position = element(part, extent, axis)
                if type(position) is not int or position:
                    moved.append((position, stride))
            if axis == partition:
                shape.append(1)
                strides.append(stride)
            elif axis < tensor.block_dims:
                blocks -= 1
            continue
        if axis == partition:
            require("idx.partition_step", step == 1, step=step)
        if type(start) is not int or start:
            moved.append((start, stride))
        shape.append(size)
        strides.append(stride if is_one(step) else stride * step)
    if len(shape) < (blocks + 2 if on_chip else 1):
        # An integer on every free dimension: the last one stays, with extent 1 ("idx.int_free_drops", HBM: rank >= 1).
        shape.append(1)
        strides.append(tensor.strides[-1])
    view = tensor.with_layout(tuple(shape), tuple(strides), moved_by=tuple(moved), block_dims=blocks)
    if moves is not None:
        view.indirect_by = moves
    return view


def _moved_by(tensor: Tensor, index: Register, size: object, axis: int, other: Indirection | None) -> Indirection:
    """How a register moves a view along a dimension: to the element, or the `size` elements, that it names."""
    require("view.one_indirection", tensor.indirect_by is None and other is None)
    if tensor.block_dims or (tensor.on_chip and axis == 0):
        raise unsupported("a register as an index of the partitions, or of a block")
    count, extent = _host_integer(size, axis), tensor.shape[axis]
    claim_interval(0, count, count, extent, axis)
    return Indirection(IndirectionKind.SCALAR, index, Reach(1, 0, count - 1, extent), tensor.strides[axis])


def expand_keys(keys: tuple[object, ...], rank: int) -> tuple[object, ...]:
    """One key per dimension: `...` and missing trailing keys become full slices ("idx.fewer_keys")."""
    given = len(keys)
    if given <= rank and _are_plain(keys):
        entailed("idx.keys")
        return keys if given == rank else keys + _ALL * (rank - given)
    if any(isinstance(part, range | IndexRange) for part in keys):
        keys = _with_slices(keys)
    ellipses = sum(1 for part in keys if part is Ellipsis)
    for part in keys:
        if not isinstance(part, _PLAIN_KEYS) and part is not Ellipsis and as_extent(part) is None:
            raise unsupported(f"indexing a tensor with a {type(part).__name__}")
    known_keys = all(part is Ellipsis or _is_key(part) for part in keys)
    require("idx.keys", known_keys and ellipses <= 1 and given - ellipses <= rank, key=_describe(keys), rank=rank)
    if not known_keys or ellipses > 1 or given - ellipses > rank:
        raise IndexError(f"the key [{_describe(keys)}] does not fit a tensor of {rank} dimensions")
    if given == rank and not ellipses:
        return keys
    missing = _ALL * (rank - given + ellipses)
    if not ellipses:
        return keys + missing
    at = next(position for position, part in enumerate(keys) if part is Ellipsis)
    return keys[:at] + missing + keys[at + 1 :]


def _with_slices(keys: tuple[object, ...]) -> tuple[object, ...]:
    """The keys with the slice that a range stands for in its place."""
    found = [part for part in keys if isinstance(part, range | IndexRange)]
    if len(found) > 1:
        raise unsupported("indexing a tensor with several ranges", "write slices")
    start, step = found[0].start, found[0].step
    if start < 0 or step < 1:
        raise unsupported("indexing a tensor with a range that counts from below 0, or down", "write a slice")
    require("idx.range", False, start=start, stop=found[0].stop)
    return tuple(slice(part.start, part.stop, part.step) if part is found[0] else part for part in keys)


def _are_plain(keys: tuple[object, ...]) -> bool:
    """True if all keys are slices and plain numbers."""
    for part in keys:  # written out: every index of every kernel comes by here
        kind = type(part)
        if kind is not slice and kind is not int:
            return False
    return True


#: What a key may consist of, and plain values it may not consist of. Anything else may be an index at run time.
_PLAIN_KEYS = (slice, SizedSlice, Register, int, float, str, tuple, list, dict, type(None))


def _is_key(part: object) -> bool:
    return isinstance(part, slice | SizedSlice | Register) or type(part) is int or as_extent(part) is not None


def _describe(keys: tuple[object, ...]) -> str:
    return ", ".join(_describe_key(part) for part in keys)


def _describe_key(part: object) -> str:
    if part is Ellipsis:
        return "..."
    return repr(part) if isinstance(part, int | str | float | type(None)) else type(part).__name__


def element(part: object, extent: Extent, axis: int) -> Extent:
    """Position of the integer key `part` in a dimension, claimed to be inside it."""
    position = as_extent(part)
    if position is None:
        raise unsupported(f"a key of type {type(part).__name__} on dimension {axis} of a tensor")
    if position < 0:
        position = position + extent
        require("idx.oob", position >= 0, index=part, extent=extent, dimension=axis)
    else:
        require("idx.oob", position < extent, index=position, extent=extent, dimension=axis)
    return position


def _host_integer(value: object, axis: int) -> Extent:
    number = as_extent(value)
    if number is None:
        if not isinstance(value, _PLAIN_KEYS):
            raise unsupported(f"a slice of a tensor with a {type(value).__name__} in it")
        require("idx.keys", False, key=_describe_key(value), dimension=axis)
        raise TypeError(f"{type(value).__name__} in a slice of dimension {axis} of a tensor")
    return number


def _start(value: object, extent: Extent, axis: int) -> Extent:
    start = _host_integer(value, axis)
    if start < 0:
        start = start + extent
        require("idx.oob", start >= 0, start=value, extent=extent, dimension=axis)
    return start


def _slice(key: slice, extent: Extent, axis: int) -> _Interval:
    step = 1 if key.step is None else _host_integer(key.step, axis)
    start = 0 if key.start is None else _start(key.start, extent, axis)
    stop = extent if key.stop is None else _host_integer(key.stop, axis)
    size = stop - start
    fixed = constant_value(size)
    if (fixed is None or fixed < 1) and key.stop is not None and stop < 0:
        stop = stop + extent
        size = stop - start
    if not is_one(step):
        require("idx.step_positive", step >= 1, step=step, dimension=axis)
        size = ceil_div(size, step)
    claim_interval(start, stop, size, extent, axis)
    return _Interval(start, size, step)


def _sized_slice(key: SizedSlice, extent: Extent, axis: int) -> _Interval:
    start, size = _start(key.start, extent, axis), _host_integer(key.size, axis)
    claim_interval(start, start + size, size, extent, axis)
    return _Interval(start, size, 1)


def claim_interval(start: Extent, stop: Extent, size: Extent, extent: Extent, axis: int) -> None:
    """Claim that `start : stop`, which has `size` elements and a start of at least 0, is a part of a dimension."""
    fixed = constant_value(size)
    if fixed is None or fixed < 1:
        require("idx.empty", size >= 1, start=start, stop=stop, dimension=axis)
    require("idx.oob", stop <= extent, start=start, stop=stop, extent=extent, dimension=axis)
