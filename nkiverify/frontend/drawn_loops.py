"""`for` statements that run over a generator of the kernel.

    for off, size in tiles(N, T):        def tiles(n, t):
        …                                    while off < n:
                                                 yield off, min(t, n - off)
                                                 off += t

The body of such a statement is a part of the body of the loop that yields: where that loop is summarised
(`nkiverify.frontend.summaries`), local names of the function that runs over the generator get their values from it, as
those of the generator do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FrameType, GeneratorType
from typing import TYPE_CHECKING, Any, Protocol

from nkiverify.foundation.source import GENERATORS, is_kernel_frame
from nkiverify.frontend.iterators import Enumerate
from nkiverify.frontend.source_names import LoopNames

if TYPE_CHECKING:
    from nkiverify.frontend.explorer import SymbolicExecution


class Summary(Protocol):
    """A loop that is being summarised, as a loop whose body is a part of its body sees it."""

    def leave(self) -> None:
        """The loop is left by `break` or `return`."""

    def absorb(self, error: BaseException) -> bool:
        """True if the exception that ended the body ends only a path through it."""


class DrawnLoop:
    """A `for` statement over a generator, in a symbolic run."""

    def __init__(
        self,
        iterator: Iterator[Any],
        run: SymbolicExecution,
        frame: FrameType,
        names: LoopNames,
    ) -> None:
        self.iterator = iterator
        self.frame = frame
        self.names = names
        #: Whether the body may be run once for all iterations.
        self.summarise = names.summarise
        #: The loop that is being summarised, of whose body this one is a part.
        self.summary: Summary | None = None
        #: Whether the next element is being asked for; not where the body itself asks for one.
        self.asking = False
        self._run = run
        #: The values that names are to have when the body is run next, or the loop is over.
        self._pending: Mapping[str, Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        run = self._run
        run.drawn_loops.append(self)
        try:
            self.asking = True
            for value in self.iterator:
                self.asking = False
                yield value
                self._pending = None
                self.asking = True
        except Exception:
            if self._pending is not None:
                raise run.unsupported("a generator that raises an exception after a loop in it") from None
            raise
        finally:
            if self in run.drawn_loops:
                run.drawn_loops.remove(self)

    def draws(self, frame: FrameType) -> bool:
        """True if this loop runs over the generator that is executed in `frame`."""
        source = self.iterator
        while isinstance(source, Enumerate):
            source = source.source
        return isinstance(source, GeneratorType) and source.gi_frame is frame

    def values(self) -> Mapping[str, Any]:
        """The values that the names have now."""
        if self._pending is not None:
            return self._pending
        local = self.frame.f_locals
        return {name: local[name] for name in self.names.bound if name in local}

    def put(self, values: Mapping[str, Any]) -> None:
        """Give the names these values when the body is run next, and no others any."""
        self._pending = values

    # --- what the rewritten statement calls ---------------------------------------------------------------------------

    @property
    def restoring(self) -> bool:
        """True where local names are to be bound as `get` says."""
        return self._pending is not None

    def has(self, name: str) -> bool:
        """True if the local `name` is to be bound now."""
        return self._pending is not None and name in self._pending

    def get(self, name: str) -> object:
        """The value the local `name` is to have now."""
        return None if self._pending is None else self._pending.get(name)

    def leave(self) -> None:
        """The loop is left by `break` or `return`."""
        if self.summary is not None:
            self.summary.leave()
        # A generator that nobody else has is closed as the statement ends.
        self.iterator = iter(())

    def absorb(self, error: BaseException) -> bool:
        """True if the exception that ended the body ends only a path."""
        return self.summary is not None and self.summary.absorb(error)


def drawn_from(iterator: object) -> bool:
    """True if a `for` statement over `iterator` runs over a generator of the kernel's, whose beginning is ahead."""
    while isinstance(iterator, Enumerate):
        iterator = iterator.source
    return isinstance(iterator, GeneratorType) and iterator.gi_frame is not None and is_kernel_frame(iterator.gi_frame)


def consumers_of(run: SymbolicExecution, frame: FrameType) -> tuple[DrawnLoop, ...] | None:
    """The loops of whose iterations those of a loop in `frame` are parts, innermost first; None where one of them
    cannot be summarised, or a generator is run over otherwise."""
    found: list[DrawnLoop] = []
    while frame.f_code.co_flags & GENERATORS:
        running = (one for one in reversed(run.drawn_loops) if isinstance(one, DrawnLoop))
        driver = next((one for one in running if one.draws(frame)), None)
        if driver is not None:
            if not (driver.summarise and driver.asking):
                return None
            found.append(driver)
            frame = driver.frame
        elif frame.f_back is not None and is_kernel_frame(frame.f_back) and frame.f_back.f_code.co_flags & GENERATORS:
            # By `yield from`.
            frame = frame.f_back
        else:
            return None
    return tuple(found)
