"""Loops on the device: dynamic_range, fori_loop, while_loop, and no_reorder (reference section e.1).

Their body is emitted once, so it is run once, with a register that stands for every iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from nkiverify.model.contents import Interval
from nkiverify.model.contracts import require
from nkiverify.model.extents import as_extent, is_one
from nkiverify.model.registers import VirtualRegister
from nkiverify.run import current_run
from nkiverify.symbolic import Extent, known

if TYPE_CHECKING:
    from types import TracebackType

    from nkiverify.model.tensor import Tensor


class LoopBody:
    """One body of a device loop being emitted, `outer` the one around it. What is allocated in it is not used after."""

    __slots__ = ("__weakref__", "outer")

    def __init__(self, outer: LoopBody | None = None) -> None:
        self.outer = outer


#: The bodies and the `no_reorder` blocks being emitted, outermost first.
_bodies: list[LoopBody] = []
_fixed_orders: list[FixedOrder] = []


def innermost_body() -> LoopBody | None:
    """The loop body being emitted, if there is one."""
    return _bodies[-1] if _bodies else None


def claim_in_scope(tensor: Tensor) -> None:
    """Claim that the loop body `tensor` was allocated in, if any, is the one being emitted or around it."""
    body = tensor.storage.body
    if body is not None:
        require("loop.escape", any(body is current for current in _bodies), tensor=tensor.label or "tensor")


class _Emission:
    """A loop body from its start to its end."""

    __slots__ = ("_body",)

    def __init__(self) -> None:
        self._body = LoopBody(innermost_body())

    def __enter__(self) -> None:
        require("loop.dynamic_no_reorder", not _fixed_orders)
        _bodies.append(self._body)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> None:
        """Leave the body and what was left inside it without an end."""
        for position, body in enumerate(_bodies):
            if body is self._body:
                del _bodies[position:]
                return


class FixedOrder:
    """`nl.no_reorder()`: instructions of the block keep their order; no device loop inside."""

    __slots__ = ()

    def __enter__(self) -> None:
        _fixed_orders.append(self)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _fixed_orders.remove(self)


class DynamicRange:
    """`nl.dynamic_range(start, stop, step)`: its one element is the loop's frozen register.

    Where registers have values, that element comes once for each iteration.
    """

    __slots__ = ("_bounds", "_register")

    def __init__(self, register: VirtualRegister, bounds: tuple[object, object, object]) -> None:
        self._register = register
        self._bounds = bounds

    def __iter__(self) -> Iterator[VirtualRegister]:
        iterations = current_run().iterations(self._register, *self._bounds)
        return _DynamicIteration(self._register) if iterations is None else self._executed(iterations)

    def _executed(self, iterations: Iterator[None]) -> Iterator[VirtualRegister]:
        for _ in iterations:
            with _Emission():
                yield self._register


class _DynamicIteration:
    """The emission of a dynamic_range's body. A loop left by `break` or an exception ends it by dropping it."""

    __slots__ = ("_emission", "_register")

    def __init__(self, register: VirtualRegister) -> None:
        self._register = register
        self._emission: _Emission | None = None

    def __iter__(self) -> _DynamicIteration:
        return self

    def __next__(self) -> VirtualRegister:
        if self._emission is None:
            self._emission = _Emission()
            self._emission.__enter__()
            return self._register
        self._emission.end()
        raise StopIteration

    def __del__(self) -> None:
        if self._emission is not None:
            self._emission.end()


def dynamic_range(start: object, stop: object, step: object) -> DynamicRange:
    """The iterations of a hardware loop; with `start` alone, they count from 0 to it."""
    low, high = (0, start) if stop is None else (start, stop)
    return DynamicRange(VirtualRegister.of_loop(_iterations(low, high, step)), (low, high, step))


def fori_loop(lower: object, upper: object, body: Callable[[VirtualRegister], object], step: object) -> None:
    """`body(i)` for every `i` from `lower` to `upper` (excluded)."""
    register = VirtualRegister.of_loop(_iterations(lower, upper, step))
    iterations = current_run().iterations(register, lower, upper, step)
    for _ in (None,) if iterations is None else iterations:
        with _Emission():
            body(register)


def while_loop(init: object, body: Callable[[VirtualRegister], object]) -> None:
    """`body(condition)` as long as the condition register is not 0; it returns the next condition."""
    require("loop.while_loop", isinstance(init, VirtualRegister), init=type(init).__name__)
    if not isinstance(init, VirtualRegister):
        raise TypeError(f"nl.while_loop starts with a register, not {type(init).__name__}")
    register = init if current_run().register_number(init) is not None else VirtualRegister.of_loop(None)
    while current_run().register_number(register) != 0:
        with _Emission():
            result = body(register)
        require("loop.while_loop", isinstance(result, VirtualRegister), result=type(result).__name__)
        if not isinstance(result, VirtualRegister) or current_run().register_number(result) is None:
            break
        register = result


def _iterations(start: object, stop: object, step: object) -> Interval | None:
    """The values of an induction register."""
    increment = as_extent(step) if not isinstance(step, VirtualRegister) else None
    require("loop.dynamic_range", False if increment is None else increment >= 1, step=step)
    low, high = _bound(start), _bound(stop)
    if increment is None or low is None or high is None or not known(increment >= 1):
        return None
    if is_one(increment):
        return Interval(low.low, high.high - 1)
    if low.low is low.high and high.low is high.high:
        return Interval(low.low, low.low + (high.high - 1 - low.low) // increment * increment)
    return Interval(low.low, high.high - 1)


def _bound(value: Any) -> Interval | None:
    """The values a loop bound may have; None where they are not known."""
    if isinstance(value, VirtualRegister):
        intervals = value.contents.intervals()
        return intervals[0] if intervals is not None and len(intervals) == 1 else None
    number: Extent | None = as_extent(value)
    require("loop.dynamic_range", number is not None, bound=type(value).__name__)
    if number is None:
        raise TypeError(f"a loop bound is an integer or a register, not {type(value).__name__}")
    return Interval(number, number)
