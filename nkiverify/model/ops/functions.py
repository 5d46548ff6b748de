"""Functions of nl over every element."""

from __future__ import annotations

from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.registry import operation

#: Functions of one operand, which are operators of instructions too.
UNARY = (
    "abs", "square", "exp", "log", "sqrt", "rsqrt", "reciprocal", "sin", "cos", "tan", "arctan", "tanh", "sigmoid",
    "relu", "gelu", "gelu_dx", "gelu_apprx_tanh", "gelu_apprx_sigmoid", "gelu_apprx_sigmoid_dx", "silu", "silu_dx",
    "softplus", "mish", "erf", "erf_dx", "ceil", "floor", "trunc", "negative", "sign", "invert", "logical_not",
)  # fmt: skip
#: Functions of two operands.
BINARY = (
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "mod", "fmod", "abs_max", "abs_min",
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "bitwise_and", "bitwise_or",
    "bitwise_xor", "left_shift", "right_shift", "logical_and", "logical_or", "logical_xor",
)  # fmt: skip
FUNCTIONS = {
    name: operation(f"nl.{name}", dependence=Dependence(Link.BROADCAST), commutes=name == "add")
    for name in (*UNARY, *BINARY)
}
