"""Functions of `nki.language` (current API) that return a new tile: wrappers over instructions (reference c.5)."""

from __future__ import annotations

from nkiverify.model.allocation import allocate, result_tile
from nkiverify.model.contracts import require
from nkiverify.model.dtypes import DType
from nkiverify.model.ops import randomness
from nkiverify.model.ops.operands import on_chip, tile
from nkiverify.model.tensor import Tensor, declared_dtype
from nkiverify.symbolic import all_of, equal


def _result_dtype(dtype: object, default: DType) -> DType:
    return default if dtype is None else declared_dtype(dtype)


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
