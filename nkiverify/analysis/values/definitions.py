"""Functions defined by others: activation functions in exp, log and erf, and the derivatives of these."""

from __future__ import annotations

import math
from collections.abc import Callable

from nkiverify.analysis.values.number_formats import Array
from nkiverify.model.meaning import Numbers

Function = Callable[[Numbers, Array], Array]
#: A derivative, given the argument and the value of the function there.
Derivative = Callable[[Numbers, Array, Array], Array]


def _constant(n: Numbers, x: Array, value: float) -> Array:
    return n.constant(value, x.ndim)


def _plus(n: Numbers, x: Array, value: float) -> Array:
    return n.binary("add", x, _constant(n, x, value))


def _times(n: Numbers, x: Array, value: float) -> Array:
    return n.binary("multiply", x, _constant(n, x, value))


def _product(n: Numbers, x: Array, y: Array) -> Array:
    return n.binary("multiply", x, y)


def _sigmoid(n: Numbers, x: Array) -> Array:
    return n.unary("reciprocal", _plus(n, n.unary("exp", n.unary("negative", x)), 1))


def _tanh(n: Numbers, x: Array) -> Array:
    """2 sigmoid(2x) - 1."""
    return _plus(n, _times(n, _sigmoid(n, _times(n, x, 2)), 2), -1)


def _softplus(n: Numbers, x: Array) -> Array:
    return n.unary("log", _plus(n, n.unary("exp", x), 1))


def _silu(n: Numbers, x: Array) -> Array:
    return _product(n, x, _sigmoid(n, x))


def _silu_derivative(n: Numbers, x: Array) -> Array:
    """s (1 + x (1 - s))."""
    s = _sigmoid(n, x)
    return _product(n, s, _plus(n, _product(n, x, _plus(n, n.unary("negative", s), 1)), 1))


def _mish(n: Numbers, x: Array) -> Array:
    """x tanh(log(1 + e^x)), where tanh(log u) is 1 - 2 / (u^2 + 1)."""
    u = _plus(n, n.unary("exp", x), 1)
    inverse = n.unary("reciprocal", _plus(n, n.unary("square", u), 1))
    return _product(n, x, _plus(n, _times(n, inverse, -2), 1))


def _normal(n: Numbers, x: Array) -> Array:
    """The distribution function of the normal distribution."""
    return _times(n, _plus(n, n.unary("erf", _times(n, x, math.sqrt(0.5))), 1), 0.5)


def _density(n: Numbers, x: Array) -> Array:
    return _times(n, n.unary("exp", _times(n, n.unary("square", x), -0.5)), 1 / math.sqrt(2 * math.pi))


def _gelu(n: Numbers, x: Array) -> Array:
    return _product(n, x, _normal(n, x))


def _gelu_derivative(n: Numbers, x: Array) -> Array:
    return n.binary("add", _normal(n, x), _product(n, x, _density(n, x)))


def _gelu_by_tanh(n: Numbers, x: Array) -> Array:
    cubic = n.binary("add", x, _times(n, _product(n, x, n.unary("square", x)), 0.044715))
    return _times(n, _product(n, x, _plus(n, _tanh(n, _times(n, cubic, math.sqrt(2 / math.pi))), 1)), 0.5)


#: The factor of the approximation of gelu by a sigmoid.
_STEEP = 1.702


def _gelu_by_sigmoid(n: Numbers, x: Array) -> Array:
    return _product(n, x, _sigmoid(n, _times(n, x, _STEEP)))


def _gelu_by_sigmoid_derivative(n: Numbers, x: Array) -> Array:
    s = _sigmoid(n, _times(n, x, _STEEP))
    inner = _product(n, _times(n, x, _STEEP), _plus(n, n.unary("negative", s), 1))
    return _product(n, s, _plus(n, inner, 1))


def _erf_derivative(n: Numbers, x: Array) -> Array:
    return _times(n, n.unary("exp", n.unary("negative", n.unary("square", x))), 2 / math.sqrt(math.pi))


#: By the operator's name.
DEFINED: dict[str, Function] = {
    "sigmoid": _sigmoid,
    "tanh": _tanh,
    "softplus": _softplus,
    "silu": _silu,
    "silu_dx": _silu_derivative,
    "mish": _mish,
    "gelu": _gelu,
    "gelu_dx": _gelu_derivative,
    "gelu_apprx_tanh": _gelu_by_tanh,
    "gelu_apprx_sigmoid": _gelu_by_sigmoid,
    "gelu_apprx_sigmoid_dx": _gelu_by_sigmoid_derivative,
    "erf_dx": _erf_derivative,
}
#: Functions with f(-x) = -f(x), apart from those.
ODD = frozenset(("erf", "sin", "arctan", "sign"))
#: Those whose values need a logarithm.
LOGARITHMIC = frozenset(("log", "softplus"))
#: Those whose values need an exponential, which all of `DEFINED` do.
EXPONENTIAL = frozenset(("exp", *DEFINED))

#: The derivatives of functions of one number (DLMF 4.2, 4.7, 4.20, 4.24, 7.2; the power rule): of those without a
#: definition above, made of the function itself where they can be, which holds for any numbers; and of gelu, whose
#: irrational constants have exact products only so.
DERIVATIVES: dict[str, Derivative] = {
    "exp": lambda n, x, y: y,
    "log": lambda n, x, y: n.unary("reciprocal", x),
    "square": lambda n, x, y: _times(n, x, 2),
    "reciprocal": lambda n, x, y: n.unary("negative", n.unary("square", y)),
    "sqrt": lambda n, x, y: _times(n, n.unary("reciprocal", y), 0.5),
    "rsqrt": lambda n, x, y: _times(n, _product(n, y, n.unary("square", y)), -0.5),
    "sin": lambda n, x, y: n.unary("cos", x),
    "cos": lambda n, x, y: n.unary("negative", n.unary("sin", x)),
    "tan": lambda n, x, y: _plus(n, n.unary("square", y), 1),
    "arctan": lambda n, x, y: n.unary("reciprocal", _plus(n, n.unary("square", x), 1)),
    "erf": lambda n, x, y: _erf_derivative(n, x),
    "gelu": lambda n, x, y: _gelu_derivative(n, x),
}
#: Functions that are constant but for jumps.
STEPS = frozenset(("sign", "ceil", "floor", "trunc", "logical_not"))
