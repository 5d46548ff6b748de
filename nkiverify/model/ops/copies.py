"""Instructions that move, copy and fill: dma_copy, tensor_copy, memset, and loads and stores of nki.language."""

from __future__ import annotations

from nkiverify.model import contents
from nkiverify.model import isa_enums as isa
from nkiverify.model.contracts import require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import DType, DTypeKind
from nkiverify.model.memory import PSUM, SBUF
from nkiverify.model.ops.operands import (
    any_in_psum,
    claim_same_layout,
    claim_scattered_by_scalar_engine,
    dma_operand,
    generation,
    is_number,
    member,
    moved_elements,
    on_chip,
    tile,
)
from nkiverify.model.registry import operation
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import SymRational, equal
from nkiverify.symbolic.execution import unsupported

TENSOR_COPY = operation("nisa.tensor_copy", dependence=Dependence(Link.ROW_MAJOR), moves=True)
MEMSET = operation("nisa.memset", dependence=Dependence(Link.NOTHING))
LANGUAGE_COPY = operation("nl.copy", dependence=Dependence(Link.ROW_MAJOR), moves=True)
LANGUAGE_STATIC_CAST = operation("nl.static_cast", dependence=Dependence(Link.ROW_MAJOR), moves=True)
SETITEM = operation("setitem", dependence=Dependence(Link.BROADCAST), moves=True)
LANGUAGE_BROADCAST_TO = operation("nl.broadcast_to", dependence=Dependence(Link.BROADCAST))
LANGUAGE_ZEROS = operation("nl.zeros", dependence=Dependence(Link.NOTHING))
LANGUAGE_ZEROS_LIKE = operation("nl.zeros_like", dependence=Dependence(Link.NOTHING))
LANGUAGE_ONES = operation("nl.ones", dependence=Dependence(Link.NOTHING))
LANGUAGE_FULL = operation("nl.full", dependence=Dependence(Link.NOTHING))
LANGUAGE_SHARED_CONSTANT = operation("nl.shared_constant", dependence=Dependence(Link.NOTHING))
LANGUAGE_SHARED_IDENTITY_MATRIX = operation("nl.shared_identity_matrix", dependence=Dependence(Link.NOTHING))


def dma_copy(
    dst: object,
    src: object,
    priority: object = None,
    oob_mode: object = isa.oob_mode.error,
    dge_mode: object = isa.dge_mode.unknown,
    engine: object = isa.engine.unknown,
) -> None:
    """Copy `src` to `dst`, element by element in row-major order; shapes may differ, counts may not."""
    skips = member(oob_mode, isa.oob_mode, "oob_mode") is isa.oob_mode.skip
    target, source = dma_operand(dst, "dst", skips=skips), dma_operand(src, "src", skips=skips)
    mode = member(dge_mode, isa.dge_mode, "dge_mode")
    queue = member(engine, isa.engine, "engine")
    _claim_dma_operands(target, source)
    contents.copied(target, source, partly=skips)
    _claim_indirect_mode(mode, target, source)
    if mode is isa.dge_mode.hwdge:
        require("dma_copy.hwdge_gen3", generation() >= 3, generation=generation())
        require("dma_copy.hwdge_same_dtype", target.dtype == source.dtype, dst=target.dtype, src=source.dtype)
    if queue is not isa.engine.unknown:
        legal = queue in (isa.engine.sync, isa.engine.scalar) and mode is isa.dge_mode.hwdge
        require("dma_copy.engine", legal, engine=queue, dge_mode=mode)
    claim_priority("dma_copy.priority_gen4", priority)


def claim_priority(contract: str, priority: object) -> None:
    """Claim that a DMA's priority is one the hardware has."""
    if priority is not None:
        legal = generation() >= 4 and isinstance(priority, int) and 0 <= priority <= 3
        require(contract, legal, priority=priority, generation=generation())


def _claim_indirect_mode(mode: isa.dge_mode, *operands: Tensor) -> None:
    """Claim that the descriptors are generated in a way that knows indices of the operands' kind."""
    kinds = [operand.indirect_by for operand in operands if operand.indirect_by is not None]
    if not kinds:
        return
    require("dma_copy.none_static", mode is not isa.dge_mode.none, dge_mode=mode)
    for moves in kinds:
        if moves.by_rows:
            require("dma_copy.hwdge_no_indirect", mode is not isa.dge_mode.hwdge, dge_mode=mode)
            assert isinstance(moves.index, Tensor)
            require("dma_copy.vector_offset", equal(moves.index.free_size, 1), index=moves.index.shape)


def _claim_dma_operands(target: Tensor, source: Tensor) -> None:
    require(
        "dma_copy.buffers",
        target.storage.buffer is not PSUM and source.storage.buffer is not PSUM,
        dst=target.buffer,
        src=source.buffer,
    )
    require("dma_copy.count", equal(target.size, source.size), dst=target.shape, src=source.shape)
    if target.dtype.is_packed or source.dtype.is_packed:
        require("dma_copy.dtype", target.dtype == source.dtype, dst=target.dtype, src=source.dtype)


def load(target: object, src: object) -> None:
    """What `nl.load` does to its new tile: a DMA from HBM."""
    source, destination = tile(src, "src"), tile(target, "dst")
    require("nl.load.src", not source.on_chip, src=source.buffer)
    _claim_dma_operands(destination, source)
    contents.copied(destination, source)


def store(dst: object, value: object) -> None:
    """What `nl.store` does: a DMA from SBUF to HBM."""
    target, source = tile(dst, "dst"), tile(value, "value")
    require("nl.store.dst", not target.on_chip, dst=target.buffer)
    require("nl.store.value", source.buffer is SBUF, value=source.buffer)
    require("dma_copy.count", equal(target.size, source.size), dst=target.shape, value=source.shape)
    contents.copied(target, source)


def tensor_copy(dst: object, src: object, engine: object = isa.engine.unknown) -> None:
    """Copy a tile inside SBUF and PSUM, casting to the dtype of `dst`."""
    target, source = tile(dst, "dst", gathers=True), tile(src, "src", gathers=True)
    contents.copied(target, source)
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


def memset(dst: object, value: object, engine: object = isa.engine.unknown) -> None:
    """Fill a tile with a constant."""
    target = tile(dst, "dst")
    runs_on = member(engine, isa.engine, "engine")
    require("isa.on_chip", on_chip(target), dst=target.buffer)
    claim_fill_value(target.dtype, value)
    contents.filled(target, value, value)
    if runs_on is not isa.engine.unknown:
        legal = runs_on is isa.engine.vector or (runs_on is isa.engine.gpsimd and not any_in_psum(target))
        require("memset.engine", legal, engine=runs_on, dst=target.buffer)


def claim_fill_value(dtype: DType, value: object) -> None:
    """Claim that `value` is a constant that fits the kind of `dtype`."""
    constant = is_number(value)
    require("memset.const", constant, value=type(value).__name__)
    if not constant:
        raise unsupported(f"filling a tensor with a {type(value).__name__}")
    if dtype.is_packed:
        require("memset.x4_zero", equal(value, 0), value=value)
    elif isinstance(value, float | SymRational):
        fits = dtype.kind in (DTypeKind.FLOAT, DTypeKind.SCALE)
        require("memset.value_dtype", fits, value=value, dtype=dtype)
