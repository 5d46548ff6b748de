"""Accesses with index tensors (legacy): `t[base + i_p, i_f]`, whose bounds wait for the mask.

Indices and mask are affine in the coordinates of one grid. Along an axis the mask depends on, one representative
coordinate stands for all, in index and mask the same, so their correlation is kept. Along any other axis an affine
index takes its extremes at the ends, so those are what is claimed.

One key may be a column of indices that are known at run time, `t[rows[i_p, 0], i_f]`: rows of an HBM tensor are
gathered or scattered. It has the partitions of the grid for itself; what the other indices reach is claimed as ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nkiverify.model.contracts import require, require_if_open
from nkiverify.model.current_execution import current_execution
from nkiverify.model.extents import is_one, is_zero
from nkiverify.model.indices import IndexTensor, Mask, MaskRelation, as_index, broadcast_shapes
from nkiverify.model.indirection import claim_reach, is_run_time
from nkiverify.model.memory import SBUF
from nkiverify.model.operators_on_tiles import TileOperators
from nkiverify.model.tensor import Indirection, IndirectionKind, Reach, Tensor
from nkiverify.symbolic import Extent, all_of, any_of, constant_value, equal, implies, minimum
from nkiverify.symbolic.execution import unsupported


class MovedIndex:
    """An affine index moved by a tile of one number, known at run time: `places[0, i] + nl.arange(8)[None, :]`.

    It is a place in a tile ("L:tensor_copy_dynamic_src"), and nothing else.
    """

    __slots__ = ("index", "tile")

    def __init__(self, tile: object, index: IndexTensor) -> None:
        self.tile = tile
        self.index = index

    def __add__(self, other: object) -> Any:
        moved = as_index(other)
        return NotImplemented if moved is None else MovedIndex(self.tile, self.index + moved)

    __radd__ = __add__


class Access(TileOperators):
    """`tensor[indices]`, one affine index per dimension. Operations resolve it to a view, with their mask.

    Its shape is that of the grid the index tensors span. Used without an operation's mask (in an operator, or asked
    for an attribute of tensors), it resolves without one. `rows` are indices known at run time, with the dimension that
    they choose from: its affine index is 0, or what a `MovedIndex` has.
    """

    __slots__ = ("indices", "rows", "shape", "tensor")

    def __init__(
        self,
        tensor: Tensor,
        indices: tuple[IndexTensor, ...],
        shape: tuple[Extent, ...],
        rows: tuple[int, Tensor] | None = None,
    ) -> None:
        self.tensor = tensor
        self.indices = indices
        self.shape = shape
        self.rows = rows

    @classmethod
    def of(cls, tensor: Tensor, keys: tuple[object, ...]) -> Access:
        """The access that a key with index tensors makes."""
        chosen = [dimension for dimension, part in enumerate(keys) if _chooses_rows(part)]
        basic = any(as_index(part) is None for dimension, part in enumerate(keys) if dimension not in chosen)
        require("leg.no_mix", not basic, key=tuple(type(part).__name__ for part in keys))
        if basic:
            raise TypeError("index tensors and slices do not mix in one key")
        require("idx.keys", len(keys) <= tensor.ndim, keys=len(keys), rank=tensor.ndim)
        if len(keys) != tensor.ndim:
            raise unsupported(f"{len(keys)} index tensors for a tensor of {tensor.ndim} dimensions")
        found = [_affine(part) if dimension in chosen else as_index(part) for dimension, part in enumerate(keys)]
        indices = tuple(index for index in found if index is not None)
        rows = _rows(tensor, keys, chosen, indices) if chosen else None
        columns = [rows[1].shape] if rows is not None else []
        shape = broadcast_shapes("leg.index_broadcast", *(index.shape for index in indices), *columns)
        require("leg.arange", len(shape) >= 2, shape=shape)
        if rows is not None and len(rows[1].shape) != len(shape) and not is_one(rows[1].shape[0]):
            raise unsupported(f"{len(rows[1].shape)}-D indices known at run time in a {len(shape)}-D access")
        return cls(tensor, indices, shape, rows)

    def resolve(self, mask: Mask | None = None, *, skips: bool = False) -> Any:
        """The view accessed, every index claimed to be in bounds wherever `mask` holds; where `skips` holds, none of
        those that are known at run time."""
        if self.rows is not None and not skips:
            self._claim_rows(mask)
        self._claim_inside("leg.oob_static", mask)
        if self.tensor.on_chip:
            self._claim_partitions()
        return self.view

    def behind_mask(self, mask: Mask) -> Any:
        """The view accessed by `tensor[indices][mask]`: claimed to be in bounds wherever the mask holds, and, as the
        documentation has it, everywhere."""
        view = self.resolve(mask)
        self._claim_inside("leg.mask_subscript", None)
        return view

    def _claim_inside(self, contract: str, mask: Mask | None) -> None:
        """Claim that every affine index is in bounds wherever `mask` holds."""
        coordinates, hypothesis = self._representatives(mask)
        for dimension, (index, extent) in enumerate(zip(self.indices, self.tensor.shape, strict=True)):
            if self.rows is not None and dimension == self.rows[0]:
                continue
            extremes = self._extremes(index, coordinates)
            require(
                contract,
                implies(hypothesis, all_of(*(all_of(low >= 0, high < extent) for low, high in extremes))),
                index=extremes[0] if len(extremes) == 1 else tuple(extremes),
                extent=extent,
                dimension=dimension,
            )

    def _claim_rows(self, mask: Mask | None) -> None:
        """Claim that indices known at run time are in bounds, those of the rows that a mask may leave: too many where
        it is not made of numbers."""
        moves = self._moves()
        column: Any = moves.index
        if mask is not None and moves.kind is IndirectionKind.ROWS:
            first, end = mask.partitions(self.shape)
            if first >= end:
                return
            if (first, end) != (0, constant_value(column.shape[0])):
                moves = replace(moves, index=column[first:end])
        claim_reach("leg.oob_dynamic", moves)

    def _representatives(self, mask: Mask | None) -> tuple[list[Extent | None], Any]:
        """Representative coordinates of the axes the mask depends on, and the mask there."""
        rank = len(self.shape)
        coordinates: list[Extent | None] = [None] * rank
        if mask is None:
            return coordinates, True
        for term in mask.terms:
            for axis in range(-term.difference.ndim, 0):
                if is_zero(term.difference.coefficients[axis]):
                    continue
                extent = self.shape[axis] if -axis <= rank else 1
                require(
                    "leg.index_broadcast",
                    equal(term.difference.shape[axis], extent),
                    mask=term.difference.shape,
                    shape=self.shape,
                )
        # Where numbers show that it holds everywhere, as in all rounds of a loop but the last, it leaves nothing out.
        mask = mask.without_known()
        if mask is None:
            return coordinates, True
        for term in mask.terms:
            for axis in range(-min(term.difference.ndim, rank), 0):
                if coordinates[axis] is None and not is_zero(term.difference.coefficients[axis]):
                    coordinates[axis] = current_execution().fresh_index(f"i{rank + axis}", self.shape[axis])
        complete = [0 if coordinate is None else coordinate for coordinate in coordinates]
        return coordinates, mask.at(complete)

    def _extremes(self, index: IndexTensor, coordinates: list[Extent | None]) -> list[tuple[Extent, Extent]]:
        """Pairs of least and greatest value of `index` over all axes without a representative.

        Along an axis whose coefficient has no known sign either end may be the greater one: there is a pair for each.
        """
        extremes: list[tuple[Extent, Extent]] = [(index.base, index.base)]
        for axis in range(-index.ndim, 0):
            coefficient = index.coefficients[axis]
            if is_zero(coefficient):
                continue
            coordinate = coordinates[axis]
            if coordinate is not None:
                step = coefficient * coordinate
                extremes = [(low + step, high + step) for low, high in extremes]
                continue
            reach = coefficient * (index.shape[axis] - 1)
            constant = constant_value(coefficient)
            if constant is None:
                extremes += [(low + reach, high + reach) for low, high in extremes]
            elif constant > 0:
                extremes = [(low, high + reach) for low, high in extremes]
            else:
                extremes = [(low + reach, high) for low, high in extremes]
        return extremes

    def _claim_partitions(self) -> None:
        """On chip, grid axis 0 and nothing else runs over the partitions, one by one."""
        partition = self.tensor.block_dims
        rank = len(self.shape)
        for dimension, index in enumerate(self.indices):
            for axis in range(-index.ndim, 0):
                coefficient = index.coefficients[axis]
                along_partitions = rank + axis == 0
                if is_zero(coefficient) or is_one(self.shape[axis]):
                    continue
                alone = equal(self.shape[axis], 1)
                if dimension == partition and along_partitions:
                    require("mem.partition_contiguous", any_of(equal(coefficient, 1), alone), step=coefficient)
                elif dimension == partition or along_partitions:
                    require("mem.ap_uniform", alone, dimension=dimension, axis=rank + axis)

    @property
    def view(self) -> Any:
        """The view accessed; nothing is claimed of its bounds."""
        rank = len(self.shape)
        strides: list[Extent] = [0] * rank
        moved: list[tuple[Extent, Extent]] = []
        for index, stride in zip(self.indices, self.tensor.strides, strict=True):
            if not is_zero(index.base):
                moved.append((index.base, stride))
            for axis in range(-index.ndim, 0):
                coefficient = index.coefficients[axis]
                if not is_zero(coefficient):
                    strides[axis] = strides[axis] + coefficient * stride
        if self.rows is None:
            return self.tensor.with_layout(self.shape, tuple(strides), moved_by=tuple(moved), block_dims=0)
        moves = self._moves()
        if moves.by_rows:
            strides[0] = moves.stride
        view = self.tensor.with_layout(self.shape, tuple(strides), moved_by=tuple(moved), block_dims=0)
        view.indirect_by = moves
        return view

    def _moves(self) -> Indirection:
        """How the indices known at run time move the view: row by row, or a single one all of it."""
        assert self.rows is not None
        dimension, column = self.rows
        kind = IndirectionKind.SCALAR if is_one(column.shape[0]) else IndirectionKind.ROWS
        extremes = self._extremes(self.indices[dimension], [None] * len(self.shape))
        if len(extremes) > 1:
            raise unsupported("an index known at run time beside one that goes in a direction that is not known")
        ((first, last),) = extremes
        reach = Reach(1, first, last, self.tensor.shape[dimension])
        return Indirection(kind, column, reach, self.tensor.strides[dimension])

    @property
    def ndim(self) -> int:
        """Axes of the grid."""
        return len(self.shape)

    @property
    def dtype(self) -> Any:
        """The dtype of the tensor accessed."""
        return self.tensor.dtype

    @property
    def buffer(self) -> Any:
        """The memory of the tensor accessed."""
        return self.tensor.buffer

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.resolve(), name)

    def __getitem__(self, key: object) -> Any:
        if isinstance(key, Mask) and self.tensor.on_chip:
            return MaskedOperand(self, key)
        return self.resolve()[key]

    def __setitem__(self, key: object, value: object) -> None:
        self.resolve()[key] = value

    def __repr__(self) -> str:
        return f"{self.tensor!r}[{', '.join(map(repr, self.indices))}]"


class MaskedOperand(Access):
    """`tile[mask]` or `tile[indices][mask]`, which products take ("leg.mask_matmul"): the partitions that the mask
    leaves, and `columns`, its terms about free elements. Several masks, one behind the other, are one."""

    __slots__ = ("columns", "mask", "masked")

    def __init__(self, masked: Any, mask: Mask) -> None:
        super().__init__(masked, (), masked.shape)
        self.masked: Tensor | Access = masked
        self.mask = mask
        rank = len(masked.shape)
        terms = [term for term in mask.terms if not term.depends_on_axis(rank)]
        self.columns = Mask(tuple(terms)) if terms else None

    def of_product(self) -> Tensor:
        """The part that the mask leaves, as an operand of a product; what mask and indices have to be is claimed."""
        require("leg.mask_matmul", True, operand=self.shape)
        mask, masked = self.mask, self.masked
        if mask.host is not True:
            raise unsupported("a mask of an operand with a condition of the host")
        if isinstance(masked, Access):
            masked.behind_mask(mask)
        for term in mask.terms:
            difference = term.difference
            for extent, other in zip(reversed(difference.shape), reversed(self.shape), strict=False):
                fits = any_of(equal(extent, 1), equal(extent, other))
                require("leg.index_broadcast", fits, mask=difference.shape, shape=self.shape)
            leading = (
                term.relation is MaskRelation.AT_MOST
                and difference.ndim == len(self.shape)
                and is_one(difference.coefficients[0])
                and all(is_zero(part) for part in difference.coefficients[1:])
            )
            if term.depends_on_axis(len(self.shape)) and not leading:
                raise unsupported("a mask of an operand that says neither how many partitions there are, nor columns")
        part = self.view
        require("idx.empty", part.shape[0] >= 1, start=0, stop=part.shape[0], dimension=0)
        return part

    def resolve(self, mask: Mask | None = None, *, skips: bool = False) -> Any:
        """Nothing but products takes it."""
        require("leg.mask_matmul", False, operand=self.shape)
        raise TypeError("only a product takes a masked operand: give other operations mask=")

    def __getitem__(self, key: object) -> Any:
        return MaskedOperand(self.masked, self.mask & key) if isinstance(key, Mask) else super().__getitem__(key)

    @property
    def view(self) -> Tensor:
        """The partitions of the tile that the mask leaves; nothing is claimed."""
        masked = self.masked
        tensor: Tensor = masked.view if isinstance(masked, Access) else masked
        count = tensor.shape[0]
        for term in self.mask.terms:
            if term.depends_on_axis(tensor.ndim):
                count = minimum(count, 1 - term.difference.base)
        return tensor.with_layout((count, *tensor.shape[1:]), tensor.strides)


def _chooses_rows(part: object) -> bool:
    return isinstance(part, Access | MovedIndex) or is_run_time(part)


def _affine(part: object) -> IndexTensor:
    """The affine part of a key that is known at run time."""
    return part.index if isinstance(part, MovedIndex) else IndexTensor(0, (), ())


def _rows(
    tensor: Tensor, keys: Sequence[object], chosen: Sequence[int], indices: Sequence[IndexTensor]
) -> tuple[int, Tensor]:
    """The dimension that indices known at run time choose from, and the column of them; on chip, the one index.

    In HBM, only the dimension of the partitions, or one before it, can be chosen from: no index before varies over the
    grid, and none at all over the axis of the partitions, which belongs to the column unless that is a single index.
    """
    dimension = chosen[0]
    part = keys[dimension]
    moved = isinstance(part, MovedIndex)
    if isinstance(part, MovedIndex):
        part = part.tile
    column = part.resolve() if isinstance(part, Access) else part
    if not isinstance(column, Tensor):
        raise unsupported(f"a {type(part).__name__} among index tensors")
    # A place in each partition, which a copy is given ("L:tensor_copy_dynamic_src").
    place = tensor.on_chip and dimension != tensor.block_dims
    if moved and not place:
        raise unsupported("an index known at run time added to an affine one, of anything but the columns of a tile")
    free = not place and any(index.ndim > 0 for index in indices[:dimension])
    grids = [*indices, *(part.indices if isinstance(part, Access) else ())]
    require(
        "leg.indirect",
        all_of(
            len(chosen) == 1,
            not free,
            place or not tensor.on_chip,
            tensor.indirect_by is None,
            column.indirect_by is None,
            column.buffer is SBUF,
            column.dtype.is_integer,
            *(equal(extent, 1) for extent in column.shape[0 if place else 1 :]),
        ),
        index=column.shape,
        index_dtype=column.dtype,
        index_buffer=column.buffer,
        tensor=tensor.buffer,
        dimension=dimension,
    )
    if not place:
        require_if_open("leg.indirect_mgrid", not any(index.of_mgrid for index in grids), dimension=dimension)
    if not column.dtype.is_integer:
        raise TypeError(f"indices are integers, not {column.dtype}")
    for index in indices if not is_one(column.shape[0]) else ():
        if index.ndim == column.ndim and not is_zero(index.coefficients[0]):
            raise unsupported("an index over the partitions beside indices known at run time")
    return dimension, column
