"""The dimensions of a domain: integers that shapes and the grid mention, `K`, and their ranges, `K:128..4096:128`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.frontend.domain.expressions import check_integer, divisors_in, integer, names_in
from nkiverify.frontend.domain.syntax import OptionText
from nkiverify.frontend.target import Verification
from nkiverify.symbolic.terms import INT32_MAX


@dataclass(frozen=True, slots=True)
class Range:
    """The values of a dimension: `low`, `low + step`, … to `high` (None: the largest 32-bit integer)."""

    low: int = 1
    high: int | None = None
    step: int = 1

    def __str__(self) -> str:
        step = f":{self.step}" if self.step != 1 else ""
        return f"{self.low}..{'' if self.high is None else self.high}{step}"


@dataclass(slots=True)
class Domain:
    """The dimensions that arguments and the grid mention, in that order, with the ranges given for them."""

    ranges: dict[str, Range | None] = field(default_factory=dict)

    def mention(self, name: str) -> None:
        """`name` is a dimension."""
        self.ranges.setdefault(name, None)

    def bound(self, name: str, values: Range, text: OptionText, node: ast.AST) -> None:
        """`name` is a dimension with these values. Raises `TextError` where it has others already."""
        if self.ranges.get(name) not in (None, values):
            raise text.error(f"dimension {name} has the range {self.ranges[name]} already", node)
        self.ranges[name] = values

    def check_divisors(self, node: ast.expr, text: OptionText) -> None:
        """Raise `TextError` where `node` divides by a dimension that can be zero or negative."""
        for name in divisors_in(node):
            values = self.ranges.get(name.id)
            if values is not None and values.low < 1:
                raise text.error(f"{name.id} can be {values.low}: divide by what is at least 1", name)

    def values(self, v: Verification) -> dict[str, Any]:
        """The dimensions of a run."""
        dimensions: dict[str, Any] = {}
        for name, given in self.ranges.items():
            values = given or Range()
            aligned = values.low % values.step == 0
            dimensions[name] = v.dim(name, values.low, values.high, multiple_of=values.step if aligned else 1)
            if not aligned:
                v.assume((dimensions[name] - values.low) % values.step == 0)
        return dimensions


def enter_extent(node: ast.expr, text: OptionText, domain: Domain) -> None:
    """Enter the dimensions of an extent, `K`, `2*K` or `K:128..4096:128`, into `domain`. Raises `TextError`."""
    if isinstance(node, ast.Slice):
        if not isinstance(node.lower, ast.Name) or node.upper is None:
            raise text.error("a range is written NAME:low..high or NAME:low..high:step", node)
        domain.bound(node.lower.id, _range(node, text), text, node)
        return
    if is_range(node):
        raise text.error("give the range a name: NAME:low..high", node)
    check_integer(node, text)
    for name in names_in(node):
        domain.mention(name.id)


def extent_value(node: ast.expr, dimensions: Mapping[str, Any]) -> Any:
    """The value of an extent."""
    if isinstance(node, ast.Slice):
        assert isinstance(node.lower, ast.Name)
        return dimensions[node.lower.id]
    return integer(node, dimensions)


def is_range(node: ast.expr) -> bool:
    """True if `node` is a range, `low..high`."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.LShift)


def _range(node: ast.Slice, text: OptionText) -> Range:
    upper = node.upper
    if not isinstance(upper, ast.BinOp) or not is_range(upper):
        raise text.error("a range is written NAME:low..high or NAME:low..high:step", node)
    low = _number(upper.left, text)
    high = _number(upper.right, text)
    step = _number(node.step, text) if node.step is not None else 1
    if low is None and high is None:
        raise text.error("give the range an end: NAME:low.. or NAME:..high; a name alone is every size", upper)
    found = Range(1 if low is None else low, high, 1 if step is None else step)
    if found.step < 1:
        raise text.error("a step is at least 1", node.step or node)
    if found.high is not None and found.high > INT32_MAX:
        raise text.error(f"a dimension is a 32-bit integer, at most {INT32_MAX}", upper.right)
    first = found.low if found.low % found.step else -(-found.low // found.step) * found.step
    if first > (found.high if found.high is not None else INT32_MAX):
        raise text.error("no integer is in this range", upper)
    return found


def _number(node: ast.expr, text: OptionText) -> int | None:
    if isinstance(node, ast.Constant) and node.value is None:
        return None
    check_integer(node, text)
    for name in names_in(node):
        raise text.error("the ends and the step of a range are numbers; use --where for more", name)
    value: int = integer(node, {})
    return value
