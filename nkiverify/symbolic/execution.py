"""The execution of kernel code in progress: what symbolic values ask. There is one at a time in a process."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from nkiverify.foundation.errors import CalledOutsideRun, UnsupportedConstruct
from nkiverify.foundation.source import is_kernel_frame, module_lines

if TYPE_CHECKING:
    from types import FrameType

    from nkiverify.foundation.source import Site
    from nkiverify.symbolic.atoms import Term
    from nkiverify.symbolic.conditions import Condition

#: An `int` or a symbolic integer, `nkiverify.symbolic.Extent`: their class asks the execution, not the other way.
Extent: TypeAlias = Any


class Execution(Protocol):
    """The interface that symbolic values need of the execution of a kernel, symbolic or concrete."""

    #: Whether dimensions may be symbolic. A concrete run has ordinary ints and raises at the first broken contract.
    symbolic: bool
    #: Whether claims are stated, to be decided later; else a broken contract raises, or is noted, at once.
    states_claims: bool
    #: Whether kernel code may reach nothing outside of it: in every run that a verdict rests on.
    isolated: bool

    def assume(self, condition: object) -> None:
        """From here on, `condition` holds on this path."""

    def unsupported(self, construct: str, advice: str = "", at: Site | None = None) -> BaseException:
        """Remember that the run cannot conclude anything, and return the exception to raise."""

    def fresh_index(self, name: str, extent: Extent) -> Extent:
        """An arbitrary element of `range(extent)`: a representative that stands for all of them.

        In a concrete run as well it is a symbolic integer; conditions on it are checked for every value."""

    def loop_range(self, start: Extent, stop: Extent, step: Extent, parallel: bool = False) -> object:
        """The form of `range(start, stop, step)` in this run; `parallel`: its iterations have no order."""

    def drawn(self, *, ordered: bool = False) -> None:
        """Elements of a range whose iterations have no order, or whose body is traced once, are taken out of a loop."""

    def host_extents(self, extents: Sequence[Extent]) -> None:
        """Kernel code hands these integers to the API, as the shape of a tensor."""

    def copied_on_read(self, parts: Sequence[object]) -> None:
        """Kernel code gets copies of these mutable objects: it must not change them."""

    def is_copy(self, value: object) -> bool:
        """True if `value` may stand for an object that is also somewhere else."""

    def is_of_another_iteration(self, identity: object) -> bool:
        """True if the allocation was made in another iteration of a loop that is running than the present one."""

    def decide(self, condition: Condition) -> bool:
        """The truth value of `condition` on this path; where both are possible, the run is split."""

    def holds(self, condition: Condition) -> bool:
        """True if `condition` surely holds on this path; False is "not known"."""

    def entails(self, condition: Condition | bool) -> bool:
        """True if the simplifier sees at once that `condition` holds on this path; False is "not seen"."""

    def forced_value(self, term: Term) -> int | None:
        """The one value the path leaves for `term`, if there is only one."""

    def unroll_for(self, term: Term, use: str) -> BaseException | None:
        """The signal to raise where a loop of known length has to run number by number, for `term` to have a value;
        None where that is no way out."""

    def host_integer(self, value: Term, frame: FrameType) -> None:
        """Kernel code, executing in `frame`, computed `value`."""

    def computed_by_library(self, value: Term) -> None:
        """A library that kernel code called computed `value`, for itself or for the kernel."""

    def handed_back(self, value: Term, frame: FrameType) -> None:
        """Kernel code, executing in `frame`, has `value` from what it called."""

    def host_number(self, value: int, frame: FrameType) -> None:
        """Kernel code, executing in `frame`, has a plain integer beyond 32 bits."""

    def host_division(self, divisor: Term, frame: FrameType) -> None:
        """Kernel code, executing in `frame`, divides by `divisor`."""

    def host_zero_divisor(self, frame: FrameType) -> None:
        """Kernel code, executing in `frame`, divides by zero, and continues with what NumPy makes of that."""


_current: list[Execution] = []


def current_execution() -> Execution:
    """The run in progress; `CalledOutsideRun` where stubs are called outside one."""
    if not _current:
        raise CalledOutsideRun("NKI functions of the stub library can be called only while nkiverify runs a kernel")
    return _current[-1]


def execution_in_progress() -> Execution | None:
    """The run in progress, if there is one."""
    return _current[-1] if _current else None


def unsupported(construct: str, advice: str = "", at: Site | None = None) -> BaseException:
    """The exception to raise where the verifier cannot follow a kernel; the run in progress remembers it. `at` says
    where, if the kernel's code has been left."""
    run = execution_in_progress()
    if run is not None:
        return run.unsupported(construct, advice, at)
    found = UnsupportedConstruct(construct, advice, at)
    raised_outside.append((found, module_lines()))
    return found


def key_of(tensor: object) -> int:
    """The hash of a tensor. A symbolic run may have several objects for one: kernel code that asks is refused."""
    run = execution_in_progress()
    if run is not None and run.symbolic and is_kernel_frame(sys._getframe(2)):
        raise unsupported("a tensor as a key of a dictionary, or in a set", "use a number or a text in its place")
    return id(tensor)


#: The exceptions that were to be raised outside a run, as kernels were imported, with the lines of the modules that
#: were being executed.
raised_outside: list[tuple[UnsupportedConstruct, list[tuple[str, int]]]] = []


class _NoTruthValue:
    """The text of a filter of warnings that refuses what Python only warns of: the truth value of NotImplemented. It
    would be true, also where a slot of C gives it because it does not know a symbolic value."""

    def match(self, text: str) -> None:
        """Refuse the kernel, if `text` warns of that."""
        if _current and text.startswith("NotImplemented should not be used in a boolean context"):
            raise unsupported("the truth value of NotImplemented")


_FILTER: Any = ("ignore", _NoTruthValue(), DeprecationWarning, None, 0)


@contextmanager
def running(run: Execution) -> Iterator[None]:
    """Make `run` the run in progress for the duration of the block."""
    with warnings.catch_warnings():
        warnings.filters.insert(0, _FILTER)  # type: ignore[attr-defined]
        _current.append(run)
        try:
            yield
        finally:
            _current.pop()
