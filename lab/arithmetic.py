"""Random host arithmetic: every way to make an integer of two, near the bounds of 32 bits, and every way to divide."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lab.subject import Axis

HEADER = """\
import functools
import itertools
import math
import operator

import numpy as np


class Box:
    pass
"""

#: Python's ways to compute one number of two, by the operator: `a` is a name, `b` a name or a literal.
_OPERATIONS = {"*": ("mul", "multiply"), "+": ("add", "add"), "-": ("sub", "subtract")}
_WAYS = (
    "{a} {op} {b}",
    "operator.{f}({a}, {b})",
    "operator.i{f}({a}, {b})",
    "operator.__{f}__({a}, {b})",
    "getattr(operator, '{f}')({a}, {b})",
    "{a}.__{f}__({b})",
    "({b}).__r{f}__({a})",
    "int.__{f}__({a}, {b})",
    "getattr(int, '__{f}__')({a}, {b})",
    "operator.methodcaller('__{f}__', {b})({a})",
    "functools.partial(operator.{f}, {a})({b})",
    "functools.reduce(operator.{f}, [{a}, {b}])",
    "functools.reduce(int.__{f}__, ({a}, {b}))",
    "functools.reduce(lambda x, y: x {op} y, [{a}, {b}])",
    "list(itertools.accumulate([{a}, {b}], operator.{f}))[-1]",
    "list(map(operator.{f}, [{a}], [{b}]))[0]",
    "list(map({a}.__{f}__, [{b}]))[0]",
    "list(itertools.starmap(operator.{f}, [({a}, {b})]))[0]",
    "[x {op} {b} for x in [{a}]][0]",
    "(lambda x: x {op} {b})({a})",
    "int(np.{ufunc}({a}, {b}))",
    "max(x {op} {b} for x in ({a}, {a}))",
)
_MORE_WAYS = {
    "*": (
        "math.prod([{a}, {b}])",
        "math.prod(({a},), start={b})",
        "int(np.prod([{a}, {b}]))",
        "math.prod([{a}, {b}, 0])",
        "functools.reduce(operator.mul, [{a}, {b}, 0])",
        "len(range({a} * {b}))",
    ),
    "+": (
        "sum([{a}, {b}])",
        "sum(({a},), {b})",
        "sum(x for x in [{a}, {b}])",
        "sum([{a}, {b}, -{a}])",
        "int(np.sum([{a}, {b}]))",
        "list(itertools.accumulate([{a}, {b}, -{b}]))[-1]",
        "[k for k, x in enumerate([0, {a}], {b})][-1]",
    ),
    "-": ("-({b} - {a})", "~({b} - {a})", "operator.neg({b} - {a})", "sum([{a}, -{b}])"),
}
_DIVISIONS = (
    "{a} // ({b})",
    "{a} % ({b})",
    "divmod({a}, {b})[0]",
    "operator.floordiv({a}, {b})",
    "operator.mod({a}, {b})",
    "int.__floordiv__({a}, {b})",
    "{a}.__mod__({b})",
    "divmod(*({a}, {b}))[1]",
    "functools.reduce(operator.floordiv, [{a}, {b}])",
    "list(map(operator.mod, [{a}], [{b}]))[0]",
    "int(np.floor_divide({a}, {b}))",
    "math.floor({a} / ({b}))",
)
#: Integers made of nothing symbolic: the last legal form beside the first illegal one.
_PLAIN = (
    ("math.factorial(12)", "math.factorial(13)"),
    ("math.comb(33, 16)", "math.comb(34, 17)"),
    ("math.perm(12, 9)", "math.perm(13, 12)"),
    ("math.lcm(46340, 46341)", "math.lcm(46341, 46342)"),
    ("int('2147483647')", "int('2147483648')"),
    ("int('-2147483648')", "int('-2147483649')"),
    (r"int.from_bytes(b'\x7f\xff\xff\xff', 'big')", r"int.from_bytes(b'\x80\x00\x00\x00', 'big')"),
    ("1 << 30", "1 << 31"),
    ("pow(2, 30)", "pow(2, 31)"),
    ("46340 ** 2", "46341 ** 2"),
    ("2147483647", "2147483648"),
    ("-2147483648", "-2147483649"),
    ("0xFFFFFFFF", "0x100000000"),
    ("abs(-2147483647)", "abs(-2147483648)"),
    ("divmod(-2147483648, 1)[0]", "divmod(-2147483648, -1)[0]"),
    ("math.floor(2147483647.0)", "math.floor(2147483648.0)"),
    ("int(np.int64(65536) * np.int64(32767))", "int(np.int64(65536) * np.int64(32768))"),
    ("int(np.prod([65536, 32767]))", "int(np.prod([65536, 65536, 65536, 65536]))"),
    ("int(np.power(2, 30))", "int(np.power(2, 64))"),
    ("len(range(2147483647))", "len(range(-1, 2147483647))"),
    ("round(2147483647.0)", "round(2147483648.0)"),
    ("sum([2147483647, -1, 1])", "sum([2147483647, 1, -1])"),
)
_LIMIT = 2**31


class HostArithmetic:
    """Writes the lines of one kernel."""

    def __init__(self, source: random.Random, axes: Sequence[Axis]) -> None:
        self.random = source
        self.axes = axes
        self.lines: list[str] = []
        self._indent = 1
        self._names = 0

    def write(self) -> None:
        """The body of the kernel."""
        self._line("table = {'a': 1, 'b': 2}")
        self._line("row = [1, 2, 3]")
        self._line("box = Box()")
        self._line("box.size = 1")
        for _ in range(self.random.randint(1, 4)):
            kind = self.random.random()
            if kind < 0.25:
                with self._block(f"if {self._axis().name} {self.random.choice(('>', '<', '!='))} 2:"):
                    self._statement()
            elif kind < 0.4:
                with self._block(f"for i in range({self.random.choice((self._axis().name, '3'))}):"):
                    self._statement()
            else:
                self._statement()
        self._line(f"return {self._axis().name}")

    def _statement(self) -> None:
        kind = self.random.random()
        if kind < 0.4:
            self._line(f"{self._fresh()} = {self._near()}")
        elif kind < 0.6:
            self._line(f"{self._fresh()} = {self.random.choice(self.random.choice(_PLAIN))}")
        elif kind < 0.75:
            self._line(f"{self._fresh()} = {self._division()}")
        else:
            self._augment()

    def _near(self) -> str:
        """A product, sum or difference that comes near the bounds for the largest value of an axis."""
        axis = self._axis()
        operator = self.random.choice(tuple(_OPERATIONS))
        function, ufunc = _OPERATIONS[operator]
        way = self.random.choice((*_WAYS, *_MORE_WAYS[operator]))
        return way.format(a=axis.name, b=self._constant(axis, operator), op=operator, f=function, ufunc=ufunc)

    def _constant(self, axis: Axis, operator: str) -> int:
        largest = max(1, *axis.values)
        off = self.random.choice((-1, 0, 0, 1, 1000))
        if operator == "*":
            return (_LIMIT - 1) // largest + off
        return _LIMIT - 1 - largest + (off if off < 1000 else -off)

    def _division(self) -> str:
        one, two = self._axis(), self._axis()
        divisor = self.random.choice((f"{two.name} - {self.random.choice(two.values)}", f"abs({two.name}) + 1"))
        return self.random.choice(_DIVISIONS).format(a=one.name, b=divisor)

    def _augment(self) -> None:
        axis = self._axis()
        target = self.random.choice(("table['a']", "row[0]", "row[-1]", "box.size", "table['b' if n > 1 else 'a']"))
        if self.random.random() < 0.6:
            self._line(f"{target} = {self.random.choice((axis.name, '65536', '1'))}")
        other = self.random.choice(
            (
                f"*= {self._constant(axis, '*')}",
                f"+= {self._constant(axis, '+')}",
                f"-= {self._constant(axis, '-')}",
                "*= 32767",
                "*= 32768",
                "<<= 30",
                "**= 2",
                f"//= {axis.name}",
                f"%= {axis.name} - {self.random.choice(axis.values)}",
            )
        )
        self._line(f"{target} {other}")

    def _axis(self) -> Axis:
        return self.random.choice(self.axes)

    def _fresh(self) -> str:
        self._names += 1
        return f"v{self._names}"

    def _line(self, text: str) -> None:
        self.lines.append("    " * self._indent + text)

    @contextmanager
    def _block(self, head: str) -> Iterator[None]:
        self._line(head)
        self._indent += 1
        yield
        self._indent -= 1
