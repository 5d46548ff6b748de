"""`math` and `numpy` as kernels see them in a symbolic run: a few functions take symbolic numbers.

Everything else is the module's own. What its C code cannot take, the symbolic number itself refuses.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from nkiverify.symbolic import SymInt, SymRational, maximum, minimum
from nkiverify.symbolic.rationals import as_rational
from nkiverify.symbolic.reals import logarithm, power, root


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
    """A function of the module, which symbolic numbers take another way. In all else it is that function."""

    def __init__(self, function: Any, symbolic: Callable[..., Any]) -> None:
        self._function = function
        self._symbolic = symbolic
        # NumPy's functions are tokens of operators, by module and name.
        self.__dict__["__module__"] = getattr(function, "__module__", None) or type(function).__module__

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        symbolic = any(isinstance(value, SymInt | SymRational) for value in arguments)
        if symbolic and not options and all(as_rational(value) is not None for value in arguments):
            return self._symbolic(*arguments)
        return self._function(*arguments, **options)

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
_modules = {
    module.__name__: _Substitute(
        module, {name: _Function(getattr(module, name), symbolic) for name, symbolic in functions.items()}
    )
    for module, functions in ((math, _MATH), (np, _NUMPY))
}


def as_kernels_see(module: Any) -> Any:
    """`module`, or what stands for it in a symbolic run."""
    return _modules.get(module.__name__, module) if isinstance(module, ModuleType) else module
