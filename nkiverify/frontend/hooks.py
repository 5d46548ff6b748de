"""The functions that rewritten kernel code calls: the object it knows as `__nki__`."""

from __future__ import annotations

import builtins
import functools
import itertools
import operator
import sys
import types
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.source import frame_site
from nkiverify.frontend.attributes import COPIED, assigner, read, storing, sym_getattr
from nkiverify.frontend.builtins import KERNEL_FUNCTIONS, TYPE_CALLS, made_list, sym_iter, sym_methodcaller, type_of
from nkiverify.frontend.concrete import ConcreteExecution, Order
from nkiverify.frontend.executed_text import TEXT_FUNCTIONS
from nkiverify.frontend.explorer import SymbolicExecution
from nkiverify.frontend.host_integers import binary, called, computed, method, stated, unary
from nkiverify.frontend.iterators import OverSequence, whole_sequence
from nkiverify.frontend.paths import PathEnded, RunAgain
from nkiverify.frontend.ranges import SymEnumerate, SymRange, SymReversed, SymZip, joined_to, symbolic_sequence
from nkiverify.frontend.refused import reading
from nkiverify.frontend.seen import shown
from nkiverify.frontend.source_names import LoopNames
from nkiverify.frontend.symbolic_text import joined as text
from nkiverify.frontend.symbolic_text import made_text
from nkiverify.model.contracts import contract, require
from nkiverify.model.current_execution import execution_in_progress
from nkiverify.model.indices import Mask
from nkiverify.model.launch import current_launch
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.execution import unsupported
from nkiverify.symbolic.integers import SymInt, extreme_kept
from nkiverify.symbolic.lists import SymList

if TYPE_CHECKING:
    from nkiverify.frontend.branches import Arms
    from nkiverify.frontend.drawn_loops import DrawnLoop
    from nkiverify.frontend.loops import PlainLoop, PlainWhile
    from nkiverify.frontend.summaries import SummarisedLoop


BaseException = builtins.BaseException


#: What Python's `range` gives, to numbers and to dimensions.
_RANGES = (range, SymRange)
#: What a loop may run over more than once.
_SEQUENCES = (range, builtins.list, tuple, SymRange, SymReversed, SymEnumerate, SymZip, SymList)
#: What reading a list made in a loop copies.
_COPIED = (SymList, dict, *COPIED)
#: What built-in classes have for `__setattr__`, and their objects.
_SLOTS = (types.WrapperDescriptorType, types.MethodWrapperType)

#: What assigns and reads the attributes of objects, unless their class has a method of its own for it.
_OF_OBJECTS: tuple[Any, Any] = (object.__setattr__, object.__getattribute__)


def _symbolic_run() -> SymbolicExecution | None:
    run = execution_in_progress()
    return run if isinstance(run, SymbolicExecution) else None


def loop(
    iterable: Any,
    bound: tuple[str, ...],
    temporaries: tuple[str, ...],
    live: tuple[str, ...],
    grown: tuple[str, ...],
    name: str,
    summarise: bool,
    drawn: bool,
) -> PlainLoop | SummarisedLoop | DrawnLoop:
    """A `for` statement is about to run."""
    from nkiverify.frontend.loops import PlainLoop, loop_over

    run = _symbolic_run()
    if run is None:
        return PlainLoop(iterable)
    run.check_alive()
    frame = sys._getframe(1)
    names = LoopNames(bound, temporaries, live, grown, summarise, drawn)
    return loop_over(iterable, run, frame_site(frame), frame, names, name)


class _Product:
    """The sequences of the loops that a loop over `itertools.product` is."""

    def __init__(self, factors: tuple[Any, ...]) -> None:
        self._factors = factors

    def level(self, *parts: Any) -> Any:
        """The sequence of the loop within loops that are at `parts`; the innermost one runs over tuples of all."""
        source = self._factors[len(parts)]
        return source if len(parts) + 1 < len(self._factors) else joined_to(parts, source)


class _Whole:
    """The sequences of these loops where something else is called: the innermost one runs over its result."""

    def __init__(self, result: Any, levels: int) -> None:
        self._result = result
        self._levels = levels

    def level(self, *parts: Any) -> Any:
        """The result for the innermost loop."""
        return self._result if len(parts) + 1 == self._levels else (None,)


def product_of(function: Any, *factors: Any) -> _Product | _Whole:
    """A `for` statement is about to run over what `function` gives for `factors`, if nothing is moved on by asking for
    the elements of one again."""
    if function is itertools.product:
        pools = tuple(map(_read_now, factors))
        if all(isinstance(one, _SEQUENCES) and _ordered(one) for one in pools):
            return _Product(pools)
    return _Whole(function(*factors), len(factors))


def _read_now(factor: Any) -> Any:
    """The values that `product` reads when it is called: it sees no later changes of a list, and leaves nothing of an
    iterator."""
    if isinstance(factor, SymList):
        return SymList(parts=factor.parts)
    if type(factor) is builtins.list:
        return builtins.list(factor)
    return whole_sequence(factor) or factor if isinstance(factor, OverSequence) else factor


def _ordered(iterable: Any) -> bool:
    """True unless elements of a loop without an order would be drawn from it by something else than that loop."""
    sequence = symbolic_sequence(iterable)
    return sequence is None or not sequence.parallel


def chain_of(function: Any, *parts: Any) -> Any:
    """A `for` statement is about to run over what `function` gives for `parts`: what it runs over one after the
    other."""
    found: Any = parts if function is itertools.chain else ()
    if function == itertools.chain.from_iterable and symbolic_sequence(parts[0]) is None:
        found = parts[0] if isinstance(parts[0], _SEQUENCES) else ()
    return found if found and all(map(_ordered, found)) else (function(*parts),)


def arms(test: Any, names: tuple[str, ...], grown: tuple[str, ...]) -> Arms:
    """An `if` statement is about to run."""
    from nkiverify.frontend.branches import Arms

    run = _symbolic_run()
    if run is None or not run.merges or not isinstance(test, Condition | Term):
        return Arms.plain(bool(test))
    run.check_alive()
    frame = sys._getframe(1)
    return Arms.of(test, run, frame_site(frame), frame, names, grown)


def ranged(iterable: Any) -> Any:
    """The object that a `for` statement is about to run over; Python's range counts as one that is traced once where
    the kernel is of the legacy API ("leg.range_body_once")."""
    run = execution_in_progress()
    if type(iterable) not in _RANGES or run is None or not current_launch().legacy:
        return iterable
    return run.traced_once(iterable)


def begun(iterable: Any) -> Any:
    """The object that a `for` statement of a concrete run is about to run over."""
    run = execution_in_progress()
    if not isinstance(run, ConcreteExecution) or type(run.order) is Order:
        return iterable
    return run.order.iterated(iterable, frame_site(sys._getframe(1)))


def while_loop(
    bound: tuple[str, ...],
    temporaries: tuple[str, ...],
    live: tuple[str, ...],
    grown: tuple[str, ...],
    summarise: bool,
    drawn: bool,
    computed: tuple[str, ...],
    steps: tuple[int, ...],
) -> PlainWhile:
    """A `while` statement is about to run. If all it computes is numbers, these are `computed`, and made smaller by
    multiples of `steps`."""
    from nkiverify.frontend.loops import PlainWhile

    run = _symbolic_run()
    if run is None:
        return PlainWhile()
    # As late as this: few kernels have one.
    from nkiverify.frontend.while_loops import while_over

    names = LoopNames(bound, temporaries, live, grown, summarise, drawn)
    return while_over(run, sys._getframe(1), names, dict(zip(computed, steps, strict=True)))


def list(values: tuple[Any, ...]) -> Any:
    """A list display."""
    return made_list(values)


slice = builtins.slice


@dataclass(slots=True)
class _Comprehension:
    """A list comprehension being evaluated."""

    simple: bool
    #: The frame it is evaluated in, which lives as long as that takes.
    frame: int
    driver: SummarisedLoop | None = None


#: Those being evaluated, innermost last. One that an exception ended is left behind, with those inside it.
_comprehensions: builtins.list[_Comprehension] = []


def start(simple: bool) -> _Comprehension:
    """A list comprehension is about to be evaluated; `simple`: one `for`, no `if`."""
    started = _Comprehension(simple, id(sys._getframe(1)))
    _comprehensions.append(started)
    return started


def items(iterable: Any) -> Any:
    """The first iterable of a list comprehension."""
    from nkiverify.frontend.drawn_loops import DrawnLoop
    from nkiverify.frontend.loops import loop_over
    from nkiverify.frontend.summaries import SummarisedLoop

    frame = sys._getframe(1)
    while _comprehensions[-1].frame != id(frame):
        # It was left behind in a function that this one has called for its first iterable.
        _comprehensions.pop()
    current = _comprehensions[-1]
    run = _symbolic_run()
    if run is None:
        return iterable
    driver = loop_over(iterable, run, frame_site(frame), frame, LoopNames(summarise=current.simple), "element")
    if isinstance(driver, SummarisedLoop):
        current.driver = driver
    if isinstance(driver, DrawnLoop):
        # What is collected grows in a list that no loop sees.
        driver.summarise = False
    return driver


def elements(iterable: Any) -> Any:
    """Any other iterable of a comprehension: run iteration by iteration."""
    from nkiverify.frontend.loops import ConstantLoop, UnrolledLoop

    run = _symbolic_run()
    if run is None:
        return iterable
    sequence = whole_sequence(iterable)
    if sequence is None:
        return sym_iter(iterable)
    length = run.forced_value(sequence.trip_count())
    if length is not None:
        return ConstantLoop(sequence, length, run, drawn=True)
    return UnrolledLoop(sequence, run, frame_site(sys._getframe(1)), drawn=True)


def finish(started: _Comprehension, values: builtins.list[Any]) -> Any:
    """A list comprehension has been evaluated to `values`."""
    while _comprehensions and _comprehensions.pop() is not started:
        pass
    driver = started.driver
    return made_list(values) if driver is None else driver.collected(values)


def check(condition: Any, message: Callable[[], Any] | None = None) -> None:
    """An `assert`, with its message if it has one."""
    run = _symbolic_run()
    if run is None:
        if not condition:
            raise AssertionError(*(() if message is None else (message(),)))
        return
    run.check_alive()
    if run.try_depth > 0 or not isinstance(condition, Condition):
        if not condition:
            excluded = run.excluded_by_assert()
            if excluded is not None:
                raise excluded
            raise AssertionError(*(() if message is None else (message(),)))
        run.claim(contract("kernel.assert"), True, 1, frame_site(sys._getframe(1)))
        return
    run.kernel_assert(condition, frame_site(sys._getframe(1)))


def same(left: Any, right: Any) -> bool:
    """`left is right`."""
    for one, two in ((left, right), (right, left)):
        if isinstance(one, Condition) and isinstance(two, bool):
            return bool(one) is two
        if isinstance(one, SymInt) and isinstance(two, int | SymInt) and not isinstance(two, bool):
            return _same_integer(one, two)
    run = _symbolic_run()
    if run is None or left is right or type(left) is not type(right):
        return left is right
    if isinstance(left, _COPIED) or run.is_copy(left) or run.is_copy(right):
        # Reading an element of a list made in a loop gives a copy each time.
        raise unsupported(f"`is` between two values of type {type(left).__name__}", "compare them with ==")
    return False


def chained() -> bool:
    """An `is` in a chain of comparisons, some of whose parts are computed for two of them."""
    if _symbolic_run() is not None:
        raise unsupported("`is` in a chain of comparisons", "write one comparison after the other, with `and`")
    return True


#: The left sides of conjunctions whose right sides are being computed, the innermost last, each with what identifies
#: the frame that computes it.
_left_sides: builtins.list[tuple[int, Any]] = []


def is_mask(value: object) -> bool:
    """True if a value that something is joined to by `and` is a mask of the legacy API; `conjunction` takes it then,
    else `no_mask`."""
    _left_sides.append((id(sys._getframe(1)), value))
    return isinstance(value, Mask)


def conjunction(right: object) -> Any:
    """The mask that is written as `left and right` ("leg.mask_and")."""
    require("leg.mask_and", False)
    return _left_side(sys._getframe(1)) & right


def no_mask() -> Any:
    """The left side of a conjunction that is none of masks."""
    return _left_side(sys._getframe(1))


def _left_side(frame: types.FrameType) -> Any:
    """The left side that a frame was the last to compute. Those of other frames that are found before it are of
    conjunctions whose right side has raised an exception."""
    while True:
        owner, value = _left_sides.pop()
        if owner == id(frame):
            return value


def _same_integer(one: SymInt, two: int | SymInt) -> bool:
    """`one is two`, for which Python answers by the value only where it keeps one object for it: -5 to 256."""
    if not bool(one == two):
        return False
    if bool(one >= -5) and bool(one <= 256):
        return True
    raise unsupported("`is` between two equal integers", "compare them with ==")


def replaced(function: Any) -> Any:
    """`function` of a library as kernel code is to see it."""
    try:
        known = _REPLACED.get(function)
    except TypeError:
        return function
    if known is not None:
        return known
    if any(function is one for one in TEXT_FUNCTIONS):
        return sys._getframe(1).f_builtins.get(function.__name__, function)
    if isinstance(function, _SLOTS) and function.__name__ in ("__setattr__", "__delattr__"):
        return assigner(function)
    return function


def _not_same(left: Any, right: Any) -> bool:
    return not same(left, right)


def _attrgetter(*names: str) -> Callable[[Any], Any]:
    """`operator.attrgetter`."""

    def get(value: Any) -> Any:
        found = tuple(functools.reduce(sym_getattr, name.split("."), value) for name in names)
        return found[0] if len(found) == 1 else found

    return get


_REPLACED: dict[Any, Any] = {
    operator.attrgetter: _attrgetter,
    operator.methodcaller: sym_methodcaller,
    operator.is_: same,
    operator.is_not: _not_same,
    type: TYPE_CALLS[type],
    **{
        function: KERNEL_FUNCTIONS[function.__name__]
        for function in (
            *(isinstance, id, dir, getattr, hasattr, setattr, delattr),
            *(range, enumerate, zip, map, filter, reversed),
        )
    },
}


def trying() -> AbstractContextManager[None]:
    """The body of a `try` statement that has handlers."""
    run = _symbolic_run()
    return nullcontext() if run is None else run.trying()


def handling() -> None:
    """A handler of the kernel begins: signals and exceptions of ours are not for it."""
    error = sys.exc_info()[1]
    run = execution_in_progress()
    if error is None or not isinstance(run, SymbolicExecution | ConcreteExecution) or not run.states_claims:
        return
    if isinstance(error, UnsupportedConstruct | PathEnded | RunAgain):
        raise error
    run.passes(error)


def passing() -> None:
    """The `finally` part of a `try` statement begins, perhaps with an exception in flight."""
    run = _symbolic_run()
    error = sys.exc_info()[1]
    if run is not None and isinstance(error, Exception):
        run.passes(error)


@dataclass(frozen=True, slots=True)
class _Kept:
    """The test of a statement `if x > place: place = x`, and the value that it assigns."""

    test: Any
    value: Any


def extreme(test: Any, value: Any, greatest: bool, place: Any, attribute: str | None = None) -> _Kept:
    """The effect of a statement `if value > place: place = value`, or of one with `<`, given its `test`: of integers of
    which the greater one is not known it assigns the maximum, and the run is not split.

    `place` is what the name has, or the object whose `attribute` is meant.
    """
    if not isinstance(test, Condition) or type(value) not in (int, SymInt) or _symbolic_run() is None:
        return _Kept(test, value)
    if attribute is not None:
        kind = type(place)
        own = zip((kind.__setattr__, kind.__getattribute__), _OF_OBJECTS, strict=True)
        if any(one is not two for one, two in own) or hasattr(kind, attribute):
            return _Kept(test, value)
        if attribute not in getattr(place, "__dict__", ()):
            return _Kept(test, value)
        place = place.__dict__[attribute]
    if type(place) not in (int, SymInt):
        return _Kept(test, value)
    return _Kept(True, extreme_kept(place, value, greatest))


def class_of(value: Any) -> type:
    """`value.__class__`."""
    return type_of(value)


def type_call(function: Any) -> Any:
    """The function for where the kernel calls the built-in type `function`."""
    try:
        return TYPE_CALLS.get(function, function)
    except TypeError:
        return function


def formatting(method: Any) -> Any:
    """The function for where the kernel calls a method `format` or `format_map`: that of text makes text."""
    if isinstance(getattr(method, "__self__", None), str) and _symbolic_run() is not None:
        return lambda *values, **named: made_text(lambda: method(*values, **named))
    return method


__all__ = [
    "BaseException",
    "binary",
    "called",
    "chain_of",
    "chained",
    "check",
    "class_of",
    "computed",
    "conjunction",
    "elements",
    "extreme",
    "finish",
    "formatting",
    "handling",
    "is_mask",
    "items",
    "list",
    "loop",
    "method",
    "no_mask",
    "passing",
    "product_of",
    "read",
    "reading",
    "replaced",
    "same",
    "shown",
    "slice",
    "start",
    "stated",
    "storing",
    "text",
    "trying",
    "type_call",
    "unary",
    "while_loop",
]
