"""The run in progress: what stubs and the model talk to. There is one at a time in a process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from nkiverify.errors import UnsupportedConstruct, UsageError

if TYPE_CHECKING:
    from types import FrameType

    from nkiverify.model.contents import Interval
    from nkiverify.model.contracts import Contract
    from nkiverify.model.hardware import Hardware
    from nkiverify.model.operation import Operation
    from nkiverify.model.registers import VirtualRegister
    from nkiverify.model.state import ModelState
    from nkiverify.model.tensor import Storage, Tensor
    from nkiverify.symbolic.conditions import Condition
    from nkiverify.symbolic.integers import Extent
    from nkiverify.symbolic.terms import Term


class Run(Protocol):
    """What the model needs from a run, symbolic or concrete."""

    #: Whether dimensions may be symbolic. A concrete run has ordinary ints and raises at the first broken contract.
    symbolic: bool
    #: The hardware generation the kernel is checked for.
    hardware: Hardware
    #: Whether the target asks that what is live fits its memory without being spilled.
    no_spills: bool
    #: The phases whose contracts count: the others are not looked at.
    phases: frozenset[int]
    #: What the model keeps between two operations.
    model: ModelState

    def require(self, contract: Contract, condition: object, quantities: Mapping[str, object]) -> None:
        """Record a claim, or check it at once."""

    def suffices(self, contract: Contract, condition: object, quantities: Mapping[str, object]) -> None:
        """Record a claim that is enough for the contract; where values are plain, nothing."""

    def assume(self, condition: object) -> None:
        """From here on, `condition` holds on this path."""

    def unsupported(self, construct: str, advice: str = "") -> BaseException:
        """Remember that the run cannot conclude anything, and return the exception to raise."""

    def fresh_index(self, name: str, extent: Extent) -> Extent:
        """An arbitrary element of `range(extent)`: a representative that stands for all of them.

        In a concrete run as well it is a symbolic integer; conditions on it are checked for every value."""

    def loop_range(self, start: Extent, stop: Extent, step: Extent, parallel: bool = False) -> object:
        """What `range(start, stop, step)` is in this run; `parallel`: its iterations have no order."""

    def drawn(self) -> None:
        """Elements of a range whose iterations have no order are taken outside a loop."""

    #: Whether it is told of operations and allocations.
    records: bool

    def operation(self, operation: Operation) -> None:
        """An operation is executed; its contracts have been stated."""

    def allocation(self, storage: Storage) -> None:
        """A storage is allocated."""

    def index_range(self, index: Tensor | VirtualRegister) -> Interval | None:
        """The numbers an index tensor or register holds, where tensors have elements; None where they have not."""

    def register_number(self, register: VirtualRegister) -> int | None:
        """The number a register holds, where registers have one."""

    def iterations(self, register: VirtualRegister, start: object, stop: object, step: object) -> Iterator[None] | None:
        """The iterations of a device loop, its register set in each; None where its body is run once for all."""

    def returned(self, *programs: tuple[Tensor, ...]) -> None:
        """The kernel returned these tensors, in each of the programs that are run."""

    def shown(self, tensor: Tensor) -> str:
        """The elements of a tensor, where it has any, for its text."""

    def allocation_id(self) -> object:
        """Identifies the allocation being made: its site, and the indices of the symbolic loops around it."""

    def is_one_allocation(self, identity: object) -> bool:
        """Whether the identity surely names one allocation, not those of several iterations of a loop."""

    def host_extents(self, extents: Sequence[Extent]) -> None:
        """Kernel code hands these integers to the API, as the shape of a tensor."""

    def lend(self, parts: Sequence[object]) -> None:
        """Kernel code gets copies of these mutable objects: it must not change them."""

    def decide(self, condition: Condition) -> bool:
        """The truth value of `condition` on this path; where both are possible, the run is split."""

    def holds(self, condition: Condition) -> bool:
        """Whether `condition` surely holds on this path; False is "not known"."""

    def forced_value(self, term: Term) -> int | None:
        """The one value the path leaves for `term`, if there is only one."""

    def unroll_for(self, term: Term, use: str) -> BaseException | None:
        """The signal to raise where a loop of known length has to run number by number, for `term` to have a value;
        None where that is no way out."""

    def host_integer(self, value: Term, frame: FrameType) -> None:
        """Kernel code, executing in `frame`, computed `value`."""

    def host_number(self, value: int, frame: FrameType) -> None:
        """Kernel code, executing in `frame`, has a plain integer beyond 32 bits."""

    def host_division(self, divisor: Term, frame: FrameType) -> None:
        """Kernel code, executing in `frame`, divides by `divisor`."""


#: The phases whose contracts every run looks at, whatever else it is made for.
SHAPE_PHASES: frozenset[int] = frozenset({1, 2})

_current: list[Run] = []


def current_run() -> Run:
    """The run in progress; `UsageError` where stubs are called outside one."""
    if not _current:
        raise UsageError("NKI functions of the stub library can be called only while nkiverify runs a kernel")
    return _current[-1]


def run_in_progress() -> Run | None:
    """The run in progress, if there is one."""
    return _current[-1] if _current else None


def unsupported(construct: str, advice: str = "") -> BaseException:
    """The exception to raise where the verifier cannot follow a kernel; the run in progress remembers it."""
    run = run_in_progress()
    return run.unsupported(construct, advice) if run is not None else UnsupportedConstruct(construct, advice)


@contextmanager
def running(run: Run) -> Iterator[None]:
    """Make `run` the run in progress for the duration of the block."""
    _current.append(run)
    try:
        yield
    finally:
        _current.pop()
