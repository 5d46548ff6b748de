"""Functions of `nki.language` (current API) that return a new tile: wrappers over instructions (reference c.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nkiverify.model import contents
from nkiverify.model.allocation import allocate, claim_on_chip_shape, claimed_region, result_tile, temporary
from nkiverify.model.contracts import require
from nkiverify.model.dtypes import DType, float32, numpy_name, uint8, uint32
from nkiverify.model.memory import SBUF, SHARED_HBM
from nkiverify.model.ops import copies, randomness
from nkiverify.model.ops.operands import any_in_psum, generation, in_sbuf, on_chip, tile
from nkiverify.model.ops.reductions import last_axes
from nkiverify.model.promotion import promoted
from nkiverify.model.tensor import Tensor, declared_dtype, name_given, new_storage
from nkiverify.model.views import host_shape
from nkiverify.symbolic import Extent, all_of, any_of, equal
from nkiverify.symbolic.execution import unsupported

_NO_HARDWARE = ("divide", "mod", "fmod")
#: Dtypes of shared constants.
_CONSTANTS = frozenset(
    (
        "float32", "float16", "bfloat16", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float8_e4m3fn",
        "float8_e5m2", "float8_e8m0fnu",
    )
)  # fmt: skip


def _result_dtype(dtype: object, default: DType) -> DType:
    return default if dtype is None else declared_dtype(dtype)


def _same_shape(left: Tensor, right: Tensor) -> Any:
    if left.ndim != right.ndim:
        return False
    return all_of(*(equal(one, two) for one, two in zip(left.shape, right.shape, strict=True)))


def binary(name: str, x: object, y: object, dtype: object) -> Tensor:
    """A new SBUF tile: x op y, element by element; one of the two may be a number."""
    tiles = [operand for operand in (x, y) if isinstance(operand, Tensor)]
    require("nl.binary.one_tile", len(tiles) >= 1, x=type(x).__name__, y=type(y).__name__)
    if not tiles:
        raise TypeError(f"nl.{name} needs at least one tile")
    if name in _NO_HARDWARE:
        require(f"nl.{name}.unsupported", False)
    if name in ("abs_max", "abs_min"):
        require("nl.abs_max.gen4", generation() >= 4, generation=generation())
    for operand in tiles:
        tile(operand, "operand")
        require("isa.on_chip", on_chip(operand), operand=operand.buffer)
    if name == "power":
        require("nl.power.tile", isinstance(y, Tensor) and not any_in_psum(*tiles), y=type(y).__name__)
    if name.startswith("bitwise") or name.endswith("shift"):
        require("nl.bitwise.int", all(operand.dtype.is_integer for operand in tiles), dtype=tiles[0].dtype)
    if len(tiles) == 2:
        require("nl.binary.same_shape", _same_shape(*tiles), x=tiles[0].shape, y=tiles[1].shape)
    natural = tiles[0].dtype if len(tiles) == 1 else promoted(tiles[0].dtype, tiles[1].dtype)
    return result_tile(tiles[0].shape, _result_dtype(dtype, natural))


def unary(name: str, x: object, dtype: object) -> Tensor:
    """A new SBUF tile of the shape of `x`."""
    operand = tile(x, "x")
    require("isa.on_chip", on_chip(operand), x=operand.buffer)
    if name == "rsqrt":
        require("nl.rsqrt.psum", not any_in_psum(operand), x=operand.buffer)
    if name == "invert":
        require("nl.bitwise.int", operand.dtype.is_integer, dtype=operand.dtype)
    return result_tile(operand.shape, _result_dtype(dtype, operand.dtype))


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


def copy(x: object, dtype: object) -> Tensor:
    """A new SBUF tile with the elements of `x`, from SBUF or PSUM."""
    operand = tile(x, "x")
    result = result_tile(operand.shape, _result_dtype(dtype, operand.dtype))
    copies.tensor_copy(result, operand)
    return result


def load(src: object, dtype: object) -> Tensor:
    """A new SBUF tile with the elements of an HBM tensor; its first dimension becomes the partition dimension."""
    source = tile(src, "src")
    shape = source.shape if source.ndim > 1 else (*source.shape, 1)
    result = temporary(shape, _result_dtype(dtype, source.dtype))
    copies.load(result, source)
    return result


def load_transpose2d(src: object, dtype: object) -> Tensor:
    """A new SBUF tile (F, P) with the elements of an HBM tensor (P, F)."""
    source = tile(src, "src")
    require("nl.transpose.2d", source.ndim == 2, src=source.shape)
    result = temporary(tuple(reversed(source.shape)), _result_dtype(dtype, source.dtype))
    copies.load(result, source)
    return result


def filled(shape: object, value: object, dtype: object, buffer: object, name: object) -> Tensor:
    """A new tensor, every element set to `value`."""
    result = allocate(shape, dtype, buffer, name)
    copies.claim_fill_value(result.dtype, value)
    contents.filled(result, value, value)
    return result


def like(x: object, dtype: object, buffer: object, name: object) -> Tensor:
    """A new tensor of the shape of `x`, in SBUF unless `buffer` says otherwise."""
    model = tile(x, "x")
    region = claimed_region(buffer)
    claim_on_chip_shape(model.shape, region)
    return Tensor.whole(new_storage(model.shape, _result_dtype(dtype, model.dtype), region, name_given(name)))


def expand_dims(x: object, axis: object) -> Tensor:
    """A view with extent 1 inserted at `axis`."""
    operand = tile(x, "x")
    valid = isinstance(axis, int) and (1 if operand.on_chip else 0) <= axis % (operand.ndim + 1)
    require("nl.expand_dims.axis", valid and -operand.ndim - 1 <= axis <= operand.ndim, axis=axis, x=operand.shape)  # type: ignore[operator]
    return operand.expand_dim(axis)  # type: ignore[arg-type]


def broadcast_to(x: object, shape: Sequence[Extent], dtype: object) -> Tensor:
    """A new tile of `shape`, made of `x` (SBUF or PSUM) by repeating extents of 1; `x` itself if nothing changes."""
    operand = tile(x, "x")
    wanted = host_shape(shape)
    grows = (
        all_of(*(any_of(equal(new, old), equal(old, 1)) for new, old in zip(wanted, operand.shape, strict=True)))
        if len(wanted) == operand.ndim
        else False
    )
    require("nl.broadcast_to.shape", all_of(grows, on_chip(operand)), x=operand.shape, shape=wanted)
    return temporary(wanted, _result_dtype(dtype, operand.dtype))


def identity_matrix(n: Extent, dtype: object, dst: object) -> Tensor:
    """An (n, n) identity matrix in SBUF."""
    if dst is None:
        (size, _) = extents = host_shape((n, n))
        require("nl.shared_identity_matrix", size <= 128, n=size)
        return temporary(extents, _result_dtype(dtype, uint8), SBUF)
    target = tile(dst, "dst")
    fits = all_of(n <= 128, in_sbuf(target), equal(target.shape[0], n), equal(target.free_size, n))
    require("nl.shared_identity_matrix", fits, n=n, dst=target.shape)
    return target


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


def shared_constant(constant: object) -> Tensor:
    """A new tensor in shared HBM with the elements of a NumPy array."""
    shape, name = getattr(constant, "shape", None), numpy_name(getattr(constant, "dtype", None))
    if isinstance(constant, str) or shape is None or name is None:
        raise unsupported("nl.shared_constant of anything but a NumPy array")
    require("nl.shared_constant", name in _CONSTANTS, dtype=name)
    return Tensor.whole(new_storage(host_shape(tuple(shape)), declared_dtype(name), SHARED_HBM))


def gather_flattened(data: object, indices: object, axis: object, dtype: object) -> Tensor:
    """A new SBUF tile of the shape of `indices`: elements of the flattened free axes of `data`."""
    source, places = tile(data, "data"), tile(indices, "indices")
    if axis != 0:
        raise unsupported("nl.gather_flattened along an axis", "its meaning is not documented")
    require("isa.on_chip", on_chip(source, places), data=source.buffer, indices=places.buffer)
    require("nl.gather_flattened", equal(source.shape[0], places.shape[0]), data=source.shape, indices=places.shape)
    require("nl.gather_flattened", places.dtype == uint32, indices=places.dtype)
    return result_tile(places.shape, _result_dtype(dtype, source.dtype))
