"""Operators of instructions: the ALU table and the activation functions (reference section c.0, page SH).

A kernel names an operator by an `nl` function (`op=nl.add`), which serves as a token; the legacy API takes NumPy's
functions as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.contracts import require
from nkiverify.model.dtypes import numpy_name
from nkiverify.symbolic.execution import unsupported

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator.

    `arity` is 0 where it is no ALU operator. `bitvec` operators take integers only and cast nothing; `reduces` says
    whether the table marks it as legal in a reduction. `since` is the first generation whose ALU has it. `activation`
    says whether the Scalar Engine computes it as an activation function.
    """

    name: str
    arity: int = 0
    bitvec: bool = False
    reduces: bool = False
    since: int = 2
    activation: bool = False

    @property
    def arithmetic(self) -> bool:
        """True if it is an arithmetic ALU operator."""
        return self.arity > 0 and not self.bitvec

    def __str__(self) -> str:
        return self.name


def _table() -> dict[str, Operator]:
    found: dict[str, Operator] = {}

    def enter(names: str, **properties: Any) -> None:
        for name in names.split():
            found[name] = Operator(name, **properties)

    enter("invert", arity=1, bitvec=True)
    enter("bitwise_and bitwise_or bitwise_xor", arity=2, bitvec=True, reduces=True)
    enter("left_shift right_shift", arity=2, bitvec=True)
    enter("add multiply subtract maximum minimum", arity=2, reduces=True)
    enter("equal not_equal greater_equal greater less_equal less power", arity=2)
    enter("logical_and logical_or logical_xor", arity=2, reduces=True)
    enter("abs_max abs_min", arity=2, since=4)
    enter("abs reciprocal rsqrt", arity=1, activation=True)
    enter("square relu", arity=1, since=4, activation=True)
    enter(
        "copy sigmoid prelu gelu gelu_dx gelu_apprx_tanh gelu_apprx_sigmoid gelu_apprx_sigmoid_dx silu silu_dx tanh"
        " softplus mish erf erf_dx exp sign log sin arctan sqrt",
        activation=True,
    )
    # Listed in nl, but no hardware operator (RN-0.4 known issues), or a token of one instruction only.
    enter("divide mod fmod bypass average")
    return found


OPERATORS: dict[str, Operator] = _table()

#: NumPy's names (legacy API) where they differ from nl's.
_NUMPY_NAMES = {
    "amax": "maximum", "max": "maximum", "amin": "minimum", "min": "minimum", "sum": "add", "prod": "multiply",
    "true_divide": "divide", "floor_divide": "divide", "remainder": "mod", "absolute": "abs", "bitwise_not": "invert",
    "bitwise_invert": "invert", "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift",
    "pow": "power",
}  # fmt: skip

_tokens: dict[Any, Operator] = {}


def token(function: FunctionT, name: str | None = None) -> FunctionT:
    """Make `function` the token of an operator: of the one with its name, or with `name`."""
    operator_name = name or function.__name__
    _tokens[function] = OPERATORS.get(operator_name) or Operator(operator_name)
    return function


def _named(op: object) -> str:
    """The kernel's name of the value it passes as an operator."""
    name = getattr(op, "__name__", None)
    return repr(op) if name is None else f"{getattr(op, '__module__', None) or type(op).__module__}.{name}"


def _of_name(op: str, names: Mapping[str, str]) -> Operator:
    """The operator that is given by its name, which breaks "isa.operator_name"; where there is none of that name,
    "isa.alu_op"."""
    found = OPERATORS.get(names.get(op, op))
    if found is None:
        require("isa.alu_op", False, op=op)
        raise TypeError(f"there is no operator {op!r}")
    require("isa.operator_name", False, op=op)
    return found


def operator(op: object) -> Operator:
    """The operator a token of the current API names."""
    if isinstance(op, Operator):
        return op
    if type(op) is str:
        return _of_name(op, {})
    try:
        return _tokens[op]
    except (KeyError, TypeError):
        raise unsupported(f"{_named(op)} as an operator", "pass one of elements, such as nl.add") from None


def legacy_operator(op: object) -> Operator:
    """The operator a token of the legacy API names: an nl function or NumPy's function of the same name."""
    if type(op) is str:
        return _of_name(op, _NUMPY_NAMES)
    try:
        return _tokens[op]
    except (KeyError, TypeError):
        pass
    module = getattr(op, "__module__", None) or type(op).__module__
    name = getattr(op, "__name__", "")
    found = OPERATORS.get(_NUMPY_NAMES.get(name, name)) if module.split(".")[0] == "numpy" else None
    if found is None or numpy_name(op) is not None:
        raise unsupported(f"{_named(op)} as an operator", "pass one of elements, such as nl.add or numpy.add")
    return found
