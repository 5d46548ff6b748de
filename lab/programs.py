"""Shape programs by hand and at random, and the truth about small ones by trying every value."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from nkiverify.engines.embedded import Outcome
from nkiverify.foundation.source import Site
from nkiverify.ir.contract import Contract
from nkiverify.ir.program import Assume, Block, Branch, Claim, DomainDimension, Item, Loop, Program
from nkiverify.symbolic import all_of, any_of, maximum, minimum, select, terms
from nkiverify.symbolic.atoms import Atom, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.terms import INT32_MAX

CONTRACT = Contract("test.contract", "A claim of a test.", "tests")
DIVISION = Contract("host.division_by_zero", "A divisor is not zero.", "tests")


def dimension(name: str) -> Any:
    """The dimension of this name, as a symbolic integer."""
    return terms.dimension(name)


def atom(value: Any) -> Any:
    """The atom that a symbolic integer is."""
    (found,) = value.atoms
    return found


def claim(number: int, condition: Any, contract: Contract = CONTRACT, line: int = 0, unwinding: bool = False) -> Claim:
    """A claim of phase 1, in line `line` of a kernel."""
    site = Site("/checkout/kernels/test.py", line) if line else None
    return Claim(number, contract, condition, 1, site, "", unwinding=unwinding)


def index(name: str, extent: Any, key: object = "test", representative: bool = False) -> Any:
    """An index below `extent`."""
    extent = extent if isinstance(extent, Term) else terms.constant(extent)
    return terms.index(name, extent, key, representative)


def loop(value: Any, *items: Item, line: int = 0) -> Loop:
    """A loop whose index is `value`."""
    found = atom(value)
    site = Site("/checkout/kernels/test.py", line) if line else None
    return Loop(found, found.extent, (value >= 0, value < found.extent), Block(list(items)), site)


def branch(condition: Any, then: list[Item], orelse: list[Item]) -> Branch:
    """A branch."""
    return Branch(condition, Block(then), Block(orelse), None)


def program(bounds: dict[str, tuple[int, int]], *items: Item) -> Program:
    """A program over dimensions with these inclusive bounds."""
    dimensions = [DomainDimension(atom(dimension(name)), low, high) for name, (low, high) in bounds.items()]
    domain: list[Item] = []
    for name, (low, high) in bounds.items():
        domain += [Assume(dimension(name) >= low, "domain"), Assume(dimension(name) <= high, "domain")]
    return Program(dimensions, Block([*domain, *items]))


# --- random programs --------------------------------------------------------------------------------------------------


@dataclass
class Writer:
    """Writes random programs whose every variable has a few values, so that all of them can be tried.

    Without `products`, no variables are multiplied: solvers of bit-vectors take seconds for that. With `tiles`,
    dimensions are any extents and numbers those of tiles: nobody can try them all.
    """

    random: random.Random
    products: bool = True
    tiles: bool = False
    claims: int = 0
    loops: int = 0
    _variables: list[Any] = field(default_factory=list)

    def program(self) -> Program:
        """A program over two dimensions with loops, branches and up to a dozen claims."""
        names = ("m", "n")
        self._variables = [dimension(name) for name in names]
        if self.tiles:
            return program(dict.fromkeys(names, (1, INT32_MAX)), *self._items(depth=0))
        low = self.random.randint(-3, 1)
        return program(dict.fromkeys(names, (low, low + 3)), *self._items(depth=0))

    def _items(self, depth: int) -> list[Item]:
        items: list[Item] = []
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.random()
            if kind < 0.15 and depth:
                items.append(Assume(self._condition()))
            elif kind < 0.45 and depth < 3:
                items.append(self._loop(depth))
            else:
                items.append(self._claim())
        if depth < 2 and self.random.random() < 0.3:
            condition = self._condition()
            if isinstance(condition, Condition):
                items.append(branch(condition, self._items(depth + 1), self._items(depth + 1)))
        return items

    def _claim(self) -> Claim:
        self.claims += 1
        return claim(self.claims, self._condition())

    def _loop(self, depth: int) -> Loop:
        self.loops += 1
        count = (self._variables[0] + 127) // 128 if self.tiles else self._linear()
        extent = self.random.choice([self.random.randint(0, 3), count, minimum(self._linear(), 3)])
        value = index(f"i{self.loops}", extent, key=("random", self.loops))
        self._variables.append(value)
        items = self._items(depth + 1)
        self._variables.pop()
        return loop(value, *items)

    def _condition(self) -> Any:
        left, right = self._value(), self._value()
        made = self.random.choice([left <= right, left < right + 1, left == right, left != right])
        joined = self.random.random()
        if joined < 0.15:
            return any_of(made, self._value() <= self._value())
        return all_of(made, self._value() <= self._value() + 4) if joined < 0.3 else made

    def _value(self) -> Any:
        kind = self.random.random()
        value = self._linear()
        if kind < 0.2:
            return value // self.random.choice([128, 512] if self.tiles else [2, 3, -2])
        if kind < 0.3:
            return value % self.random.choice([128, 512] if self.tiles else [2, 3])
        if kind < 0.4:
            return minimum(value, self._linear()) if kind < 0.35 else maximum(value, self._linear())
        if kind < 0.45:
            return select(self._linear() <= self._linear() + 1, value, self._linear())
        if kind < 0.55 and self.products:
            return value * self.random.choice(self._variables)
        return value

    def _linear(self) -> Any:
        chosen = self.random.choice(self._variables)
        other = self.random.choice(self._variables)
        factor = self.random.choice([1, 1, 128, 512] if self.tiles else [1, 1, 2, -1])
        value = chosen * factor + self.random.choice([-1, 0, 1, 127, 128] if self.tiles else [-2, -1, 0, 1, 2])
        return value + other if self.random.random() < 0.3 else value


def truth(written: Program) -> dict[int, Outcome]:
    """The outcome of every claim, found by trying all values of all variables."""
    outcomes: dict[int, Outcome] = {}
    ranges = [
        range(described.low, (described.high if described.high is not None else 0) + 1)
        for described in written.dimensions
    ]
    for values in product(*ranges):
        given: dict[Atom, int] = dict(zip((described.atom for described in written.dimensions), values, strict=True))
        for number, holds in _executed(written.body, given):
            if not holds:
                outcomes[number] = Outcome.REFUTED
            else:
                outcomes.setdefault(number, Outcome.PROVED)
    return outcomes


def _executed(block: Block, given: dict[Atom, int]) -> Iterator[tuple[int, bool]]:
    """Every claim that execution comes to, and whether it holds there."""
    for item in block.items:
        here = Valuation(given)
        if isinstance(item, Claim):
            yield item.number, here.holds(item.condition)
        elif isinstance(item, Assume):
            if not here.holds(item.condition):
                return
        elif isinstance(item, Branch):
            yield from _executed(item.then if here.holds(item.condition) else item.orelse, given)
        elif isinstance(item, Loop):
            try:
                trips = here.term(item.extent)
            except Undefined:
                return
            for value in range(trips):
                yield from _executed(item.body, {**given, item.index: value})
