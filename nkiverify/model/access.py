"""Accesses with index tensors (legacy): `t[base + i_p, i_f]`, whose bounds wait for the mask.

Indices and mask are affine in the coordinates of one grid. Along an axis the mask depends on, one representative
coordinate stands for all, in index and mask alike, so their correlation is kept. Along any other axis an affine index
takes its extremes at the ends, so those are what is claimed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nkiverify.model.contracts import require
from nkiverify.model.extents import is_one, is_zero
from nkiverify.model.indices import IndexTensor, Mask, as_index, broadcast_shapes
from nkiverify.model.operators_on_tiles import TileOperators
from nkiverify.run import current_run, unsupported
from nkiverify.symbolic import Extent, all_of, any_of, constant_value, equal, implies

if TYPE_CHECKING:
    from nkiverify.model.tensor import Tensor


class Access(TileOperators):
    """`tensor[indices]`, one affine index per dimension. Operations resolve it to a view, with their mask.

    Its shape is that of the grid the index tensors span. Used without an operation's mask (in an operator, or asked
    for an attribute of tensors), it resolves without one.
    """

    __slots__ = ("indices", "shape", "tensor")

    def __init__(self, tensor: Tensor, indices: tuple[IndexTensor, ...], shape: tuple[Extent, ...]) -> None:
        self.tensor = tensor
        self.indices = indices
        self.shape = shape

    @classmethod
    def of(cls, tensor: Tensor, keys: tuple[object, ...]) -> Access:
        """The access that a key with index tensors makes."""
        basic = any(isinstance(part, slice) or part is Ellipsis or as_index(part) is None for part in keys)
        require("leg.no_mix", not basic, key=tuple(type(part).__name__ for part in keys))
        if basic:
            raise TypeError("index tensors and slices do not mix in one key")
        require("idx.keys", len(keys) <= tensor.ndim, keys=len(keys), rank=tensor.ndim)
        if len(keys) != tensor.ndim:
            raise unsupported(f"{len(keys)} index tensors for a tensor of {tensor.ndim} dimensions")
        indices = tuple(index for index in map(as_index, keys) if index is not None)
        shape = broadcast_shapes("leg.index_broadcast", *(index.shape for index in indices))
        require("leg.arange", len(shape) >= 2, shape=shape)
        return cls(tensor, indices, shape)

    def resolve(self, mask: Mask | None = None) -> Any:
        """The view accessed, every index claimed to be in bounds wherever `mask` holds."""
        coordinates, hypothesis = self._representatives(mask)
        for dimension, (index, extent) in enumerate(zip(self.indices, self.tensor.shape, strict=True)):
            extremes = self._extremes(index, coordinates)
            require(
                "leg.oob_static",
                implies(hypothesis, all_of(*(all_of(low >= 0, high < extent) for low, high in extremes))),
                index=extremes[0] if len(extremes) == 1 else tuple(extremes),
                extent=extent,
                dimension=dimension,
            )
        if self.tensor.on_chip:
            self._claim_partitions()
        return self.view

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
                if -axis <= rank and coordinates[axis] is None:
                    coordinates[axis] = current_run().fresh_index(f"i{rank + axis}", extent)
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
        return self.tensor.with_layout(self.shape, tuple(strides), moved_by=tuple(moved), block_dims=0)

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
        return self.resolve()[key]

    def __setitem__(self, key: object, value: object) -> None:
        self.resolve()[key] = value

    def __repr__(self) -> str:
        return f"{self.tensor!r}[{', '.join(map(repr, self.indices))}]"
