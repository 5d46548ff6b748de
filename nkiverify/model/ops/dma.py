"""DMAs: copies, transposes, sums (reference section c.1).

`op` and `op:Section` are the docstring of that operation. MIG-x.y migration, RN-x.y release notes, DGE
descriptor-generation page, A3 architecture of gen3.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nkiverify.foundation.late import numpy as np
from nkiverify.model import isa_enums as isa
from nkiverify.model import legacy_enums
from nkiverify.model.contracts import define, nki_version, require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import uint32
from nkiverify.model.extents import as_extent, as_number, is_sequence
from nkiverify.model.indices import Mask
from nkiverify.model.indirection import claim_different
from nkiverify.model.interval_arithmetic import plus, single
from nkiverify.model.known_numbers import UNKNOWN
from nkiverify.model.legacy_tensor import LegacyTensor, named_dtype, new_tile, operand
from nkiverify.model.memory import PSUM
from nkiverify.model.operators import Operator, legacy_operator
from nkiverify.model.ops.copies import copied
from nkiverify.model.ops.operands import (
    dma_operand,
    generation,
    in_sbuf,
    is_number,
    member,
)
from nkiverify.model.registry import OVERWRITES, Updates, operation
from nkiverify.model.tensor import Indirection, Tensor
from nkiverify.model.versions import within
from nkiverify.symbolic import all_of, any_of, equal
from nkiverify.symbolic.execution import unsupported

if TYPE_CHECKING:
    from nkiverify.model.bounds import Bounds
    from nkiverify.model.meaning import Array, Step


define_current = partial(define, api=("nki",))

# --- dma_copy ---------------------------------------------------------------------------------------------------------

DMA_COPY = operation(
    "nisa.dma_copy",
    dependence=Dependence(Link.ROW_MAJOR),
    engine="dma",
    behaviour=OVERWRITES.but(moves=True, updates=Updates.MODIFYING),
)

define(
    "dma_copy.buffers",
    "Source and destination of dma_copy must be in HBM or SBUF; before NKI 0.3 the source may be in PSUM.",
    "dma_copy:Memory types; MIG-0.3",
    takes={"": ("sbuf", "shared_hbm", "private_hbm")},
)
define(
    "dma_copy.count", "Source and destination of dma_copy must have the same number of elements.", "dma_copy:Tile size"
)
define(
    "dma_copy.dtype",
    "dma_copy must not convert to or from a packed (x4) dtype.",
    "dma_copy:Data types; DMAO",
    takes={"dst": "src"},
)
define("leg.dma_copy.rmw", "dst_rmw_op of dma_copy must be add, with oob_mode.error.", "L:dma_copy", api=("neuronxcc",))
define_current(
    "dma_copy.hwdge_same_dtype",
    "With dge_mode.hwdge both dtypes must be the same.",
    "MIG-0.3",
    since="0.3",
    takes={"dst": "src"},
)
define_current("dma_copy.hwdge_gen3", "dge_mode.hwdge must be used on gen3 or later.", "dma_copy")
define_current(
    "dma_copy.engine",
    "engine must be sync or scalar, and only with dge_mode.hwdge.",
    "dma_copy; DGE",
    takes={"engine": ("sync", "scalar")},
)
define_current("dma_copy.priority_gen4", "priority must be 0 to 3, and needs gen4 or later.", "dma_copy")
define_current("dma_copy.none_static", "With dge_mode.none no address may be known only at run time.", "DGE")
define_current(
    "dma_copy.hwdge_no_indirect", "With dge_mode.hwdge there must be no gather or scatter.", "DGE; A3; dma_copy"
)
define_current(
    "dma_copy.vector_offset", "The vector_offset of a dma_copy must be a (P, 1) tile.", "dma_copy; DGE table"
)
define_current(
    "dma_copy.oob",
    "No index of a dma_copy with oob_mode.error may leave the tensor: it would be a run-time error.",
    "dma_copy",
)


@DMA_COPY.current
def _(
    dst: object,
    src: object,
    priority: object = None,
    oob_mode: object = isa.oob_mode.error,
    dge_mode: object = isa.dge_mode.unknown,
    engine: object = isa.engine.unknown,
    name: object = None,
) -> None:
    """Copy `src` to `dst`, element by element in row-major order; shapes may differ, counts may not."""
    skips = member(oob_mode, isa.oob_mode, "oob_mode") is isa.oob_mode.skip
    target, source = dma_operand(dst, "dst", skips=skips), dma_operand(src, "src", skips=skips)
    mode = member(dge_mode, isa.dge_mode, "dge_mode")
    queue = member(engine, isa.engine, "engine")
    claim_dma(target, source)
    _claim_indirect_mode(mode, target, source)
    if mode is isa.dge_mode.hwdge:
        require("dma_copy.hwdge_gen3", generation() >= 3, generation=generation())
        require("dma_copy.hwdge_same_dtype", target.dtype == source.dtype, dst=target.dtype, src=source.dtype)
    if queue is not isa.engine.unknown:
        legal = queue in (isa.engine.sync, isa.engine.scalar) and mode is isa.dge_mode.hwdge
        require("dma_copy.engine", legal, engine=queue, dge_mode=mode)
    claim_priority("dma_copy.priority_gen4", priority)


@DMA_COPY.legacy
def _(
    *,
    dst: object,
    src: object,
    mask: Mask | None = None,
    dst_rmw_op: object = None,
    oob_mode: object = legacy_enums.oob_mode.error,
    dge_mode: object = legacy_enums.dge_mode.unknown,
) -> None:
    """Copy between HBM and SBUF, converting the dtype."""
    skips = member(oob_mode, legacy_enums.oob_mode, "oob_mode") is legacy_enums.oob_mode.skip
    target, source = operand(dst, mask, "dst", skips=skips), operand(src, mask, "src", skips=skips)
    target, source = dma_operand(target, "dst", skips=skips), dma_operand(source, "src", skips=skips)
    if dst_rmw_op is not None:
        adds = legacy_operator(dst_rmw_op).name == "add"
        require("leg.dma_copy.rmw", adds and not skips, dst_rmw_op=dst_rmw_op, oob_mode=oob_mode)
    claim_dma(target, source)
    _claim_indirect_mode(isa.dge_mode.unknown, target, source)


def claim_dma(target: Tensor, source: Tensor) -> None:
    """Claim what every copy by DMA demands of its operands."""
    require(
        "dma_copy.buffers",
        target.storage.buffer is not PSUM
        and (source.storage.buffer is not PSUM or not within(nki_version(), "0.3", "")),
        dst=target.buffer,
        src=source.buffer,
    )
    require("dma_copy.count", equal(target.size, source.size), dst=target.shape, src=source.shape)
    if target.dtype.is_packed or source.dtype.is_packed:
        require("dma_copy.dtype", target.dtype == source.dtype, dst=target.dtype, src=source.dtype)


def claim_priority(contract: str, priority: object) -> None:
    """Claim that a DMA's priority is one the hardware has."""
    if priority is not None:
        number = as_number(priority)
        legal = generation() >= 4 and number is not None and 0 <= number <= 3
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


@DMA_COPY.meaning
def _(step: Step) -> None:
    """The elements of the source in row-major order; added, in float32, to what is there if asked. Where the source is
    skipped, dst stays ("dma_copy.oob")."""
    skipped = step.skipped("src")
    if step.attribute("dst_rmw_op") is not None:
        added_in_place(step, "dst", "src")
    elif skipped is None:
        copied(step)
    else:
        _copied_in_part(step, (), skipped)


def _copied_in_part(step: Step, order: tuple[int, ...], skipped: Array) -> None:
    """The elements of src, its axes in another order if one is given, but for those that are skipped."""
    same = step.dtype("src") == step.dtype("dst")
    data = step.stored("src") if same else step.numbers("src")
    before = step.stored("dst", previous=True) if same else step.numbers("dst", previous=True)
    if order:
        data, skipped = data.transpose(0, *(axis + 1 for axis in order)), skipped.transpose(order)
    shape = before.shape[1:]
    step.write("dst", np.where(skipped.reshape(shape), before, data.reshape(data.shape[0], *shape)), stored=same)


def added_in_place(step: Step, dst: str, src: str) -> None:
    """dst = dst + src, element by element; that an element is named once only is the kernel's promise."""
    step.distinct(dst)
    before = step.numbers(dst, previous=not step.has(dst))
    step.write(dst, step.n.binary("add", before, step.numbers(src).reshape(before.shape)))


@DMA_COPY.bounds
def _copied_by_dma(bounds: Bounds) -> None:
    """Those of the source, besides what is there if rows out of bounds are skipped."""
    if bounds.attribute("dst_rmw_op") is not None:
        return
    skips = getattr(bounds.attribute("oob_mode"), "name", "") == isa.oob_mode.skip.name
    bounds.copy("src", partly=skips)


# --- dma_transpose ----------------------------------------------------------------------------------------------------

DMA_TRANSPOSE = operation(
    "nisa.dma_transpose",
    dependence=Dependence(Link.PERMUTED),
    engine="dma",
    behaviour=OVERWRITES,
    # How descriptors are generated changes no element; the page of the legacy API says **kwargs.
    tolerates=frozenset({"dge_mode"}),
)

define(
    "dma_transpose.axes",
    "The axes must be (1, 0), (2, 1, 0) or (3, 1, 2, 0), by the rank of src.",
    "dma_transpose (legacy: taken from there, since its page says nothing)",
)
define_current("dma_transpose.dst_shape", "dst must have exactly the transposed shape of src.", "MIG-0.4", since="0.4")
define_current(
    "dma_transpose.dtype",
    "src and dst of dma_transpose must have the same dtype.",
    "dma_transpose",
    takes={"dst": "src"},
)
define(
    "dma_transpose.src_buffer",
    "src of dma_transpose must be in HBM or SBUF.",
    "dma_transpose",
    takes={"": ("sbuf", "shared_hbm", "private_hbm")},
)
define_current(
    "dma_transpose.dst_buffer",
    "dst of dma_transpose must be in SBUF (HBM as in MIG-0.4 is accepted).",
    "dma_transpose; MIG-0.4",
    takes={"": ("sbuf",)},
)
define_current(
    "dma_transpose.mode_direct",
    "A dma_transpose without indices must not use dge_mode.swdge.",
    "dma_transpose; DGE",
)
define_current(
    "dma_transpose.hwdge_shape",
    "With hwdge src must have 1, 2, 4, 8 or 16 rows and at most 128 columns; in 3-D or 4-D rows * shape[-2] "
    "must be a multiple of 16.",
    "dma_transpose; RN-0.6",
    limit=True,
    two_sided=True,
)
define_current("dma_transpose.hwdge_2byte", "With hwdge the dtype must have 2 bytes.", "dma_transpose")
define_current(
    "dma_transpose.indirect",
    "An indirect src must have a multiple of 16 rows, at most 128 columns, in 4-D a 1 in dimension 1 or 2; "
    "indices must have 16 to 128 partitions by 16, one column unless 128, and at least one per row.",
    "dma_transpose",
    limit=True,
    two_sided=True,
)
define_current(
    "dma_transpose.indirect_mode",
    "An indirect dma_transpose must run on gen3 or later, with a 2-byte src in HBM, uint32 indices in SBUF, "
    "dge_mode unknown or swdge.",
    "dma_transpose; DGE",
)
define_current("dma_transpose.oob_skip", "oob_mode.skip must only be used with an indirect src.", "dma_transpose")
define_current("dma_transpose.priority_gen4", "priority must be 0 to 3, and needs gen4 or later.", "dma_transpose")

#: The one order of axes for each rank ("dma_transpose.axes").
_TRANSPOSED = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}


@DMA_TRANSPOSE.current
def _(
    dst: object,
    src: object,
    axes: object = None,
    priority: object = None,
    dge_mode: object = isa.dge_mode.unknown,
    oob_mode: object = isa.oob_mode.error,
    name: object = None,
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


@DMA_TRANSPOSE.legacy
def _(
    src: object, *, axes: object = None, mask: Mask | None = None, dtype: object = None, **kwargs: object
) -> LegacyTensor:
    """A new SBUF tile: `src` with its axes in the order that the current API documents for its rank."""
    source = operand(src, mask, "src")
    require("dma_transpose.src_buffer", source.buffer is not PSUM, src=source.buffer)
    if mask is not None:
        raise unsupported("dma_transpose under a mask", "its page does not say what is left out")
    order = _axes(axes, source)
    return new_tile(tuple(source.shape[axis] for axis in order), named_dtype(dtype, source.dtype))


@DMA_TRANSPOSE.meaning
def _(step: Step) -> None:
    """The axes in the one order each rank has."""
    order = _TRANSPOSED[len(step.shape("src"))]
    skipped = step.skipped("src")
    if skipped is not None:
        _copied_in_part(step, order, skipped)
        return
    same = step.dtype("src") == step.dtype(step.only_write)
    data = step.stored("src") if same else step.numbers("src")
    step.write(step.only_write, data.transpose(0, *(axis + 1 for axis in order)), stored=same)


DMA_TRANSPOSE.bounds(_copied_by_dma)


# --- dma_compute ------------------------------------------------------------------------------------------------------

DMA_COMPUTE = operation("nisa.dma_compute", dependence=Dependence(Link.ROW_MAJOR), engine="dma", behaviour=OVERWRITES)

define_current(
    "dma_compute.op",
    "reduce_op must be add, and every scale 1.0.",
    "dma_compute",
    takes={"reduce_op": ("add",)},
)
define_current(
    "dma_compute.count",
    "There must be 1 to 16 sources, each with the number of elements of dst.",
    "dma_compute:Tile size",
)
define_current(
    "dma_compute.buffers",
    "The operands of dma_compute must be in HBM or SBUF.",
    "dma_compute:Memory types",
    takes={"": ("sbuf", "shared_hbm", "private_hbm")},
)
define_current(
    "dma_compute.rmw",
    "With a vector_offset there must be 2 sources, one of them dst, and unique indices; a scatter must go from "
    "SBUF to HBM, a gather from HBM to SBUF.",
    "dma_compute",
)
define_current(
    "dma_compute.rmw_unique",
    "The indices of a dma_compute must all be different: as many numbers must be among those that they may be.",
    "dma_compute",
)
define_current("dma_compute.oob_skip", "oob_mode.skip must only be used with indirect operands.", "RN-0.4")

_SOURCES = 16


@DMA_COMPUTE.current
def _(
    dst: object,
    srcs: object,
    reduce_op: Operator,
    scales: object = None,
    unique_indices: object = True,
    oob_mode: object = isa.oob_mode.error,
    name: object = None,
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
    for view in indirect if not skips else ():
        moves = view.indirect_by
        if moves is not None and moves.by_rows:
            claim_different("dma_compute.rmw_unique", moves, view.shape[0])


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


@DMA_COMPUTE.meaning
def _(step: Step) -> None:
    """The sum of all sources, in float32 ("dma_compute.dtype")."""
    total = None
    for name in step.read_names:
        part = step.numbers(name).reshape(step.n.lanes, -1)
        total = part if total is None else step.n.binary("add", total, part)
    assert total is not None
    step.write("dst", total)


@DMA_COMPUTE.bounds
def _(bounds: Bounds) -> None:
    """The sum of all sources."""
    sources = bounds.attribute("srcs", ())
    names = [f"srcs[{position}]" for position in range(len(sources))]
    total = UNKNOWN if bounds.undetermined(*names) or not names else bounds.numbers(names[0])
    for name in names[1:]:
        total = single(plus(total, bounds.numbers(name)))
    bounds.write(total, partly=True)
