"""`math`, `numpy`, `operator` and `itertools` as kernels see them where their integers are examined.

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
from types import BuiltinMethodType, ModuleType
from typing import Any

from nkiverify.foundation.late import numpy as np
from nkiverify.frontend.builtins import sym_iter
from nkiverify.frontend.host_integers import PARTIAL, examine_operator, examine_reduction
from nkiverify.frontend.seen import Substitute, library_module
from nkiverify.frontend.symbolic_text import percent
from nkiverify.symbolic import SymInt, SymRational, maximum, minimum
from nkiverify.symbolic.execution import unsupported
from nkiverify.symbolic.lists import SymList
from nkiverify.symbolic.numpy_numbers import apply, examine, examine_products
from nkiverify.symbolic.rationals import as_rational
from nkiverify.symbolic.reals import exponential, logarithm, power, root
from nkiverify.symbolic.values import tell


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


class _Operator(_Function):
    """A function of `operator`: numbers of NumPy among its operands are examined."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        name = self._function.__name__.strip("_")
        if name in ("mod", "imod") and arguments and isinstance(arguments[0], str):
            return percent(*arguments)
        examine_operator(name, *arguments)
        return super().__call__(*arguments, **options)


class _Universal(_Function):
    """A function of NumPy that computes an operator of Python's element by element, of integers of at most 64 bits:
    what it computes is examined exactly."""

    def __init__(self, function: Any, exact: Callable[..., Any]) -> None:
        super().__init__(function)
        self._exact = exact

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        symbolic = any(isinstance(value, SymInt | SymRational) for value in arguments)
        if symbolic and not options and all(isinstance(value, Integral) for value in arguments):
            return tell(self._exact(*(value if isinstance(value, SymInt) else int(value) for value in arguments)))
        if not symbolic:
            operands = arguments[: self._function.nin]
            examine(self._exact, *(_selected(one, options.get("where", True)) for one in operands))
        return tell(self._function(*arguments, **options))

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._function, name)
        return _MethodOfUniversal(self, found) if isinstance(found, BuiltinMethodType) else found

    def examine_method(self, name: str, values: Any, *others: Any, **options: Any) -> None:
        """Look at the operands of a method of this function."""
        combining = {"add": "sum", "multiply": "prod"}.get(self._function.__name__)
        if name in ("reduce", "accumulate") and combining is not None:
            axis = others[0] if others else options.get("axis", 0)
            examine_reduction(combining, values, axis, *others[1:], **_without(options, "axis"))
        elif name == "outer" and others:
            left, right = np.asarray(values), np.asarray(others[0])
            examine(self._exact, left.reshape(left.shape + (1,) * right.ndim), right)
        else:
            raise unsupported(f"np.{self._function.__name__}.{name}")


class _MethodOfUniversal(_Function):
    """A method of such a function, as `np.add.reduce`."""

    def __init__(self, owner: _Universal, found: Any) -> None:
        super().__init__(found)
        self._owner = owner

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        self._owner.examine_method(self._function.__name__, *arguments, **options)
        return super().__call__(*arguments, **options)


def _selected(values: Any, where: Any) -> Any:
    """The elements of an operand that are computed with, in NumPy's numbers."""
    array = np.asarray(values)
    return array if where is True else array[np.broadcast_to(where, array.shape)]


class _OfSequences(_Function):
    """A function of NumPy that combines the elements of a sequence: those of a sequence of integers are combined one
    after the other as well, to tell partial results."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        values = arguments[0] if arguments else options.get("a")
        elements: list[Any] = list(values) if isinstance(values, list | tuple | range | SymList) else []
        if any(isinstance(value, SymInt) for value in elements):
            if all(isinstance(value, Integral) for value in elements):
                whole = [value if isinstance(value, SymInt) else int(value) for value in elements]
                for _ in _Accumulated(whole, PARTIAL[self._function.__name__]):
                    pass
        else:
            examine_reduction(self._function.__name__, *(arguments or [values]), **_without(options, "a"))
        return tell(self._function(*arguments, **options))


class _OfProducts(_Function):
    """A function of NumPy that adds products of elements."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        operands = [value for value in arguments if not isinstance(value, str)]
        examine_products(*(operands if len(operands) < len(arguments) else operands[:2]))
        return tell(self._function(*arguments, **options))


class _Reciprocal(_Function):
    """`numpy.reciprocal`."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        examine(operator.truediv, 1, *(_selected(one, options.get("where", True)) for one in arguments[:1]))
        return tell(self._function(*arguments, **options))


def _without(options: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key != name}


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
        self.total = tell(apply(self.function, self.total, value)) if self.begun else value
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

    def __repr__(self) -> str:
        step = "" if type(self.step) is int and self.step == 1 else f", {self.step!r}"
        return f"count({self.value!r}{step})"

    def __nki_state__(self) -> dict[str, Any]:
        return {"value": self.value, "step": self.step}

    def __nki_restore__(self, state: dict[str, Any]) -> None:
        self.value = state["value"]


#: What kernels know the classes as.
_Accumulated.__name__ = _Accumulated.__qualname__ = "accumulate"
_Counted.__name__ = _Counted.__qualname__ = "count"


def _product(values: Iterable[Any], /, *, start: Any = 1) -> Any:
    result = start
    for value in values:
        result = tell(apply(operator.mul, result, value))
    return result


def _sum_of_products(left: Iterable[Any], right: Iterable[Any], /) -> Any:
    result: Any = 0
    for one, two in zip(left, right, strict=True):
        result = tell(apply(operator.add, result, tell(apply(operator.mul, one, two))))
    return result


_LOGARITHMS: dict[str, Callable[[Any], Any]] = {
    "log2": lambda value: logarithm(value, 2),
    "log10": lambda value: logarithm(value, 10),
}
_EXPONENTIALS: dict[str, Callable[[Any], Any]] = {
    "exp": lambda value: exponential(math.e, value),
    "exp2": lambda value: exponential(2.0, value),
}
_MATH: dict[str, Callable[..., Any]] = {"sqrt": root, "log": _log, "pow": _power, **_LOGARITHMS, **_EXPONENTIALS}
_NUMPY: dict[str, Callable[..., Any]] = {
    "sqrt": root,
    "log": lambda value: logarithm(value, math.e),
    "ceil": _whole(math.ceil),
    "floor": _whole(math.floor),
    "minimum": minimum,
    "maximum": maximum,
    **_LOGARITHMS,
    **_EXPONENTIALS,
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
_UNIVERSAL: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "power": operator.pow,
    "floor_divide": operator.floordiv,
    "divide": operator.truediv,
    "true_divide": operator.truediv,
    "divmod": divmod,
    "fmod": math.fmod,
    "remainder": operator.mod,
    "mod": operator.mod,
    "pow": operator.pow,
    "left_shift": operator.lshift,
    "bitwise_left_shift": operator.lshift,
    "right_shift": operator.rshift,
    "negative": operator.neg,
    "absolute": operator.abs,
    "abs": operator.abs,
    "square": lambda value: value * value,
}
#: Functions whose results are no larger than the largest elements multiplied, times how many there are.
_PRODUCTS = (
    *("dot", "matmul", "inner", "outer", "vdot", "vecdot", "kron", "tensordot", "einsum", "convolve", "correlate"),
    *("cross", "lcm", "trace", "ptp", "diff", "ediff1d"),
)


def _substitutes_of_python() -> Iterator[tuple[ModuleType, dict[str, Any]]]:
    """Modules of Python, and what stands for some of their functions."""
    reported = {name: _Function(getattr(math, name)) for name in _INTEGERS}
    own = {"prod": _product, **({"sumprod": _sum_of_products} if hasattr(math, "sumprod") else {})}
    # Some are younger than the oldest Python.
    real = {name: _Function(getattr(math, name), way) for name, way in _MATH.items() if hasattr(math, name)}
    yield math, {**reported, **own, **real}
    yield (
        operator,
        {name: _Operator(getattr(operator, name)) for name in _OPERATOR},
    )
    yield itertools, {"accumulate": _Accumulated, "count": _Counted}


def _substitutes_in_numpy() -> dict[str, Any]:
    """Wrappers that stand for some of NumPy's functions."""
    universal = {name: _Universal(getattr(np, name), exact) for name, exact in _UNIVERSAL.items() if hasattr(np, name)}
    sequences = {name: _OfSequences(getattr(np, name)) for name in PARTIAL if hasattr(np, name)}
    products = {name: _OfProducts(getattr(np, name)) for name in _PRODUCTS if hasattr(np, name)}
    special = {name: _Function(getattr(np, name), way) for name, way in _NUMPY.items()}
    return {**universal, **sequences, **products, **special, "reciprocal": _Reciprocal(np.reciprocal)}


_modules = {module.__name__: Substitute(module, functions) for module, functions in _substitutes_of_python()}


def as_kernels_see(module: Any) -> Any:
    """`module`, or what stands for it where integers are examined."""
    if not isinstance(module, ModuleType):
        return module
    name = module.__name__
    if name == "numpy" and name not in _modules:
        # Not before a kernel imports it.
        _modules[name] = Substitute(library_module(module), _substitutes_in_numpy())
    return _modules.get(name, module)
