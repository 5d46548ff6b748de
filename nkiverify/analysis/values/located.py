"""The places of operands in memory: strides, masks, and indices whose numbers are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nkiverify.analysis.masks import Placing, masks_columns, on_one_grid, placing_of, touched
from nkiverify.analysis.values import cells as storage
from nkiverify.analysis.values.cells import Cells, Region
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.errors import ContractViolation, UnsupportedConstruct
from nkiverify.foundation.source import kernel_site
from nkiverify.frontend.concrete import ConcreteElements
from nkiverify.model.meaning import Numbers
from nkiverify.model.tensor import IndirectionKind, Register, Tensor

if TYPE_CHECKING:
    from nkiverify.model.operation import Operation


class LocatedElements(ConcreteElements):
    """Elements of tensors, with the places in memory of those of operands."""

    numbers: Numbers

    def cells(self, tensor: Tensor) -> Cells:
        """The contents of the storage a tensor is a view of."""
        raise NotImplementedError

    def register_number(self, register: Register) -> int:
        """The number a register holds."""
        raise NotImplementedError

    def unsupported(self, construct: str, advice: str = "") -> UnsupportedConstruct:
        """The exception to raise where an operation is not followed."""
        return self.run.unsupported(construct, advice)

    def _index_values(self, index: Tensor, rows: Array | None = None) -> Array:
        """The numbers of an index tensor, as integers."""
        return self.numbers.integers(self._stored_index(index, rows), index.dtype)

    def _stored_index(self, index: Tensor, rows: Array | None = None) -> Array:
        """The elements of an index tensor, all of which are to be defined; those of `rows`, a mask over the first of
        them, where it is given."""
        where = self._plain(index)
        marks = storage.read_marks(self.cells(index), where)
        if marks is not None and (marks if rows is None else marks[0, : rows.size][rows[: marks.shape[1]]]).any():
            raise ContractViolation("mem.uninit", f"an index in {index!r} that nothing has written", kernel_site(2))
        return storage.read(self.numbers, self.cells(index), where)

    def _regions(self, operation: Operation) -> dict[str, Region]:
        mask = operation.mask
        regions: dict[str, Region] = {}
        for name, view in (*operation.reads.items(), *operation.writes.items()):
            if name in regions:
                continue
            if name.endswith(".index"):
                regions[name] = self._plain(view)
            elif view.indirect_by is not None:
                regions[name] = self._indirect(operation, view)
            elif mask is not None:
                regions[name] = _masked_region(self, operation, name, view)
            else:
                regions[name] = self._plain(view)
        return regions

    def _plain(self, view: Tensor) -> Region:
        size = elements_as(view)
        return storage.region(view.shape, view.strides, view.offset, view.dtype, size)

    def _indirect(self, operation: Operation, view: Tensor) -> Region:
        moves = view.indirect_by
        assert moves is not None
        shape = tuple(map(int, view.shape))
        positions = storage.positions_of(shape, tuple(map(int, view.strides)), int(view.offset))
        size = elements_as(view)
        valid: Array | None = None
        if operation.mask is not None:
            if not on_one_grid(operation):
                raise self.unsupported(f"the values of {operation.name} under a mask")
            valid = storage.mask_values(operation.mask, shape)
        chosen: Array | None = None if valid is None else np.asarray(valid.reshape(shape[0], -1).any(axis=1))
        if moves.kind is IndirectionKind.SCALAR:
            index = moves.index
            number = self.register_number(index) if isinstance(index, Register) else self._index_values(index).flat[0]
            positions = positions + int(number) * int(moves.stride)
        elif moves.kind is IndirectionKind.ROWS:
            assert isinstance(moves.index, Tensor)
            rows = self._index_values(moves.index, chosen).reshape(-1)[: shape[0]]
            away = (rows - np.arange(shape[0])) * int(moves.stride)
            positions = positions + away.reshape(-1, *(1,) * (len(shape) - 1))
        else:
            positions = self._gathered(operation, view)
        inside = (positions >= 0) & (positions < size)
        if moves.reach is not None:
            inside &= self._within_reach(operation, view, chosen)
        if valid is not None:
            inside &= valid
        return Region(shape, tuple(map(int, view.strides)), 0, view.dtype, np.where(inside, positions, 0), inside)

    def _within_reach(self, operation: Operation, view: Tensor, chosen: Array | None) -> Array:
        """Where the indices themselves, those of rows that are `chosen`, are in bounds: rows that are not are skipped
        ("dma_copy.oob")."""
        moves = view.indirect_by
        assert moves is not None and moves.reach is not None
        reach = moves.reach
        if isinstance(moves.index, Register):
            values = np.array([self.register_number(moves.index)])
        else:
            values = self._index_values(moves.index, chosen).reshape(-1)
        first = int(reach.first) + values * int(reach.unit)
        last = int(reach.last) + values * int(reach.unit)
        inside = (first >= 0) & (last < int(reach.size))
        if getattr(operation.attributes.get("oob_mode"), "name", "") == "skip":
            inside &= values >= 0
        if moves.kind is IndirectionKind.SCALAR:
            return np.broadcast_to(inside[:1].reshape((1,) * view.ndim), tuple(map(int, view.shape)))
        rows = inside[: int(view.shape[0])]
        return np.broadcast_to(rows.reshape(-1, *(1,) * (view.ndim - 1)), tuple(map(int, view.shape)))

    def _gathered(self, operation: Operation, view: Tensor) -> Array:
        """Free offsets stored snake-wise: the i-th one is index[i % G, i // G] ("ti.index_layout")."""
        moves = view.indirect_by
        assert moves is not None and isinstance(moves.index, Tensor)
        group = 32 if operation.engine == "tensor" else 16
        index = self._index_values(moves.index).reshape(int(moves.index.shape[0]), -1)
        partitions, count = int(view.shape[0]), int(view.shape[1])
        order = np.arange(count)
        lines = np.empty((partitions, count), dtype=np.int64)
        for partition in range(partitions):
            start = partition // group * group
            rows = min(group, index.shape[0] - start)
            lines[partition] = index[start + order % rows, order // rows]
        first = np.arange(partitions)[:, None] * int(view.strides[0]) + int(view.offset)
        return np.asarray(first + lines)


def elements_as(view: Tensor) -> int:
    """Elements of a view's storage, counted in the view's dtype."""
    owner = view.storage
    size = int(owner.size)
    return size if owner.dtype.itemsize == view.dtype.itemsize else size * owner.dtype.itemsize // view.dtype.itemsize


def _masked_region(elements: LocatedElements, operation: Operation, name: str, view: Tensor) -> Region:
    """The region of an operand under the mask of its operation (legacy)."""
    mask = operation.mask
    assert mask is not None
    size = elements_as(view)
    if not on_one_grid(operation):
        if not masks_columns(operation):
            raise elements.unsupported(f"the values of {operation.name} under a mask")
        writes = name in operation.writes
        part = touched(operation, name, writes=writes)
        valid = part.must if writes else part.may
        return storage.region(view.shape, view.strides, view.offset, view.dtype, size, valid)
    axis = operation.attributes.get("axis")
    reduced = next((operation.reads[part] for part in ("x", "data") if part in operation.reads), None)
    left = name in operation.writes and placing_of(operation, name, writes=True) is Placing.REDUCED
    if not left or axis is None or reduced is None:
        extents = tuple(map(int, view.shape))
        return storage.region(extents, view.strides, view.offset, view.dtype, size, storage.mask_values(mask, extents))
    # The axes that a reduction leaves keep their part of the mask.
    shape = tuple(map(int, reduced.shape))
    axes = tuple(int(part) % len(shape) for part in (axis if isinstance(axis, list | tuple) else (axis,)))
    valid = np.asarray(storage.mask_values(mask, shape).any(axis=axes).reshape(tuple(map(int, view.shape))))
    whole = storage.region(view.shape, view.strides, view.offset, view.dtype, size)
    positions = storage.positions_of(whole.shape, whole.strides, whole.offset)
    return Region(whole.shape, whole.strides, whole.offset, whole.dtype, positions, valid)
