"""Allocating tensors: `nl.ndarray` and the functions that also fill; arguments of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from nkiverify.foundation.source import kernel_site
from nkiverify.model.contracts import require
from nkiverify.model.current_execution import current_execution, execution_in_progress
from nkiverify.model.dtypes import DType
from nkiverify.model.emission import innermost_body
from nkiverify.model.extents import as_extent, is_sequence
from nkiverify.model.known_numbers import UNKNOWN, Interval, Undeclared, Value, numbers_of, whole_range
from nkiverify.model.memory import SBUF, MemoryRegion
from nkiverify.model.nki_tensor import NkiTensor
from nkiverify.model.placement import claim_address
from nkiverify.model.tensor import Bound, Storage, Tensor, declared_dtype
from nkiverify.model.views import claim_rank, host_shape
from nkiverify.symbolic import Extent, all_of, equal

TensorType = TypeVar("TensorType", bound=Tensor)


def allocate(
    shape: object,
    dtype: object,
    buffer: object = SBUF,
    name: object = "",
    address: object = None,
) -> NkiTensor:
    """An uninitialised tensor of the current API: shape (P, F, …) on chip, P partitions."""
    extents = host_shape(shape)
    region = claimed_region(buffer)
    claim_rank(extents)
    claim_on_chip_shape(extents, region)
    placed = None if address is None else _address(address)
    element = declared_dtype(dtype)
    if placed is not None:
        claim_address(extents, element, region, placed)
    storage = new_storage(extents, element, region, name, address=placed)
    return NkiTensor.whole(storage, bounds_of_rank(extents, region))


def temporary(shape: tuple[Extent, ...], dtype: DType, region: MemoryRegion = SBUF) -> NkiTensor:
    """A new tile that a language function returns; its size is claimed."""
    claim_on_chip_shape(shape, region)
    return result_tile(shape, dtype, region)


def result_tile(shape: tuple[Extent, ...], dtype: DType, region: MemoryRegion = SBUF) -> NkiTensor:
    """As `temporary` where the operands, or the function's own contracts, bound the size already."""
    return NkiTensor.whole(new_storage(shape, dtype, region))


def claimed_region(buffer: object) -> MemoryRegion:
    """The memory a kernel names, claimed to be named by an enum member."""
    if isinstance(buffer, MemoryRegion):
        return buffer
    require("isa.enum_values", False, argument="buffer", value=buffer)
    raise TypeError(f"buffer is a member of nl.MemoryRegion (nl.sbuf, nl.psum, …), not {buffer!r}")


def claim_on_chip_shape(
    shape: tuple[Extent, ...], region: MemoryRegion, block_dims: int = 0, *, legacy: bool = False
) -> None:
    """Claim rank and partitions of a tensor of this shape in `region`, where that is on chip."""
    if not region.on_chip:
        return
    tile = shape[block_dims:]
    require("leg.tile_rank" if legacy else "tensor.rank_onchip_ge2", _has_rank(tile), shape=shape)
    require("mem.partitions_128", tile[0] <= 128, partitions=tile[0], shape=shape)


def bounds_of_rank(tile: tuple[Extent, ...], region: MemoryRegion, *, legacy: bool = False) -> tuple[Bound, ...]:
    """The claim about a tensor of this shape in `region` wherever it is used: published kernels allocate some of one
    dimension on chip, and use none."""
    if not region.on_chip or len(tile) >= 2:
        return ()
    return (Bound("leg.operand_rank" if legacy else "tensor.operand_rank", _has_rank(tile), {"shape": tile}),)


def _has_rank(tile: tuple[Extent, ...]) -> Any:
    """True if a tensor on chip has as many dimensions as it must have."""
    # One-element tensors of rank 1 occur in the documentation's own examples (register_load).
    return len(tile) >= 2 or all_of(*(equal(extent, 1) for extent in tile))


def _address(address: object) -> tuple[Extent, Extent]:
    parts = [as_extent(part) for part in address] if is_sequence(address) else []
    numbers = [part for part in parts if part is not None]
    well_formed = len(numbers) == len(parts) == 2
    require(
        "mem.address_form",
        all_of(*(number >= 0 for number in numbers)) if well_formed else False,
        address=address,
    )
    if not well_formed:
        raise TypeError(f"address is a pair of integers, not {address!r}")
    return numbers[0], numbers[1]


def new_storage(
    shape: tuple[Extent, ...],
    dtype: DType,
    buffer: MemoryRegion,
    name: object = None,
    *,
    address: tuple[Extent, Extent] | None = None,
    allocator: object = None,
    block_dims: int = 0,
    constant: bool = False,
    product: bool = False,
) -> Storage:
    """A storage for the allocation being made; the caller has stated the contracts."""
    run = current_execution()
    run.host_extents(shape)
    storage = Storage(
        run.allocation_id(),
        shape,
        dtype,
        buffer,
        "" if name is None else str(name),
        address,
        allocator,
        block_dims,
        body=innermost_body(),
        constant=constant,
        product=product,
        symbolic_name=None if isinstance(name, str) else name,
        site=kernel_site(),
    )
    run.model.allocated(storage.identity)
    if run.records:
        run.allocation(storage)
    return storage


def argument(
    name: str,
    shape: Sequence[Extent],
    dtype: DType,
    buffer: MemoryRegion = MemoryRegion.shared_hbm,
    content_range: tuple[Extent, Extent] | None = None,
    elements: Any = None,
    float_range: tuple[float, float] | None = None,
) -> NkiTensor:
    """A tensor argument of the kernel, in HBM ("lang.args"). The domain answers for its shape.

    `content_range` bounds its elements, both ends included, `float_range` those of floats; without one they are any
    numbers of the dtype. `elements` is an array of them, where they are given.
    """
    if elements is not None and dtype.is_integer:
        content_range = int(elements.min()), int(elements.max())
    values = whole_range(dtype) if content_range is None else Interval(*content_range)
    found = Storage(
        ("argument", name, _number_of_argument()),
        tuple(shape),
        dtype,
        buffer,
        name,
        content_range=values,
        range_declared=content_range is not None,
        float_range=float_range,
        elements=elements,
    )
    return NkiTensor.whole(_given(found))


def _number_of_argument() -> int:
    """The number of a tensor among those that the kernel is given: tensors of one argument may share its name."""
    run = execution_in_progress()
    if run is None:
        return 0
    run.model.arguments += 1
    return run.model.arguments


def argument_again(tensor: TensorType) -> TensorType:
    """Another tensor that is like an argument, as the caller has given it: what another program is given."""
    return tensor.whole(_given(replace(tensor.storage)))


def _given(storage: Storage) -> Storage:
    run = execution_in_progress()
    if run is not None:
        run.model.given(storage.identity, _numbers_in(storage))
        if storage.elements is not None:
            run.elements.given(storage)
    return storage


def _numbers_in(storage: Storage) -> Value:
    if storage.content_range is None:
        return UNKNOWN
    if storage.elements is not None:
        # Some of them are in a part, which may be without the least and the greatest.
        return replace(numbers_of(storage.elements), uniform=False)
    if storage.range_declared:
        return Value((storage.content_range,))
    undeclared = Undeclared(storage.name, storage.shape, storage.dtype)
    return Value((storage.content_range,), exact=False, undeclared=frozenset((undeclared,)))
