"""Copies on chip: tensor_copy, nl.copy, casts, broadcasts (reference sections c.1, c.5 and f.4).

`op` is the docstring of that operation. RN-x.y release notes, LERR pages of errors, L:op docstring of that legacy
operation.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from nkiverify.model import isa_enums as isa
from nkiverify.model import legacy_enums, views
from nkiverify.model.allocation import result_tile as new_tile
from nkiverify.model.allocation import temporary
from nkiverify.model.contracts import define, require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import int32, uint32
from nkiverify.model.extents import as_number
from nkiverify.model.indices import Mask
from nkiverify.model.indirection import claim_numbers, indices_in
from nkiverify.model.known_numbers import Interval
from nkiverify.model.legacy_tensor import (
    LegacyTensor,
    given_destination,
    legacy_view,
    named_dtype,
    operand,
    result_tile,
)
from nkiverify.model.legacy_tensor import new_tile as new_legacy_tile
from nkiverify.model.memory import PSUM
from nkiverify.model.ops.operands import (
    any_in_psum,
    as_engine,
    claim_same_layout,
    claim_scattered_by_scalar_engine,
    generation,
    member,
    moved_elements,
    on_chip,
    tile,
)
from nkiverify.model.registry import OVERWRITES, host, operation
from nkiverify.model.tensor import Tensor, declared_dtype
from nkiverify.model.views import host_shape
from nkiverify.symbolic import Extent, all_of, any_of, equal

if TYPE_CHECKING:
    from nkiverify.model.meaning import Array, Step


define_legacy = partial(define, api=("neuronxcc",))

# --- tensor_copy ------------------------------------------------------------------------------------------------------

TENSOR_COPY = operation(
    "nisa.tensor_copy",
    dependence=Dependence(Link.ROW_MAJOR),
    engine="any",
    behaviour=OVERWRITES.but(moves=True),
    redundant={"dtype": "tensor_copy.dtype"},
)

define(
    "tensor_copy.buffers",
    "Source and destination of tensor_copy must be in SBUF or PSUM; on GpSimd neither may be in PSUM.",
    "tensor_copy",
    takes={"": ("sbuf", "psum")},
)
define(
    "tensor_copy.shape",
    "Source and destination must have the same partitions and elements per partition.",
    "tensor_copy",
)
define(
    "tensor_copy.dtype",
    "tensor_copy must not be given a dtype: it casts to the dtype of dst.",
    "RN-2.28; MIG-0.2",
    api=("nki",),
    contested="published kernels and the vendor's tutorials pass one and run, most of them that of dst; dst says what "
    "is stored, whatever is passed",
)
define(
    "tensor_copy.engine",
    "tensor_copy must run on vector, scalar (not on gen2) or gpsimd.",
    "tensor_copy",
    takes={"engine": ("vector", "gpsimd")},
)


@TENSOR_COPY.current
def _(dst: object, src: object, engine: object = isa.engine.unknown, name: object = None) -> None:
    """Copy a tile inside SBUF and PSUM, casting to the dtype of `dst`."""
    _claim_copy(dst, src, engine)


@TENSOR_COPY.legacy
def _(
    src: object,
    *,
    mask: Mask | None = None,
    dtype: object = None,
    engine: object = legacy_enums.engine.unknown,
    **kwargs: object,
) -> LegacyTensor:
    """A copy in SBUF."""
    source = operand(src, mask, "src")
    result = result_tile(source.shape, named_dtype(dtype, source.dtype), mask=mask)
    _claim_copy(result, source, as_engine(engine))
    return result


def _claim_copy(dst: object, src: object, engine: object = isa.engine.unknown) -> None:
    """Claim what a copy on chip demands."""
    target, source = tile(dst, "dst", gathers=True), tile(src, "src", gathers=True)
    runs_on = member(engine, isa.engine, "engine")
    require(
        "tensor_copy.buffers",
        on_chip(target, source) and not (runs_on is isa.engine.gpsimd and any_in_psum(target, source)),
        dst=target.buffer,
        src=source.buffer,
        engine=runs_on,
    )
    claim_same_layout("tensor_copy.shape", dst=target, src=source)
    if runs_on is isa.engine.scalar:
        claim_scattered_by_scalar_engine(target)
    if runs_on is isa.engine.gpsimd:
        require("ti.operands", not moved_elements(target, source), engine=runs_on)
    if runs_on is not isa.engine.unknown:
        legal = runs_on in (isa.engine.vector, isa.engine.gpsimd) or (
            runs_on is isa.engine.scalar and generation() >= 3
        )
        require("tensor_copy.engine", legal, engine=runs_on, generation=generation())


@TENSOR_COPY.meaning
def copied(step: Step) -> None:
    """Elements in row-major order; equal dtypes are copied bit by bit ("tensor_copy.cast")."""
    source, target = step.only_read, step.only_write
    same = step.dtype(source) == step.dtype(target)
    step.write(target, step.stored(source) if same else step.numbers(source), stored=same)


TENSOR_COPY.bounded_by_meaning()


# --- copies from and to a place known at run time ---------------------------------------------------------------------

COPY_FROM_PLACE = operation(
    "nisa.tensor_copy_dynamic_src",
    dependence=Dependence(Link.ROW_MAJOR),
    engine="any",
    behaviour=OVERWRITES.but(moves=True),
)
COPY_TO_PLACE = operation(
    "nisa.tensor_copy_dynamic_dst",
    dependence=Dependence(Link.ROW_MAJOR),
    engine="any",
    behaviour=OVERWRITES.but(moves=True),
)


@COPY_FROM_PLACE.legacy
def _(
    src: object,
    *,
    mask: Mask | None = None,
    dtype: object = None,
    engine: object = legacy_enums.engine.unknown,
    **kwargs: object,
) -> LegacyTensor:
    """A copy in SBUF of what is, in each partition, at a place known at run time."""
    source = operand(src, mask, "src", placed=True)
    result = result_tile(source.shape, named_dtype(dtype, source.dtype), mask=mask)
    _claim_copy(result, source, as_engine(engine))
    return result


@COPY_TO_PLACE.legacy
def _(
    *,
    dst: object,
    src: object,
    mask: Mask | None = None,
    dtype: object = None,
    engine: object = legacy_enums.engine.unknown,
    **kwargs: object,
) -> None:
    """A copy to a place, in each partition, that is known at run time."""
    target = given_destination(dst, dtype, mask, placed=True)
    _claim_copy(target, operand(src, mask, "src"), as_engine(engine))


COPY_FROM_PLACE.meaning(copied)
COPY_FROM_PLACE.bounded_by_meaning()
COPY_TO_PLACE.meaning(copied)
COPY_TO_PLACE.bounded_by_meaning()

# --- copies of nl -----------------------------------------------------------------------------------------------------

COPY = operation("nl.copy", dependence=Dependence(Link.ROW_MAJOR), engine="any", behaviour=OVERWRITES.but(moves=True))

#: nl.copy took the way through float32, which has all integers up to here only.
_EXACT = 2**23

define(
    "nl.copy.int32",
    "Before NKI 0.6 the 32-bit integers that nl.copy copies must be at most 2^23 in magnitude: it converts them to "
    "float32 in between.",
    "RN-0.6",
    api=("nki",),
    since="0.3",
    until="0.6",
)
define(
    "nl.copy.psum",
    "Before NKI 0.6 nl.copy must not be given a tile in PSUM.",
    "RN-0.6",
    api=("nki",),
    since="0.3",
    until="0.6",
)


@COPY.current
def _(x: object, dtype: object = None) -> Tensor:
    """A new SBUF tile with the elements of `x`, from SBUF or PSUM."""
    source = tile(x, "x")
    require("nl.copy.psum", source.buffer is not PSUM, x=source.buffer)
    if source.dtype in (int32, uint32):
        claim_numbers(
            "nl.copy.int32",
            indices_in(source),
            lambda low, high: all_of(low >= -_EXACT, high <= _EXACT),
            Interval(-_EXACT, _EXACT),
            x=source.shape,
        )
    result = new_tile(source.shape, declared_dtype(dtype, source.dtype))
    _claim_copy(result, source)
    return result


@COPY.legacy
def _(src: object, *, mask: Mask | None = None, dtype: object = None, **kwargs: object) -> LegacyTensor:
    """A copy in SBUF."""
    return _cast(src, dtype, mask)


COPY.meaning(copied)
COPY.bounded_by_meaning()

STATIC_CAST = operation(
    "nl.static_cast", dependence=Dependence(Link.ROW_MAJOR), engine="any", behaviour=OVERWRITES.but(moves=True)
)


@STATIC_CAST.legacy
def _(input_data: object, dtype: object) -> LegacyTensor:
    """A copy with another dtype."""
    return _cast(input_data, dtype)


@STATIC_CAST.arrays
def _(input_data: Array, dtype: Any) -> Array:
    """Tests make the arguments of kernels with it, whatever their shape."""
    return input_data.astype(dtype)


def _cast(src: object, dtype: object, mask: Mask | None = None) -> LegacyTensor:
    source = operand(src, mask, "x")
    require("isa.on_chip", on_chip(source), x=source.buffer)
    return result_tile(source.shape, named_dtype(dtype, source.dtype), mask=mask)


STATIC_CAST.meaning(copied)
STATIC_CAST.bounded_by_meaning()

# --- broadcasts and views ---------------------------------------------------------------------------------------------

BROADCAST_TO = operation("nl.broadcast_to", dependence=Dependence(Link.BROADCAST), engine="any", behaviour=OVERWRITES)

define(
    "nl.broadcast_to.shape",
    "broadcast_to must keep the rank; each extent must be equal or grow from 1; the source must be on chip.",
    "nl.broadcast_to",
)


@BROADCAST_TO.current
def _(x: object, shape: Sequence[Extent], dtype: object = None) -> Tensor:
    """A new tile of `shape`, made of `x` (SBUF or PSUM) by repeating extents of 1."""
    source = tile(x, "x")
    wanted = host_shape(shape)
    grows = (
        all_of(*(any_of(equal(new, old), equal(old, 1)) for new, old in zip(wanted, source.shape, strict=True)))
        if len(wanted) == source.ndim
        else False
    )
    require("nl.broadcast_to.shape", all_of(grows, on_chip(source)), x=source.shape, shape=wanted)
    return temporary(wanted, declared_dtype(dtype, source.dtype))


@BROADCAST_TO.legacy
def _(src: object, *, shape: Sequence[Extent], **kwargs: object) -> LegacyTensor:
    """A new tile of `shape`; the partition dimension may grow from 1."""
    source = legacy_view(operand(src, None, "src"))
    require("isa.on_chip", on_chip(source), src=source.buffer)
    return new_legacy_tile(source.broadcast_to(shape).shape, source.dtype)


@BROADCAST_TO.meaning
def _(step: Step) -> None:
    """Extents of 1 repeated ("nl.broadcast_to")."""
    step.write(step.only_write, step.stored(step.only_read), stored=True, broadcast=True)


BROADCAST_TO.bounded_by_meaning()


EXPAND_DIMS = host("nl.expand_dims")

define(
    "nl.expand_dims.axis",
    "expand_dims must insert a dimension inside the tensor's rank, not before the partitions.",
    "nl.expand_dims; L:expand_dims",
)


@EXPAND_DIMS.current
def _(x: object, axis: object) -> Tensor:
    """A view with extent 1 inserted at `axis`."""
    source = tile(x, "x")
    number = as_number(axis)
    valid = number is not None and (1 if source.on_chip else 0) <= number % (source.ndim + 1)
    valid = valid and -source.ndim - 1 <= number <= source.ndim  # type: ignore[operator]
    require("nl.expand_dims.axis", valid, axis=axis, x=source.shape)
    return views.expand_dim(source, number)  # type: ignore[arg-type]


@EXPAND_DIMS.legacy
def _(data: object, axis: int) -> LegacyTensor:
    """A view with one more dimension of extent 1 at the end."""
    return legacy_view(operand(data, None, "data")).expand_dims(axis)
