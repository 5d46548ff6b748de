"""Random expressions of a kernel, over the names that are bound where they stand."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class Scope:
    """The names that can be read here, by what they are."""

    ints: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    tiles: list[tuple[str, str]] = field(default_factory=list)
    tile_lists: list[tuple[str, int]] = field(default_factory=list)
    objects: list[str] = field(default_factory=list)
    dicts: list[str] = field(default_factory=list)
    closures: list[str] = field(default_factory=list)
    #: Names that may not be assigned: loop variables of a `while`.
    fixed: set[str] = field(default_factory=set)

    def copy(self) -> Scope:
        return Scope(
            list(self.ints),
            list(self.lists),
            list(self.tiles),
            list(self.tile_lists),
            list(self.objects),
            list(self.dicts),
            list(self.closures),
            set(self.fixed),
        )


class Expressions:
    """Writes the lines of one kernel: what is known while doing so, and the expressions."""

    def __init__(self, source: random.Random) -> None:
        self.random = source
        self.lines: list[str] = []
        self.indent = 1
        self.names = 0
        self.places = 0
        self.claims: list[int] = []
        self.in_loops: set[int] = set()
        #: Names that loops have changed, the last one last.
        self.changed: list[str] = []
        self.after_loop = False
        self.pads: list[int] = []
        self.scope = Scope()
        self.loops = 0
        self.innermost_loop = False
        self.budget = source.randint(2, 9)
        self.helpers: list[str] = []
        self.helper_names: list[str] = []
        self.classes: list[str] = []
        self.early_return = source.random() < 0.25

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """An indented block; names bound in it are forgotten afterwards, mostly."""
        self.line(head)
        before = self.scope.copy()
        self.indent += 1
        count = len(self.lines)
        yield
        if len(self.lines) == count:
            self.line("pass")
        self.indent -= 1
        if self.random.random() < 0.93:
            self.scope = before

    def name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def place(self) -> int:
        self.places += 1
        return self.places

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def constant(self) -> str:
        return str(self.random.choice((0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8, -1)))

    def positive(self) -> str:
        return str(self.random.choice((1, 2, 2, 3, 3, 4, 5)))

    def variable(self) -> str:
        ints = self.scope.ints
        if not ints:
            return self.constant()
        # What was bound last is carried by the loops around.
        return self.random.choice(ints[-4:]) if self.chance(0.6) else self.random.choice(ints)

    def assignable(self) -> list[str]:
        """Names that may get another value: mostly not the dimensions and the variables of loops."""
        free = [name for name in self.scope.ints if name not in self.scope.fixed]
        state = [name for name in free if name.startswith("v")]
        return state if state and self.chance(0.93) else free

    def divisor(self) -> str:
        if self.chance(0.75):
            return self.positive()
        if self.chance(0.7):
            return f"max(1, {self.variable()})"
        return f"({self.variable()} + {self.positive()})"

    def expression(self, depth: int = 2) -> str:
        """An int."""
        if depth <= 0 or self.chance(0.25):
            return self.variable() if self.chance(0.75) else self.constant()
        choices: list[tuple[int, Callable[[int], str]]] = [
            (8, lambda d: f"({self.expression(d)} + {self.expression(d)})"),
            (6, lambda d: f"({self.expression(d)} - {self.expression(d)})"),
            (4, lambda d: f"({self.positive()} * {self.expression(d)})"),
            (2, lambda d: f"({self.variable()} * {self.variable()})"),
            (4, lambda d: f"({self.expression(d)} // {self.divisor()})"),
            (4, lambda d: f"({self.expression(d)} % {self.divisor()})"),
            (3, lambda d: f"min({self.expression(d)}, {self.expression(d)})"),
            (3, lambda d: f"max({self.expression(d)}, {self.expression(d)})"),
            (2, lambda d: self.ceil_division(d)),
            (3, lambda d: f"({self.expression(d)} if {self.condition(d)} else {self.expression(d)})"),
            (1, lambda d: f"abs({self.expression(d)})"),
            (1, lambda d: f"divmod({self.expression(d)}, {self.positive()})[{self.random.randrange(2)}]"),
            (1, lambda d: f"int({self.expression(d)} / {self.positive()})"),
            (1, lambda d: f"int({self.condition(d)})"),
            (1, lambda d: f"(-{self.expression(d)})"),
            (1, lambda d: f"min({self.expression(d)}, {self.constant()}, {self.variable()})"),
            (1, lambda d: f"sum([{self.expression(d)}, {self.expression(d)}])"),
            (1, lambda d: f"sum({self.comprehension(d)})"),
            (1, lambda d: f"len(range({self.expression(d)}, {self.expression(d)}, {self.positive()}))"),
        ]
        if self.chance(0.01):
            choices += [
                (20, lambda d: f"round({self.expression(d)} / 2)"),
                (20, lambda d: f"2 ** min(abs({self.variable()}), 3)"),
            ]
        if self.chance(0.01):
            choices += [(20, lambda d: f"({self.expression(0)} * {self.random.choice((10**9, 2**30, 2**29))})")]
        if self.scope.lists:
            choices += [(4, lambda d: f"len({self.a_list()})"), (5, lambda d: self.element(d))]
            choices += [(1, lambda d: f"sum({self.a_list()})"), (1, lambda d: f"max({self.a_list()}, default=0)")]
        if self.scope.objects:
            choices += [(4, lambda d: self._of_object(d))]
        if self.scope.dicts:
            choices += [(3, lambda d: self._of_dict(d))]
        if self.scope.closures:
            choices += [(4, lambda d: f"{self.random.choice(self.scope.closures)}({self.expression(d)})")]
        if self.helper_names:
            choices += [(4, lambda d: self._call_helper(d))]
        (chosen,) = self.random.choices([c for _, c in choices], [w for w, _ in choices])
        return chosen(depth - 1)

    def ceil_division(self, depth: int) -> str:
        size = self.positive()
        value = self.expression(depth)
        return self.random.choice(
            (f"(({value} + {size} - 1) // {size})", f"(-(-{value} // {size}))", f"math.ceil({value} / {size})")
        )

    def comprehension(self, depth: int) -> str:
        name = self.name("c")
        saved = self.scope.copy()
        iterable = self.range_of(depth)
        self.scope.ints.append(name)
        value = self.expression(depth)
        test = f" if {self.condition(depth)}" if self.chance(0.25) else ""
        self.scope = saved
        return f"[{value} for {name} in {iterable}{test}]"

    def a_list(self) -> str:
        return self.random.choice(self.scope.lists[-2:] if self.chance(0.6) else self.scope.lists)

    def element(self, depth: int) -> str:
        name = self.a_list()
        index = self.expression(depth)
        if self.chance(0.75):
            return f"({name}[{index} % len({name})] if {name} else {self.constant()})"
        if self.chance(0.5):
            return f"({name}[{self.random.choice(('0', '-1'))}] if len({name}) > 0 else {self.constant()})"
        return f"({name}[{index}] if 0 <= {index} < len({name}) else {self.constant()})"

    def _of_object(self, depth: int) -> str:
        name = self.random.choice(self.scope.objects)
        return self.random.choice(
            (
                f"{name}.count",
                f"{name}.size",
                f"{name}.bump({self.expression(depth)})",
                f"{name}.total",
                f"{name}.scaled({self.positive()})",
            )
        )

    def _of_dict(self, depth: int) -> str:
        name = self.random.choice(self.scope.dicts)
        return self.random.choice(
            (
                f"{name}['a']",
                f"{name}['b']",
                f"{name}.get('c', {self.constant()})",
                f"len({name})",
                f"{name}['b' if {self.condition(depth)} else 'a']",
            )
        )

    def _call_helper(self, depth: int) -> str:
        name = self.random.choice(self.helper_names)
        return f"{name}({self.expression(depth)}, {self.expression(depth)})"

    def condition(self, depth: int = 1) -> str:
        """A truth value."""
        kind = self.random.randrange(12)
        left, right = self.expression(depth), self.expression(depth - 1)
        if kind <= 4:
            return f"{left} {self.random.choice(('<', '<=', '==', '!=', '>', '>='))} {right}"
        if kind == 5:
            return f"{self.constant()} <= {left} < {right}"
        if kind == 6:
            return f"{left} % {self.random.choice((2, 2, 3))} == {self.random.choice((0, 1))}"
        if kind == 7 and depth > 0:
            return f"({self.condition(depth - 1)} {self.random.choice(('and', 'or'))} {self.condition(depth - 1)})"
        if kind == 8:
            return f"not {left} > {right}"
        if kind == 9:
            return f"{left} in ({self.constant()}, {self.constant()})"
        if kind == 10:
            return f"{left} in range({right})"
        return f"{left} == {right}"

    def range_of(self, depth: int = 1) -> str:
        """Something to loop over that gives ints."""
        kind = self.random.randrange(12)
        bound = self.variable() if self.chance(0.6) else self.expression(depth)
        if kind <= 4:
            return f"range({bound})"
        if kind <= 6:
            return f"range({self.expression(0)}, {bound})"
        if kind == 7:
            return f"range({self.constant()}, {bound}, {self.random.choice((2, 3, 2, self.positive()))})"
        if kind == 8:
            return f"nl.affine_range({bound})"
        if kind == 9:
            return f"range({bound}, {self.constant()}, -{self.positive()})"
        if kind == 10:
            return f"reversed(range({bound}))"
        return f"nl.sequential_range({self.ceil_division(0)})"
