"""Transposes, on the Tensor or the Vector Engine (reference section c.2). `op:Section` is a section of that operation's
page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nkiverify.model import isa_enums as isa
from nkiverify.model import legacy_enums
from nkiverify.model.allocation import result_tile as new_tile
from nkiverify.model.contracts import define, require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.indices import Mask
from nkiverify.model.legacy_tensor import LegacyTensor, named_dtype, operand, result_tile
from nkiverify.model.memory import PSUM, SBUF
from nkiverify.model.ops.operands import as_engine, destination, in_sbuf, member, on_chip, tile
from nkiverify.model.registry import OVERWRITES, operation
from nkiverify.model.tensor import Tensor, declared_dtype
from nkiverify.symbolic import all_of, equal

if TYPE_CHECKING:
    from nkiverify.model.meaning import Step


# --- nc_transpose -----------------------------------------------------------------------------------------------------

NC_TRANSPOSE = operation(
    "nisa.nc_transpose", dependence=Dependence(Link.TRANSPOSED), engine="any", behaviour=OVERWRITES.but(moves=True)
)

define("nc_transpose.shape", "dst of a (P, F) transpose must be (F, P).", "nc_transpose:Layout")
define(
    "nc_transpose.tensor",
    "On the Tensor Engine data must be in SBUF, dst in PSUM, and data at most 128 x 128.",
    "nc_transpose:Memory types; Tile size",
    takes={"data": 128, "x": ("sbuf",), "data_buffer": ("sbuf",), "dst_buffer": ("psum",)},
    limit=True,
)
define(
    "nc_transpose.vector",
    "On the Vector Engine data and dst must be in SBUF or PSUM, and data at most 32 x 32.",
    "nc_transpose:Memory types; Tile size",
    takes={"data": 32, "": ("sbuf", "psum")},
    limit=True,
)
define("nc_transpose.same_dtype", "dst must have the dtype of data.", "nc_transpose:Data types", takes={"dst": "data"})
define(
    "nc_transpose.engine",
    "nc_transpose must run on tensor or vector.",
    "nc_transpose",
    takes={"engine": ("tensor", "vector")},
)


@NC_TRANSPOSE.current
def _(dst: object, data: object, engine: object = isa.engine.unknown, name: object = None) -> None:
    """dst (F, P) = data (P, F) transposed, on the Tensor or Vector Engine; free dimensions count as one."""
    _claim_transpose(destination(dst), tile(data, "data"), member(engine, isa.engine, "engine"))


@NC_TRANSPOSE.legacy
def _(
    data: object,
    *,
    mask: Mask | None = None,
    dtype: object = None,
    engine: object = legacy_enums.engine.unknown,
    **kwargs: object,
) -> LegacyTensor:
    """A new tile (F, P) of data (P, F): in PSUM from the Tensor Engine, in SBUF from the Vector Engine."""
    source = operand(data, mask, "data")
    runs_on = as_engine(engine)
    if runs_on is isa.engine.unknown:
        runs_on = isa.engine.tensor if source.buffer is SBUF else isa.engine.vector
    region = PSUM if runs_on is isa.engine.tensor else SBUF
    # The mask lies on the grid of the data: it is no mask of the result.
    result = result_tile((source.free_size, source.shape[0]), source.dtype, region)
    _claim_transpose(result, source, runs_on)
    return result_tile(result.shape, source.dtype if dtype is None else named_dtype(dtype), region)


def _claim_transpose(result: Tensor, source: Tensor, runs_on: isa.engine) -> None:
    if runs_on is isa.engine.unknown:
        # Only the Tensor Engine goes from SBUF to PSUM with up to 128 x 128; every other pair is the Vector Engine's.
        fits_tensor = source.buffer is SBUF and result.buffer is PSUM
        runs_on = isa.engine.tensor if fits_tensor else isa.engine.vector
    p, f = source.partitions, source.free_size
    if runs_on is isa.engine.tensor:
        placed, limit = source.buffer is SBUF and result.buffer is PSUM, 128
    else:
        placed, limit = on_chip(source, result), 32
        require("nc_transpose.engine", runs_on is isa.engine.vector, engine=runs_on)
    require(
        "nc_transpose.tensor" if runs_on is isa.engine.tensor else "nc_transpose.vector",
        all_of(placed, p <= limit, f <= limit),
        data=source.shape,
        data_buffer=source.buffer,
        dst_buffer=result.buffer,
    )
    require(
        "nc_transpose.shape",
        all_of(equal(result.partitions, f), equal(result.free_size, p)),
        dst=result.shape,
        data=source.shape,
    )
    require("nc_transpose.same_dtype", result.dtype == source.dtype, dst=result.dtype, data=source.dtype)


@NC_TRANSPOSE.meaning
def transposed(step: Step) -> None:
    """(P, F) to (F, P), free axes as one; bit by bit, as both dtypes are the same."""
    source, target = step.only_read, step.only_write
    same = step.dtype(source) == step.dtype(target)
    step.write(target, step.rows(source, stored=same).transpose(0, 2, 1), stored=same)


NC_TRANSPOSE.bounded_by_meaning()


# --- nl.transpose -----------------------------------------------------------------------------------------------------

TRANSPOSE = operation(
    "nl.transpose", dependence=Dependence(Link.TRANSPOSED), engine="any", behaviour=OVERWRITES.but(moves=True)
)

define(
    "nl.transpose.2d",
    "nl.transpose must be given a 2-D tile of at most 128 x 128.",
    "nl.transpose",
    takes={"x": 128},
    limit=True,
)


@TRANSPOSE.current
def _(x: object, dtype: object = None) -> Tensor:
    """A new PSUM tile (F, P) of a tile (P, F), at most 128 x 128."""
    source = tile(x, "x")
    fits = all_of(source.ndim == 2, source.shape[0] <= 128, source.shape[-1] <= 128)
    require("nl.transpose.2d", fits, x=source.shape)
    result = new_tile(
        (source.free_size, source.shape[0]), source.dtype if dtype is None else declared_dtype(dtype), PSUM
    )
    require("nc_transpose.tensor", in_sbuf(source), x=source.buffer)
    return result


@TRANSPOSE.legacy
def _(x: object, *, dtype: object = None, mask: Mask | None = None, **kwargs: object) -> LegacyTensor:
    """A new tile (F, P) of a 2-D tile (P, F), F at most 128."""
    source = operand(x, mask, "x")
    fits = all_of(source.ndim == 2, on_chip(source), source.free_size <= 128)
    require("leg.transpose", fits, x=source.shape, buffer=source.buffer)
    element = source.dtype if dtype is None else named_dtype(dtype)
    return result_tile((source.free_size, source.shape[0]), element)


TRANSPOSE.meaning(transposed)
TRANSPOSE.bounded_by_meaning()
