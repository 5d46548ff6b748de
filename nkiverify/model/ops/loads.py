"""Loads and stores of nl: DMAs between HBM and new tiles in SBUF (reference sections c.5 and f.4).

MIG-x.y migration, RN-x.y release notes, L:op docstring of that legacy operation.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from nkiverify.model.allocation import temporary
from nkiverify.model.contracts import define, require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.indices import Mask
from nkiverify.model.legacy_tensor import LegacyTensor, claim_assignable, named_dtype, new_tile, operand
from nkiverify.model.memory import SBUF
from nkiverify.model.operators import Operator
from nkiverify.model.ops.copies import copied
from nkiverify.model.ops.dma import added_in_place, claim_dma
from nkiverify.model.ops.operands import is_number, on_chip, tile
from nkiverify.model.ops.transposes import transposed
from nkiverify.model.registry import OVERWRITES, Updates, operation
from nkiverify.model.tensor import Tensor, declared_dtype
from nkiverify.symbolic import Extent, equal
from nkiverify.symbolic.execution import unsupported

if TYPE_CHECKING:
    from nkiverify.model.bounds import Bounds
    from nkiverify.model.meaning import Step


# --- load -------------------------------------------------------------------------------------------------------------

LOAD = operation(
    "nl.load", dependence=Dependence(Link.ROW_MAJOR), engine="dma", behaviour=OVERWRITES.but(moves=True), since="0.3"
)

define("nl.load.src", "The source of nl.load must be in HBM.", "nl.load; L:load")


@LOAD.current
def _(src: object, dtype: object = None) -> Tensor:
    """A new SBUF tile with the elements of an HBM tensor; its first dimension becomes the partition dimension."""
    source = tile(src, "src")
    result = temporary(_tile_shape(source), declared_dtype(dtype, source.dtype))
    _claim_load(result, source)
    return result


@LOAD.legacy
def _(src: object, *, mask: Mask | None = None, dtype: object = None, **kwargs: object) -> LegacyTensor:
    """A new SBUF tile with the shape of the access to an HBM tensor; the first axis becomes the partitions."""
    source = operand(src, mask, "src")
    _claim_in_hbm(source)
    return new_tile(_tile_shape(source), named_dtype(dtype, source.dtype), mask=mask)


def _tile_shape(source: Tensor) -> tuple[Extent, ...]:
    return source.shape if source.ndim > 1 else (*source.shape, 1)


def _claim_load(result: Tensor, source: Tensor) -> None:
    _claim_in_hbm(source)
    claim_dma(result, source)


def _claim_in_hbm(source: Tensor) -> None:
    require("nl.load.src", not source.on_chip, src=source.buffer)


LOAD.meaning(copied)
LOAD.bounded_by_meaning()

# --- load_transpose2d -------------------------------------------------------------------------------------------------

LOAD_TRANSPOSE2D = operation(
    "nl.load_transpose2d", dependence=Dependence(Link.TRANSPOSED), engine="dma", behaviour=OVERWRITES.but(moves=True)
)


@LOAD_TRANSPOSE2D.current
def _(src: object, dtype: object = None) -> Tensor:
    """A new SBUF tile (F, P) with the elements of an HBM tensor (P, F)."""
    source = tile(src, "src")
    require("nl.transpose.2d", source.ndim == 2, src=source.shape)
    result = temporary(tuple(reversed(source.shape)), declared_dtype(dtype, source.dtype))
    _claim_load(result, source)
    return result


@LOAD_TRANSPOSE2D.legacy
def _(src: object, *, mask: Mask | None = None, dtype: object = None, **kwargs: object) -> LegacyTensor:
    """A new SBUF tile (F, P) of an access (P, F) to an HBM tensor."""
    source = operand(src, mask, "src")
    _claim_in_hbm(source)
    require("nl.transpose.2d", source.ndim == 2, src=source.shape)
    return new_tile(tuple(reversed(source.shape)), named_dtype(dtype, source.dtype), mask=mask)


LOAD_TRANSPOSE2D.meaning(transposed)
LOAD_TRANSPOSE2D.bounded_by_meaning()

# --- atomic_rmw -------------------------------------------------------------------------------------------------------

ATOMIC_RMW = operation(
    "nl.atomic_rmw",
    dependence=Dependence(Link.ROW_MAJOR),
    engine="dma",
    behaviour=OVERWRITES.but(updates=Updates.ALWAYS, keeps=True),
)

define(
    "leg.atomic_rmw",
    "atomic_rmw must add a tile in SBUF to rows of an HBM tensor that are known at run time.",
    "L:atomic_rmw",
    api=("neuronxcc",),
)


@ATOMIC_RMW.legacy
def _(dst: object, value: object, op: Operator, *, mask: Mask | None = None, **kwargs: object) -> None:
    """dst = dst op value in HBM, at rows that are known at run time."""
    if mask is not None:
        raise unsupported("nl.atomic_rmw under a mask", "its page does not say what is left out")
    target, source = operand(dst, mask, "dst"), operand(value, mask, "value")
    adds = op.name == "add"
    placed = target.indirect_by is not None and not target.on_chip and source.buffer is SBUF
    require("leg.atomic_rmw", adds and placed, op=op, dst=target.buffer, value=source.buffer)
    require("dma_copy.count", equal(target.size, source.size), dst=target.shape, value=source.shape)


@ATOMIC_RMW.meaning
def _(step: Step) -> None:
    """dst + value, in float32."""
    added_in_place(step, "dst", "value")


# --- store ------------------------------------------------------------------------------------------------------------

STORE = operation(
    "nl.store", dependence=Dependence(Link.BROADCAST), engine="dma", behaviour=OVERWRITES.but(moves=True), since="0.3"
)

define("nl.store.dst", "The destination of nl.store must be in HBM.", "nl.store; L:store", takes={"": ("shared_hbm",)})
define("nl.store.value", "The value of nl.store must be in SBUF.", "nl.store; RN-0.3", takes={"": ("sbuf",)})
define(
    "leg.store.value",
    "The value of nl.store must be in SBUF or PSUM.",
    "L:store",
    api=("neuronxcc",),
    takes={"": ("sbuf", "psum")},
)


@STORE.current
def _(dst: object, value: object) -> None:
    """Write an SBUF tile to an HBM tensor."""
    target, source = tile(dst, "dst"), tile(value, "value")
    require("nl.store.dst", not target.on_chip, dst=target.buffer)
    require("nl.store.value", source.buffer is SBUF, value=source.buffer)
    require("dma_copy.count", equal(target.size, source.size), dst=target.shape, value=source.shape)


@STORE.legacy
def _(dst: object, value: object, *, mask: Mask | None = None, **kwargs: object) -> None:
    """Write a tile, or a number, to an HBM tensor."""
    target = operand(dst, mask, "dst")
    require("nl.store.dst", not target.on_chip, dst=target.buffer)
    if is_number(value):
        return
    source = operand(value, mask, "value")
    require("leg.store.value", on_chip(source), value=source.buffer)
    claim_assignable(target.shape, _stored_shape(source, target))


def _stored_shape(source: Tensor, target: Tensor) -> tuple[Extent, ...]:
    """The shape of a tile as a destination of lower rank sees it: the tile's last extent of 1 does not count."""
    if source.ndim == target.ndim + 1 and source.ndim == 2:
        require("leg.assign_shape", equal(source.shape[1], 1), destination=target.shape, source=source.shape)
        return source.shape[:1]
    return source.shape


@STORE.meaning
def _(step: Step) -> None:
    """As a copy; the legacy API repeats extents of 1 ("leg.assign_shape")."""
    rank = len(step.shape("dst")) + 1
    if not step.has("value"):
        step.write("dst", step.constant("value", rank), broadcast=True)
    elif prod(step.shape("value")) == prod(step.shape("dst")):
        copied(step)
    else:
        step.write("dst", step.aligned("value", rank), broadcast=True)


@STORE.bounds
def _(bounds: Bounds) -> None:
    """Those of the value."""
    bounds.copy("value")
