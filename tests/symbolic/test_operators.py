"""Python's operators on symbolic integers and quotients: their values, what they tell the run, and what is refused."""

from __future__ import annotations

import itertools
import math
import random
from types import FrameType
from typing import Any

import pytest

from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.source import KERNEL_MARKER
from nkiverify.frontend.explorer import SymbolicExecution
from nkiverify.frontend.paths import Limits
from nkiverify.model.hardware import hardware_named
from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Valuation
from nkiverify.symbolic.execution import running
from tests.symbolic.random_terms import DIMENSIONS, atom_of

GRID = range(-9, 10)
X, Y = DIMENSIONS["x"], DIMENSIONS["y"]


class Watching(SymbolicExecution):
    """A run that notes what is computed and what is divided by. Both dimensions are small."""

    def __init__(self) -> None:
        super().__init__(hardware_named("trn2"), Limits(), {})
        self.computed: list[Term] = []
        self.divisors: list[Term] = []
        for name in (X, Y):
            self.assume(name >= -1000)
            self.assume(name <= 1000)

    def host_integer(self, value: Term, frame: FrameType) -> None:
        self.computed.append(value)

    def host_division(self, divisor: Term, frame: FrameType) -> None:
        self.divisors.append(divisor)


def evaluated(expression: str, run: SymbolicExecution, **values: Any) -> Any:
    """The value of an expression as kernel code computes it."""
    known = {KERNEL_MARKER: True, "x": X, "y": Y, "ceil": math.ceil, "floor": math.floor, "trunc": math.trunc}
    with running(run):
        return eval(expression, {**known, **values})


def at(made: Any, x: int, y: int) -> Any:
    point = Valuation({atom_of(X): x, atom_of(Y): y})
    if isinstance(made, Condition):
        return point.holds(made)
    return point.term(made) if isinstance(made, Term) else made


ARITHMETIC = (
    *("x + y", "x - y", "x * y", "x // y", "x % y", "-x", "+x", "abs(x)", "~x", "x ** 3", "x ** 0", "2 ** k", "k ** 2"),
    *("5 + x", "5 - x", "5 * x", "5 // x", "5 % x", "x + 5", "x - 5", "x * 5", "x // 5", "x % 5", "x // -5", "x % -5"),
    *("divmod(x, y)[0]", "divmod(x, y)[1]", "divmod(7, y)[0]", "divmod(7, y)[1]", "divmod(x, 3)[1]"),
    *("x << 3", "x >> 2", "x << k", "x >> k", "5 << k", "-5 >> k", "x & 7", "7 & x", "x & 0", "x & 1", "k & 6"),
    *("5 & k", "k | 4", "k ^ 5", "x < y", "x <= y", "x > y", "x >= y", "x == y", "x != y", "5 < x", "5 >= x", "5 == x"),
    *("x < 2.5", "x <= 2.0", "x > -1.5", "x >= 2.5", "2.5 > x", "x == 2.0", "x != 2.0", "x < 1e30", "x > -1e30"),
    *("x < float('inf')", "x > float('-inf')", "x <= float('-inf')", "x == float('inf')", "x != float('inf')"),
    *("ceil(x / 4)", "floor(x / 4)", "trunc(x / 4)", "trunc(x / -4)", "ceil(x / y)", "floor(x / y)", "ceil(7 / y)"),
    *("floor(x / 4 + 1)", "floor(1 + x / 4)", "floor(x / 4 - y)", "floor(y - x / 4)", "ceil(-(x / 4))"),
    *("trunc(y - x / 4)", "x < 5"),
    *("x / 4 < 2", "x / 4 <= y", "x / 4 > 2", "x / 4 >= y", "x / 4 == 2", "x / 4 != y", "x / -4 < 2", "2 < x / 4"),
    *("floor(x * 0.5)", "trunc(x * 0.6)", "ceil(0.1 * x)", "trunc(0.75 * x)", "x * 0.1 < 2", "trunc(x * 1.2 - y)"),
    *("x / y < 2", "x / y >= 1", "x / y == 2", "(x / 4).is_integer()", "(x / y).is_integer()", "x / 4 < 0.0"),
    *("(x % 4 != 0) + 0", "(x % 4 == 0) + 0", "3 * (x % -4 != 0)", "(x % 4 != 2) + 0", "(4 * x % 6 == 0) - y"),
    *("(x // 4 != y) + 0", "(x // 4 == 2 * y) + 0", "((x + y) % 3 != 0) + (x + y) // 3", "(x % y != 0) + 0"),
)  # fmt: skip


@pytest.mark.parametrize("expression", ARITHMETIC)
def test_an_operator_has_the_value_of_python(expression: str) -> None:
    run = Watching()
    made = evaluated(expression, run, k=terms.constant(3))
    known = {"ceil": math.ceil, "floor": math.floor, "trunc": math.trunc, "k": 3}
    tried = 0
    for x, y in itertools.product(GRID, GRID):
        try:
            expected = eval(expression, {**known, "x": x, "y": y})
        except ZeroDivisionError:
            continue
        tried += 1
        assert at(made, x, y) == expected, (x, y)
    assert tried > 300


#: Quotients that are one number where x is at least 1, and others that nearly are.
PROPER = {"ceil(x / (128 * ceil(x / 128)))": 1, "-(-x // (x + 3))": 1, "-x // x": -1, "-x % (x + 3) - 3": 0}
IMPROPER = (
    "ceil((x - 1) / (128 * ceil(x / 128)))",
    "-(-x // (x - 1 + k))",
    "ceil(x / (128 * (x // 128) + k))",
    "-x // y",
)


@pytest.mark.parametrize("expression", [*PROPER, *IMPROPER])
def test_a_negative_quotient_of_less_than_the_divisor_is_one_below_zero(expression: str) -> None:
    run = Watching()
    run.assume(X >= 1)
    made = evaluated(expression, run, k=terms.constant(0))
    value = made.constant if isinstance(made, Term) else made
    assert value == PROPER.get(expression)


def test_what_a_rest_adds_to_a_quotient_rounds_it_up() -> None:
    run = Watching()
    for rounded in ("x // 4 + (x % 4 != 0)", "x // 4 + 1 - (x % 4 == 0)"):
        assert evaluated(rounded, run) is evaluated("ceil(x / 4)", run)
    for other in (
        "x // 4 + (x % 2 != 0)",
        "x // 4 + (x % 4 != 1)",
        "x // 4 + (x % 4 == 0)",
        "x // 4 + ((x - 1) % 4 != 0)",
    ):
        assert evaluated(other, run) is not evaluated("ceil(x / 4)", run)


@pytest.mark.parametrize(
    "expression",
    [
        *("x & 5", "5 & x", "x & y", "x | 9", "x ^ -3", "x ^ y", "1 << x", "8 >> x"),
        *("x << y", "x * 0.7 < 2", "x + 0.1 < 2", "0.1 - x < 2", "x + 2.0 < 5", "2.0 - x < 5", "2.0 + x >= y"),
        *("x ** y", "2 ** x", "x ** -1", "pow(x, 2, 5)", "x // 2.0", "x % 2.0", "round(x / 2)", "abs(x / 2)"),
        *("x < float('nan')", "x / 2 < y / 3", "x / 2 < 0.3", "(x / 2) // 1", "(x / 2) % 1"),
        *("floor(x * 0.29)", "trunc(x * 0.6 * 0.5)", "floor(x * 0.5 * y)"),
        *("floor((x / 3) * 3)", "floor((x / 3) / 2)", "ceil(2 / (x / 3))", "floor(x / 3 + 0.1)"),
        *("floor(x / 3 + y / 3)", "trunc(x / 3 * y)", "(x / 3 * 2).is_integer()", "x / 3 * 2 < 1"),
    ],
)  # fmt: skip
def test_what_has_no_exact_value_is_refused(expression: str) -> None:
    run = Watching()
    with pytest.raises(UnsupportedConstruct):
        evaluated(expression, run)
    assert run.unsupported_construct is not None


@pytest.mark.parametrize(
    "expression", ["floor(x / 4)", "ceil(x / 4)", "trunc(x / 4)", "x / 4 < 2", "(x / 4).is_integer()"]
)
def test_a_quotient_is_exact_for_small_integers_only(expression: str) -> None:
    run = SymbolicExecution(hardware_named("trn2"), Limits(), {})
    with pytest.raises(UnsupportedConstruct, match="rounded"):
        evaluated(expression, run)
    for low, high, refused in ((-(2**50), 2**50, False), (-(2**50) - 1, 2**50, True), (-(2**50), 2**50 + 1, True)):
        run = SymbolicExecution(hardware_named("trn2"), Limits(), {})
        run.assume(X - low >= 0)
        run.assume(X - high <= 0)
        if refused:
            with pytest.raises(UnsupportedConstruct, match="rounded"):
                evaluated(expression, run)
        else:
            evaluated(expression, run)


@pytest.mark.parametrize("factor", [0.5, 0.6, 0.1, 1.2, 0.75, 1 / 3, 2.5, 0.05, 0.7, 0.29, 0.57, 1.1, math.pi])
def test_a_product_with_a_float_is_taken_for_a_fraction_only_where_all_integers_agree(factor: float) -> None:
    run = SymbolicExecution(hardware_named("trn2"), Limits(), {})
    run.assume(X + 2**30 >= 0)
    run.assume(X - 2**30 <= 0)
    try:
        made = evaluated(f"floor(x * {factor!r})", run)
    except UnsupportedConstruct:
        # 100 * 0.29 is 28.999999999999996.
        assert factor in (0.7, 0.29, 0.57, 1.1, math.pi)
        return
    drawn = random.Random(1)
    near = [sign * (2**bits + more) for bits in range(31) for more in range(-6, 7) for sign in (1, -1)]
    for x in (*range(-2000, 2000), *near, *(drawn.randrange(-(2**30), 2**30) for _ in range(2000))):
        assert at(made, x, 0) == math.floor(x * factor), x


def test_a_float_that_was_rounded_often_is_not_asked_for_an_integer() -> None:
    few, many = ("floor(x / 3" + " + y - y" * times + ")" for times in (2, 4))
    evaluated(few, Watching())
    with pytest.raises(UnsupportedConstruct, match="rounded"):
        evaluated(many, Watching())


@pytest.mark.parametrize(
    ("expression", "divisors"),
    [
        ("x // y", [Y]),
        ("x % y", [Y]),
        ("5 // y", [Y]),
        ("5 % y", [Y]),
        ("x // 3", [terms.constant(3)]),
        ("x / y", [Y]),
        ("5 / y", [Y]),
        ("x / 2 / y", [TWO := terms.constant(2), Y]),
        ("5 / (x / 2)", [TWO, X]),
        ("x + y", []),
    ],
)
def test_a_run_is_told_of_every_divisor(expression: str, divisors: list[Term]) -> None:
    run = Watching()
    evaluated(expression, run)
    assert run.divisors == divisors
    evaluated("divmod(x, y)", run)
    assert Y in run.divisors[len(divisors) :]


@pytest.mark.parametrize(
    "expression", ["x // 0", "x % 0", "x / 0", "x // k", "x / 2 / 0", "1 / (k / 2)", "divmod(x, 0)"]
)
def test_a_division_by_zero_raises_as_in_python(expression: str) -> None:
    with pytest.raises(ZeroDivisionError):
        evaluated(expression, Watching(), k=terms.constant(0))


INTEGERS = ("x + y", "x - 5", "5 - x", "x * y", "x // 3", "x % 3", "-x", "abs(x)", "~x", "x ** 2", "x << 2", "x >> 2")


@pytest.mark.parametrize("expression", [*INTEGERS, "ceil(x / 2)", "floor(x / 2)"])
def test_a_run_is_told_of_every_integer(expression: str) -> None:
    run = Watching()
    made = evaluated(expression, run)
    assert run.computed[-1] is made


def test_what_is_no_number_is_left_to_python() -> None:
    for expression in (
        "x + 'a'",
        "'a' + x",
        "x - None",
        "x // 'a'",
        "x / 'a'",
        "x << 'a'",
        "x & 'a'",
        "x | 'a'",
        "x < 'a'",
    ):
        with pytest.raises(TypeError):
            evaluated(expression, Watching())
    for expression in ("x / 2 + 'a'", "x / 2 / 'a'", "'a' / (x / 2)", "x / 2 < 'a'"):
        with pytest.raises(TypeError):
            evaluated(expression, Watching())
    with pytest.raises(ValueError, match="negative shift"):
        evaluated("x << -1", Watching())
    # No integer is equal to a text.
    assert evaluated("x == 'a'", Watching()) is False
    assert evaluated("x != 'a'", Watching()) is True


@pytest.mark.parametrize("mask", [0, 1, 3, 4, 6, 7, 8, 12, -1, -2, -4, -8])
@pytest.mark.parametrize("operator", ["&", "|", "^"])
def test_bits_of_a_mask_that_is_one_run(operator: str, mask: int) -> None:
    run = Watching()
    for text in (f"x {operator} ({mask})", f"({mask}) {operator} x", f"(x - 2*y) {operator} ({mask})"):
        made = evaluated(text, run)
        for x, y in itertools.product(GRID, repeat=2):
            assert at(made, x, y) == eval(text, {"x": x, "y": y}), (text, x, y)
