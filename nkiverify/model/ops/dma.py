"""DMAs other than copies: dma_transpose and dma_compute (reference section c.1)."""

from __future__ import annotations

from nkiverify.model import contents
from nkiverify.model import isa_enums as isa
from nkiverify.model.contracts import require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import uint32
from nkiverify.model.extents import as_extent, is_sequence
from nkiverify.model.indirection import Indirection
from nkiverify.model.memory import PSUM
from nkiverify.model.operators import Operator
from nkiverify.model.ops.copies import claim_priority
from nkiverify.model.ops.operands import dma_operand, generation, in_sbuf, is_number, member
from nkiverify.model.registry import operation
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import all_of, any_of, equal

DMA_COPY = operation("nisa.dma_copy", dependence=Dependence(Link.ROW_MAJOR), engine="dma", moves=True)
DMA_COMPUTE = operation("nisa.dma_compute", dependence=Dependence(Link.ROW_MAJOR), engine="dma")
DMA_TRANSPOSE = operation("nisa.dma_transpose", dependence=Dependence(Link.PERMUTED), engine="dma")
LANGUAGE_LOAD = operation("nl.load", dependence=Dependence(Link.ROW_MAJOR), engine="dma", moves=True)
LANGUAGE_STORE = operation("nl.store", dependence=Dependence(Link.BROADCAST), engine="dma", moves=True)
LANGUAGE_LOAD_TRANSPOSE2D = operation(
    "nl.load_transpose2d", dependence=Dependence(Link.TRANSPOSED), engine="dma", moves=True
)
SENDRECV = operation("nisa.sendrecv", dependence=Dependence(Link.ROWS, exchanges=True), engine="dma", side_effect=True)


#: The one order of axes for each rank.
_TRANSPOSED = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}
_SOURCES = 16


def dma_transpose(
    dst: object,
    src: object,
    axes: object = None,
    priority: object = None,
    dge_mode: object = isa.dge_mode.unknown,
    oob_mode: object = isa.oob_mode.error,
) -> None:
    """dst = src with its axes in the order (1, 0), (2, 1, 0) or (3, 1, 2, 0), by its rank."""
    skips = member(oob_mode, isa.oob_mode, "oob_mode") is isa.oob_mode.skip
    mode = member(dge_mode, isa.dge_mode, "dge_mode")
    target = dma_operand(dst, "dst", skips=False)
    source = dma_operand(src, "src", skips=skips, contract="ap.dynamic_oob")
    order = _axes(axes, source)
    require(
        "dma_transpose.dst_shape",
        all_of(*(equal(extent, source.shape[axis]) for extent, axis in zip(target.shape, order, strict=True)))
        if target.ndim == source.ndim
        else False,
        dst=target.shape,
        src=source.shape,
        axes=order,
    )
    require("dma_transpose.dtype", target.dtype == source.dtype, dst=target.dtype, src=source.dtype)
    require("dma_transpose.src_buffer", source.buffer is not PSUM, src=source.buffer)
    require("dma_transpose.dst_buffer", target.buffer is not PSUM, dst=target.buffer)
    claim_priority("dma_transpose.priority_gen4", priority)
    moves = source.indirect_by
    require("dma_transpose.oob_skip", not skips or moves is not None, oob_mode=oob_mode)
    if moves is not None and moves.by_rows:
        _claim_gathering_transpose(source, moves, mode)
    else:
        require("dma_transpose.mode_direct", mode is not isa.dge_mode.swdge, dge_mode=mode)
    if mode is isa.dge_mode.hwdge:
        _claim_hardware_transpose(source)
    contents.copied(target, source, partly=skips)


def _axes(axes: object, source: Tensor) -> tuple[int, ...]:
    order = _TRANSPOSED.get(source.ndim)
    given = order if axes is None else tuple(map(as_extent, axes)) if is_sequence(axes) else None
    require("dma_transpose.axes", order is not None and given == order, axes=axes, src=source.shape)
    if order is None:
        raise ValueError(f"dma_transpose takes 2 to 4 dimensions, not {source.ndim}")
    return order


def _claim_hardware_transpose(source: Tensor) -> None:
    rows = source.shape[0]
    legal = all_of(any_of(*(equal(rows, size) for size in (1, 2, 4, 8, 16))), source.shape[-1] <= 128)
    if source.ndim > 2:
        legal = all_of(legal, equal(rows * source.shape[-2] % 16, 0))
    require("dma_transpose.hwdge_shape", legal, src=source.shape)
    require("dma_transpose.hwdge_2byte", source.dtype.itemsize == 2, src=source.dtype)
    require("dma_copy.hwdge_gen3", generation() >= 3, generation=generation())


def _claim_gathering_transpose(source: Tensor, moves: Indirection, mode: isa.dge_mode) -> None:
    index = moves.index
    assert isinstance(index, Tensor)
    lanes, columns = index.shape[0], index.free_size
    shaped = all_of(
        equal(source.shape[0] % 16, 0),
        source.shape[-1] <= 128,
        lanes >= 16,
        lanes <= 128,
        equal(lanes % 16, 0),
        any_of(equal(columns, 1), equal(lanes, 128)),
        index.size >= source.shape[0],
    )
    if source.ndim == 4:
        shaped = all_of(shaped, any_of(equal(source.shape[1], 1), equal(source.shape[2], 1)))
    require("dma_transpose.indirect", shaped, src=source.shape, indices=index.shape)
    placed = generation() >= 3 and not source.on_chip and source.dtype.itemsize == 2 and index.dtype == uint32
    require(
        "dma_transpose.indirect_mode",
        placed and in_sbuf(index) and mode in (isa.dge_mode.unknown, isa.dge_mode.swdge),
        dge_mode=mode,
        generation=generation(),
        src=source.dtype,
        indices=index.dtype,
    )


def dma_compute(
    dst: object,
    srcs: object,
    reduce_op: Operator,
    scales: object = None,
    unique_indices: object = True,
    oob_mode: object = isa.oob_mode.error,
) -> None:
    """dst = the sum of the sources, element by element; with a vector offset dst or a source is updated in place."""
    skips = member(oob_mode, isa.oob_mode, "oob_mode") is isa.oob_mode.skip
    if not is_sequence(srcs):
        require("dma_compute.count", False, srcs=type(srcs).__name__)
        raise TypeError("srcs is a list of tensors")
    target = dma_operand(dst, "dst", skips=skips)
    sources = [dma_operand(src, "srcs", skips=skips) for src in srcs]
    factors = tuple(scales) if is_sequence(scales) else ()
    unscaled = all(is_number(factor) and factor == 1 for factor in factors)
    require("dma_compute.op", reduce_op.name == "add" and unscaled, reduce_op=reduce_op, scales=scales)
    require(
        "dma_compute.count",
        all_of(1 <= len(sources) <= _SOURCES, *(equal(source.size, target.size) for source in sources)),
        dst=target.shape,
        srcs=tuple(source.shape for source in sources),
    )
    operands = (target, *sources)
    require(
        "dma_compute.buffers",
        all(operand.buffer is not PSUM for operand in operands),
        buffers=tuple(operand.buffer for operand in operands),
    )
    indirect = [operand for operand in operands if operand.indirect_by is not None]
    require("dma_compute.oob_skip", not skips or bool(indirect), oob_mode=oob_mode)
    if indirect:
        _claim_update_in_place(target, sources, unique_indices)
    contents.overwritten(target)


def _claim_update_in_place(target: Tensor, sources: list[Tensor], unique_indices: object) -> None:
    """Claim that a gather or scatter adds to what is there: dst is one of exactly two sources."""
    gathered = [source for source in sources if source.indirect_by is not None and source.storage is not target.storage]
    updated = [source for source in sources if source.storage is target.storage]
    scatters = target.indirect_by is not None
    other_in_sbuf = all(in_sbuf(source) for source in sources if source.storage is not target.storage)
    legal = (
        len(sources) == 2
        and unique_indices is True
        and len(updated) == 1
        and ((scatters and not target.on_chip and other_in_sbuf) or (in_sbuf(target) and len(gathered) == 1))
    )
    by_rows = all(operand.indirect_by.by_rows for operand in (target, *sources) if operand.indirect_by is not None)
    require("dma_compute.rmw", legal and by_rows, sources=len(sources), unique_indices=unique_indices)
