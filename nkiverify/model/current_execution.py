"""The execution of kernel code in progress, as stubs and the model see it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol, cast

from nkiverify.model.contracts import ClaimingExecution
from nkiverify.model.hardware import Hardware
from nkiverify.model.known_numbers import Interval
from nkiverify.model.operation import Operation
from nkiverify.model.state import GuessesRounds, LoopBody, ModelState, Program
from nkiverify.model.tensor import Register, Storage, Tensor
from nkiverify.symbolic import Extent, execution
from nkiverify.symbolic.atoms import Term


class Elements:
    """The elements of tensors and the numbers of registers in an execution, as a part of it: here none are known."""

    def given(self, storage: Storage) -> None:
        """An argument exists whose elements are given."""

    def index_range(self, index: Tensor | Register) -> Interval | None:
        """The least and the greatest number that an index tensor or register holds; None where they are not known."""
        return None

    def iterations(self, register: Register, start: object, stop: object, step: object) -> Iterator[None] | None:
        """The iterations of a device loop, its register set in each; None where its body is run once for all."""
        return None

    def while_rounds(self, condition: Callable[[], Register]) -> Iterator[None] | None:
        """The rounds of a device loop, as long as its condition is not 0; None where its body is run once for all."""
        return None

    def tested(self, register: Register) -> bool | None:
        """True if a bare `while register:` continues; None where that is not known."""
        return None

    def shown(self, tensor: Tensor) -> str:
        """The elements of a tensor, where it has any, for its text."""
        return ""

    def results_of(self, programs: Iterable[Program], body: Callable[[Program], Any]) -> list[Any]:
        """The results of `body` for the programs of a launch, one after the other."""
        # `map` would take a StopIteration of the kernel's for the end of the programs.
        return [body(program) for program in programs]


class ModelExecution(ClaimingExecution, GuessesRounds, Protocol):
    """The interface that the model needs of an execution, symbolic or concrete."""

    #: The hardware generation the kernel is checked for.
    hardware: Hardware

    #: The silicon revision, 0 or 1, where it is asked for; None where nobody says that both are to be examined.
    revision: Callable[[], Extent] | None

    #: Whether the target asks that what is live fits its memory without being spilled.
    no_spills: bool

    #: What the model keeps between two operations.
    model: ModelState

    #: The elements of tensors, as far as they are known.
    @property
    def elements(self) -> Elements: ...

    #: Whether it is informed of operations and allocations.
    records: bool

    #: Whether what is executed is the body of a device loop of no round, which is emitted all the same.
    only_traced: bool

    def operation(self, operation: Operation) -> None:
        """An operation is executed; its contracts have been stated."""

    def allocation(self, storage: Storage) -> None:
        """A storage is allocated."""

    def device_loop(self, body: LoopBody, *, begins: bool) -> None:
        """The body of a device loop begins, or ends."""

    def round_index(self, number: Extent | None) -> Term | None:
        """The iteration of a device loop that begins, of this many; None in an execution on numbers."""

    def run_time_number(self) -> Term | None:
        """A number that is loaded at run time, as a term; None where there is not one, as another iteration or program
        loads another number, or analyses are not kept of it."""

    def floats_matter(self) -> BaseException:
        """The signal to raise where numbers of floats are asked for that are not followed: the run is made again."""

    def one_for_all_programs(
        self, grid: tuple[Extent, ...], kernel: Callable[..., Any]
    ) -> AbstractContextManager[None]:
        """Within the block one program of a launch of `kernel` stands for all: it must leave nothing in Python that
        another one finds."""

    def programs(self, grid: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The coordinates of the programs of a launch, where they are run one by one."""

    def returned(self, *programs: tuple[Tensor, ...], by_parameter: bool = False) -> None:
        """The kernel returned these tensors, in each of the programs that are run; `by_parameter`: its outputs may be
        arguments that it does not return."""

    def traced_once(self, loop: object) -> object:
        """A loop of the legacy API, whose body is traced once, for `loop_range`'s result."""

    def placement(self, given: object) -> object:
        """The allocator that places what is allocated now, where the kernel gives this one."""

    def allocation_id(self) -> object:
        """Identifies the allocation being made: its site, and the indices of the symbolic loops around it."""

    def is_one_allocation(self, identity: object) -> bool:
        """True if the identity surely names one allocation, not those of several iterations of a loop."""


#: The phases whose contracts every execution looks at, whatever else it is made for.
SHAPE_PHASES: frozenset[int] = frozenset({1, 2})


#: The functions of `nkiverify.symbolic.execution`, as the model sees what they return.
execution_in_progress = cast("Callable[[], ModelExecution | None]", execution.execution_in_progress)
current_execution = cast("Callable[[], ModelExecution]", execution.current_execution)
