"""Budgets: `hbm_read <= 1.1 * once`, for all shapes of a domain.

A side is made of figures, dimensions and numbers with `+`, `-`, `*` and `/`. It is an interval of terms over a common
denominator: figures that are known between bounds only count at their worse end.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from math import lcm

from nkiverify.engines.shapes import Shapes, TooManyShapes
from nkiverify.foundation.budget import CostingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.ir.program import Program
from nkiverify.products.cost.counting import Amount
from nkiverify.symbolic import conditions
from nkiverify.symbolic.atoms import Atom, Condition, Term
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.prover import Prover
from nkiverify.symbolic.terms import add, constant, multiply, scale


class BudgetAnswer(enum.Enum):
    """The answer to a budget."""

    HOLDS = "holds"
    BROKEN = "broken"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Budgeted:
    """A budget with its answer, and what is to be said of it."""

    text: str
    answer: BudgetAnswer
    reported: str


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """A value between `low` and `high`, over a positive `divisor`."""

    low: Term
    high: Term
    divisor: int = 1

    def over(self, divisor: int) -> _Side:
        """The same over a multiple of its divisor."""
        factor = divisor // self.divisor
        return _Side(scale(self.low, factor), scale(self.high, factor), divisor)

    def plus(self, other: _Side, sign: int = 1) -> _Side:
        """The sum, or the difference."""
        common = lcm(self.divisor, other.divisor)
        one, two = self.over(common), other.over(common)
        low, high = (two.low, two.high) if sign > 0 else (two.high, two.low)
        return _Side(add(one.low, low, sign), add(one.high, high, sign), common)

    def times(self, other: _Side) -> _Side:
        """The product. Raises `UsageError` of two that are known between bounds only."""
        for one, two in ((self, other), (other, self)):
            number = one.low.constant if one.low is one.high else None
            if number is not None:
                low, high = (two.low, two.high) if number >= 0 else (two.high, two.low)
                return _Side(scale(low, number), scale(high, number), one.divisor * two.divisor)
        if self.low is not self.high or other.low is not other.high:
            raise UsageError("--budget: a product of figures that are known between bounds only")
        product = multiply(self.low, other.low)
        return _Side(product, product, self.divisor * other.divisor)


def budgeted(text: str, program: Program, figure: Callable[[str], Amount | None], unknown: str) -> Budgeted:
    """The answer to a budget for all shapes of a program; `figure` gives figures and dimensions by name, `unknown` says
    why figures are not all there is."""
    left, relation, right = _parsed(text)
    one, other = (_side(side, text, figure) for side in (left, right))
    if unknown:
        return Budgeted(text, BudgetAnswer.UNKNOWN, f"not all is counted: {unknown}")
    if one is None or other is None:
        return Budgeted(text, BudgetAnswer.UNKNOWN, "a figure in it has no closed form")
    if isinstance(relation, ast.Gt | ast.GtE):
        one, other = other, one
    strict = isinstance(relation, ast.Lt | ast.Gt)
    difference = one.plus(other, -1)
    holds = conditions.at_most_zero(add(difference.high, constant(int(strict))))
    prover = Prover(program.assumed, CostingBudget.MILLISECONDS)
    if holds is True or (isinstance(holds, Condition) and prover.proves(holds)):
        return Budgeted(text, BudgetAnswer.HOLDS, "for all shapes of the domain")
    possible = conditions.at_most_zero(add(difference.low, constant(int(strict))))
    broken = _broken(possible, program)
    if broken is not None:
        at = ", ".join(f"{name} = {value}" for name, value in broken.items())
        return Budgeted(text, BudgetAnswer.BROKEN, f"at {at}" if at else "")
    return Budgeted(
        text, BudgetAnswer.UNKNOWN, f"not proved, and kept by the first {CostingBudget.SHAPES} shapes that were tried"
    )


def _broken(possible: Condition | bool, program: Program) -> Mapping[str, int] | None:
    """A shape of the domain at which what would have to be possible is not."""
    if possible is True:
        return None
    try:
        for values in islice(Shapes(program.dimensions, program.assumed).tried(), CostingBudget.SHAPES):
            given: dict[Atom, int] = {one.atom: values[one.atom.name] for one in program.dimensions}
            here = Valuation(given)
            if here.satisfies(program.assumed) and not here.holds(possible):
                return dict(values)
    except (TooManyShapes, Undefined):
        pass
    return None


def _parsed(text: str) -> tuple[ast.expr, ast.cmpop, ast.expr]:
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise UsageError(f"--budget: {text!r} is no comparison") from None
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        raise UsageError(f"--budget: {text!r} is not one comparison, as in 'hbm_read <= 1.1 * once'")
    if not isinstance(node.ops[0], ast.LtE | ast.Lt | ast.GtE | ast.Gt):
        raise UsageError("--budget: compare with <=, <, >= or >")
    return node.left, node.ops[0], node.comparators[0]


def _side(node: ast.expr, text: str, figure: Callable[[str], Amount | None]) -> _Side | None:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        number = Fraction(Decimal(ast.get_source_segment(text.strip(), node) or str(node.value)))
        return _Side(constant(number.numerator), constant(number.numerator), number.denominator)
    if isinstance(node, ast.Name):
        found = figure(node.id)
        return None if found is None else _Side(found.low, found.high)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _side(node.operand, text, figure)
        return None if inner is None else _Side(constant(0), constant(0)).plus(inner, -1)
    if isinstance(node, ast.BinOp):
        left, right = _side(node.left, text, figure), _side(node.right, text, figure)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Add | ast.Sub):
            return left.plus(right, 1 if isinstance(node.op, ast.Add) else -1)
        if isinstance(node.op, ast.Mult):
            return left.times(right)
        divisor = right.low.constant if right.low is right.high else None
        if isinstance(node.op, ast.Div) and divisor is not None and divisor > 0:
            inverse = _Side(constant(right.divisor), constant(right.divisor), divisor)
            return left.times(inverse)
    raise UsageError(f"--budget: {ast.unparse(node)} is not made of figures, dimensions and numbers with +, -, * and /")
