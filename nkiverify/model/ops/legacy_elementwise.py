"""Element-wise functions of the legacy language: tiles broadcast to a common shape (reference section f.4)."""

from __future__ import annotations

from typing import Any

from nkiverify.model.access import Access
from nkiverify.model.contracts import require
from nkiverify.model.dtypes import DType, bool_, float32
from nkiverify.model.indices import Mask, broadcast_shapes
from nkiverify.model.legacy_tensor import LegacyTensor, claim_assignable, named_dtype, operand, result_tile
from nkiverify.model.operation import issue
from nkiverify.model.ops.operands import is_number, on_chip
from nkiverify.model.promotion import promoted, scalar_dtype
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import equal
from nkiverify.symbolic.execution import unsupported

_COMPARISONS = frozenset(
    ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_xor")
)
_INTEGERS = frozenset(("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "invert"))


def binary(name: str, x: object, y: object, dtype: object = None, mask: Mask | None = None) -> LegacyTensor:
    """A new SBUF tile: x op y; shapes broadcast as in NumPy, one operand may be a number."""
    tiles: list[Tensor] = []
    dtypes: list[DType] = []
    for value, argument in ((x, "x"), (y, "y")):
        if isinstance(value, Tensor | Access):
            tile = operand(value, mask, argument)
            tiles.append(tile)
            dtypes.append(tile.dtype)
        elif is_number(value):
            dtypes.append(scalar_dtype(value))
        else:
            raise unsupported(f"an operand of type {type(value).__name__} of nl.{name}")
    if not tiles:
        raise unsupported(f"nl.{name} of two numbers")
    require("isa.on_chip", on_chip(*tiles), operands=tuple(tile.buffer for tile in tiles))
    shape = broadcast_shapes("leg.binary.broadcast", *(tile.shape for tile in tiles))
    if name in _INTEGERS:
        require("isa.bitvec_int", all(found.is_integer for found in dtypes), op=name, dtypes=tuple(dtypes))
    return result_tile(shape, _result_dtype(name, dtype, dtypes), mask=mask)


def _result_dtype(name: str, dtype: object, dtypes: list[DType]) -> DType:
    if dtype is not None:
        return named_dtype(dtype)
    if name in _COMPARISONS:
        return bool_
    result = promoted(dtypes[0], dtypes[-1])
    return float32 if name == "divide" and result.is_integer else result


def operator(name: str, x: object, y: object) -> Any:
    """What a Python operator on tiles computes; the partition dimension is not broadcast ("leg.partition_bcast")."""
    if not all(isinstance(value, Tensor | Access) or is_number(value) for value in (x, y)):
        return NotImplemented
    tiles = [operand(value, None, "operand") for value in (x, y) if isinstance(value, Tensor | Access)]
    if len(tiles) == 2:
        require(
            "leg.partition_bcast",
            equal(tiles[0].shape[0], tiles[1].shape[0]),
            left=tiles[0].shape,
            right=tiles[1].shape,
        )
    values = iter(tiles)
    left, right = (next(values) if isinstance(value, Tensor | Access) else value for value in (x, y))
    result = binary(name, left, right)
    reads: dict[str, Tensor] = {}
    numbers: dict[str, Any] = {}
    for argument, value in (("x", left), ("y", right)):
        if isinstance(value, Tensor):
            reads[argument] = value
        else:
            numbers[argument] = value
    issue(f"nl.{name}", writes={"result": result}, reads=reads, **numbers)
    return result


def operator_on(name: str, x: object) -> LegacyTensor:
    """What a Python operator on one tile computes."""
    tile = operand(x, None, "x")
    result = unary(name, tile)
    issue(f"nl.{name}", writes={"result": result}, reads={"x": tile})
    return result


def in_place(name: str, target: object, value: object) -> Any:
    """`target op= value`: the tile itself, its elements changed ("leg.plus_eq")."""
    if not isinstance(value, Tensor | Access) and not is_number(value):
        return NotImplemented
    tile = operand(target, None, "target")
    require("leg.assign_buffer", tile.on_chip, dst=tile.buffer)
    if isinstance(value, Tensor | Access):
        other = operand(value, None, "value")
        require("leg.assign_buffer", other.on_chip, src=other.buffer)
        claim_assignable(tile.shape, other.shape)
        issue(f"nl.{name}", writes={"dst": tile}, reads={"x": tile, "y": other})
    else:
        issue(f"nl.{name}", writes={"dst": tile}, reads={"x": tile}, y=value)
    return tile


def unary(name: str, x: object, dtype: object = None, mask: Mask | None = None) -> LegacyTensor:
    """A new SBUF tile of the shape of `x`."""
    tile = operand(x, mask, "x")
    require("isa.on_chip", on_chip(tile), x=tile.buffer)
    if name == "invert":
        require("isa.bitvec_int", tile.dtype.is_integer, op=name, dtypes=(tile.dtype,))
    natural = bool_ if name == "logical_not" else tile.dtype
    return result_tile(tile.shape, natural if dtype is None else named_dtype(dtype), mask=mask)
