"""The tensor: one class for every rank, memory and API generation.

A tensor is a view (shape, strides, offset, all in elements) of a storage: what one allocation made. Elements have no
values; what is checked is where they are, how many there are and what type they have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from nkiverify.model import access_patterns, indexing, indirection, rearrangement, views
from nkiverify.model.contents import Interval, Value, whole_range
from nkiverify.model.contracts import require
from nkiverify.model.dtypes import DType, dtype_named
from nkiverify.model.dynamic_loops import LoopBody, innermost_body
from nkiverify.model.execution import current_execution, execution_in_progress
from nkiverify.model.memory import MemoryRegion
from nkiverify.symbolic import Extent, product
from nkiverify.symbolic.execution import unsupported

if TYPE_CHECKING:
    from typing_extensions import Self


class _SymbolicName(str):
    """What messages show of a name with symbolic numbers in it; `given` is what the kernel gave."""

    given: object


def name_given(name: object) -> str:
    """The name of an allocation, from what a kernel gives as `name=`."""
    if name is None or isinstance(name, str):
        return name or ""
    shown = _SymbolicName(str(name))
    shown.given = name
    return shown


@dataclass(frozen=True, slots=True, eq=False)
class Storage:
    """What one allocation made, or one tensor argument of the kernel. Two storages are the same if they are one object.

    `identity` names the allocation (its site and the symbolic loops around it, or the argument's name). `address` is
    the placement the kernel asked for, (partition, byte in the partition), None where the compiler places it;
    `allocator` is the legacy allocator that places it. `block_dims` counts the leading dimensions of a legacy tensor
    that come before its partition dimension. `content_range` bounds the numbers of an argument; `body` is the device
    loop whose body it was allocated in.
    """

    identity: object
    shape: tuple[Extent, ...]
    dtype: DType
    buffer: MemoryRegion
    name: str = ""
    address: tuple[Extent, Extent] | None = None
    allocator: object = None
    block_dims: int = 0
    content_range: Interval | None = None
    body: LoopBody | None = None

    @property
    def partitions(self) -> Extent:
        """Partitions of one block of an on-chip storage."""
        return self.shape[self.block_dims]

    @property
    def free_size(self) -> Extent:
        """Elements per partition of one block of an on-chip storage."""
        return free_elements(self.shape[self.block_dims + 1 :])

    @property
    def size(self) -> Extent:
        """Elements in all."""
        return free_elements(self.shape)


def free_elements(shape: Sequence[Extent]) -> Extent:
    """Product of extents; no multiplication where there is only one."""
    return shape[0] if len(shape) == 1 else product(shape)


def row_major(shape: Sequence[Extent]) -> tuple[Extent, ...]:
    """Strides, in elements, of a tensor without gaps."""
    strides: list[Extent] = [1]
    for extent in reversed(shape[1:]):
        strides.append(strides[-1] * extent)
    strides.reverse()
    return tuple(strides)


class Tensor:
    """A view of a storage: `nki.language.NkiTensor`.

    Element (i0, i1, …) is element `offset + sum(strides[k] * ik)` of the storage, counted in elements of `dtype`
    ("NkiTensor; LG Tensor values"). On chip, dimension `block_dims` (0 in the current API) is the partition dimension.
    """

    __slots__ = ("_free_size", "_offset", "block_dims", "dtype", "indirect_by", "shape", "storage", "strides")

    #: Whether it belongs to the legacy API.
    legacy: ClassVar[bool] = False

    shape: tuple[Extent, ...]
    strides: tuple[Extent, ...]
    dtype: DType
    storage: Storage
    block_dims: int
    #: How a tensor or register of indices known at run time moves the view, if one does.
    indirect_by: indirection.Indirection | None
    #: The offset as a sum of products not yet multiplied out: most views are never asked for it.
    _offset: tuple[tuple[Extent, Extent], ...]
    _free_size: Extent | None

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise unsupported("constructing an NkiTensor directly", "allocate it with nl.ndarray")

    @classmethod
    def of(
        cls,
        storage: Storage,
        shape: tuple[Extent, ...],
        strides: tuple[Extent, ...],
        dtype: DType,
        offset: tuple[tuple[Extent, Extent], ...] = (),
        block_dims: int = 0,
        indirect_by: indirection.Indirection | None = None,
    ) -> Self:
        """The view with these properties; `offset` is a sum of products, in elements."""
        self = object.__new__(cls)
        self.storage = storage
        self.shape = shape
        self.strides = strides
        self.dtype = dtype
        self.block_dims = block_dims
        self.indirect_by = indirect_by
        self._offset = offset
        self._free_size = None
        return self

    @classmethod
    def whole(cls, storage: Storage) -> Self:
        """All of a storage."""
        return cls.of(storage, storage.shape, row_major(storage.shape), storage.dtype, (), storage.block_dims)

    def with_layout(
        self,
        shape: tuple[Extent, ...],
        strides: tuple[Extent, ...],
        *,
        moved_by: tuple[tuple[Extent, Extent], ...] = (),
        block_dims: int | None = None,
    ) -> Self:
        """Another view of the same storage with the same dtype, `moved_by` (a sum of products) elements further."""
        blocks = self.block_dims if block_dims is None else block_dims
        return self.of(self.storage, shape, strides, self.dtype, self._offset + moved_by, blocks, self.indirect_by)

    # Documented attributes.

    @property
    def offset(self) -> Extent:
        """Position of the first element in the storage, in elements."""
        total: Extent = 0
        for start, stride in self._offset:
            total = total + start * stride
        return total

    @property
    def offset_terms(self) -> tuple[tuple[Extent, Extent], ...]:
        """The offset as a sum of products."""
        return self._offset

    @property
    def buffer(self) -> MemoryRegion:
        """The memory it is in."""
        return self.storage.buffer

    @property
    def name(self) -> str:
        """The name given at the allocation, as the kernel gave it: text with symbolic numbers in it is no data."""
        name = self.storage.name
        return name.given if isinstance(name, _SymbolicName) else name  # type: ignore[return-value]

    @property
    def label(self) -> str:
        """The name in messages."""
        return self.storage.name

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> Extent:
        """Elements in all."""
        return free_elements(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    # What the model asks.

    @property
    def on_chip(self) -> bool:
        """Whether it is in SBUF or PSUM."""
        return self.storage.buffer.on_chip

    @property
    def first_is_fixed(self) -> bool:
        """Whether dimension 0 cannot be moved, split or merged: partitions, or rows chosen by a vector of indices."""
        return self.storage.buffer.on_chip or (self.indirect_by is not None and self.indirect_by.by_rows)

    @property
    def partitions(self) -> Extent:
        """Extent of the partition dimension (on chip)."""
        return self.shape[self.block_dims]

    @property
    def free_size(self) -> Extent:
        """Elements per partition (on chip)."""
        size = self._free_size
        if size is None:
            size = self._free_size = free_elements(self.shape[self.block_dims + 1 :])
        return size

    def __getitem__(self, key: object) -> Any:
        return indexing.index(self, key)

    def __setitem__(self, key: object, value: object) -> None:
        raise unsupported("assignment to elements of a tensor of the current API", "write it with an instruction")

    # Views.

    def permute(self, dims: Sequence[int]) -> Self:
        """Dimensions in another order."""
        return views.permute(self, dims)

    def broadcast(self, dim: int, size: Extent) -> Self:
        """Dimension `dim`, of extent 1, repeated `size` times without a copy."""
        return views.broadcast(self, dim, size)

    def expand_dim(self, dim: int) -> Self:
        """A dimension of extent 1 inserted at `dim`."""
        return views.expand_dim(self, dim)

    def squeeze_dim(self, dim: int) -> Self:
        """Dimension `dim`, of extent 1, removed."""
        return views.squeeze_dim(self, dim)

    def reshape_dim(self, dim: int, shape: Sequence[Extent]) -> Self:
        """Dimension `dim` split into several."""
        return views.reshape_dim(self, dim, shape)

    def flatten_dims(self, start_dim: int, end_dim: int) -> Self:
        """Dimensions `start_dim` to `end_dim`, both included, merged into one."""
        return views.flatten_dims(self, start_dim, end_dim)

    def reshape(self, shape: Sequence[Extent]) -> Self:
        """The same elements in another shape."""
        return views.reshape(self, shape)

    def rearrange(self, src_pattern: object, dst_pattern: object, fixed_sizes: object = None) -> Self:
        """Dimensions split, permuted and merged as two patterns of names say."""
        return rearrangement.rearrange(self, src_pattern, dst_pattern, fixed_sizes)

    def slice(self, dim: int, start: Extent, end: Extent, step: Extent = 1) -> Self:
        """Elements `start` to `end` (excluded) of dimension `dim`, every `step`-th."""
        return views.slice_dim(self, dim, start, end, step)

    def select(self, dim: int, index: object) -> Self:
        """Element `index` of dimension `dim`, which goes away."""
        return views.select(self, dim, index)

    def vector_select(self, dim: int, vector_offset: object) -> Self:
        """Rows chosen by a tensor of indices."""
        return indirection.vector_select(self, dim, vector_offset)

    def ap(
        self,
        pattern: Sequence[Sequence[Extent]],
        offset: Extent | None = None,
        scalar_offset: object = None,
        vector_offset: object = None,
        indirect_dim: int = 0,
        dtype: object = None,
    ) -> Self:
        """The storage seen through an access pattern: pairs of step and count, in elements of `dtype`."""
        element = self.dtype if dtype is None else declared_dtype(dtype)
        return access_patterns.access_pattern(
            self, pattern, offset, scalar_offset, vector_offset, indirect_dim, element
        )

    def view(self, dtype: object) -> Self:
        """The same bytes as elements of another dtype."""
        return views.reinterpret(self, declared_dtype(dtype))

    def reinterpret_cast(self, *args: object, **kwargs: object) -> NoReturn:
        """Listed without a description."""
        raise unsupported("NkiTensor.reinterpret_cast", "use view(dtype)")

    def indirect(self, index: object, num_elem: object = None) -> Self:
        """Free elements chosen by a tensor of indices (gen4)."""
        return indirection.indirect(self, index, num_elem)

    def is_contiguous(self) -> Any:
        """Whether the elements lie without gaps in row-major order; on chip, inside each partition."""
        return views.is_contiguous(self)

    def is_indirect(self) -> bool:
        """Whether the view's place depends on a tensor or register of indices."""
        return self.indirect_by is not None

    def get_pattern(self) -> list[list[Extent]]:
        """Pairs of stride and count, dimension by dimension."""
        return [[stride, count] for stride, count in zip(self.strides, self.shape, strict=True)]

    # Python protocols that would go wrong quietly.

    def __iter__(self) -> NoReturn:
        raise unsupported("iterating over a tensor", "index it in a loop over a range")

    def __len__(self) -> NoReturn:
        raise unsupported("len() of a tensor", "use its shape")

    def __bool__(self) -> NoReturn:
        raise unsupported("the truth value of a tensor", "compare with None, or use a host value")

    def __eq__(self, other: object) -> Any:
        if self is other:
            return True
        if isinstance(other, Tensor):
            raise unsupported("comparing two tensors with ==")
        return NotImplemented

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        extents = ", ".join(repr(extent) for extent in self.shape)
        run = execution_in_progress()
        elements = "" if run is None else run.shown(self)
        return f"{self.label or 'tensor'}({extents}) {self.dtype} in {self.buffer}{elements}"


def _no_operator(symbol: str) -> Any:
    def operator(self: Tensor, other: object = None) -> NoReturn:
        raise unsupported(f"the operator {symbol} on a tensor of the current API", "use an nki.isa instruction")

    return operator


for _name, _symbol in (
    ("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("mod", "%"), ("pow", "**"), ("and", "&"), ("or", "|"),
    ("xor", "^"), ("lshift", "<<"), ("rshift", ">>"), ("matmul", "@"),
):  # fmt: skip
    setattr(Tensor, f"__{_name}__", _no_operator(_symbol))
    setattr(Tensor, f"__r{_name}__", _no_operator(_symbol))
for _name, _symbol in (("neg", "-"), ("invert", "~"), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
    setattr(Tensor, f"__{_name}__", _no_operator(_symbol))


def declared_dtype(dtype: object, default: DType | None = None) -> DType:
    """The dtype a kernel of the current API names, claimed to be a documented one; the default, if there is one, for
    None."""
    if dtype is None and default is not None:
        return default
    found = dtype_named(dtype)
    if found is None:
        if not isinstance(dtype, str):
            raise unsupported(f"the dtype {dtype!r}", "use a dtype of nki.language")
        require("tensor.dtypes", False, dtype=dtype)
        raise TypeError(f"unknown dtype {dtype!r}")
    return found


def argument(
    name: str,
    shape: Sequence[Extent],
    dtype: DType,
    buffer: MemoryRegion = MemoryRegion.shared_hbm,
    content_range: tuple[Extent, Extent] | None = None,
) -> Tensor:
    """A tensor argument of the kernel, in HBM ("lang.args"). The domain answers for its shape.

    `content_range` bounds its elements, both ends included; without one they are any numbers of the dtype.
    """
    values = whole_range(dtype) if content_range is None else Interval(*content_range)
    if content_range is None and values is not None and name:
        values = Interval(values.low, values.high, undeclared=name)
    storage = Storage(("argument", name), tuple(shape), dtype, buffer, name, content_range=values)
    run = execution_in_progress()
    if run is not None and values is not None:
        run.model.given(storage.identity, Value((values,)))
    return Tensor.whole(storage)


def new_storage(
    shape: tuple[Extent, ...],
    dtype: DType,
    buffer: MemoryRegion,
    name: str = "",
    *,
    address: tuple[Extent, Extent] | None = None,
    allocator: object = None,
    block_dims: int = 0,
) -> Storage:
    """A storage for the allocation being made; the caller has stated the contracts."""
    run = current_execution()
    run.host_extents(shape)
    storage = Storage(
        run.allocation_id(), shape, dtype, buffer, name, address, allocator, block_dims, body=innermost_body()
    )
    run.model.allocated(storage.identity)
    if run.records:
        run.allocation(storage)
    return storage
