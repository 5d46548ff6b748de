"""Views whose place depends on indices known at run time: dynamic selects, rows by a vector, gathers in the free axis.

What is claimed of the indices is claimed where the view is used, since a DMA may skip what is out of bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from nkiverify.model.contents import held
from nkiverify.model.contracts import require, suffices
from nkiverify.model.execution import current_execution
from nkiverify.model.extents import as_extent
from nkiverify.model.known_numbers import Value
from nkiverify.model.memory import SBUF
from nkiverify.model.registers import held_by
from nkiverify.model.tensor import Indirection, IndirectionKind, Reach, Register, Tensor
from nkiverify.symbolic import Extent, all_of, any_of, equal
from nkiverify.symbolic.execution import unsupported

TensorT = TypeVar("TensorT", bound="Tensor")


def is_run_time(value: object) -> bool:
    """Whether `value` is an index known at run time only."""
    return isinstance(value, Tensor | Register)


def claim_reach(contract: str, moves: Indirection) -> None:
    """Claim that no index the contents allow leaves the tensor; UNKNOWN where the contents are not known."""
    reach = moves.reach
    if reach is None:
        return
    index = moves.index
    actual = current_execution().index_range(index)
    if actual is not None:
        value: Value | None = Value((actual,))
    else:
        value = held_by(index) if isinstance(index, Register) else held(index)
    if value is None or value.known is None:
        raise unsupported(
            "an indirect access with indices computed at run time",
            "use oob_mode.skip, or indices copied from an argument with a declared range",
        )
    claim_numbers(
        contract,
        value,
        lambda low, high: all_of(reach.first + low * reach.unit >= 0, reach.last + high * reach.unit < reach.size),
        unit=reach.unit,
        first=reach.first,
        last=reach.last,
        size=reach.size,
    )


def claim_numbers(
    contract: str, value: Value | None, legal: Callable[[Extent, Extent], Any], **quantities: object
) -> None:
    """Claim that all numbers of `value` are legal indices, `legal` asking it of an interval; nothing where they are not
    known. Where the value may have lost something, what is claimed is enough, and no fault if it does not hold."""
    if value is None:
        return
    state = require if value.exact else suffices
    for values in value.known or ():
        for assumption in value.assumptions:
            assumption.used = True
        condition = any_of(values.low > values.high, legal(values.low, values.high))
        state(contract, condition, indices=str(values), **quantities)


def by_scalar(index: object, reach: Reach) -> Indirection:
    """The indirection by one number: a register, or a (1, 1) tile in SBUF."""
    claim_scalar_index("ap.scalar_offset", index)
    return Indirection(IndirectionKind.SCALAR, index, reach, reach.unit)  # type: ignore[arg-type]


def claim_scalar_index(contract: str, index: object) -> None:
    """Claim that `index` is a register or a tile of one element in SBUF."""
    if isinstance(index, Register):
        return
    if not isinstance(index, Tensor):
        require(contract, False, index=type(index).__name__)
        raise TypeError(f"an index known at run time is a register or a (1, 1) tile, not {type(index).__name__}")
    require(contract, all_of(index.buffer is SBUF, equal(index.size, 1)), shape=index.shape, buffer=index.buffer)


def by_vector(
    tensor: Tensor,
    index: object,
    rows: Extent,
    reach: Reach,
    indirect_dim: object = 0,
    stride: Extent | None = None,
) -> Indirection:
    """The indirection of `rows` rows of an HBM tensor, `stride` elements apart, by a tile of indices in SBUF."""
    if not isinstance(index, Tensor):
        require("ap.vector_offset", False, index=type(index).__name__)
        raise TypeError(f"a vector of indices is a tile, not {type(index).__name__}")
    require(
        "ap.vector_offset",
        all_of(
            index.buffer is SBUF,
            index.ndim == 2,
            not tensor.on_chip,
            indirect_dim == 0,
            index.dtype.is_integer,
            rows <= index.size,
        ),
        index=index.shape,
        index_dtype=index.dtype,
        buffer=index.buffer,
        tensor=tensor.buffer,
        rows=rows,
        indirect_dim=indirect_dim,
    )
    return Indirection(IndirectionKind.ROWS, index, reach, tensor.strides[0] if stride is None else stride)


def select(tensor: TensorT, dimension: int, index: object) -> TensorT:
    """The element of a dimension that a run-time index names; the dimension goes away."""
    require("view.one_indirection", tensor.indirect_by is None)
    claim_scalar_index("view.select_dynamic", index)
    if tensor.on_chip:
        require("view.select_dynamic", dimension != 0, dimension=dimension)
    shape = tensor.shape[:dimension] + tensor.shape[dimension + 1 :]
    strides = tensor.strides[:dimension] + tensor.strides[dimension + 1 :]
    if len(shape) < (2 if tensor.on_chip else 1):
        shape, strides = (*shape, 1), (*strides, 1)
    view = tensor.with_layout(shape, strides)
    view.indirect_by = Indirection(
        IndirectionKind.SCALAR,
        index,  # type: ignore[arg-type]
        Reach(1, 0, 0, tensor.shape[dimension]),
        tensor.strides[dimension],
    )
    return view


def vector_select(tensor: TensorT, dim: object, vector_offset: object) -> TensorT:
    """Rows of an HBM tensor, one for each index of an (n, 1) tile in SBUF."""
    require("view.one_indirection", tensor.indirect_by is None)
    legal = dim == 0 and not tensor.on_chip and isinstance(vector_offset, Tensor)
    require("view.vector_select", legal, dim=dim, buffer=tensor.buffer, index=type(vector_offset).__name__)
    if not isinstance(vector_offset, Tensor):
        raise TypeError(f"vector_select takes a tile of indices, not {type(vector_offset).__name__}")
    require("view.vector_select", equal(vector_offset.free_size, 1), index=vector_offset.shape)
    rows = vector_offset.shape[0]
    moves = by_vector(tensor, vector_offset, rows, Reach(1, 0, 0, tensor.shape[0]))
    view = tensor.with_layout((rows, *tensor.shape[1:]), tensor.strides)
    view.indirect_by = moves
    return view


def indirect(tensor: TensorT, index: object, num_elem: Any) -> TensorT:
    """Free elements of an on-chip tile chosen by a tile of offsets (tensor indirection): shape (P, num_elem)."""
    generation = current_execution().hardware.generation
    require("ti.gen4", generation >= 4, generation=generation)
    require("view.one_indirection", tensor.indirect_by is None)
    if not isinstance(index, Tensor):
        require("ti.index", False, index=type(index).__name__)
        raise TypeError(f"an index of indirect() is a tile, not {type(index).__name__}")
    require(
        "ti.index",
        all_of(tensor.on_chip, index.buffer is SBUF, equal(index.shape[0], tensor.shape[0])),
        index=index.shape,
        tensor=tensor.shape,
        buffer=index.buffer,
    )
    count = index.size if num_elem is None else as_extent(num_elem)
    if count is None:
        raise unsupported(f"indirect() with num_elem of type {type(num_elem).__name__}")
    require("ti.index", all_of(count >= 1, count <= index.size), num_elem=count, index=index.shape)
    view = tensor.with_layout((tensor.shape[0], count), (tensor.strides[0], 1))
    view.indirect_by = Indirection(IndirectionKind.ELEMENTS, index, None)
    return view
