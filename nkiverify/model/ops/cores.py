"""The instructions that the two cores of a launch do together: an exchange of tiles, a barrier (reference sections c.1,
c.4)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nkiverify.model import isa_enums as isa
from nkiverify.model.contracts import define, require, require_if_open
from nkiverify.model.current_execution import current_execution
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.extents import as_extent, is_sequence
from nkiverify.model.launch import current_launch
from nkiverify.model.memory import SHARED_HBM
from nkiverify.model.ops.operands import (
    claim_generation,
    claim_same_layout,
    destination,
    generation,
    in_sbuf,
    member,
    tile,
)
from nkiverify.model.register_contents import VirtualRegister
from nkiverify.model.registry import OVERWRITES, operation
from nkiverify.symbolic import all_of, equal

if TYPE_CHECKING:
    from nkiverify.model.bounds import Bounds
    from nkiverify.model.meaning import Step


define_current = partial(define, api=("nki",))

# --- sendrecv ---------------------------------------------------------------------------------------------------------

SENDRECV = operation(
    "nisa.sendrecv",
    dependence=Dependence(Link.ROWS, exchanges=True),
    engine="dma",
    behaviour=OVERWRITES.but(side_effect=True),
)

define_current("sendrecv.gen3_lnc2", "sendrecv must run on gen3 or later, in a launch on two cores.", "sendrecv")
define_current("sendrecv.ranks", "The ranks of sendrecv must be 0 or 1.", "sendrecv")
define_current(
    "sendrecv.operands",
    "src and dst of sendrecv must be in SBUF and have the same dtype.",
    "sendrecv",
    takes={"src_buffer": ("sbuf",), "dst_buffer": ("sbuf",), "dst": "src"},
)
define_current(
    "sendrecv.shape", "src and dst of sendrecv must have the same partitions and elements per partition.", "sendrecv"
)
define_current(
    "sendrecv.gpsimd_size",
    "gpsimd_dma must exchange at most 1024 bytes per partition (512 of 16-bit, 256 of 8-bit types).",
    "sendrecv",
    limit=True,
)

define_current(
    "sendrecv.pipe",
    "Each core must come to the sendrecv of the other one, by the same pipe, with as much to send as that waits for.",
    "sendrecv",
    phase=4,
)

#: Bytes per partition gpsimd_dma exchanges, for each item size.
_EXCHANGED = {4: 1024, 2: 512, 1: 256}


@SENDRECV.current
def _(
    src: object,
    dst: object,
    send_to_rank: object,
    recv_from_rank: object,
    pipe_id: object,
    dma_engine: object = isa.dma_engine.dma,
    name: object = None,
) -> None:
    """Send src to another core and receive dst from it."""
    source, result = tile(src, "src"), destination(dst)
    mover = member(dma_engine, isa.dma_engine, "dma_engine")
    claim_generation("sendrecv.gen3_lnc2", 3)
    cores = current_launch().grid
    require("sendrecv.gen3_lnc2", equal(cores[0], 2) if cores else False, grid=cores)
    for argument, value in (("send_to_rank", send_to_rank), ("recv_from_rank", recv_from_rank)):
        if isinstance(value, VirtualRegister):
            continue
        rank = as_extent(value)
        require("sendrecv.ranks", False if rank is None else all_of(rank >= 0, rank <= 1), argument=argument, rank=rank)
    require(
        "sendrecv.operands",
        all_of(in_sbuf(source, result), source.dtype == result.dtype),
        src=source.dtype,
        dst=result.dtype,
        src_buffer=source.buffer,
        dst_buffer=result.buffer,
    )
    claim_same_layout("sendrecv.shape", src=source, dst=result)
    if mover is isa.dma_engine.gpsimd_dma:
        limit = _EXCHANGED[min(source.dtype.itemsize, 4)]
        size = source.free_size * source.dtype.itemsize
        require("sendrecv.gpsimd_size", size <= limit, bytes_per_partition=size, limit=limit)


@SENDRECV.meaning
def _(step: Step) -> None:
    """The elements that the other core sends, bit by bit."""
    step.write("dst", step.exchanged(step.stored("src")), stored=True)


@SENDRECV.bounds
def _(bounds: Bounds) -> None:
    """The numbers that any core sends."""
    source = bounds.tensor("src")
    if source is not None:
        bounds.write(current_execution().model.exchanged(source.dtype, bounds.elements("src")), "dst")


# --- the barrier ------------------------------------------------------------------------------------------------------

CORE_BARRIER = operation(
    "nisa.core_barrier",
    dependence=Dependence(Link.NOTHING),
    engine="any",
    behaviour=OVERWRITES.but(side_effect=True, barrier=True),
)

define_current("core_barrier.cores", "The cores of core_barrier must be (0, 1).", "core_barrier")
define_current("core_barrier.both", "Both cores must come to a core_barrier.", "core_barrier", phase=4)
define_current(
    "core_barrier.scope",
    "core_barrier must run on gen3 or later, in a launch on two cores.",
    "core_barrier",
)
define_current(
    "core_barrier.data",
    "The data of core_barrier must be in shared HBM.",
    "core_barrier",
    contested="the block-wise expert kernels of nki-library, which its tests run, give it an index tile in SBUF; both "
    "cores wait all the same",
    takes={"": ("shared_hbm",)},
)


@CORE_BARRIER.current
def _(data: object, cores: object, engine: object = isa.engine.gpsimd, name: object = None) -> None:
    """Both cores wait for each other before they go on with `data`."""
    tensor = tile(data, "data")
    member(engine, isa.engine, "engine")
    both = tuple(map(as_extent, cores)) == (0, 1) if is_sequence(cores) else False
    require("core_barrier.cores", both, cores=cores)
    grid = current_launch().grid
    require(
        "core_barrier.scope",
        all_of(generation() >= 3, equal(grid[0], 2) if grid else False),
        generation=generation(),
        grid=grid,
    )
    require_if_open("core_barrier.data", tensor.buffer is SHARED_HBM, data=tensor.buffer)


@CORE_BARRIER.meaning
def _(step: Step) -> None:
    """Orders two cores."""
    step.meet()
