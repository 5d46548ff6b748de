"""Execution on numbers: every operation the stubs issue is computed, contracts are checked on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from math import prod
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from nkiverify.analysis.element_marks import distinct, exchanges
from nkiverify.analysis.values import cells as storage
from nkiverify.analysis.values.cells import UNWRITTEN, Accumulators, Cells, Region
from nkiverify.analysis.values.generators import GeneratorStates
from nkiverify.analysis.values.located import LocatedElements
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.step import OperationOnNumbers, accumulates
from nkiverify.foundation.budget import RunningBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import ContractViolation, UnsupportedConstruct
from nkiverify.foundation.source import Site, kernel_site
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.traced_loops import LEFT
from nkiverify.model.contracts import contract
from nkiverify.model.dtypes import DType
from nkiverify.model.hardware import Hardware
from nkiverify.model.known_numbers import Interval
from nkiverify.model.launch import current_launch
from nkiverify.model.meaning import Numbers
from nkiverify.model.memory import SHARED_HBM
from nkiverify.model.operation import loads_registers
from nkiverify.model.operators import Operator
from nkiverify.model.register_contents import VirtualRegister
from nkiverify.model.state import Program
from nkiverify.model.tensor import Register, Storage, Tensor

if TYPE_CHECKING:
    from nkiverify.analysis.values.slices import HistoryEntry, Operand
    from nkiverify.analysis.values.turns import Turns
    from nkiverify.model.operation import Operation

#: Of this many elements that are written the words are kept, where the history is.
_WORDS = 1 << 22
#: Seconds a simulation may take: it is ended by its user, not by us.
_NO_LIMIT = float("inf")


class ValueAllocation:
    """The identity of one allocation or register, and what it holds; both live as long as something refers to it."""

    __slots__ = ("__weakref__", "cells", "number", "running")

    def __init__(self) -> None:
        self.cells: Cells | None = None
        #: The number of a register.
        self.number: int | None = None
        #: The operator of the running reduction whose part this is.
        self.running: str | None = None


@dataclass(frozen=True, slots=True)
class UndefinedRead:
    """A read of elements that nothing has written, or a value that no document defines.

    `element` is the first one, as coordinates of the operand; None where `reason` says what happened.
    """

    operation: str
    operand: str
    tensor: str
    element: tuple[int, ...] | None
    site: Site | None
    reason: str = ""
    #: Whether a value is there although no document defines it: what the function is beyond its documented range.
    shown: bool = False

    def __str__(self) -> str:
        where = f" at {self.site}" if self.site is not None else ""
        if self.element is None:
            return f"{self.reason}, in {self.operation}{where}"
        place = ", ".join(map(str, self.element))
        operand = f"{self.tensor} ({self.operand})"
        return f"{self.operation}{where} reads element [{place}] of {operand}, which nothing has written"


class ComputedElements(LocatedElements):
    """Elements of tensors that operations compute.

    `watch` is informed of every operation, before it is computed.
    """

    # Elements say what an index is.
    followed = False
    # What is within reach here is the user's process, tests and all.
    strict = False

    def __init__(self, numbers: Numbers, *, watch: Callable[[Operation, Site | None], None] | None = None) -> None:
        self.numbers = numbers
        self.watch = watch
        #: What random numbers are drawn from; None where operations that draw any are refused.
        self.random: np.random.Generator | None = None
        self.generators = GeneratorStates()
        #: The contents of the kernel's arguments, by the identity of their storages.
        self.arguments: dict[object, Cells] = {}
        #: Reads of undefined elements, by mark (from UNWRITTEN + 1 on).
        self.undefined: list[UndefinedRead] = []
        self._marks: dict[tuple[str, int, str, str], int] = {}
        #: By engine and program of the launch.
        self._accumulators: dict[tuple[str, object], Accumulators] = {}
        self._shared: dict[tuple[object, int], Cells] = {}
        self._shared_count: dict[object, int] = {}
        #: The programs of the launch in progress, where they can wait for each other.
        self._turns: Turns | None = None
        #: The operations executed, where they are kept.
        self.history: list[HistoryEntry] | None = None
        self._words_left = _WORDS
        #: The dtypes of what was allocated, arguments included.
        self.dtypes: set[DType] = set()
        #: How much there was to do, in elements of operands.
        self.work = 0

    def execution(
        self, hardware: Hardware, *, stop_at_first: bool = True, seconds: float = _NO_LIMIT
    ) -> ConcreteExecution:
        """An execution that computes these elements."""
        return ConcreteExecution(hardware, stop_at_first, seconds, records=True, elements=self)

    # --- allocations --------------------------------------------------------------------------------------------------

    def identity(self) -> object:
        """A new identity, which will hold the contents."""
        return ValueAllocation()

    def allocated(self, made: Storage) -> None:
        """A tensor in shared HBM that every program of a grid allocates: it is one tensor."""
        self.dtypes.add(made.dtype)
        launch = current_launch()
        if made.buffer is not SHARED_HBM or not launch.grid:
            return
        identity = made.identity
        assert isinstance(identity, ValueAllocation)
        ordinal = self._shared_count.get(launch, 0)
        self._shared_count[launch] = ordinal + 1
        known = self._shared.get((launch.grid, ordinal))
        if known is not None and (known.size, known.dtype) == (int(made.size), made.dtype):
            identity.cells = known
        else:
            identity.cells = self._shared[(launch.grid, ordinal)] = Cells(self.numbers, int(made.size), made.dtype)

    def results_of(self, programs: Iterable[Program], body: Callable[[Program], Any]) -> list[Any]:
        """In turn, where two cores may wait for each other; else one after the other."""
        launched = list(programs)
        if self._turns is not None or launched != [(0,), (1,)]:
            return super().results_of(launched, body)
        from nkiverify.analysis.values.turns import Turns  # as late as this: few launches are on two cores

        states: dict[int, tuple[Any, ...]] = {}
        model, outer = self.run.model, self.run.model.launch

        def switched(number: int) -> None:
            states[turn[0]] = (model.launch, model.body, model.fixed_orders)
            model.launch, model.body, model.fixed_orders = states.get(number, (outer, None, 0))
            turn[0] = number

        turn = [0]
        self._turns = Turns(len(launched), switched)
        try:
            return self._turns.run([partial(body, program) for program in launched])
        finally:
            self._turns = None
            model.launch = outer

    def meet(self) -> None:
        """Wait for all programs of the launch."""
        if self._turns is None:
            raise UnsupportedConstruct("a barrier in one core")
        self._turns.barrier()

    def exchange(self, pipe: object, to: int, source: int, message: Array) -> Array:
        """The message that program `source` sends to this one by a pipe, for the one that this one sends to `to`."""
        if self._turns is None:
            raise UnsupportedConstruct("an exchange in one core")
        found: Array = self._turns.exchange(pipe, to, source, message)
        return found

    def returned(self, *programs: tuple[Tensor, ...], by_parameter: bool = False) -> None:
        """The results of programs of a launch are one result: they have to return the same."""
        if self.run.bodies.open:
            raise self.unsupported(LEFT)
        places = [
            [(id(self.cells(part)), part.dtype, part.shape, part.strides, part.offset) for part in tensors]
            for tensors in programs
        ]
        if any(other != places[0] for other in places):
            raise self.unsupported("programs of a launch that return different tensors")

    def cells(self, tensor: Tensor) -> Cells:
        """The contents of the storage a tensor is a view of."""
        identity = tensor.storage.identity
        if not isinstance(identity, ValueAllocation):
            # A tensor argument of the kernel.
            return self.arguments[identity]
        if identity.cells is None:
            identity.cells = Cells(self.numbers, int(tensor.storage.size), tensor.storage.dtype)
        return identity.cells

    def start_reduction(self, tensor: Tensor, operator: str) -> None:
        """Note that what is assigned from `tensor` joins what its destination holds."""
        identity = tensor.storage.identity
        assert isinstance(identity, ValueAllocation)
        identity.running = operator

    def running_reduction(self, tensor: Tensor) -> str | None:
        """The operator `start_reduction` gave, if it did."""
        identity = tensor.storage.identity
        return identity.running if isinstance(identity, ValueAllocation) else None

    def index_range(self, index: Tensor | Register) -> Interval | None:
        """The least and the greatest number of an index tensor or register. None where nothing is executed."""
        if self.run.only_traced:
            return None
        if isinstance(index, Register):
            number = self.register_number(index)
            return Interval(number, number)
        return self.defined_range(index)

    def defined_range(self, index: Tensor) -> Interval:
        """The least and the greatest number of an index tensor; of those that are defined, if any is, as a mask may
        leave out the others."""
        marks = storage.read_marks(self.cells(index), self._plain(index))
        defined = np.True_ if marks is None else marks[0] == 0
        # Those that are not are found where they are used.
        found = self._stored_index(index, np.zeros(0, bool) if defined.any() else None)
        low, high = (end if marks is None else end[defined] for end in self.numbers.index_ends(found, index.dtype))
        return Interval(int(low.min()), int(high.max()))

    def shown(self, tensor: object) -> str:
        """The elements of a tensor as a table, `?` where they are not defined; called by its `repr`."""
        assert isinstance(tensor, Tensor)
        if tensor.indirect_by is not None:
            return ""
        where = self._plain(tensor)
        numbers = storage.read(self.numbers, self.cells(tensor), where)[0]
        marks = storage.read_marks(self.cells(tensor), where)
        if marks is None:
            return "\n" + np.array2string(np.array(numbers), threshold=400, edgeitems=4)
        texts = np.where(marks[0] != 0, "?", numbers.astype("U12"))
        return "\n" + np.array2string(texts, threshold=400, edgeitems=4, formatter={"all": str})

    # --- registers ----------------------------------------------------------------------------------------------------

    def register_number(self, register: Register) -> int:
        """The number a register holds."""
        identity = register.identity
        assert isinstance(identity, ValueAllocation)
        if identity.number is None:
            raise ContractViolation("register.uninit", "a register that nothing has set is read", kernel_site(2))
        return identity.number

    def set_register(self, register: Register, number: int) -> None:
        """Let a register hold a number of 32 bits."""
        identity = register.identity
        assert isinstance(identity, ValueAllocation)
        identity.number = number

    def iterations(self, register: Register, start: object, stop: object, step: object) -> Iterator[None] | None:
        """Once for each iteration of a device loop, its register set; one trace where there is none."""
        if self.run.only_traced:
            return None
        numbers = range(
            *(
                self.register_number(value) if isinstance(value, VirtualRegister) else int(value)  # type: ignore[call-overload]
                for value in (start, stop, step)
            )
        )
        return self._rounds(register, numbers) if numbers else self.run.trace()

    def _rounds(self, register: Register, numbers: range) -> Iterator[None]:
        for number in self.run.bodies.rounds(numbers):
            self.set_register(register, number)
            yield

    def while_rounds(self, condition: Callable[[], Register]) -> Iterator[None] | None:
        """Once for each round of a device loop, as long as its condition is not 0; one trace if it is 0 at once."""
        if self.run.only_traced:
            return None
        if not self.register_number(condition()):
            return self.run.trace()
        going_on = iter(lambda: self.register_number(condition()), 0)
        return (None for _ in self.run.bodies.rounds(going_on))

    def tested(self, register: Register) -> bool | None:
        """True if a bare `while register:` continues; None where nothing is executed."""
        return None if self.run.only_traced else self.run.bodies.test(self.register_number(register) != 0)

    def keep_history(self) -> None:
        """Record every operation from now on."""
        self.history = []

    @property
    def argument_names(self) -> dict[int, str]:
        """The names of the kernel's arguments, by the numbers of their cells."""
        names = {}
        for identity, cells in self.arguments.items():
            names[cells.number] = str(identity[1]) if isinstance(identity, tuple) else "an argument"
        return names

    def computed_words(self) -> Array | None:
        """The words of all elements that are in the arguments or were written by operations, sorted; None where not all
        of them were kept."""
        history = self.history
        words_of: Callable[[Array], Array] | None = getattr(self.numbers, "words", None)
        if not history or words_of is None or self._words_left < 0:
            return None
        given = (
            words_of(self.numbers.flat(cells.buffer, cells.dtype, cells.dtype)) for cells in self.arguments.values()
        )
        written = (words for entry in history for words in entry.words.values())
        return distinct(np.concatenate([np.zeros(0, np.uint64), *given, *written]))

    def _words(self, operation: Operation, regions: Mapping[str, Region]) -> dict[str, Array]:
        """The numbers that an operation has just written, as words, as long as there is room."""
        words_of: Callable[[Array], Array] | None = getattr(self.numbers, "words", None)
        self._words_left -= sum(regions[name].size for name in operation.writes)
        if words_of is None or self._words_left < 0:
            return {}
        return {
            name: words_of(storage.read(self.numbers, self.cells(view), regions[name])).ravel()
            for name, view in operation.writes.items()
        }

    def _entry(self, operation: Operation, regions: Mapping[str, Region], functions: frozenset[str]) -> HistoryEntry:
        from nkiverify.analysis.values.slices import (  # as late as this: few runs keep their history
            HistoryEntry,
            Operand,
        )

        def operand(name: str, view: Tensor) -> Operand:
            return Operand(self.cells(view).number, view.label, regions[name])

        details = ", ".join(
            f"{name}={value}"
            for name, value in operation.attributes.items()
            if isinstance(value, Operator) or (isinstance(value, Real) and value not in (False, 1.0))
        )
        return HistoryEntry(
            operation.name,
            kernel_site(3),
            {name: operand(name, view) for name, view in operation.reads.items()},
            {name: operand(name, view) for name, view in operation.writes.items()},
            details,
            functions,
            operation.declared.behaviour.product and accumulates(operation) is not False,
            loads_registers(operation),
            bool(operation.attributes.get("transpose_x", True)),
            self._words(operation, regions),
        )

    # --- operations ---------------------------------------------------------------------------------------------------

    def executed(self, operation: Operation) -> None:
        """Compute an operation."""
        if self.run.only_traced:
            return
        if self.watch is not None:
            self.watch(operation, kernel_site(2))
        meaning = operation.declared.computes
        if meaning is None:
            reason = operation.declared.no_values
            raise self.unsupported(f"the values of {operation.name}{reason and f': {reason}'}")
        regions = self._regions(operation)
        self.work += RunningBudget.OPERATION + sum(prod(region.shape) for region in regions.values())
        marked = self._needs_marks(operation, regions)
        known = dict(getattr(self.numbers, "functions", ()))
        try:
            if marked:
                meaning(OperationOnNumbers(self, operation, regions, tracking=True, marked=True))
            meaning(OperationOnNumbers(self, operation, regions, tracking=False, marked=marked))
            if self.history is not None:
                now = getattr(self.numbers, "functions", {})
                applied = frozenset(name for name, times in now.items() if times != known.get(name))
                if exchanges(operation):
                    # The lines say what this core sends: what it receives is the other one's.
                    applied |= {"an exchange between cores"}
                self.history.append(self._entry(operation, regions, applied))
        except UnsupportedConstruct as limit:
            if limit.site is None:
                raise self.unsupported(limit.construct, limit.advice) from None
            raise

    def _needs_marks(self, operation: Operation, regions: Mapping[str, Region]) -> bool:
        if exchanges(operation):
            return True  # the other core may send what is not defined
        for name, view in operation.reads.items():
            cells = self.cells(view)
            if not cells.complete and storage.read_marks(cells, regions[name]) is not None:
                return True
        if loads_registers(operation):
            # Which engine's they are is the matter of its meaning: looking at the marks too often does no harm.
            rows = max(region.shape[0] for region in regions.values())
            if any(self.accumulators(engine).marks[:, :rows].any() for engine in ("scalar", "vector")):
                return True
        # What stays of a result keeps its marks.
        keeps = operation.declared.behaviour.keeps or any(
            regions[name].valid is not None or self.running_reduction(view) is not None
            for name, view in operation.reads.items()
        )
        if operation.declared.behaviour.product and accumulates(operation) is not False:
            (target,) = operation.writes.values()
            keeps = accumulates(operation) is True or self.cells(target).grown is not False
        return keeps and any(not self.cells(view).complete for view in operation.writes.values())

    # --- marks --------------------------------------------------------------------------------------------------------

    def undefined_read(self, operation: Operation, operand: str, marks: Array) -> np.uint32:
        """The mark of a read of elements that nothing has written."""
        view = operation.reads[operand] if operand in operation.reads else operation.writes[operand]
        first = np.unravel_index(int((marks[0] == UNWRITTEN).argmax()), marks.shape[1:])
        found = UndefinedRead(
            operation.name,
            operand,
            view.label or "a tensor",
            tuple(int(part) for part in first),
            kernel_site(2),
        )
        return self._mark(found)

    def undefined_value(self, operation: Operation, reason: str, *, shown: bool = False) -> np.uint32:
        """The mark of values that no document defines; `shown`: a function beyond its range, where results show it."""
        return self._mark(UndefinedRead(operation.name, "", "", None, kernel_site(2), reason, shown))

    def _mark(self, found: UndefinedRead) -> np.uint32:
        site = found.site
        key = (found.operation, -1 if site is None else site.line, found.operand, "" if site is None else site.file)
        mark = self._marks.get(key)
        if mark is None:
            self.undefined.append(found)
            mark = self._marks[key] = UNWRITTEN + len(self.undefined)
        return np.uint32(mark)

    def origin(self, mark: int) -> UndefinedRead | None:
        """The read a mark stands for; None for an element that nothing has written."""
        return None if mark == UNWRITTEN else self.undefined[mark - UNWRITTEN - 1]

    # --- state of the engines -----------------------------------------------------------------------------------------

    def accumulators(self, engine: str) -> Accumulators:
        """The reduction registers of an engine, for the program that runs."""
        key = (engine, current_launch().program)
        if key not in self._accumulators:
            self._accumulators[key] = Accumulators(self.numbers)
        return self._accumulators[key]

    def index_out_of_bounds(self, operation: Operation, operand: str, index: int, limit: int) -> None:
        """An index of a gather is outside what it indexes."""
        rule = contract(operation.declared.behaviour.out_of_bounds)
        self.run.violated(rule, kernel_site(2), {"index": index, "limit": limit, "operand": operand})
        raise UnsupportedConstruct("a gather beyond its operand")


def elements_of(run: ConcreteExecution) -> ComputedElements:
    """The elements that an execution computes."""
    assert isinstance(run.elements, ComputedElements)
    return run.elements
