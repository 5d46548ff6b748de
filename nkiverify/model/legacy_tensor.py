"""Tensors of the legacy API: operators, assignment, block dimensions, masks that leave a tile partly valid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, cast

from nkiverify.model.access import Access, MaskedOperand
from nkiverify.model.allocation import bounds_of_rank, claim_on_chip_shape, new_storage
from nkiverify.model.contracts import require
from nkiverify.model.current_execution import current_execution
from nkiverify.model.dtypes import DType, legacy_dtype_named
from nkiverify.model.extents import as_extent, as_number, is_one, is_sequence, same
from nkiverify.model.following import overwrites
from nkiverify.model.hardware import Hardware
from nkiverify.model.indexing import has_index_tensor
from nkiverify.model.indices import Mask, as_mask
from nkiverify.model.memory import PSUM, SBUF, MemoryRegion
from nkiverify.model.nki_tensor import NkiTensor
from nkiverify.model.operators_on_tiles import TileOperators
from nkiverify.model.placement import bytes_per_partition
from nkiverify.model.recording import issue
from nkiverify.model.tensor import Storage, Tensor, free_elements
from nkiverify.model.views import host_shape
from nkiverify.symbolic import Extent, SymInt, SymRational, all_of, any_of, equal
from nkiverify.symbolic.execution import unsupported


class LegacyTensor(TileOperators, NkiTensor):
    """A tensor of `neuronxcc.nki` (`nki.tensor`).

    `validity` is the mask of the operation that made it: outside of it, its elements are unspecified
    ("leg.mask_meaning"). None where the operation had no mask.
    """

    __slots__ = ()

    legacy = True

    validity: Mask | None

    def __bool__(self) -> bool:
        if self.on_chip:
            return super().__bool__()
        # As any object: kernels ask whether an optional argument was given.
        require("leg.tensor_truth", False, tensor=self.label)
        return True

    def __setitem__(self, key: object, value: object) -> None:
        assign(self, key, value)

    def astype(self, dtype: object) -> LegacyTensor:
        """A copy with another dtype."""
        result = result_tile(self.shape, named_dtype(dtype))
        issue("nl.copy", writes={"result": result}, reads={"src": self})
        return result

    def broadcast_to(self, shape: Sequence[Extent]) -> LegacyTensor:
        """A view with extents of 1 repeated; the partition dimension may be as well."""
        wanted = host_shape(shape)
        fits = len(wanted) == self.ndim
        grows = all_of(*(any_of(equal(new, old), equal(old, 1)) for new, old in zip(wanted, self.shape, strict=False)))
        require("nl.broadcast_to.shape", all_of(fits, grows), x=self.shape, shape=wanted)
        if not fits:
            raise ValueError(f"a tensor of {self.ndim} dimensions cannot be broadcast to {wanted}")
        strides = tuple(
            stride if same(new, old) else 0 for new, old, stride in zip(wanted, self.shape, self.strides, strict=True)
        )
        return self.with_layout(wanted, strides)

    def expand_dims(self, axis: int) -> LegacyTensor:
        """A view with one more dimension of extent 1 at the end."""
        number = as_number(axis)
        position = number + self.ndim + 1 if number is not None and number < 0 else number
        require("nl.expand_dims.axis", position == self.ndim, axis=axis, x=self.shape)
        return self.with_layout((*self.shape, 1), (*self.strides, 1))

    def assert_shape(self, shape: Sequence[Extent]) -> LegacyTensor:
        """The tensor itself, its shape claimed to be `shape`."""
        wanted = tuple(shape)
        matches = all_of(*(equal(new, old) for new, old in zip(wanted, self.shape, strict=False)))
        require("leg.assert_shape", all_of(len(wanted) == self.ndim, matches), shape=self.shape, expected=wanted)
        return self

    def view(self, dtype: object) -> LegacyTensor:
        """The same bytes as elements of another dtype."""
        return super().view(named_dtype(dtype))


def legacy_view(tensor: Tensor) -> LegacyTensor:
    """`tensor` as a value of the legacy API."""
    if isinstance(tensor, LegacyTensor):
        return tensor
    return LegacyTensor.of(
        tensor.storage, tensor.shape, tensor.strides, tensor.dtype, tensor.offset_terms, tensor.block_dims
    )


def named_dtype(dtype: object, default: DType | None = None) -> DType:
    """The dtype a legacy kernel names, claimed to be a documented one; the default, if there is one, for None."""
    if dtype is None and default is not None:
        return default
    found = legacy_dtype_named(dtype)
    if found is None:
        require("tensor.dtypes", False, dtype=dtype)
        raise TypeError(f"unknown dtype {dtype!r}")
    return found


def given_mask(mask: object) -> Mask | None:
    """The mask a kernel passes, claimed to have the form of one."""
    if mask is None:
        return None
    found = as_mask(mask)
    if found is None:
        require("leg.mask_form", False, mask=type(mask).__name__)
        raise TypeError(f"a mask is made of comparisons of index tensors, not of a {type(mask).__name__}")
    return found


def operand(
    value: object,
    mask: Mask | None,
    argument: str,
    *,
    skips: bool = False,
    placed: bool = False,
    masked: bool = False,
) -> Tensor:
    """`value` as a tile: an access is resolved under the operation's mask; `skips`: rows out of bounds are skipped;
    `placed`: its place on chip may be known at run time only; `masked`: it may have a mask of its own."""
    if masked and isinstance(value, MaskedOperand):
        return value.of_product()
    if isinstance(value, Access):
        value = value.resolve(mask, skips=skips)
    if not isinstance(value, Tensor):
        raise TypeError(f"{argument} must be a tile, not {type(value).__name__}")
    if value.block_dims:
        require("leg.tile", False, operand=argument, shape=value.shape)
        raise TypeError(f"{argument} has block dimensions: index them first")
    if not placed:
        _claim_placed(value)
    return value


def mask_of_factor(mask: Mask | None, factor: object, other: object) -> Mask | None:
    """The mask of a product as that of one of its operands: what fits only the other one says nothing of it."""
    if mask is None or not all(isinstance(each, Tensor | Access) for each in (factor, other)):
        return mask
    own, attached = factor.shape, other.shape  # type: ignore[attr-defined]
    return Mask(tuple(term for term in mask.terms if term.fits(own) or not term.fits(attached)), mask.host)


def _claim_placed(value: Tensor) -> None:
    """Claim that the place of a tile does not wait for the run: only copies for it take such."""
    if value.indirect_by is not None and value.on_chip:
        require("leg.indirect", False, operand=value.label)


def resolved(value: object, mask: Mask | None, argument: str) -> object:
    """A tile as it is under the operation's mask; anything else as it is."""
    return operand(value, mask, argument) if isinstance(value, Tensor | Access) else value


def given_destination(dst: object, dtype: object, mask: Mask | None, *, placed: bool = False) -> Tensor:
    """A tile that is given to be written; what another dtype than its own would mean is not documented."""
    target = operand(dst, mask, "dst", placed=placed)
    if dtype is not None and named_dtype(dtype) != target.dtype:
        raise unsupported("a dtype beside a destination of another dtype")
    return target


class PartitionExtent:
    """`nl.par_dim(extent)`: marks the partition dimension in a shape ("leg.par_dim")."""

    __slots__ = ("extent",)

    def __init__(self, extent: object) -> None:
        number = as_extent(extent)
        if number is None:
            raise TypeError(f"par_dim takes an integer, not {extent!r}")
        self.extent = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PartitionExtent) and same(self.extent, other.extent)

    def __hash__(self) -> int:
        return hash(PartitionExtent)


def new_tile(
    shape: tuple[Extent, ...], dtype: DType, region: MemoryRegion = SBUF, mask: Mask | None = None
) -> LegacyTensor:
    """The new tile an operation returns, valid where `mask` holds; its size is claimed."""
    claim_on_chip_shape(shape, region, legacy=True)
    _claim_bank(shape, dtype, region)
    return result_tile(shape, dtype, region, mask)


def result_tile(
    shape: tuple[Extent, ...],
    dtype: DType,
    region: MemoryRegion = SBUF,
    mask: Mask | None = None,
    *,
    product: bool = False,
) -> LegacyTensor:
    """As `new_tile` where the operands, or the operation's own contracts, bound the size already."""
    result = LegacyTensor.whole(new_storage(shape, dtype, region, product=product))
    result.validity = mask
    return result


def allocate(shape: object, dtype: object, buffer: object, name: object = "") -> LegacyTensor:
    """An uninitialised tensor; `buffer` is a memory, an allocator of `nki.compiler`, or None for SBUF."""
    parts = tuple(shape) if is_sequence(shape) else (shape,)
    marked = [axis for axis, part in enumerate(parts) if isinstance(part, PartitionExtent)]
    require("leg.par_dim", len(marked) <= 1, shape=tuple(_plain(part) for part in parts))
    extents = host_shape(tuple(_plain(part) for part in parts))
    placed = current_execution().placement(buffer)
    allocator = placed if isinstance(placed, Allocator) else None
    region = allocator.region if allocator is not None else SBUF if placed is None else placed
    if not isinstance(region, MemoryRegion):
        raise unsupported(f"the buffer {placed!r}")
    blocks = marked[0] if marked and region.on_chip else 0
    claim_on_chip_shape(extents, region, blocks, legacy=True)
    element = named_dtype(dtype)
    _claim_bank(extents[blocks:], element, region)
    address: tuple[Extent, Extent] | None = None
    if allocator is not None:
        allocator.claim_tiles(blocks)
        tile = extents[blocks:]
        size = bytes_per_partition(tile, element)
        if not blocks:
            places = allocator.places((), tile[0], size)
            allocator.claim_range(places, tile, size, blocks)
            address = _address(places, current_execution().hardware.psum_bank_bytes)
            allocator = None
        elif not callable(allocator.rule):
            # Where a function places blocks is known once these are used.
            allocator.claim_range(cast("tuple[Extent, ...]", allocator.rule), tile, size, blocks)
    storage = new_storage(extents, element, region, name, address=address, allocator=allocator, block_dims=blocks)
    return LegacyTensor.whole(storage, bounds_of_rank(extents[blocks:], region, legacy=True))


def _plain(part: object) -> object:
    return part.extent if isinstance(part, PartitionExtent) else part


def _claim_bank(tile: tuple[Extent, ...], dtype: DType, region: MemoryRegion) -> None:
    if region is PSUM:
        limit = current_execution().hardware.psum_bank_bytes
        used = free_elements(tile[1:]) * dtype.itemsize
        require("leg.psum_fmax", used <= limit, bytes=used, limit=limit, shape=tile)


#: The parameters of modulo allocators that count tiles.
_BANKS, _PARTITIONS, _FREE = "num_bank_tiles", "num_par_tiles", "num_free_tiles"


class Allocator:
    """A placement rule of `nki.compiler.sbuf` or `.psum`: a function, or where the first tile of a modulo allocator
    lies (the bank, in PSUM, the partition, and the byte in it).

    `tiles` are the numbers of physical tiles that it cycles through, by the documented parameter's name.
    """

    def __init__(self, region: MemoryRegion, rule: object = None, tiles: dict[str, tuple[Extent, ...]] | None = None):
        self.region = region
        self.rule = rule
        self.tiles = tiles or {}

    def tiles_in_a_partition(self) -> Extent:
        """The physical tiles of a modulo allocator that lie in the same partitions."""
        return free_elements((*self.tiles.get(_BANKS, ()), *self.tiles.get(_FREE, ())))

    def with_numbers(self, changed: Callable[[Extent], Extent]) -> Allocator:
        """The rule with other numbers; a function stays as it is."""
        rule = self.rule if callable(self.rule) else tuple(map(changed, cast("tuple[Extent, ...]", self.rule)))
        return Allocator(self.region, rule, {name: tuple(map(changed, counts)) for name, counts in self.tiles.items()})

    def address(
        self, block: tuple[Extent, ...], partitions: Extent, size: Extent, bank_bytes: int
    ) -> tuple[Extent, Extent]:
        """Where a block of so many partitions, and bytes in each, starts: the partition, and the byte in it
        ("leg.alloc.func", "leg.mod_alloc")."""
        return _address(self.places(block, partitions, size), bank_bytes)

    def holds(self, block: tuple[Extent, ...], partitions: Extent, size: Extent, hardware: Hardware) -> Any:
        """The condition that a block, of so many partitions and bytes in each, lies in the memory."""
        return _lies_inside(self.places(block, partitions, size), 1, partitions, size, hardware)

    def places(self, block: tuple[Extent, ...], partitions: Extent, size: Extent) -> tuple[Extent, ...]:
        """The bank, in PSUM, the partition, and the byte in it, at which a block starts."""
        if callable(self.rule):
            return tuple(self.rule(block, partitions, size))
        *banks, partition, start = cast("tuple[Extent, ...]", self.rule)
        partition = partition + self._turn(_PARTITIONS, block) * partitions
        start = start + self._turn(_FREE, block) * size
        return (banks[0] + self._turn(_BANKS, block), partition, start) if banks else (partition, start)

    def _turn(self, name: str, block: tuple[Extent, ...]) -> Extent:
        """The physical tile, of those that this parameter counts, that a block is in: row-major, each index modulo its
        count."""
        tile: Extent = 0
        for position, count in zip(block, self.tiles.get(name, ()), strict=False):
            tile = tile * count + position % count
        return tile

    def claim_range(self, places: tuple[Extent, ...], tile: tuple[Extent, ...], size: Extent, blocks: int) -> None:
        """Claim that the tensor lies in the memory, of so many bytes in each partition, its first tile at `places`: of
        one with block dimensions all tiles that a modulo allocator cycles through."""
        tiles: Extent = self.tiles_in_a_partition() if blocks else 1
        rows = tile[0] * (free_elements(self.tiles.get(_PARTITIONS, ())) if blocks else 1)
        hardware = current_execution().hardware
        first, used, limit, unit = _taken(places, tiles, size, hardware)
        inside = _lies_inside(places, tiles, rows, size, hardware)
        require("mem.addr_range", inside, partition=places[-2], first=first, used=used, limit=limit, unit=unit)

    def claim_tiles(self, blocks: int) -> None:
        """Claim that each tuple of tile counts is empty or has one count per block dimension, and that tiles begin at
        partition 0 of SBUF, or cycle through banks of PSUM alone."""
        for name, counts in self.tiles.items():
            # Published kernels give the number of tiles where there are no block dimensions: (1,), or (32,) where the
            # tiles are a free dimension.
            legal = len(counts) in (0, max(blocks, 1))
            require("leg.mod_alloc", legal, parameter=name, counts=counts, block_dims=blocks)
            if self.region is PSUM and name != _BANKS:
                require("leg.mod_alloc", all_of(*(equal(one, 1) for one in counts)), parameter=name, counts=counts)
        if self.region is SBUF and not callable(self.rule):
            partition = cast("tuple[Extent, ...]", self.rule)[0]
            require("leg.mod_alloc", equal(partition, 0), parameter="base_partition", value=partition)


def tiles_of(storage: Storage) -> tuple[Extent, ...]:
    """The numbers of tiles of a storage that its partitions hold, to be multiplied: of one that an allocator places
    those of physical tiles."""
    allocator = storage.allocator
    if isinstance(allocator, Allocator):
        return (allocator.tiles_in_a_partition(),)
    return storage.shape[: storage.block_dims]


def _address(places: tuple[Extent, ...], bank_bytes: int) -> tuple[Extent, Extent]:
    """The partition, and the byte in it, of a bank, in PSUM, a partition, and a byte."""
    *banks, partition, start = places
    return partition, start + (banks[0] * bank_bytes if banks else 0)


def _taken(
    places: tuple[Extent, ...], tiles: Extent, size: Extent, hardware: Hardware
) -> tuple[Extent, Extent, int, str]:
    """The first bank, or byte, that tiles one behind the other take, how many they take, how many there are, and of
    what."""
    *banks, _, start = places
    if banks:
        return banks[0], tiles, hardware.psum_banks, "banks"
    return start, tiles * size, hardware.sbuf_usable_bytes, "bytes"


def _lies_inside(
    places: tuple[Extent, ...], tiles: Extent, partitions: Extent, size: Extent, hardware: Hardware
) -> Any:
    """The condition that tiles one behind the other, from a bank, a partition and a byte on, lie in the memory."""
    *banks, partition, start = places
    first, used, limit, _ = _taken(places, tiles, size, hardware)
    inside = all_of(partition >= 0, partition + partitions <= hardware.partitions, first >= 0, first + used <= limit)
    # A tile in PSUM starts where its bank does ("leg.alloc.start").
    return all_of(inside, equal(start, 0), equal(partition, 0)) if banks else inside


def assign(target: LegacyTensor, key: object, value: object) -> None:
    """`target[key] = value`: the value, broadcast to the destination, is written there."""
    if isinstance(value, Access):
        value = value.resolve()
    mask = _bounds_assignment(value)
    keys = key if isinstance(key, tuple) else (key,)
    destination = Access.of(target, keys).resolve(mask) if has_index_tensor(keys) else target[key]
    _claim_placed(destination)
    if isinstance(value, Tensor):
        _claim_placed(value)
        require("leg.assign_buffer", destination.on_chip and value.on_chip, dst=destination.buffer, src=value.buffer)
        claim_assignable(destination.shape, value.shape)
    elif isinstance(value, SymInt | SymRational | Real):
        require("leg.assign_buffer", destination.on_chip, dst=destination.buffer)
    else:
        raise unsupported(f"assigning a {type(value).__name__} to a tensor")
    if not isinstance(value, Tensor):
        issue("setitem", writes={"dst": destination}, value=value)
    elif not _same_elements(destination, value):
        issue("setitem", writes={"dst": destination}, reads={"value": value}, mask=mask)
    overwrites(target)


def _bounds_assignment(value: object) -> Mask | None:
    """The mask of the operation that made a tile, as long as nothing else has been written to that: what is assigned is
    what the operation makes. A tile that has been written since is copied, as any other."""
    if not isinstance(value, LegacyTensor) or value.validity is None:
        return None
    model = current_execution().model
    if value.storage in model.overwritten:
        return None
    model.assigned.add(value.storage)
    return value.validity


def _same_elements(one: Tensor, two: Tensor) -> bool:
    """True if two views are the same one: `t[i] += x` computes in place, and then assigns the tile to itself."""
    return (
        one.storage is two.storage
        and one.ndim == two.ndim
        and same(one.offset, two.offset)
        and all(map(same, one.shape + one.strides, two.shape + two.strides))
    )


def claim_assignable(destination: tuple[Extent, ...], source: tuple[Extent, ...]) -> None:
    """Claim that a value of shape `source` fills `destination`: equal extents, or 1 repeated."""
    rank, given = len(destination), len(source)
    fits = given <= rank
    conditions: list[Any] = [fits]
    if fits:
        for extent, other in zip(destination[rank - given :], source, strict=True):
            if other is extent or (type(other) is int and (other == 1 or (type(extent) is int and other == extent))):
                continue
            if not is_one(other):
                conditions.append(any_of(equal(other, extent), equal(other, 1)))
    require("leg.assign_shape", all_of(*conditions), destination=destination, source=source)
