"""The execution of kernel code in progress, as stubs and the model see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, cast

from nkiverify.model.contracts import ClaimingExecution
from nkiverify.model.elements import Elements
from nkiverify.model.hardware import Hardware
from nkiverify.model.operation import Operation
from nkiverify.model.state import ModelState
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import Extent, execution


class ModelExecution(ClaimingExecution, Protocol):
    """The interface that the model needs of an execution, symbolic or concrete."""

    #: The hardware generation the kernel is checked for.
    hardware: Hardware

    #: The silicon revision, 0 or 1, where it is asked for; None where nobody says that both are to be looked at.
    revision: Callable[[], Extent] | None

    #: Whether the target asks that what is live fits its memory without being spilled.
    no_spills: bool

    #: What the model keeps between two operations.
    model: ModelState

    #: The elements of tensors, as far as they are known.
    @property
    def elements(self) -> Elements: ...

    #: Whether it is told of operations and allocations.
    records: bool

    def operation(self, operation: Operation) -> None:
        """An operation is executed; its contracts have been stated."""

    def allocation(self, storage: Storage) -> None:
        """A storage is allocated."""

    def floats_matter(self) -> BaseException:
        """The signal to raise where numbers of floats are asked for that are not followed: the run is made again."""

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
