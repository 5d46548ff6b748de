"""Functions of `nki.language` (current API) that return a new tile: wrappers over instructions (reference c.5)."""

from __future__ import annotations

from typing import Any

from nkiverify.model.allocation import allocate, result_tile
from nkiverify.model.contracts import require
from nkiverify.model.dtypes import DType, float32, uint32
from nkiverify.model.ops import randomness
from nkiverify.model.ops.operands import on_chip, tile
from nkiverify.model.ops.reductions import last_axes
from nkiverify.model.tensor import Tensor, declared_dtype
from nkiverify.symbolic import all_of, any_of, equal
from nkiverify.symbolic.execution import unsupported


def _result_dtype(dtype: object, default: DType) -> DType:
    return default if dtype is None else declared_dtype(dtype)


def _same_shape(left: Tensor, right: Tensor) -> Any:
    if left.ndim != right.ndim:
        return False
    return all_of(*(equal(one, two) for one, two in zip(left.shape, right.shape, strict=True)))


def reduce(name: str, x: object, axis: object, dtype: object, keepdims: bool) -> Tensor:
    """A new SBUF tile: `x` reduced over its last free axes, which go away or stay with extent 1."""
    operand = tile(x, "x")
    require("isa.on_chip", on_chip(operand), x=operand.buffer)
    count = last_axes("nl.reduce.axis", operand, axis)
    kept = operand.shape[: operand.ndim - count]
    if keepdims or name == "var":
        kept = kept + (1,) * count
    elif len(kept) < 2:
        # An on-chip tile has a free dimension, whatever was reduced.
        kept = (*kept, 1)
    return result_tile(kept, _result_dtype(dtype, operand.dtype))


def softmax(x: object, axis: object, dtype: object) -> Tensor:
    """A new SBUF tile of the shape of `x`."""
    operand = tile(x, "x")
    require("isa.on_chip", on_chip(operand), x=operand.buffer)
    last_axes("nl.reduce.axis", operand, axis)
    return result_tile(operand.shape, _result_dtype(dtype, operand.dtype))


def rms_norm(x: object, w: object, axis: object, dtype: object) -> Tensor:
    """A new SBUF tile of the shape of `x`: x / RMS(x) * w."""
    operand, weight = tile(x, "x"), tile(w, "w")
    require("isa.on_chip", on_chip(operand, weight), x=operand.buffer, w=weight.buffer)
    last_axes("nl.reduce.axis", operand, axis)
    require(
        "nl.rms_norm.weight",
        all_of(
            equal(weight.free_size, operand.free_size),
            any_of(equal(weight.shape[0], 1), equal(weight.shape[0], operand.shape[0])),
        ),
        x=operand.shape,
        w=weight.shape,
    )
    return result_tile(operand.shape, _result_dtype(dtype, operand.dtype))


def where(condition: object, x: object, y: object, dtype: object) -> Tensor:
    """A new SBUF tile: `x` where the condition is 1, else `y`; one of them may be a number."""
    test = tile(condition, "condition")
    tiles = [operand for operand in (x, y) if isinstance(operand, Tensor)]
    require("isa.on_chip", on_chip(test, *tiles), condition=test.buffer)
    require(
        "nl.where.shape",
        all_of(*(_same_shape(test, operand) for operand in tiles)),
        condition=test.shape,
        operands=tuple(operand.shape for operand in tiles),
    )
    return result_tile(test.shape, _result_dtype(dtype, tiles[0].dtype if tiles else float32))


def dropout(x: object, rate: object, dtype: object) -> Tensor:
    """A new SBUF tile of the shape of `x`, each element set to 0 with probability `rate`."""
    operand = tile(x, "x")
    require("isa.on_chip", on_chip(operand), x=operand.buffer)
    randomness.claim_probability(rate, operand)
    return result_tile(operand.shape, _result_dtype(dtype, operand.dtype))


def random(shape: object, dtype: object, buffer: object, name: object) -> Tensor:
    """A new tensor of random numbers from 0 to 1."""
    return allocate(shape, dtype, buffer, name)


def random_seed(seed: object) -> None:
    """Seed the generator with a tensor of one element."""
    if not isinstance(seed, Tensor):
        require("nl.random_seed", False, seed=type(seed).__name__)
        raise TypeError(f"the seed is a tensor, not {type(seed).__name__}")
    operand = tile(seed, "seed")
    require(
        "nl.random_seed",
        all_of(on_chip(operand), equal(operand.size, 1), operand.dtype.itemsize == 4),
        seed=operand.shape,
        dtype=operand.dtype,
        buffer=operand.buffer,
    )


def gather_flattened(data: object, indices: object, axis: object, dtype: object) -> Tensor:
    """A new SBUF tile of the shape of `indices`: elements of the flattened free axes of `data`."""
    source, places = tile(data, "data"), tile(indices, "indices")
    if axis != 0:
        raise unsupported("nl.gather_flattened along an axis", "its meaning is not documented")
    require("isa.on_chip", on_chip(source, places), data=source.buffer, indices=places.buffer)
    require("nl.gather_flattened", equal(source.shape[0], places.shape[0]), data=source.shape, indices=places.shape)
    require("nl.gather_flattened", places.dtype == uint32, indices=places.dtype)
    return result_tile(places.shape, _result_dtype(dtype, source.dtype))
