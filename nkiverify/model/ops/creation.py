"""New tensors with known contents, and fills: memset, nl.zeros and its like, constants (reference sections c.1 to f.4).

`op` is the docstring of that operation. MIG-x.y migration, LERR pages of errors of the legacy API.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.source import READS
from nkiverify.model import isa_enums as isa
from nkiverify.model import legacy_enums, legacy_tensor
from nkiverify.model.allocation import (
    allocate,
    bounds_of_rank,
    claim_on_chip_shape,
    claimed_region,
    new_storage,
    temporary,
)
from nkiverify.model.contracts import define, require, require_if_open
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import DType, DTypeKind, numpy_name, uint8
from nkiverify.model.indices import Mask
from nkiverify.model.interval_arithmetic import TRUTH
from nkiverify.model.known_numbers import numbers_of
from nkiverify.model.legacy_tensor import LegacyTensor, named_dtype
from nkiverify.model.memory import SBUF, SHARED_HBM
from nkiverify.model.nki_tensor import NkiTensor
from nkiverify.model.ops.operands import any_in_psum, in_sbuf, is_number, member, on_chip, tile
from nkiverify.model.registry import OVERWRITES, host, operation
from nkiverify.model.tensor import Tensor, claim_bounds, declared_dtype
from nkiverify.model.views import host_shape
from nkiverify.symbolic import Extent, SymRational, all_of, equal
from nkiverify.symbolic.execution import unsupported

if TYPE_CHECKING:
    from nkiverify.model.bounds import Bounds
    from nkiverify.model.meaning import Array, Step


define_current = partial(define, api=("nki",))

# --- memset -----------------------------------------------------------------------------------------------------------

MEMSET = operation(
    "nisa.memset", dependence=Dependence(Link.NOTHING), engine="any", behaviour=OVERWRITES.but(fills="value")
)

define_current(
    "memset.value_dtype",
    "The value must fit the dtype: no fraction into an integer tensor.",
    "MIG-0.3",
    since="0.3",
)
define_current(
    "memset.value_kind",
    "The value's kind must match the dtype: no float into an integer tensor, even if it is a whole number.",
    "MIG-0.3",
    since="0.3",
    contested="nki-library fills tiles of whatever dtype they are with 0.0, among them uint32 indices of experts, and "
    "its tests run them",
)
define_current("memset.x4_zero", "A packed (x4) tensor must be set to 0 only.", "memset")
define_current(
    "memset.engine",
    "memset must run on vector or gpsimd; on gpsimd no operand may be in PSUM.",
    "memset",
    takes={"engine": ("vector", "gpsimd")},
)
define_current("memset.const", "The value must be a compile-time constant.", "memset")


@MEMSET.current
def _(dst: object, value: object, engine: object = isa.engine.unknown, name: object = None) -> None:
    """Fill a tile with a constant."""
    target = tile(dst, "dst")
    runs_on = member(engine, isa.engine, "engine")
    require("isa.on_chip", on_chip(target), dst=target.buffer)
    _claim_fill_value(target.dtype, value)
    if runs_on is not isa.engine.unknown:
        legal = runs_on is isa.engine.vector or (runs_on is isa.engine.gpsimd and not any_in_psum(target))
        require("memset.engine", legal, engine=runs_on, dst=target.buffer)


@MEMSET.legacy
def _(
    shape: object,
    value: object,
    dtype: object,
    *,
    mask: Mask | None = None,
    engine: object = legacy_enums.engine.unknown,
    **kwargs: object,
) -> LegacyTensor:
    """A new SBUF tile filled with a constant."""
    result = legacy_tensor.new_tile(host_shape(shape), named_dtype(dtype), mask=mask)
    _claim_fill_value(result.dtype, value)
    return result


def _claim_fill_value(dtype: DType, value: object) -> None:
    """Claim that `value` is a constant that fits the kind of `dtype`."""
    constant = is_number(value)
    require("memset.const", constant, value=type(value).__name__)
    if not constant:
        raise unsupported(f"filling a tensor with a {type(value).__name__}")
    if dtype.is_packed:
        require("memset.x4_zero", equal(value, 0), value=value)
    elif isinstance(value, float | SymRational):
        fits = dtype.kind in (DTypeKind.FLOAT, DTypeKind.SCALE)
        whole = isinstance(value, float) and value.is_integer()
        require("memset.value_dtype", fits or whole, value=value, dtype=dtype)
        require_if_open("memset.value_kind", fits or not whole, value=value, dtype=dtype)


@MEMSET.meaning
def _(step: Step) -> None:
    """One constant everywhere."""
    _fill(step, step.constant("value", _rank(step)))


MEMSET.bounded_by_meaning()


def _rank(step: Step) -> int:
    (target,) = step.written
    return len(step.shape(target)) + 1


def _fill(step: Step, value: Array) -> None:
    step.write(step.only_write, value, broadcast=True)


# --- filled tensors ---------------------------------------------------------------------------------------------------

# Published legacy kernels fill when the tensor is first used, not where it is made: with the same values.
_WHEN = frozenset(("lazy_initialization",))

ZEROS = operation(
    "nl.zeros", dependence=Dependence(Link.NOTHING), engine="any", behaviour=OVERWRITES.but(fills=0), tolerates=_WHEN
)
ONES = operation(
    "nl.ones", dependence=Dependence(Link.NOTHING), engine="any", behaviour=OVERWRITES.but(fills=1), tolerates=_WHEN
)
FULL = operation(
    "nl.full",
    dependence=Dependence(Link.NOTHING),
    engine="any",
    behaviour=OVERWRITES.but(fills="fill_value"),
    tolerates=_WHEN,
)
ZEROS_LIKE = operation(
    "nl.zeros_like", dependence=Dependence(Link.NOTHING), engine="any", behaviour=OVERWRITES.but(fills=0)
)
EMPTY_LIKE = host("nl.empty_like")

define(
    "leg.hbm_no_init",
    "nl.zeros and nl.full must not be used for HBM tensors: they do not initialise them.",
    "LERR",
    api=("neuronxcc",),
    takes={"": ("sbuf", "psum")},
)


@ZEROS.current
def _(shape: object, dtype: object, buffer: object = SBUF, name: object = "") -> Tensor:
    """A tensor of zeros."""
    return _filled(shape, 0, dtype, buffer, name)


@ONES.current
def _(shape: object, dtype: object, buffer: object = SBUF, name: object = "") -> Tensor:
    """A tensor of ones."""
    return _filled(shape, 1, dtype, buffer, name)


@FULL.current
def _(shape: object, fill_value: object, dtype: object, buffer: object = SBUF, name: object = "") -> Tensor:
    """A tensor filled with one value."""
    return _filled(shape, fill_value, dtype, buffer, name)


@ZEROS_LIKE.current
def _(x: object, dtype: object = None, buffer: object = None, name: object = "") -> Tensor:
    """A tensor of zeros with the shape of `x`, in SBUF where no buffer is given."""
    result = _like(x, dtype, SBUF if buffer is None else buffer, name)
    claim_bounds(result)
    return result


@EMPTY_LIKE.current
def _(x: Any, dtype: object = None, buffer: object = None, name: object = "") -> Tensor:
    """An uninitialised tensor with the shape, and unless given the memory, of `x`."""
    return _like(x, dtype, x.buffer if buffer is None else buffer, name)


def _filled(shape: object, value: object, dtype: object, buffer: object, name: object) -> Tensor:
    result = allocate(shape, dtype, buffer, name)
    claim_bounds(result)
    _claim_fill_value(result.dtype, value)
    return result


def _like(x: object, dtype: object, buffer: object, name: object) -> Tensor:
    model = tile(x, "x")
    region = claimed_region(buffer)
    claim_on_chip_shape(model.shape, region)
    storage = new_storage(model.shape, declared_dtype(dtype, model.dtype), region, name)
    return NkiTensor.whole(storage, bounds_of_rank(model.shape, region))


@ZEROS.legacy
def _(shape: object, dtype: object, *, buffer: object = None, name: object = "", **kwargs: object) -> LegacyTensor:
    """A tensor of zeros."""
    return _legacy_filled(shape, 0, dtype, buffer, name)


@ONES.legacy
def _(shape: object, dtype: object, *, buffer: object = None, name: object = "", **kwargs: object) -> LegacyTensor:
    """A tensor of ones."""
    return _legacy_filled(shape, 1, dtype, buffer, name)


@FULL.legacy
def _(
    shape: object, fill_value: object, dtype: object, *, buffer: object = None, name: object = "", **kwargs: object
) -> LegacyTensor:
    """A tensor filled with one value."""
    return _legacy_filled(shape, fill_value, dtype, buffer, name)


@ZEROS_LIKE.legacy
def _(a: Any, dtype: object = None, *, buffer: object = None, name: object = "", **kwargs: object) -> LegacyTensor:
    """A tensor of zeros with the shape of `a`."""
    return _legacy_filled(a.shape, 0, a.dtype if dtype is None else dtype, buffer, name)


@EMPTY_LIKE.legacy
def _(a: Any, dtype: object = None, *, buffer: object = None, name: object = "", **kwargs: object) -> LegacyTensor:
    """An uninitialised tensor with the shape of `a`."""
    return legacy_tensor.allocate(a.shape, a.dtype if dtype is None else dtype, buffer, name)


def _legacy_filled(shape: object, value: object, dtype: object, buffer: object, name: object) -> LegacyTensor:
    result = legacy_tensor.allocate(shape, dtype, buffer, name)
    claim_bounds(result)
    require("leg.hbm_no_init", result.on_chip, buffer=result.buffer)
    _claim_fill_value(result.dtype, value)
    return result


@ZEROS.meaning
def _zeros(step: Step) -> None:
    """0 everywhere."""
    _fill(step, step.n.constant(0.0, _rank(step)))


ZEROS.bounded_by_meaning()


ZEROS_LIKE.meaning(_zeros)
ZEROS_LIKE.bounded_by_meaning()


@ONES.meaning
def _(step: Step) -> None:
    """1 everywhere."""
    _fill(step, step.n.constant(1.0, _rank(step)))


ONES.bounded_by_meaning()


@FULL.meaning
def _(step: Step) -> None:
    """One constant everywhere."""
    _fill(step, step.constant("fill_value", _rank(step)))


FULL.bounded_by_meaning()


# --- constants --------------------------------------------------------------------------------------------------------

SHARED_CONSTANT = operation(
    "nl.shared_constant", dependence=Dependence(Link.NOTHING), engine="any", behaviour=OVERWRITES
)

define_current(
    "nl.shared_constant",
    "A shared constant must be a NumPy array of a documented dtype: no 64-bit, packed or boolean one.",
    "nl.shared_constant",
)

#: Dtypes of shared constants.
_CONSTANTS = frozenset(
    (
        "float32", "float16", "bfloat16", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float8_e4m3fn",
        "float8_e5m2", "float8_e8m0fnu",
    )
)  # fmt: skip


@SHARED_CONSTANT.current
def _(constant: object) -> Tensor:
    """A new tensor in shared HBM with the elements of a NumPy array, or of the `.npy` file at a path."""
    constant = _elements(constant)
    shape, name = getattr(constant, "shape", None), numpy_name(getattr(constant, "dtype", None))
    if shape is None or name is None:
        raise unsupported("nl.shared_constant of anything but a NumPy array")
    require("nl.shared_constant", name in _CONSTANTS, dtype=name)
    return NkiTensor.whole(new_storage(host_shape(tuple(shape)), declared_dtype(name), SHARED_HBM, constant=True))


def _elements(constant: object) -> object:
    """The array that a shared constant is made of: from the file, where it is a path."""
    if not isinstance(constant, str | os.PathLike):
        return constant
    sys.audit(READS, os.fspath(constant))
    try:
        return np.load(constant, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise unsupported(f"nl.shared_constant of {os.fspath(constant)!r}: {error}", "give a .npy file") from None


@SHARED_CONSTANT.legacy
def _(constant: object, dtype: object = None, **kwargs: object) -> LegacyTensor:
    """A constant tensor in HBM with the shape of a NumPy array."""
    shape = getattr(constant, "shape", None)
    if shape is None:
        raise unsupported(f"nl.shared_constant of a {type(constant).__name__}", "pass a NumPy array")
    element = named_dtype(getattr(constant, "dtype", None) if dtype is None else dtype)
    return LegacyTensor.whole(new_storage(host_shape(tuple(shape)), element, SHARED_HBM, constant=True))


@SHARED_CONSTANT.meaning
def _(step: Step) -> None:
    """The elements of a NumPy array, or of a file."""
    _enter(step, step.only_write, np.asarray(_elements(step.attribute("constant"))))


@SHARED_CONSTANT.bounds
def _(bounds: Bounds) -> None:
    """From the least to the greatest element."""
    elements = np.asarray(bounds.attribute("constant"))
    if elements.size and elements.dtype.kind in "iub":
        bounds.write(replace(numbers_of(elements), uniform=False))


def _enter(step: Step, target: str, elements: Array) -> None:
    step.write(target, step.n.entered(elements, step.dtype(target)), stored=True)


SHARED_IDENTITY_MATRIX = operation(
    "nl.shared_identity_matrix", dependence=Dependence(Link.NOTHING), engine="any", behaviour=OVERWRITES
)

define_current(
    "nl.shared_identity_matrix",
    "The identity matrix must have at most 128 rows; a dst given must be (n, n) in SBUF.",
    "nl.shared_identity_matrix",
    takes={"n": 128},
    limit=True,
)


@SHARED_IDENTITY_MATRIX.current
def _(n: Extent, dtype: object = uint8, dst: object = None) -> Tensor:
    """An (n, n) identity matrix in SBUF."""
    if dst is None:
        (size, _) = extents = host_shape((n, n))
        require("nl.shared_identity_matrix", size <= 128, n=size)
        return temporary(extents, declared_dtype(dtype, uint8))
    target = tile(dst, "dst")
    fits = all_of(n <= 128, in_sbuf(target), equal(target.shape[0], n), equal(target.free_size, n))
    require("nl.shared_identity_matrix", fits, n=n, dst=target.shape)
    return target


@SHARED_IDENTITY_MATRIX.legacy
def _(n: object, dtype: object = uint8, **kwargs: object) -> LegacyTensor:
    """An (n, n) identity matrix in HBM, a constant."""
    return LegacyTensor.whole(new_storage(host_shape((n, n)), named_dtype(dtype), SHARED_HBM, constant=True))


@SHARED_IDENTITY_MATRIX.meaning
def _(step: Step) -> None:
    """Ones on the diagonal."""
    target = step.written[0]
    _enter(step, target, np.eye(step.shape(target)[0], dtype=np.float32))


@SHARED_IDENTITY_MATRIX.bounds
def _(bounds: Bounds) -> None:
    """0 and 1."""
    bounds.write(TRUTH)
