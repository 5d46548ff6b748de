"""Where tensors lie on chip: placed ones at their allocation, operands at the instruction that touches them (phase 3).

A tensor the kernel places has its address; of any other only what holds for every place the compiler can choose is
claimed: it may start at partition 0, 32, 64 or 96 as far as it fits ("mem.start_partition").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nkiverify.model.access_patterns import in_units
from nkiverify.model.contracts import looked_at, require
from nkiverify.model.current_execution import current_execution
from nkiverify.model.dtypes import DType
from nkiverify.model.extents import is_one, is_zero, same
from nkiverify.model.memory import PSUM, SBUF, MemoryRegion
from nkiverify.model.operation import Operation
from nkiverify.model.packing import ANY_START, PARTITIONS, QUARTER, Tile, fit
from nkiverify.model.tensor import IndirectionKind, Storage, Tensor, free_elements
from nkiverify.symbolic import Extent, all_of, any_of, constant_value, equal

#: Contracts about the whole of a run, whose claims ask for what is sufficient: one refuted proves nothing until a plain
#: run breaks the contract, be it at another line.
SUFFICIENT = ("mem.capacity_live", "mem.placed_overlap")

#: The partitions an engine's access can start at.
QUADRANTS = tuple(range(0, PARTITIONS, QUARTER))

#: The operands that an instruction computes each element of its result from, one for one.
_SOURCES = frozenset(("src", "data"))
#: Elements per partition of an operand of the Vector or Scalar Engine ("mem.vec_free_limit").
_FREE_LIMIT = {SBUF: 64 * 1024, PSUM: 4 * 1024}
#: What an instruction's access pattern can hold ("mem.ap_isa_ranges").
_LARGEST_STRIDE = 2**15 - 1
#: The engines whose operands "mem.vec_free_limit" is about. GpSimd reaches no PSUM, so that any engine is one of them
#: there.
_VECTOR_ENGINES = ("vector", "scalar")


def bytes_per_partition(shape: Sequence[Extent], dtype: DType) -> Extent:
    """Bytes an on-chip tensor of this shape takes in each of its partitions ("mem.shape_bytes")."""
    size: Extent = free_elements(shape[1:]) * dtype.itemsize
    return size


def claim_address(shape: Sequence[Extent], dtype: DType, region: MemoryRegion, address: tuple[Extent, Extent]) -> None:
    """Claim that a tensor placed at `address` = (partition, byte in the partition) lies in the memory, aligned.

    The second part counts bytes ("mem.addr_free_unit": the reading consistent with working code).
    """
    if not region.on_chip or not looked_at("mem.addr_range"):
        return
    hardware = current_execution().hardware
    partition, start = address
    size = bytes_per_partition(shape, dtype)
    limit = hardware.sbuf_usable_bytes if region is SBUF else hardware.psum_partition_bytes
    require(
        "mem.addr_range",
        all_of(partition + shape[0] <= hardware.partitions, start + size <= limit),
        partition=partition,
        partitions=shape[0],
        start=start,
        bytes=size,
        limit=limit,
    )
    if region is PSUM:
        require("mem.psum_bank_start", start % hardware.psum_bank_bytes == 0, start=start)


def claim_operands(operation: Operation) -> None:
    """Claim that the operands are in their memories together, and what an engine's access to each asks for.

    DMAs, by which collectives move data as well, reach every partition and byte; registers are loaded and stored
    element by element, and printing is no instruction.
    """
    engine = operation.engine
    exempt = engine in ANY_START
    in_quarters = not exempt
    storages: dict[Storage, None] = {}
    for argument, view in (*operation.reads.items(), *operation.writes.items()):
        if not view.on_chip or argument.endswith(".index"):
            continue
        storages[view.storage] = None
        if exempt or view.block_dims:
            continue
        if _is_scale(operation, argument):
            in_quarters = False
        else:
            _claim_start(operation, argument, view)
        _claim_free_size(operation, engine, argument, view)
        _claim_strides(operation, argument, view)
    _claim_resident(operation, storages, in_quarters)
    if any(_chooses_elements(view) for view in (*operation.reads.values(), *operation.writes.values())):
        _claim_indices(operation)


def _chooses_elements(view: Tensor) -> bool:
    return view.indirect_by is not None and view.indirect_by.kind is IndirectionKind.ELEMENTS


def _claim_indices(operation: Operation) -> None:
    """Claim where indices of `indirect()` start next to what they choose from, as far as the kernel places both."""
    for argument, view in (*operation.reads.items(), *operation.writes.items()):
        if not _chooses_elements(view):
            continue
        start = _placed_start(operation.reads.get(f"{argument}.index"))
        if start is None:
            continue
        shown = {"operation": operation.name, "operand": argument, "index_start": start}
        require("ti.index_quadrant", equal(start % 32, 0), **shown)
        if argument in operation.reads and argument not in operation.writes:
            _claim_same_start("ti.src_same_partition", start, _placed_start(view), shown)
            continue
        for name, source in operation.reads.items():
            if name in _SOURCES and (source.buffer is SBUF or _chooses_elements(source)):
                attached = source if source.buffer is SBUF else operation.reads.get(f"{name}.index")
                _claim_same_start("ti.dst_same_partition", start, _placed_start(attached), shown)


def _claim_same_start(contract: str, start: Extent, other: Extent | None, shown: Mapping[str, object]) -> None:
    if other is not None:
        require(contract, equal(start, other), **shown, other_start=other)


def _placed_start(view: Tensor | None) -> Extent | None:
    """The partition at which a view starts, of a tensor that the kernel places; None of another one."""
    if view is None or view.storage.address is None:
        return None
    return view.storage.address[0] + first_partition(view)


def _claim_resident(operation: Operation, storages: Iterable[Storage], in_quarters: bool) -> None:
    """Claim that the operands, which no compiler can do without at this operation, are in their memory together.

    Of one with block dimensions a single tile counts. Those that the kernel places count one by one: they may share
    their place, as an operand that is overwritten by the result does ("mem.placed_overlap").
    """
    hardware = current_execution().hardware
    for region, limit in ((SBUF, hardware.sbuf_usable_bytes), (PSUM, hardware.psum_partition_bytes)):
        free: list[Tile] = []
        placed: list[Tile] = []
        for storage in storages:
            if storage.buffer is region:
                tile = (storage.partitions, storage.free_size * storage.dtype.itemsize)
                (placed if storage.address is not None or storage.allocator is not None else free).append(tile)
        together = [[*free, tile] for tile in placed] or [free]
        if together == [[]]:
            continue
        every = [*free, *placed]
        quantities: dict[str, object] = {"bytes": every[0][1]}
        if len(every) > 1:
            quantities = {"bytes": tuple(size for _, size in every), "partitions": tuple(rows for rows, _ in every)}
        require(
            "mem.operands_fit",
            all_of(*(fit(tiles, limit, in_quarters) for tiles in together)),
            operation=operation.name,
            memory=str(region),
            **quantities,
            limit=limit,
        )


def _is_scale(operation: Operation, argument: str) -> bool:
    """True if the operand holds scales of blocks, with start partitions of its own ("mem.start_partition_mx_scale")."""
    return argument.endswith("scale") and operation.rows(argument) is not None


def first_partition(view: Tensor) -> Extent:
    """The partition of its storage (of one block of it) at which a view starts."""
    storage = view.storage
    if not view.offset_terms or is_one(storage.partitions):
        return 0
    stride = in_units(storage.free_size, storage.dtype, view.dtype)
    if view.dtype.itemsize > storage.dtype.itemsize:
        # Seen as a wider dtype, an offset is one number.
        return view.offset // stride
    partition: Extent = 0
    for start, step in view.offset_terms:
        if same(step, stride):
            partition = partition + start
    return partition


def _claim_start(operation: Operation, argument: str, view: Tensor) -> None:
    first = first_partition(view)
    address = view.storage.address
    if address is None and is_zero(first):
        # Wherever the compiler lets the tensor start, a view of as many partitions or fewer may start there too.
        return
    count = view.shape[0]
    if address is not None:
        legal = _may_start(address[0] + first, count)
    else:
        room = PARTITIONS - view.storage.partitions
        legal = any_of(*(all_of(room >= base, _may_start(base + first, count)) for base in QUADRANTS))
    start = first if address is None else address[0] + first
    require("mem.start_partition", legal, operation=operation.name, operand=argument, start=start, partitions=count)


def _may_start(start: Extent, count: Extent) -> Any:
    """True if an engine's access to `count` partitions may start at partition `start`."""
    return any_of(
        equal(start, 0),
        all_of(equal(start, 64), count <= 64),
        all_of(any_of(equal(start, 32), equal(start, 96)), count <= 32),
    )


def _claim_free_size(operation: Operation, engine: str, argument: str, view: Tensor) -> None:
    if engine in _VECTOR_ENGINES or (engine == "any" and view.buffer is PSUM):
        limit = _FREE_LIMIT[view.buffer]
        size = view.free_size if view.buffer is SBUF else _elements_held(view)
        known = constant_value(size)
        if known is None or known > limit:
            require(
                "mem.vec_free_limit",
                size <= limit,
                operation=operation.name,
                operand=argument,
                free_size=size,
                limit=limit,
            )


def _elements_held(view: Tensor) -> Extent:
    """The elements of a partition, those that a stride of 0 repeats counted once: 4096 are what PSUM holds, and
    published kernels broadcast columns of it to more."""
    first = view.block_dims + 1
    free = zip(view.shape[first:], view.strides[first:], strict=True)
    return free_elements([extent for extent, stride in free if not is_zero(stride)] or [1])


def _claim_strides(operation: Operation, argument: str, view: Tensor) -> None:
    """Claim that the strides of the free dimensions fit the fields of an instruction.

    A dimension that follows the next one without a gap needs no stride of its own, and sizes can be divided.
    """
    for axis in range(1, view.ndim):
        extent, stride = view.shape[axis], view.strides[axis]
        inner = view.shape[axis + 1] * view.strides[axis + 1] if axis + 1 < view.ndim else 1
        if is_one(extent) or same(stride, inner) or is_zero(stride):
            continue
        step = constant_value(stride)
        if step is not None and abs(step) <= _LARGEST_STRIDE:
            continue
        require(
            "mem.ap_isa_ranges",
            any_of(
                equal(extent, 1),
                equal(stride, inner),
                all_of(stride <= _LARGEST_STRIDE, stride >= -_LARGEST_STRIDE - 1),
            ),
            operation=operation.name,
            operand=argument,
            size=extent,
            stride=stride,
        )
