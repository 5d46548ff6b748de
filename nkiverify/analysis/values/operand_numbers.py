"""The operands of an operation that is being computed, as arrays, and its other parameters.

Arrays have the lanes in front: (lanes, P, F) for rows, with all free axes as one, or (lanes, *shape).
"""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np

from nkiverify.analysis.values import cells as storage
from nkiverify.analysis.values.cells import UNWRITTEN, Accumulators, Cells, Region
from nkiverify.analysis.values.generators import GeneratorStates
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.numbers import Marks
from nkiverify.foundation.budget import NumbersBudget
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DType, float32
from nkiverify.model.isa_enums import member_name
from nkiverify.model.meaning import Numbers
from nkiverify.model.operators import Operator
from nkiverify.model.register_contents import VirtualRegister

if TYPE_CHECKING:
    from nkiverify.model.operation import Operation
    from nkiverify.model.tensor import Register, Tensor

_MARKS = Marks()


class StepElements(Protocol):
    """The elements of tensors that an operation is computed on."""

    numbers: Numbers
    random: np.random.Generator | None
    generators: GeneratorStates

    def cells(self, tensor: Tensor) -> Cells:
        """The contents of the storage a tensor is a view of."""

    def accumulators(self, engine: str) -> Accumulators:
        """The reduction registers of an engine, for the program that runs."""

    def undefined_read(self, operation: Operation, operand: str, marks: Array) -> np.uint32:
        """The mark of a read of elements that nothing has written."""

    def undefined_value(self, operation: Operation, reason: str, *, shown: bool = False) -> np.uint32:
        """The mark of values that no document defines; `shown`: a function beyond its range, where results show it."""

    def index_out_of_bounds(self, operation: Operation, operand: str, index: int, limit: int) -> None:
        """An index of a gather is outside what it indexes."""

    def start_reduction(self, tensor: Tensor, operator: str) -> None:
        """Note that what is assigned from `tensor` joins what its destination holds."""

    def running_reduction(self, tensor: Tensor) -> str | None:
        """The operator `start_reduction` gave, if it did."""

    def register_number(self, register: Register) -> int:
        """The number a register holds."""

    def set_register(self, register: VirtualRegister, number: int) -> None:
        """Let a register hold a number of 32 bits."""

    def meet(self) -> None:
        """Wait for all programs of the launch."""

    def exchange(self, pipe: object, to: int, source: int, message: Array) -> Array:
        """The message that program `source` sends to this one by a pipe, for the one that this one sends to `to`."""


class Operands:
    """The parameters and operands of an operation in progress, computed on `n`: the run's numbers, or marks where
    `tracking`."""

    __slots__ = ("_elements", "_exact", "_marked", "_operation", "_regions", "n", "tracking")

    def __init__(
        self,
        elements: StepElements,
        operation: Operation,
        regions: dict[str, Region],
        *,
        tracking: bool,
        marked: bool,
        numbers: Numbers | None = None,
    ):
        self._elements = elements
        self._operation = operation
        self._regions = regions
        self.tracking = tracking
        # Whether marks are set by a pass of their own, so that the pass on numbers need not clear them.
        self._marked = marked
        # Whether integers of 32 bits were read as such, so that a float result rounds them.
        self._exact = False
        self.n: Numbers = numbers or (_MARKS if tracking else elements.numbers)

    # --- what the operation says --------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The documented name of the operation."""
        return self._operation.name

    @property
    def written(self) -> tuple[str, ...]:
        """The parameters it writes."""
        return tuple(self._operation.writes)

    @property
    def read_names(self) -> tuple[str, ...]:
        """The parameters it reads, apart from indices."""
        return tuple(name for name in self._operation.reads if "." not in name)

    @property
    def only_read(self) -> str:
        """The parameter it reads, apart from indices."""
        (name,) = (name for name in self._operation.reads if "." not in name)
        return name

    @property
    def only_write(self) -> str:
        """The parameter it writes."""
        (name,) = self._operation.writes
        return name

    def has(self, name: str) -> bool:
        """True if a parameter is a tensor that is read."""
        return name in self._operation.reads

    def writes(self, name: str) -> bool:
        """True if a parameter is a tensor that is written."""
        return name in self._operation.writes

    def _view(self, name: str) -> Tensor:
        """The tensor of a parameter; what legacy instructions return is called their `dst` as well."""
        found = self._operation.writes.get(self._target(name))
        return self._operation.reads[name] if found is None else found

    def _target(self, name: str) -> str:
        return "result" if name == "dst" and name not in self._operation.writes else name

    def attribute(self, name: str, default: Any = None) -> Any:
        """A parameter that is no tensor."""
        return self._operation.attributes.get(name, default)

    def name_of(self, name: str) -> str:
        """The name of a parameter that is a member of an enumeration; "none" where it is not given."""
        return member_name(self.attribute(name))

    def meet(self) -> None:
        """Wait until every program of the launch is here."""
        if not self.tracking:
            self._elements.meet()

    def exchanged(self, sent: Array) -> Array:
        """The elements that the program to receive from sends, for those that this one sends."""
        to, source = self._rank("send_to_rank"), self._rank("recv_from_rank")
        found = self._elements.exchange((self.attribute("pipe_id"), self.tracking), to, source, sent.copy())
        if found.shape != sent.shape:
            self.refuse(f"a {self.name} of {found.shape[1:]} elements for {sent.shape[1:]}")
        return found

    def _rank(self, name: str) -> int:
        given = self.attribute(name)
        return self._elements.register_number(given) if isinstance(given, VirtualRegister) else int(given)

    def flag(self, name: str) -> bool:
        """A parameter that is true or false; false where it is not there."""
        return bool(self.attribute(name, False))

    def integer(self, name: str) -> int:
        """A parameter that is an integer; 0 where it is not there."""
        return int(self.attribute(name, 0) or 0)

    def operator(self, name: str) -> Operator:
        """A parameter that names an operator."""
        found = self.attribute(name)
        assert isinstance(found, Operator), (self.name, name, found)
        return found

    def optional_operator(self, name: str) -> Operator | None:
        """As `operator`, or None."""
        return None if self.attribute(name) is None else self.operator(name)

    def is_number(self, name: str, value: float) -> bool:
        """True if a parameter is this very number."""
        given = self.attribute(name)
        return isinstance(given, Real) and float(given) == value

    def refuse(self, construct: str) -> NoReturn:
        """Say that the operation has no values."""
        raise UnsupportedConstruct(construct)

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a tensor parameter."""
        return self._where(name).shape

    def _where(self, name: str) -> Region:
        return self._regions[name] if name in self._operation.reads else self._regions[self._target(name)]

    def dtype(self, name: str) -> DType:
        """The dtype of a tensor parameter."""
        return self._where(name).dtype

    # --- operands -----------------------------------------------------------------------------------------------------

    def stored(self, name: str, *, previous: bool = False) -> Array:
        """The elements as they are stored, (lanes, *shape); `previous`: what a result holds before it is written."""
        name = self._target(name) if previous else name
        view = self._operation.writes[name] if previous else self._operation.reads[name]
        where = self._regions[name]
        cells = self._elements.cells(view)
        if not self.tracking:
            found = storage.read(self.n, cells, where)
            return found if where.valid is None else np.where(where.valid, found, found.dtype.type(0))
        marks = storage.read_marks(cells, where)
        if marks is None:
            return np.zeros((1, *where.shape), dtype=np.uint32)
        if previous:
            return marks
        if name == "x" and self._operation.attributes.get("begins_sum") is True:
            # The first product that is added there begins the sum: the pass over numbers finds zeros.
            numbers, fresh = self._elements.numbers, marks == UNWRITTEN
            held = storage.read(numbers, cells, where)
            storage.write(numbers, cells, where, np.where(fresh, held.dtype.type(0), held))
            marks = np.where(fresh, np.uint32(0), marks)
        return self._noted(name, marks)

    def _noted(self, name: str, marks: Array) -> Array:
        """Marks that are read: where nothing was written, the mark of this read."""
        fresh = marks == UNWRITTEN
        if not fresh.any():
            return marks
        return np.where(fresh, self._elements.undefined_read(self._operation, name, marks), marks)

    def marks_of(self, name: str, rows: Array) -> Array:
        """In the pass over marks: those of some rows (1, rows, F), the only ones the operation reads."""
        view, where = self._operation.reads[name], self._regions[name]
        marks = storage.read_marks(self._elements.cells(view), where)
        size = where.size // where.shape[0]
        if marks is None:
            return np.zeros((1, len(rows), size), dtype=np.uint32)
        return self._noted(name, marks.reshape(1, where.shape[0], size)[:, rows])

    def numbers(self, name: str, *, exact: bool = False, previous: bool = False) -> Array:
        """The engines' numbers of an operand, (lanes, *shape); `exact`: integers as such."""
        found, dtype = self.stored(name, previous=previous), self.dtype(name)
        self._exact |= exact
        return self.n.exact(found, dtype) if exact else self.n.read(found, dtype)

    def rows(self, name: str, *, exact: bool = False, stored: bool = False, previous: bool = False) -> Array:
        """An operand as (lanes, P, F)."""
        found = self.stored(name, previous=previous) if stored else self.numbers(name, exact=exact, previous=previous)
        return found if found.ndim == 3 else found.reshape(found.shape[0], found.shape[1], -1)

    def constant(self, name: str, rank: int) -> Array:
        """A numeric parameter as an array of `rank` axes that broadcasts."""
        return self.n.constant(python_number(self.attribute(name)), rank)

    def fill(self, name: str, like: Array) -> Array:
        """A numeric parameter that a select puts where it leaves out elements of `like`."""
        return self.n.fill(python_number(self.attribute(name)), like, self.dtype("dst"))

    def column(self, name: str, *, exact: bool = False) -> Array | None:
        """A scalar operand: (lanes, P, 1) from a tile, or a constant; None where it is not given."""
        if self.has(name):
            return self.rows(name, exact=exact)
        if self.attribute(name) is None:
            return None
        found = self.constant(name, 3)
        return found.astype(np.int64) if exact and not self.tracking else found

    def required_column(self, name: str) -> Array:
        """As `column`, for one that is always given."""
        found = self.column(name)
        if found is None:
            raise UnsupportedConstruct(f"{self.name} without {name}")
        return found

    def aligned(self, name: str, rank: int, *, exact: bool = False) -> Array:
        """An operand with axes of extent 1 put between the lanes and its own, up to `rank` axes."""
        found = self.numbers(name, exact=exact)
        return found.reshape(found.shape[0], *(1,) * (rank - found.ndim), *found.shape[1:])

    def entered(self, integers: Array) -> Array:
        """Integers (P, F) as numbers (lanes, P, F)."""
        return self.n.read(self.n.entered(integers.astype(np.float32), float32), float32)

    def counted(self, name: str, count: int) -> Array:
        """This many integers from a parameter on, as numbers (lanes, 1, F)."""
        return self.entered(np.arange(count, dtype=np.int32)[None, :] + self.integer(name))

    def affine(self, name: str) -> Array:
        """offset + partition * channel_multiplier + pattern, as integers (P, F) of 32 bits for a tensor parameter."""
        return self._pattern(self.shape(name)[0]).astype(np.int32)

    def where_affine(self, comparison: str, x: Array, y: Array) -> Array:
        """x (lanes, P, F) where the affine pattern compares to 0, else y."""
        holds = getattr(np, comparison)(self._pattern(x.shape[1]), 0)
        return np.where(holds[None], x, y)

    def _pattern(self, partitions: int) -> Array:
        offset, factor = self.integer("offset"), self.integer("channel_multiplier")
        total = np.zeros((1,), dtype=np.int64)
        for stride, count in self.attribute("pattern"):
            total = (total[:, None] + np.arange(int(count), dtype=np.int64) * int(stride)).ravel()
        return np.asarray(offset + np.arange(partitions, dtype=np.int64)[:, None] * factor + total[None, :])

    def actual(self, name: str, data: Array) -> Array:
        """The numbers of an operand, in the pass over marks as well; `data` are what that pass works on."""
        if not self.tracking:
            return data
        view = self._operation.reads[name]
        found = storage.read(self._elements.numbers, self._elements.cells(view), self._regions[name])
        numbers = self._elements.numbers.read(found, self.dtype(name))
        return numbers.reshape(numbers.shape[0], numbers.shape[1], -1)

    def indices(self, name: str, *, previous: bool = False) -> Array:
        """An operand as integers (P, F), in both passes."""
        view = self._view(name) if previous else self._operation.reads[name]
        found = storage.read(self._elements.numbers, self._elements.cells(view), self._where(name))
        numbers = self._elements.numbers.integers(found, self.dtype(name))
        return numbers.reshape(numbers.shape[0], -1)

    def gathered(self, name: str, by: str, *, stored: bool = False) -> Array:
        """Elements (lanes, P, F) of an operand, each of its partition and from where an index of another one says."""
        data, numbers, view = self.rows(name, stored=stored), self._elements.numbers, self._operation.reads[by]
        found = storage.read(numbers, self._elements.cells(view), self._where(by))
        ends = [end.reshape(end.shape[0], -1) for end in numbers.index_ends(found, self.dtype(by))]
        for end in ends:
            self.check_places(by, end, data.shape[2])
        taken = self._between(data, *ends)
        return np.maximum(taken, self.rows(by)) if self.tracking else taken

    def _between(self, data: Array, low: Array, high: Array) -> Array:
        """Elements (lanes, P, F) of rows, each from a place between two."""
        found = np.take_along_axis(data, np.broadcast_to(low[None], (data.shape[0], *low.shape)), axis=2)
        apart = low != high
        ranges = np.unique(np.stack([low[apart], high[apart]], axis=1), axis=0).tolist()
        if len(ranges) > NumbersBudget.INDEX_RANGES:
            low, high = (np.where(apart, end, at) for at, end in ((low, 0), (high, data.shape[2] - 1)))
            ranges = [[0, data.shape[2] - 1]]
        for first, last in ranges:
            part = data[:, :, first : last + 1]
            # A mark says that something is undefined: of any of them.
            any_of = part.max(axis=2, keepdims=True) if self.tracking else self.n.around(part)
            found = np.where((apart & (low == first) & (high == last))[None], any_of, found)
        return found

    def check_places(self, name: str, places: Array, limit: int) -> None:
        """Raise where an index is outside what it indexes."""
        if places.size and (int(places.min()) < 0 or int(places.max()) >= limit):
            worst = int(places.min()) if int(places.min()) < 0 else int(places.max())
            self._elements.index_out_of_bounds(self._operation, name, worst, limit)

    def integers_on_gpsimd(self, *names: str) -> bool:
        """True if 32-bit integers are computed exactly: all operands are such, none in PSUM, Vector not asked for."""
        engine = getattr(self._operation.asked_engine, "name", "unknown")
        views = [self._view(name) for name in names]
        return engine != "vector" and all(
            view.dtype.is_integer and view.dtype.itemsize == 4 and view.buffer.name != "psum" for view in views
        )


def python_number(value: Any) -> float:
    """A constant of a kernel as a Python number."""
    if isinstance(value, bool | np.bool_):
        return int(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    top = getattr(value, "top", None)
    if top is not None:
        return float(int(top) / int(value.bottom))
    raise UnsupportedConstruct(f"a constant of type {type(value).__name__}")
