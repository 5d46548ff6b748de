"""Functions of the legacy language that move, reduce or multiply tiles (reference section f.4)."""

from __future__ import annotations

from numbers import Real

from nkiverify.model.access import Access
from nkiverify.model.contracts import require
from nkiverify.model.dtypes import DType
from nkiverify.model.indices import Mask
from nkiverify.model.legacy_tensor import (
    LegacyTensor,
    named_dtype,
    new_tile,
    operand,
    result_tile,
)
from nkiverify.model.ops.operands import on_chip
from nkiverify.model.tensor import Tensor
from nkiverify.model.views import host_shape
from nkiverify.symbolic import all_of, equal


def _dtype(dtype: object, default: DType) -> DType:
    return default if dtype is None else named_dtype(dtype)


def elementwise_like(x: object, dtype: object, mask: Mask | None) -> LegacyTensor:
    """A new SBUF tile of the shape of `x`: softmax, dropout, copies and casts."""
    source = operand(x, mask, "x")
    require("isa.on_chip", on_chip(source), x=source.buffer)
    return result_tile(source.shape, _dtype(dtype, source.dtype), mask=mask)


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
