"""The numbers that are known of storages and registers in a launch, and operations computed on them.

Apart from any execution; `known_run` asks for it where the elements of an argument are given, or a device loop has
known bounds: it brings the simulator.
"""

from __future__ import annotations

import numpy as np

from nkiverify.analysis.values import cells as storage
from nkiverify.analysis.values.cells import Cells, Region
from nkiverify.analysis.values.known_views import Numbers
from nkiverify.analysis.values.numbers import Floats
from nkiverify.analysis.values.step import OperationOnNumbers
from nkiverify.analysis.values.value_run import ComputedElements
from nkiverify.foundation.errors import ContractViolation, UnsupportedConstruct
from nkiverify.model.contents import held
from nkiverify.model.operation import Operation
from nkiverify.model.tensor import IndirectionKind, Register, Storage, Tensor

#: Elements of an operand up to which an operation is computed, and up to which a tile is filled.
_MOST, _MOST_FILLED = 1 << 20, 1 << 16


class KnownNumbers(ComputedElements):
    """The numbers that are known, by storage and register."""

    def __init__(self) -> None:
        super().__init__(Floats())
        #: With the storages, so that none of them has the id of one that is gone.
        self._held: dict[int, tuple[Storage, Cells]] = {}
        #: Arguments that the kernel has written: what they hold is not followed any more.
        self._written: set[object] = set()
        self.registers: dict[object, int] = {}

    def cells(self, tensor: Tensor) -> Cells:
        """Knowledge of a storage: the elements that are marked are not."""
        made = tensor.storage
        found = self._held.get(id(made))
        if found is None:
            given = made.elements is not None and made.identity not in self._written
            cells = self._given(made) if given else Cells(self.numbers, int(made.size), made.dtype)
            found = self._held[id(made)] = (made, cells)
        return found[1]

    def _given(self, made: Storage) -> Cells:
        cells = Cells(self.numbers, int(made.size), made.dtype, written=True)
        entered = self.numbers.entered(made.elements, made.dtype)
        self.numbers.flat(cells.buffer, made.dtype, made.dtype)[...] = entered.reshape(1, -1)
        return cells

    def unsupported(self, construct: str, advice: str = "") -> UnsupportedConstruct:
        """An operation that is not followed is not computed, which no execution needs to hear of."""
        return UnsupportedConstruct(construct, advice)

    def index_out_of_bounds(self, operation: Operation, operand: str, index: int, limit: int) -> None:
        """Such an operation is not computed; its contract is stated where it is checked."""
        raise UnsupportedConstruct("a gather beyond its operand")

    def lose(self, tensor: Tensor) -> None:
        """Nothing is known of a storage any more."""
        self._held.pop(id(tensor.storage), None)
        if tensor.storage.elements is not None:
            self._written.add(tensor.storage.identity)

    def knows_some(self, tensor: Tensor) -> bool:
        """True if anything is known of the storage of a view."""
        made = tensor.storage
        return id(made) in self._held or (made.elements is not None and made.identity not in self._written)

    def knows(self, tensor: Tensor, where: Region) -> bool:
        """True if all elements of a region are known."""
        if not self.knows_some(tensor):
            return False
        return storage.read_marks(self.cells(tensor), where) is None

    def knows_all(self, tensor: Tensor) -> bool:
        """True if all elements of a view are known."""
        return self.knows(tensor, self._plain(tensor))

    def register_number(self, register: Register) -> int:
        """The number a register holds; `ContractViolation` where it is not known."""
        number = self.registers.get(register.identity)
        if number is None:
            raise ContractViolation("register.uninit", "not known", None)
        return number

    def set_register(self, register: Register, number: int) -> None:
        """Let a register hold a number."""
        self.registers[register.identity] = number

    def numbers_in(self, index: Tensor | Register) -> Numbers | None:
        """The numbers of an index, one after the other; None where they are not known."""
        if isinstance(index, Register):
            number = self.registers.get(index.identity)
            return None if number is None else np.array([number], np.int64)
        return self._index_values(index).reshape(-1) if self.knows_all(index) else None

    def region_of(self, operation: Operation, view: Tensor) -> Region | None:
        """The elements of a view, where it is known which; None where it is not, or some are out of bounds."""
        moves = view.indirect_by
        if moves is None:
            return self._plain(view)
        if moves.is_known:
            origins = moves.elements
            shape, steps = tuple(map(int, view.shape)), tuple(map(int, view.strides))
            inner = storage.positions_of(shape[origins.ndim :], steps[origins.ndim :], 0)
            positions = origins.reshape(*origins.shape, *(1,) * inner.ndim) + inner
            return Region(shape, steps, 0, view.dtype, positions)
        if moves.kind is not IndirectionKind.ELEMENTS or self.numbers_in(moves.index) is None:
            return None
        try:
            found = self._indirect(operation, view)
        except (ContractViolation, UnsupportedConstruct):
            return None
        return found if found.valid is None or bool(np.asarray(found.valid).all()) else None

    def compute(self, operation: Operation) -> bool:
        """Compute an operation; whether that could be done."""
        meaning = operation.declared.computes
        if meaning is None or not _is_exact(operation):
            return False
        needed = dict(operation.reads)
        if operation.declared.behaviour.keeps:
            needed.update(operation.writes)
        if not all(self.knows_some(view) for view in needed.values()):
            return False
        views = {**operation.reads, **operation.writes}
        regions = {name: self.region_of(operation, view) for name, view in views.items()}
        known = {name: region for name, region in regions.items() if region is not None}
        if len(known) < len(regions):
            return False
        if not all(self.knows(view, known[name]) for name, view in needed.items()):
            return False
        try:
            meaning(OperationOnNumbers(self, operation, known, tracking=False, marked=False))
        except (ContractViolation, UnsupportedConstruct):
            return False
        # What intervals cannot follow, as numbers beyond their dtype, is not what hardware is known to compute.
        values = [held(view) for view in operation.writes.values()]
        return all(value is not None and value.known is not None for value in values)


def _is_exact(operation: Operation) -> bool:
    """True if what the operation computes is documented to the last bit, and little enough."""
    declared = operation.declared
    registers = declared.name.startswith("nisa.register_")
    if operation.mask is not None or not (declared.has_bounds or registers):
        return False
    if (declared.behaviour.side_effect and not registers) or "reduce_res" in operation.writes:
        return False
    if any(view.storage.elements is not None for view in operation.writes.values()):
        return False
    most = _MOST if operation.reads else _MOST_FILLED
    return all(int(view.size) <= most for view in operation.views)
