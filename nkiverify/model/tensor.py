"""Tensors as data: storages, views of them, and indices known at run time that move a view.

A tensor is a view (shape, strides, offset, all in elements) of a storage: what one allocation made. Elements have no
values; what is checked is where they are, how many there are and what type they have. What kernels do with a tensor is
in `nkiverify.model.nki_tensor` and `nkiverify.model.legacy_tensor`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.model.contracts import SILENT, leaves_open, require
from nkiverify.model.dtypes import DType, dtype_named, legacy_dtype_named
from nkiverify.model.known_numbers import Interval, Value
from nkiverify.model.memory import MemoryRegion
from nkiverify.model.state import LoopBody
from nkiverify.symbolic import Extent, product
from nkiverify.symbolic.execution import key_of, unsupported

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True, slots=True, eq=False)
class Storage:
    """The storage that one allocation made, or one tensor argument of the kernel. Two storages are the same if they are
    one object.

    `identity` names the allocation (its site and the symbolic loops around it, or the argument's name). `address` is
    the placement the kernel asked for, (partition, byte in the partition), None where the compiler places it;
    `allocator` is the legacy allocator that places it. `block_dims` counts the leading dimensions of a legacy tensor
    that come before its partition dimension. `content_range` bounds the numbers of an argument, as somebody has
    declared or its dtype does, `float_range` those of floats, as declared; `elements` are all of them (a NumPy array),
    where they are given; `body` is the device loop whose body it was allocated in. A `constant` is there before the
    kernel begins, the same for all programs; a `product` has been made by a matmul of the legacy API.
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
    range_declared: bool = False
    float_range: tuple[float, float] | None = None
    elements: Any = None
    body: LoopBody | None = None
    constant: bool = False
    product: bool = False
    #: What the kernel gave as `name=`, where that is text with symbolic numbers in it, which is no data.
    symbolic_name: object = None
    #: The statement that allocated it, of a tensor in HBM.
    site: Site | None = None

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


class Register:
    """A register of an engine's sequencer."""

    __slots__ = ("frozen", "identity", "keeps")

    #: It counts the iterations of a dynamic_range, and is only read ("loop.dynamic_frozen").
    frozen: bool
    #: It counts the iterations of a fori_loop: what is written to it has no effect ("nl.fori_loop").
    keeps: bool
    #: Which allocation it is.
    identity: object


class IndirectionKind(enum.Enum):
    """The kind of places that indices choose."""

    #: One index moves the whole view.
    SCALAR = "scalar"
    #: One index for each row of dimension 0.
    ROWS = "rows"
    #: Elements of the free axes (tensor indirection of gen4).
    ELEMENTS = "elements"


@dataclass(frozen=True, slots=True)
class Reach:
    """Where a view goes: with index x, from `first + x * unit` to `last + x * unit` of `size` positions."""

    unit: Extent
    first: Extent
    last: Extent
    size: Extent


@dataclass(frozen=True, slots=True, eq=False)
class Indirection:
    """How indices move a view. `index` is the tensor or register that holds them; `reach` is None where the
    documentation bounds nothing. Each of its units moves the view (or a row of it) by `stride` elements of its storage.

    Of an operation that has been recorded: `value` is what its index may be there, and `elements` (a NumPy array) where
    in the storage, in elements of the view's dtype, the elements of the view are, if that is known. It has one or more
    of the first axes of the view; along those after them the strides of the view say where its elements are.
    """

    kind: IndirectionKind
    index: Tensor | Register
    reach: Reach | None
    stride: Extent = 1
    value: Value | None = None
    elements: Any = None

    @property
    def is_known(self) -> bool:
        """True if it is known which elements the index chooses."""
        return self.elements is not None

    @property
    def by_rows(self) -> bool:
        """True if dimension 0 of the view is made of rows chosen one by one."""
        return self.kind is IndirectionKind.ROWS


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A condition on a view where it is used: a contract, the condition, and the values its message shows."""

    contract: str
    condition: object
    quantities: Mapping[str, object]


class Tensor:
    """A view of a storage, for every rank, memory and API generation.

    Element (i0, i1, …) is element `offset + sum(strides[k] * ik)` of the storage, counted in elements of `dtype`
    ("NkiTensor; LG Tensor values"). On chip, dimension `block_dims` (0 in the current API) is the partition dimension.
    """

    __slots__ = (
        "_free_size",
        "_offset",
        "block_dims",
        "bounds",
        "dtype",
        "indirect_by",
        "shape",
        "storage",
        "strides",
        "validity",
    )

    #: Whether it belongs to the legacy API.
    legacy: ClassVar[bool] = False

    shape: tuple[Extent, ...]
    strides: tuple[Extent, ...]
    dtype: DType
    storage: Storage
    block_dims: int
    #: How a tensor or register of indices known at run time moves the view, if one does.
    indirect_by: Indirection | None
    #: What is claimed where it is used.
    bounds: tuple[Bound, ...]
    #: Of a tile of the legacy API, which says more of it.
    validity: Any
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
        indirect_by: Indirection | None = None,
    ) -> Self:
        """The view with these properties; `offset` is a sum of products, in elements."""
        self = object.__new__(cls)
        self.storage = storage
        self.shape = shape
        self.strides = strides
        self.dtype = dtype
        self.block_dims = block_dims
        self.indirect_by = indirect_by
        self.bounds = ()
        self.validity = None
        self._offset = offset
        self._free_size = None
        return self

    @classmethod
    def whole(cls, storage: Storage, bounds: tuple[Bound, ...] = ()) -> Self:
        """All of a storage, with what has to hold where it is used."""
        self = cls.of(storage, storage.shape, row_major(storage.shape), storage.dtype, (), storage.block_dims)
        self.bounds = bounds
        return self

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
        view = self.of(self.storage, shape, strides, self.dtype, self._offset + moved_by, blocks, self.indirect_by)
        view.bounds = self.bounds
        return view

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
        """The name given at the allocation, as the kernel gave it."""
        storage = self.storage
        return storage.name if storage.symbolic_name is None else storage.symbolic_name  # type: ignore[return-value]

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
        """True if it is in SBUF or PSUM."""
        return self.storage.buffer.on_chip

    @property
    def first_is_fixed(self) -> bool:
        """True if dimension 0 cannot be moved, split or merged: partitions, or rows chosen by a vector of indices."""
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

    def __eq__(self, other: object) -> Any:
        if self is other:
            return True
        if isinstance(other, Tensor):
            raise unsupported("comparing two tensors with ==")
        return NotImplemented

    def __hash__(self) -> int:
        return key_of(self)

    def __repr__(self) -> str:
        extents = ", ".join(repr(extent) for extent in self.shape)
        return f"{self.label or 'tensor'}({extents}) {self.dtype} in {self.buffer}"


class RecordedView(Tensor):
    """A view as records have it: data alone. What kernels do with a tensor, and what is claimed where it is used, are
    no part of it."""

    __slots__ = ()


class RecordedLegacyView(RecordedView):
    """The same of a tile of the legacy API."""

    __slots__ = ()

    legacy: ClassVar[bool] = True


def recorded_view(view: Tensor) -> RecordedView:
    """A view as records have it, with the index that moves it."""
    if isinstance(view, RecordedView):
        return view
    moves = view.indirect_by
    if moves is not None and isinstance(moves.index, Tensor):
        moves = replace(moves, index=recorded_view(moves.index))
    kind = RecordedLegacyView if view.legacy else RecordedView
    return kind.of(view.storage, view.shape, view.strides, view.dtype, view.offset_terms, view.block_dims, moves)


def claim_bounds(*values: object) -> None:
    """Claim what has to hold of the views among `values`, which are used."""
    for value in values:
        if isinstance(value, Tensor):
            for bound in value.bounds:
                require(bound.contract, bound.condition, **bound.quantities)
            if value.indirect_by is not None:
                claim_bounds(value.indirect_by.index)
        elif isinstance(value, list | tuple):
            claim_bounds(*value)


def declared_dtype(dtype: object, default: DType | None = None) -> DType:
    """The dtype a kernel of the current API names, claimed to be a documented one; the default, if there is one, for
    None."""
    if dtype is None and default is not None:
        return default
    found = dtype_named(dtype)
    if found is None:
        found = legacy_dtype_named(dtype)
        if found is not None:
            why = f"{SILENT} what NumPy's dtypes are; write nl.{found}"
            leaves_open("tensor.dtypes", False, why, dtype=dtype)
            return found
        if not isinstance(dtype, str):
            raise unsupported(f"the dtype {dtype!r}", "use a dtype of nki.language")
        require("tensor.dtypes", False, dtype=dtype)
        raise TypeError(f"unknown dtype {dtype!r}")
    return found
