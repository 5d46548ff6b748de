"""Functions of the legacy language that move, reduce or multiply tiles (reference section f.4)."""

from __future__ import annotations

from numbers import Real

from nkiverify.model.access import Access
from nkiverify.model.contracts import require
from nkiverify.model.dtypes import DType, bool_, float32, uint32
from nkiverify.model.extents import as_extent, is_sequence
from nkiverify.model.indices import Mask, broadcast_shapes
from nkiverify.model.legacy_tensor import (
    LegacyTensor,
    named_dtype,
    new_tile,
    operand,
    result_tile,
)
from nkiverify.model.ops.operands import on_chip
from nkiverify.model.promotion import promoted
from nkiverify.model.tensor import Tensor
from nkiverify.model.views import host_shape
from nkiverify.symbolic import all_of, equal


def _dtype(dtype: object, default: DType) -> DType:
    return default if dtype is None else named_dtype(dtype)


def reduce(name: str, x: object, axis: object, dtype: object, mask: Mask | None, keepdims: bool) -> LegacyTensor:
    """A new SBUF tile: `x` reduced over free axes, which go away or stay with extent 1."""
    source = operand(x, mask, "x")
    require("isa.on_chip", on_chip(source), x=source.buffer)
    axes = free_axes(source, axis)
    if keepdims:
        shape = tuple(1 if dim in axes else extent for dim, extent in enumerate(source.shape))
    else:
        shape = tuple(extent for dim, extent in enumerate(source.shape) if dim not in axes)
        shape = shape if len(shape) > 1 else (*shape, 1)
    natural = bool_ if name == "all" else source.dtype
    left = None if mask is None else mask.reduced(source.ndim, axes, keepdims=bool(keepdims))
    return result_tile(shape, _dtype(dtype, natural), mask=left)


def free_axes(source: Tensor, axis: object) -> frozenset[int]:
    """The dimensions a reduction names, claimed to be free ones."""
    axes = tuple(axis) if is_sequence(axis) else (axis,)
    numbers = [part + source.ndim if part < 0 else part for part in axes if isinstance(part, int)]
    legal = len(numbers) == len(axes) == len(set(numbers)) and all(1 <= part < source.ndim for part in numbers)
    require("leg.reduce.axis", legal and len(axes) > 0, axis=axis, shape=source.shape)
    if not legal:
        raise ValueError(f"axes {axis!r} are not free dimensions of a tile of {source.ndim} dimensions")
    return frozenset(numbers)


def elementwise_like(x: object, dtype: object, mask: Mask | None) -> LegacyTensor:
    """A new SBUF tile of the shape of `x`: softmax, dropout, copies and casts."""
    source = operand(x, mask, "x")
    require("isa.on_chip", on_chip(source), x=source.buffer)
    return result_tile(source.shape, _dtype(dtype, source.dtype), mask=mask)


def loop_reduce(x: object, loop_indices: object, dtype: object, mask: Mask | None) -> LegacyTensor:
    """The running reduction of `x` over the loops listed."""
    if not is_sequence(loop_indices) or any(as_extent(index) is None for index in loop_indices):
        raise TypeError("loop_reduce takes a list of loop indices")
    return elementwise_like(x, dtype, mask)


def where(condition: object, x: object, y: object, dtype: object, mask: Mask | None) -> LegacyTensor:
    """`x` where the condition holds, else `y`, which may be a number."""
    test = operand(condition, mask, "condition")
    tiles = [operand(value, mask, "operand") for value in (x, y) if isinstance(value, Tensor | Access)]
    require("isa.on_chip", on_chip(test, *tiles), condition=test.buffer)
    shape = broadcast_shapes("leg.binary.broadcast", test.shape, *(tile.shape for tile in tiles))
    natural = promoted(tiles[0].dtype, tiles[-1].dtype) if tiles else float32
    return result_tile(shape, _dtype(dtype, natural), mask=mask)


def softmax(x: object, axis: object, dtype: object, compute_dtype: object, mask: Mask | None) -> LegacyTensor:
    """A new SBUF tile of the shape of `x`."""
    _claim_one_dtype(dtype, compute_dtype)
    result = elementwise_like(x, dtype, mask)
    free_axes(result, axis)
    return result


def rms_norm(
    x: object, w: object, axis: object, dtype: object, compute_dtype: object, mask: Mask | None
) -> LegacyTensor:
    """A new SBUF tile of the shape of `x`: x / RMS(x) * w."""
    _claim_one_dtype(dtype, compute_dtype)
    weight = operand(w, mask, "w")
    require("isa.on_chip", on_chip(weight), w=weight.buffer)
    result = elementwise_like(x, dtype, mask)
    free_axes(result, axis)
    return result


def _claim_one_dtype(dtype: object, compute_dtype: object) -> None:
    if dtype is not None and compute_dtype is not None:
        same = named_dtype(dtype) == named_dtype(compute_dtype)
        require("leg.compute_dtype", same, dtype=dtype, compute_dtype=compute_dtype)


def dropout(x: object, rate: object, dtype: object, mask: Mask | None) -> LegacyTensor:
    """A new SBUF tile of the shape of `x`, each element set to 0 at a rate."""
    if isinstance(rate, Tensor | Access):
        one = operand(rate, mask, "rate")
        require("leg.dropout.rate", all_of(on_chip(one), equal(one.size, 1)), rate=one.shape)
    else:
        plain = isinstance(rate, Real) and 0 <= float(rate) <= 1
        require("leg.dropout.rate", plain, rate=rate)
    return elementwise_like(x, dtype, mask)


def random(shape: object, dtype: object) -> LegacyTensor:
    """A new SBUF tile of random numbers from 0 to 1."""
    return new_tile(host_shape(shape), named_dtype(dtype))


#: How many dimensions the operands of gather_flattened have.
_GATHERED_RANKS = (2, 3, 4)


def gather_flattened(data: object, indices: object, dtype: object, mask: Mask | None) -> LegacyTensor:
    """A new SBUF tile of the shape of `indices`: elements of the flattened free axes of `data`."""
    source, places = operand(data, mask, "data"), operand(indices, mask, "indices")
    require("isa.on_chip", on_chip(source, places), data=source.buffer, indices=places.buffer)
    ranked = source.ndim in _GATHERED_RANKS and places.ndim in _GATHERED_RANKS
    require(
        "leg.gather_flattened",
        all_of(ranked, places.dtype == uint32, equal(source.shape[0], places.shape[0])),
        data=source.shape,
        indices=places.shape,
        dtype=places.dtype,
    )
    return result_tile(places.shape, _dtype(dtype, source.dtype), mask=mask)
