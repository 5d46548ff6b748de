"""Loops on the device: dynamic_range, fori_loop, while_loop, and no_reorder (reference section e.1).

Their body is emitted once, so it is run once, with a register that stands for every iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.source import begins_statement
from nkiverify.model.contracts import require
from nkiverify.model.current_execution import current_execution
from nkiverify.model.emission import Emission, innermost_body, while_rounds
from nkiverify.model.extents import as_extent, is_one, same
from nkiverify.model.known_numbers import UNKNOWN, Interval, NumberOrigin, Value, unknown
from nkiverify.model.register_contents import VirtualRegister, held_by, set_register
from nkiverify.model.state import ANY_ROUNDS, Rounds
from nkiverify.symbolic import constant_value, known, maximum, minimum
from nkiverify.symbolic.execution import unsupported
from nkiverify.symbolic.terms import add, multiply
from nkiverify.symbolic.values import as_term

if TYPE_CHECKING:
    from types import TracebackType


class FixedOrder:
    """`nl.no_reorder()`: instructions of the block keep their order; no device loop inside."""

    __slots__ = ()

    def __enter__(self) -> None:
        current_execution().model.fixed_orders += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        current_execution().model.fixed_orders -= 1


class DynamicRange:
    """`nl.dynamic_range(start, stop, step)`: its one element is the loop's frozen register.

    Where registers have values, that element comes once for each iteration.
    """

    __slots__ = ("_bounds", "_register")

    def __init__(self, register: VirtualRegister, bounds: tuple[object, object, object]) -> None:
        self._register = register
        self._bounds = bounds

    def __iter__(self) -> Iterator[VirtualRegister]:
        iterations = current_execution().elements.iterations(self._register, *self._bounds)
        if iterations is not None:
            if not begins_statement():
                raise unsupported("a device loop whose rounds are not those of a `for` statement")
            return self._executed(iterations)
        # The registers among the bounds count when the loop begins.
        return _DynamicIteration(self._register, _begin(self._register, *self._bounds))

    def _executed(self, iterations: Iterator[None]) -> Iterator[VirtualRegister]:
        for _ in iterations:
            with Emission(once=False):
                yield self._register


class _DynamicIteration:
    """The emission of a dynamic_range's body. A loop left by `break` or an exception ends it by dropping it."""

    __slots__ = ("_emission", "_register", "_rounds")

    def __init__(self, register: VirtualRegister, rounds: Rounds) -> None:
        self._register = register
        self._rounds = rounds
        self._emission: Emission | None = None

    def __iter__(self) -> _DynamicIteration:
        return self

    def __next__(self) -> VirtualRegister:
        if self._emission is None:
            self._emission = Emission(rounds=self._rounds)
            self._emission.__enter__()
            return self._register
        self._emission.end()
        self._emission = None
        raise StopIteration

    def __del__(self) -> None:
        if self._emission is not None:
            # What cannot be concluded the run remembers: there is nobody here to be informed.
            with suppress(UnsupportedConstruct):
                self._emission.end(left=True)


def dynamic_range(start: object, stop: object, step: object) -> DynamicRange:
    """The iterations of a hardware loop; with `start` alone, they count from 0 to it."""
    low, high = (0, start) if stop is None else (start, stop)
    require("loop.dynamic_nested", innermost_body() is None)
    return DynamicRange(_loop_register(VirtualRegister(frozen=True), low, high, step), (low, high, step))


def fori_loop(lower: object, upper: object, body: Callable[[VirtualRegister], object], step: object) -> None:
    """`body(i)` for every `i` from `lower` to `upper` (excluded)."""
    register = _loop_register(VirtualRegister(keeps=True), lower, upper, step)
    iterations = current_execution().elements.iterations(register, lower, upper, step)
    begun = ANY_ROUNDS if iterations is not None else _begin(register, lower, upper, step)
    for _ in (None,) if iterations is None else iterations:
        with Emission(once=iterations is None, rounds=begun):
            body(register)


def while_loop(init: object, body: Callable[[VirtualRegister], object]) -> None:
    """`body(condition)` as long as the condition register is not 0; it returns the next condition, for which it may
    write that register."""
    require("loop.while_loop", isinstance(init, VirtualRegister), init=type(init).__name__)
    if not isinstance(init, VirtualRegister):
        raise TypeError(f"nl.while_loop starts with a register, not {type(init).__name__}")
    register = init
    rounds = current_execution().elements.while_rounds(lambda: register)
    begun = while_rounds(held_by(init)) if rounds is None else ANY_ROUNDS
    if rounds is None:
        register = VirtualRegister.holding(None)
        # It may be the first one, as where numbers are known.
        register.frozen = init.frozen
    for _ in (None,) if rounds is None else rounds:
        with Emission(once=rounds is None, rounds=begun):
            result = body(register)
        require("loop.while_loop", isinstance(result, VirtualRegister), result=type(result).__name__)
        if not isinstance(result, VirtualRegister):
            break
        register = result
    if rounds is None:
        # Whether the register that the body gets is the first one, which it may write, is not documented.
        set_register(init, UNKNOWN)


def _loop_register(register: VirtualRegister, start: object, stop: object, step: object) -> VirtualRegister:
    """`register` as that which counts the iterations of a device loop, whose bounds are claimed to be what they may
    be."""
    increment = as_extent(step) if not isinstance(step, VirtualRegister) else None
    require("loop.dynamic_range", False if increment is None else increment >= 1, step=step)
    for bound in (start, stop):
        if not isinstance(bound, VirtualRegister):
            legal = as_extent(bound) is not None
            require("loop.dynamic_range", legal, bound=type(bound).__name__)
            if not legal:
                raise TypeError(f"a loop bound is an integer or a register, not {type(bound).__name__}")
    set_register(register, _induction(start, stop, step))
    return register


def _begin(register: VirtualRegister, start: object, stop: object, step: object) -> Rounds:
    """A loop whose body is run once for all its iterations begins: they are counted, and so is its register."""
    run = current_execution()
    first, end = _bound(start), _bound(stop)
    by = as_extent(step) if not isinstance(step, VirtualRegister) else None
    value = _induction(start, stop, step)
    low, high, increment = _number_of(first), _number_of(end), as_term(by)
    number: Any = None
    if low is not None and high is not None and increment is not None and by is not None and known(by >= 1):
        number = maximum(0, -((low - high) // increment))
    index = run.round_index(number)
    if index is not None and low is not None and increment is not None:
        value = replace(value, term=add(low, multiply(increment, index)))
    set_register(register, value)
    most: Any = None
    if first.known and end.known and by is not None and known(by >= 1):
        distance = minimum(*(each.low for each in first.known)) - maximum(*(each.high for each in end.known))
        most = maximum(0, -(distance // by))
    loaded = tuple((bound.number, bound) for bound in (first, end) if bound.number is not None)
    counted = Rounds(index, as_term(number), loaded, register=register, most=most, bound=value)
    starts = _ends_of(first)
    if len(starts) != 1 or starts[0][0] != starts[0][1] or not isinstance(by, int):
        return counted
    begin = starts[0][0]
    if end.known is None or end.undeclared:
        # Computed from data: that nobody ever enters the loop, or goes round twice at least, is not what is written.
        return replace(counted, can_be_one=True, from_data=True, first=begin)
    stops = _ends_of(end)
    none, once = (any(low <= begin for low, _ in stops), any(low <= begin + by and high > begin for low, high in stops))
    return replace(counted, can_be_none=none, can_be_one=once, first=begin)


def _number_of(value: Value) -> Any:
    """The one number of a bound, as a term; None where it may be several."""
    if value.number is not None:
        return value.number
    only = value.known if value.known is not None and len(value.known) == 1 else ()
    return next((as_term(each.low) for each in only if same(each.low, each.high)), None)


def _ends_of(value: Value) -> list[tuple[int, int]]:
    """The ends of the intervals of a value that surely has all these numbers; none where that is not known."""
    ends = [(constant_value(each.low), constant_value(each.high)) for each in value.known or ()]
    known = [(low, high) for low, high in ends if low is not None and high is not None]
    return known if value.exact and not value.assumptions and len(known) == len(ends) else []


def _induction(start: object, stop: object, step: object) -> Value:
    """The values of an induction register; exact as far as the bounds are."""
    increment = as_extent(step) if not isinstance(step, VirtualRegister) else None
    first, end = _bound(start), _bound(stop)
    if increment is None or not known(increment >= 1) or not first.known or not end.known:
        return unknown(first, end)
    low, last = minimum(*(each.low for each in first.known)), maximum(*(each.high for each in end.known)) - 1
    one = len(first.known) == len(end.known) == 1
    if one and not is_one(increment) and all(same(each.low, each.high) for each in (*first.known, *end.known)):
        last = low + (last - low) // increment * increment
    return Value(
        (Interval(low, last),),
        one and first.exact and end.exact,
        assumptions=first.assumptions | end.assumptions,
        undeclared=first.undeclared | end.undeclared,
        origin=NumberOrigin.COUNTED if first.origin is end.origin is NumberOrigin.COPIED else NumberOrigin.COMPUTED,
    )


def _bound(value: Any) -> Value:
    """The values that a bound of a loop may have."""
    if isinstance(value, VirtualRegister):
        return held_by(value) or UNKNOWN
    number = as_extent(value)
    return UNKNOWN if number is None else Value.between(number, number)
