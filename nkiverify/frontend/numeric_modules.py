"""`math`, `numpy`, `operator` and `itertools` as kernels see them where their integers are looked at.

A few functions take symbolic numbers, and those that compute integers tell the run of each, of partial results as well:
also where C code calls them, as in `functools.reduce(operator.mul, sizes)`. Everything else is the module's own. What
its C code cannot take, the symbolic number itself refuses.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from numbers import Integral
from types import ModuleType
from typing import Any

import numpy as np

from nkiverify.frontend.builtins import sym_iter
from nkiverify.frontend.host_integers import divisor
from nkiverify.symbolic import SymInt, SymRational, maximum, minimum
from nkiverify.symbolic.lists import SymList
from nkiverify.symbolic.rationals import as_rational
from nkiverify.symbolic.reals import logarithm, power, root
from nkiverify.symbolic.values import tell


class _Substitute(ModuleType):
    """A module with some of its functions replaced."""

    def __init__(self, module: ModuleType, functions: dict[str, Any]) -> None:
        super().__init__(module.__name__, module.__doc__)
        self.__dict__.update(functions)
        self.__dict__["__all__"] = [name for name in dir(module) if not name.startswith("_")]
        self.__dict__["__wrapped__"] = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["__wrapped__"], name)


class _Function:
    """A function of the module that tells the run of its integers, and which symbolic numbers may take another way.
    In all else it is that function."""

    def __init__(self, function: Any, symbolic: Callable[..., Any] | None = None) -> None:
        self._function = function
        self._symbolic = symbolic
        # NumPy's functions are tokens of operators, by module and name.
        self.__dict__["__module__"] = getattr(function, "__module__", None) or type(function).__module__

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        symbolic = self._symbolic is not None and any(isinstance(value, SymInt | SymRational) for value in arguments)
        if symbolic and not options and all(as_rational(value) is not None for value in arguments):
            return self._symbolic(*arguments)  # type: ignore[misc]
        return tell(self._function(*arguments, **options))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __eq__(self, other: object) -> bool:
        return self._function is (other._function if isinstance(other, _Function) else other)

    def __hash__(self) -> int:
        return hash(self._function)

    def __repr__(self) -> str:
        return repr(self._function)


def _log(value: Any, base: Any = math.e) -> Any:
    return logarithm(value, base)


def _power(base: Any, exponent: Any) -> Any:
    return power(base, exponent) if isinstance(exponent, int | float) else base**exponent


def _whole(rounding: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """NumPy gives the integer as a float."""
    return lambda value: as_rational(rounding(value))


class _Division(_Function):
    """A function of `operator` that divides. NumPy's integers divide by zero, with a warning."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return super().__call__(*arguments[:1], *map(divisor, arguments[1:]), **options)


class _OfScalars(_Function):
    """A function of NumPy that computes integers of at most 64 bits: of scalars the integer itself is told."""

    def __init__(self, function: Any, exact: Callable[..., Any]) -> None:
        super().__init__(function)
        self._exact = exact

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if options or not arguments or not all(isinstance(value, Integral) for value in arguments):
            return self._function(*arguments, **options)
        exact = tell(self._exact(*(value if isinstance(value, SymInt) else int(value) for value in arguments)))
        return exact if isinstance(exact, SymInt) else self._function(*arguments)


class _OfSequences(_Function):
    """A function of NumPy that combines the elements of a sequence: those of a sequence of integers are combined one
    after the other as well, to tell partial results."""

    def __init__(self, function: Any, combine: Callable[[Any, Any], Any]) -> None:
        super().__init__(function)
        self._combine = combine

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        values = arguments[0] if arguments else options.get("a")
        elements: list[Any] = list(values) if isinstance(values, list | tuple | range | SymList) else []
        if elements and all(isinstance(value, Integral) for value in elements):
            whole = [value if isinstance(value, SymInt) else int(value) for value in elements]
            for _ in _Accumulated(whole, self._combine):
                pass
        return tell(self._function(*arguments, **options))


class _Accumulated(Iterator[Any]):
    """`itertools.accumulate`, with a state that can be seen and put back."""

    def __init__(self, iterable: Iterable[Any], func: Any = None, *, initial: Any = None) -> None:
        self.source = sym_iter(iterable)
        self.function = func if func is not None else operator.add
        self.begun = initial is not None
        self.given = self.begun
        self.total = initial

    def __next__(self) -> Any:
        if self.given:
            self.given = False
            return self.total
        value = next(self.source)
        self.total = tell(self.function(self.total, value)) if self.begun else value
        self.begun = True
        return self.total

    def __nki_state__(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "function": self.function,
            "begun": self.begun,
            "given": self.given,
            "total": self.total,
        }

    def __nki_restore__(self, state: dict[str, Any]) -> None:
        self.begun, self.given, self.total = state["begun"], state["given"], state["total"]


class _Counted(Iterator[Any]):
    """`itertools.count`, with a state that can be seen and put back."""

    def __init__(self, start: Any = 0, step: Any = 1) -> None:
        self.value = start
        self.step = step

    def __next__(self) -> Any:
        value = tell(self.value)
        self.value = value + self.step
        return value

    def __nki_state__(self) -> dict[str, Any]:
        return {"value": self.value, "step": self.step}

    def __nki_restore__(self, state: dict[str, Any]) -> None:
        self.value = state["value"]


def _product(values: Iterable[Any], /, *, start: Any = 1) -> Any:
    result = start
    for value in values:
        result = tell(result * value)
    return result


def _sum_of_products(left: Iterable[Any], right: Iterable[Any], /) -> Any:
    result: Any = 0
    for one, two in zip(left, right, strict=True):
        result = tell(result + tell(one * two))
    return result


_LOGARITHMS: dict[str, Callable[[Any], Any]] = {
    "log2": lambda value: logarithm(value, 2),
    "log10": lambda value: logarithm(value, 10),
}
_MATH: dict[str, Callable[..., Any]] = {"sqrt": root, "log": _log, "pow": _power, **_LOGARITHMS}
_NUMPY: dict[str, Callable[..., Any]] = {
    "sqrt": root,
    "log": lambda value: logarithm(value, math.e),
    "ceil": _whole(math.ceil),
    "floor": _whole(math.floor),
    "minimum": minimum,
    "maximum": maximum,
    **_LOGARITHMS,
}
#: Functions that tell the run of what they give.
_OPERATOR = tuple(
    name
    for name in dir(operator)
    if name.strip("_").removeprefix("i")
    in {
        *("add", "sub", "mul", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor", "neg", "pos", "abs"),
        *("inv", "invert", "nvert", "nv", "truediv"),
    }
)
_INTEGERS = ("ceil", "comb", "factorial", "floor", "gcd", "isqrt", "lcm", "perm", "trunc")
_SCALARS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "power": operator.pow,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "mod": operator.mod,
    "left_shift": operator.lshift,
    "right_shift": operator.rshift,
    "negative": operator.neg,
    "absolute": operator.abs,
    "abs": operator.abs,
    "square": lambda value: value * value,
}
_SEQUENCES = {"prod": operator.mul, "sum": operator.add, "cumprod": operator.mul, "cumsum": operator.add}


def _substituted() -> Iterator[tuple[ModuleType, dict[str, Any]]]:
    """Modules, and what stands for some of their functions."""
    told = {name: _Function(getattr(math, name)) for name in _INTEGERS}
    own = {"prod": _product, **({"sumprod": _sum_of_products} if hasattr(math, "sumprod") else {})}
    yield math, {**told, **own, **{name: _Function(getattr(math, name), way) for name, way in _MATH.items()}}
    scalars = {name: _OfScalars(getattr(np, name), exact) for name, exact in _SCALARS.items()}
    sequences = {name: _OfSequences(getattr(np, name), combine) for name, combine in _SEQUENCES.items()}
    yield np, {**scalars, **sequences, **{name: _Function(getattr(np, name), way) for name, way in _NUMPY.items()}}
    yield (
        operator,
        {
            name: (_Division if "div" in name or "mod" in name else _Function)(getattr(operator, name))
            for name in _OPERATOR
        },
    )
    yield itertools, {"accumulate": _Accumulated, "count": _Counted}


_modules = {module.__name__: _Substitute(module, functions) for module, functions in _substituted()}


def as_kernels_see(module: Any) -> Any:
    """`module`, or what stands for it where integers are looked at."""
    return _modules.get(module.__name__, module) if isinstance(module, ModuleType) else module
