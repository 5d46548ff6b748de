"""Assignments to elements of a tensor (reference sections c.1 and f.4). LERR pages of errors."""

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import TYPE_CHECKING

from nkiverify.model import operators_on_tiles
from nkiverify.model.contracts import SILENT, define, leaves_open, require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.ops.dma import claim_dma
from nkiverify.model.recording import issue
from nkiverify.model.registry import OVERWRITES, operation
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import SymInt, SymRational, all_of, equal
from nkiverify.symbolic.execution import unsupported

if TYPE_CHECKING:
    from nkiverify.model.meaning import Step


define_legacy = partial(define, api=("neuronxcc",))

#: `tile[...] = value`: of the legacy API (`nkiverify.model.legacy_tensor.assign`), and of the current one.
SETITEM = operation(
    "setitem", dependence=Dependence(Link.BROADCAST), engine="any", behaviour=OVERWRITES.but(moves=True, assigns=True)
)

define_legacy(
    "leg.assign_shape",
    "A value assigned or stored must have the destination's shape, or repeat extents of 1.",
    "LERR err_store_dst_shape_smaller_than_other_shape",
)
define_legacy(
    "leg.assign_buffer",
    "Assigned tiles must be on chip; HBM is written with nl.store.",
    "LERR err_unsupported_memory",
    takes={"": ("sbuf", "psum")},
)


def _assigned(destination: object, value: object) -> None:
    """`tensor[...] = value`, of which the page of the tensor says nothing: a copy on chip, or a constant everywhere;
    what a DMA copies where one of both is in HBM."""
    if not isinstance(destination, Tensor) or destination.indirect_by is not None:
        raise unsupported("assignment to elements at a place known at run time", "write it with nisa.dma_copy")
    if not isinstance(value, Tensor):
        if not isinstance(value, SymInt | SymRational | Real):
            raise unsupported(f"assignment of a {type(value).__name__} to a tensor", "write it with an instruction")
        if not destination.on_chip:
            why = f"{SILENT} what a number does that is assigned to a tensor in HBM; copy a tile that holds it there"
            leaves_open("tensor.setitem_shape", False, why, dst=destination.shape)
        require("tensor.setitem", False, dst=destination.shape)
        issue("setitem", writes={"dst": destination}, value=value)
        return
    if value.indirect_by is not None:
        raise unsupported("assignment of a tensor at a place known at run time", "write it with nisa.dma_copy")
    fits = value.ndim == destination.ndim and all_of(*map(equal, value.shape, destination.shape))
    require("tensor.setitem_shape", fits, dst=destination.shape, value=value.shape)
    require("tensor.setitem", False, dst=destination.shape)
    if destination.on_chip and value.on_chip:
        issue("setitem", writes={"dst": destination}, reads={"value": value})
    else:
        claim_dma(destination, value)
        issue("nisa.dma_copy", writes={"dst": destination}, reads={"src": value})


operators_on_tiles.assign_with(_assigned)


@SETITEM.meaning
def _(step: Step) -> None:
    """A tile broadcast to its destination, or a constant ("leg.assign_shape").

    What a running reduction gave joins what the destination holds ("L:loop_reduce").
    """
    rank = len(step.shape("dst")) + 1
    if not step.has("value"):
        step.write("dst", step.constant("value", rank), broadcast=True)
        return
    reduction = step.running_reduction("value")
    value = step.aligned("value", rank)
    if reduction is not None:
        value = step.joined(reduction, "dst", value)
    step.write("dst", value, broadcast=True)


SETITEM.bounded_by_meaning()
