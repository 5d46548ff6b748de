"""Python's built-in functions for kernels: as Python's, and able to take symbolic values.

Functions are replaced in the `__builtins__` of kernel modules. Types (`int`, `list`, `type`, …) stay what they are, as
kernels subclass them and compare with them; only calls of them are redirected, by `TYPE_CALLS`. `range` and the classes
of iterators are classes of ours, whose objects are those that kernels get.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FunctionType
from typing import Any, NoReturn

from nkiverify.foundation.source import KERNEL_MARKER
from nkiverify.frontend.attributes import sym_delattr, sym_dir, sym_getattr, sym_hasattr, sym_id, sym_setattr
from nkiverify.frontend.iterators import (
    Enumerate,
    Filter,
    Iterating,
    Map,
    OverSequence,
    Reversed,
    Zip,
    over,
    whole_sequence,
)
from nkiverify.frontend.placeholders import refuse_absent
from nkiverify.frontend.ranges import (
    SymRange,
    SymReversed,
    symbolic_sequence,
)
from nkiverify.frontend.refused import define, in_launch, refuse_class
from nkiverify.frontend.symbolic_text import SymText, to_text
from nkiverify.model.current_execution import current_execution, execution_in_progress
from nkiverify.symbolic import conditions, integers, known, terms
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.execution import unsupported
from nkiverify.symbolic.integers import SymInt
from nkiverify.symbolic.lists import SymList, SymTuple
from nkiverify.symbolic.numpy_numbers import apply
from nkiverify.symbolic.rationals import SymRational, as_rational
from nkiverify.symbolic.values import as_term, observe, tell

_MISSING: Any = object()


class _ClassOfRange(type):
    """The class of `Range`, whose objects are those of Python's `range` as well."""

    def __call__(cls, *arguments: Any) -> Any:
        if not 1 <= len(arguments) <= 3:
            return range(*arguments)
        return SymRange.of(0, arguments[0], 1) if len(arguments) == 1 else SymRange.of(*arguments)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, range | SymRange)

    def __subclasscheck__(cls, other: type) -> bool:
        return other is cls or issubclass(other, range | SymRange)


class Range(metaclass=_ClassOfRange):
    """`range`, with symbolic bounds as well."""

    def __init_subclass__(cls) -> None:
        raise TypeError("type 'range' is not an acceptable base type")


Sequence.register(Range)


def sym_len(value: Any) -> Any:
    """`len`, of symbolic lists and ranges as well."""
    if isinstance(value, SymList):
        return value.length()
    sequence = symbolic_sequence(value)
    if sequence is not None:
        return observe(sequence.trip_count(), sys._getframe(1))
    method = getattr(type(value), "__len__", None)
    if isinstance(method, FunctionType) and KERNEL_MARKER in method.__globals__:
        # A class of the kernel's: C code would ask for a concrete number.
        length = method(value)
        if not isinstance(length, SymInt):
            return len(_Measured(length))
        if not known(length >= 0):
            raise unsupported("len() of an object whose length may be negative")
        return length
    return len(value)


class _Measured:
    """Has a length that is known, or is none."""

    def __init__(self, length: Any) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length  # type: ignore[no-any-return]


def _extreme(plain: Callable[..., Any], symbolic: Callable[..., Any]) -> Callable[..., Any]:
    def function(*arguments: Any, **options: Any) -> Any:
        if options:
            return plain(*arguments, **options)
        values = list(arguments[0]) if len(arguments) == 1 else list(arguments)
        if not any(isinstance(value, SymInt) for value in values):
            return plain(values) if len(arguments) == 1 else plain(*values)
        return symbolic(*values)

    function.__name__ = plain.__name__
    return function


def sym_abs(value: Any) -> Any:
    """`abs`."""
    return apply(abs, value)


def sym_sum(values: Iterable[Any], start: Any = 0) -> Any:
    """`sum`."""
    result = start
    for value in values:
        result = tell(apply(operator.add, result, value))
    return result


def sym_any(values: Iterable[Any]) -> bool:
    """`any`."""
    return any(bool(value) for value in values)


def sym_all(values: Iterable[Any]) -> bool:
    """`all`."""
    return all(bool(value) for value in values)


def sym_round(value: Any, digits: Any = None) -> Any:
    """`round`."""
    return round(value) if digits is None else round(value, digits)


def sym_isinstance(value: Any, classes: Any) -> bool:
    """`isinstance`, for which symbolic integers are `int` and the kernel's lists are `list`."""
    if isinstance(value, SymInt | SymList | SymRational | Condition | SymText | SymRange | Iterating | OverSequence):
        stands_for = range if isinstance(value, SymRange) else type_of(value)
        return any(
            isinstance(value, cls)
            if not isinstance(cls, type)
            else issubclass(stands_for, cls) or isinstance(value, cls)
            for cls in _flatten(classes)
        )
    refuse_absent(value)
    return isinstance(value, type if classes is _call_type else classes)


def _flatten(classes: Any) -> Iterator[Any]:
    if isinstance(classes, tuple):
        for part in classes:
            yield from _flatten(part)
    elif hasattr(classes, "__args__") and not isinstance(classes, type):
        yield from classes.__args__
    elif classes is _call_type:
        yield type
    else:
        yield classes


def type_of(value: Any) -> type:
    """`type` of one argument: what the kernel would see on ordinary values."""
    if isinstance(value, SymInt):
        return int
    if isinstance(value, SymList):
        return value._stands_for
    if isinstance(value, SymRational):
        return float
    if isinstance(value, Condition):
        return bool
    if isinstance(value, SymText):
        return str
    refuse_absent(value)
    if isinstance(value, SymRange | range):
        return Range
    if isinstance(value, Iterating | OverSequence):
        return value._stands_for
    kind = type(value)
    # What a kernel knows as `type`.
    return _call_type if value is _call_type or kind in (type, _ClassOfRange) else kind  # type: ignore[return-value]


def _call_type(*arguments: Any, **options: Any) -> Any:
    if len(arguments) == 1 and not options:
        return type_of(arguments[0])
    if len(arguments) == 3 and isinstance(arguments[2], dict):
        # A class belongs to the module whose code makes it.
        module = sys._getframe(1).f_globals.get("__name__")
        arguments = (*arguments[:2], {"__module__": module, **arguments[2]})
    found = type(*arguments, **options)
    if isinstance(found, type) and in_launch():
        refuse_class(found)
    return found


class Reversing:
    """`reversed`, of which lists and ranges give no object."""

    def __new__(cls, values: Any) -> Any:
        return _reversed(values)


def _reversed(values: Any) -> Any:
    if isinstance(values, SymRange):
        return OverSequence(SymReversed(values))
    if isinstance(values, SymList) and values.symbolic:
        sequence = symbolic_sequence(values)
        assert sequence is not None
        return OverSequence(SymReversed(sequence))
    if type(values) is list or isinstance(values, SymList):
        return Reversed(values)
    return Iterating(list(reversed(values)))


def sym_iter(values: Any, sentinel: Any = _MISSING) -> Any:
    """`iter`; of lists and ranges an iterator whose position can be seen and put back."""
    if sentinel is not _MISSING:
        return iter(values, sentinel)
    return over(values)


def sym_next(iterator: Any, default: Any = _MISSING) -> Any:
    """`next`."""
    return next(iterator) if default is _MISSING else next(iterator, default)


def sym_divmod(left: Any, right: Any) -> Any:
    """`divmod`."""
    return tell(apply(divmod, left, right))


def made_list(values: Iterable[Any]) -> Any:
    """The list that kernel code makes of these values: outside a run, where nothing is symbolic, Python's own."""
    return list(values) if execution_in_progress() is None else SymList(values)


def sym_sorted(values: Iterable[Any], *, key: Any = None, reverse: bool = False) -> Any:
    """`sorted`."""
    return made_list(sorted(values, key=key, reverse=reverse))


def sym_pow(base: Any, exponent: Any, modulus: Any = None) -> Any:
    """`pow`."""
    return tell(apply(operator.pow, base, exponent) if modulus is None else pow(base, exponent, modulus))


def sym_repr(value: Any) -> Any:
    """`repr`."""
    return to_text(value, repr)


def sym_methodcaller(name: str, /, *values: Any, **named: Any) -> Callable[[Any], Any]:
    """`operator.methodcaller`."""
    return lambda value: tell(sym_getattr(value, name)(*values, **named))


def sym_print(*values: Any, **options: Any) -> None:
    """`print` says nothing: a run explores many paths, and its output belongs to the verifier. What the kernel's own
    code does as it is asked for a text is done."""
    file = options.get("file")
    if _is_of_kernel(getattr(type(file), "write", None)):
        raise unsupported(f"print() to an object of type {type(file).__name__}", "leave it out")
    for value in values:
        _ask_for_text(value)


def _ask_for_text(value: Any, *, within: bool = False) -> None:
    """Call what classes of the kernel define for the text of `value`, or of what is `within` a container."""
    kind: Any = type(value)
    method = kind.__repr__ if within or kind.__str__ is object.__str__ else kind.__str__
    parts: Iterable[Any] = ()
    if _is_of_kernel(method):
        to_text(value, repr if within else str)
    elif kind in (list, tuple, set):
        parts = value
    elif kind is dict:
        parts = (*value, *value.values())
    elif isinstance(value, SymList) and not value.symbolic:
        parts = tuple(value)
    for part in parts:
        _ask_for_text(part, within=True)


def _is_of_kernel(function: Any) -> bool:
    """True for a function in a file of the kernel; what `dataclass` makes is in none."""
    return (
        isinstance(function, FunctionType)
        and KERNEL_MARKER in function.__globals__
        and (function.__code__.co_filename != "<string>" and not hasattr(function, "__wrapped__"))
    )


# --- calls of types ---------------------------------------------------------------------------------------------------


def _call_int(*arguments: Any, **options: Any) -> Any:
    if len(arguments) == 1 and not options:
        value = arguments[0]
        if isinstance(value, SymInt):
            return value
        if isinstance(value, SymRational):
            return value.__trunc__()
        if isinstance(value, Condition):
            return as_term(value)
    return int(*arguments, **options)


def _call_float(*arguments: Any) -> Any:
    if len(arguments) == 1:
        if isinstance(arguments[0], SymInt) and arguments[0].constant is None:
            quotient = as_rational(arguments[0])
            assert quotient is not None
            return quotient
        if isinstance(arguments[0], SymRational):
            return arguments[0]
    return float(*arguments)


def _call_bool(*arguments: Any) -> Any:
    if len(arguments) == 1:
        if isinstance(arguments[0], Condition):
            return arguments[0]
        if isinstance(arguments[0], SymInt):
            return conditions.negate(conditions.equals_zero(arguments[0]))
    return bool(*arguments)


def _call_list(*arguments: Any) -> Any:
    if len(arguments) == 1:
        value = arguments[0]
        if isinstance(value, SymList):
            return SymList(parts=value.parts)
        sequence = whole_sequence(value)
        return made_list(value) if sequence is None else _list_of_sequence(sequence)
    return SymList(*arguments) if arguments or execution_in_progress() is not None else []


def _call_tuple(*arguments: Any) -> Any:
    if len(arguments) == 1:
        value = arguments[0]
        if isinstance(value, SymTuple):
            return value
        sequence = None if isinstance(value, SymList) else whole_sequence(value)
        value = value if sequence is None else _list_of_sequence(sequence)
        if isinstance(value, SymList) and value.forced_length() is None:
            return SymTuple(parts=value.parts)
    return tuple(*arguments)


def _list_of_sequence(value: Any) -> SymList:
    from nkiverify.symbolic.segments import Segment

    if value.parallel:
        current_execution().drawn()
    count = value.trip_count()
    index = terms.index("element", count, "of a list")
    return SymList(parts=[Segment(count, terms.index_atom(index), value.element(index))])


def _call_str(*arguments: Any, **options: Any) -> Any:
    if len(arguments) == 1 and not options:
        return to_text(arguments[0], str)
    return str(*arguments, **options)


TYPE_CALLS: dict[type, Callable[..., Any]] = {
    int: _call_int,
    float: _call_float,
    bool: _call_bool,
    list: _call_list,
    tuple: _call_tuple,
    str: _call_str,
    type: _call_type,
}


_call_type.__name__ = _call_type.__qualname__ = "type"


def _refuse(name: str) -> Callable[..., NoReturn]:
    def function(*arguments: Any, **options: Any) -> NoReturn:
        raise unsupported(f"{name}() in a kernel")

    function.__name__ = name
    return function


#: What stands for built-in functions in kernel code, by name.
KERNEL_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "range": Range,
    "len": sym_len,
    "min": _extreme(min, integers.minimum),
    "max": _extreme(max, integers.maximum),
    "abs": sym_abs,
    "sum": sym_sum,
    "any": sym_any,
    "all": sym_all,
    "round": sym_round,
    "isinstance": sym_isinstance,
    "hasattr": sym_hasattr,
    "getattr": sym_getattr,
    "setattr": sym_setattr,
    "delattr": sym_delattr,
    "id": sym_id,
    "dir": sym_dir,
    "enumerate": Enumerate,
    "zip": Zip,
    "reversed": Reversing,
    "map": Map,
    "filter": Filter,
    "iter": sym_iter,
    "next": sym_next,
    "divmod": sym_divmod,
    "sorted": sym_sorted,
    "pow": sym_pow,
    "repr": sym_repr,
    "print": sym_print,
    "__build_class__": define,
    **{name: _refuse(name) for name in ("input", "breakpoint")},
}
for _name, _function in KERNEL_FUNCTIONS.items():
    _function.__name__ = _function.__qualname__ = _name
for _kind in (Range, Enumerate, Zip, Reversing, Map, Filter):
    _kind.__module__ = "builtins"

#: Those of them that compute integers within: concrete runs that look at integers have them too.
TELLING = {name: KERNEL_FUNCTIONS[name] for name in ("abs", "sum", "pow", "divmod", "map", "enumerate")}
