"""Statements: ints that loops carry, control flow, claims, and the choice among all statements there are."""

from __future__ import annotations

from collections.abc import Callable

from lab.expressions import Scope
from lab.tiles import Tiles


class Writer(Tiles):
    """Writes one kernel."""

    def claim(self, text: str | None = None) -> None:
        """A hole for an assert."""
        place = self.place()
        self.claims.append(place)
        if self.loops or self.after_loop:
            self.in_loops.add(place)
        self.line(f"__claim__({place}, {text if text is not None else self.claimed()})")

    def claimed(self) -> str:
        """The subject of a claim: mostly what the loops around, or the last loop, have changed."""
        carried = [name for name in self.changed if name in self.scope.ints]
        options = [self.expression(1)]
        if carried:
            name = self.random.choice(carried[-3:])
            options += [name, name, f"{name} - {self.variable()}", f"{name} - {self.positive()} * {self.variable()}"]
            options += [f"{name} - {self.random.choice(carried)}"]
        if self.scope.lists:
            name = self.a_list()
            options += [f"len({name})", f"len({name}) - {self.variable()}", self.element(1), f"sum({name})"]
        if self.scope.objects:
            name = self.random.choice(self.scope.objects)
            options += [f"{name}.count", f"{name}.count - {self.variable()}", f"{name}.size"]
        if self.scope.dicts:
            options += [f"{self.random.choice(self.scope.dicts)}[{self.random.choice('ab')!r}]"]
        return self.random.choice(options)

    def body(self, depth: int, low: int = 1, high: int = 4) -> None:
        for _ in range(self.random.randint(low, high)):
            if self.budget <= 0:
                return
            self.budget -= 1
            self.statement(depth)

    def statement(self, depth: int) -> None:
        choices: list[tuple[int, Callable[[int], None]]] = [
            (7, self._assign),
            (8, self._augment),
            (6, lambda d: self.claim()),
            (2, self.new_list),
            (1, self.new_dict),
            (2, self._swap),
            (2, self.new_tile_statement),
            (1, self.closure),
            (1, self.new_object),
        ]
        if depth > 0:
            choices += [
                (14, self.for_loop),
                (8, self._if),
                (2, self._while),
                (2, self._try),
                (2, self.tail),
                (1, self.tile_list),
                (1, self.over_list),
                (1, self.generator),
                (1, self.tile_pair),
            ]
        if self.scope.lists:
            choices += [(6, self.change_list)]
        if self.scope.tiles:
            choices += [(5, self.slice)]
        if self.scope.tile_lists:
            choices += [(3, self.read_tile_list)]
        if self.scope.objects:
            choices += [(3, self.change_object)]
        if self.scope.dicts:
            choices += [(3, self.change_dict)]
        if self.loops and self.innermost_loop:
            choices += [(1, self._leave)]
        if self.early_return:
            choices += [(1, self._return)]
        (chosen,) = self.random.choices([c for _, c in choices], [w for w, _ in choices])
        chosen(depth)

    def _assign(self, depth: int) -> None:
        candidates = self.assignable()
        name = self.random.choice(candidates) if candidates and self.chance(0.45) else self.name("v")
        value = self.tamed(self.expression(2))
        self.changes(name)
        if self.chance(0.04):
            other = self.name("w")
            self.line(f"{name} = ({other} := {value}) + 1")
            self.scope.ints.append(other)
        elif self.chance(0.05):
            self.line(f"{name}: int = {value}")
        else:
            self.line(f"{name} = {value}")
        if name not in self.scope.ints:
            self.scope.ints.append(name)

    def _augment(self, depth: int) -> None:
        candidates = self.assignable()
        if not candidates:
            self._assign(depth)
            return
        name = self.random.choice(candidates)
        self.changes(name)
        c, other = self.positive(), self.variable()
        limit = self.random.choice((2, 3, 4, 5, 7))
        update = self.random.choice(
            (
                f"{name} += {c}",
                f"{name} += {c}",
                f"{name} += {c}",
                f"{name} -= {c}",
                f"{name} = {name} + {c}",
                f"{name} = min({name} + {c}, {limit})",
                f"{name} = max({name} - {c}, -{limit})",
                f"{name} = ({name} + {c}) % {limit}",
                f"{name} = {limit} - {name}",
                f"{name} = {other}",
                f"{name} = max({name}, {other})",
                f"{name} = {name} + 1 if {name} < {limit} else {self.random.choice(('0', name))}",
                f"{name} += {c} if {self.condition(0)} else {self.constant()}",
                f"{name} += {self.tamed(self.expression(1))}",
                f"{name} = {self.tamed(f'{name} + ({self.expression(1)})')}",
                f"{name} //= 2" if self.loops > 1 else f"{name} *= 2",
            )
        )
        if self.chance(0.15):
            with self.block(f"if {self.condition(self.random.randrange(2))}:"):
                self.line(update)
        else:
            self.line(update)

    def _swap(self, depth: int) -> None:
        candidates = self.assignable()
        if len(candidates) < 2:
            self._assign(depth)
            return
        one, two = self.random.sample(candidates, 2)
        extra = self.random.choice(("", "", " + 1"))
        self.changes(one)
        self.changes(two)
        self.line(f"{one}, {two} = {two}, {one}{extra}")

    def loop_body(self, depth: int) -> None:
        before = self.innermost_loop
        self.loops += 1
        self.innermost_loop = True
        for _ in range(self.random.choice((0, 0, 1, 1, 2))):
            self._carry()
        if self.chance(0.3):
            self.claim()
        self.body(depth - 1, 1, 3)
        if self.chance(0.25):
            with self.block(f"if {self.condition()}:"):
                self.claim() if self.chance(0.5) else self._carry()
        for _ in range(self.random.choice((0, 1, 1, 1))):
            self._carry()
        if self.chance(0.25):
            self.claim()
        self.loops -= 1
        self.innermost_loop = before

    def _carry(self) -> None:
        """Change something that was made before the loops around."""
        kind = self.random.randrange(10)
        if kind == 0 and self.scope.lists:
            self.line(f"{self.a_list()}.append({self.tamed(self.expression(1))})")
        elif kind == 1 and self.scope.objects:
            self.change_object(0)
        elif kind == 2 and self.scope.dicts:
            self.change_dict(0)
        elif kind == 3:
            self._swap(0)
        elif kind == 4:
            self._assign(0)
        else:
            self._augment(0)

    def changes(self, name: str) -> None:
        if self.loops:
            if name in self.changed:
                self.changed.remove(name)
            self.changed.append(name)

    def for_loop(self, depth: int) -> None:
        name = self.name("i") if self.chance(0.9) or not self.scope.ints else self.variable()
        if name in self.scope.fixed or not name.isidentifier():
            name = self.name("i")
        iterable = self.range_of()
        counter = None
        if self.chance(0.12):
            counter = self.name("p")
            start = f", {self.constant()}" if self.chance(0.3) else ""
            head = f"for {counter}, {name} in enumerate({iterable}{start}):"
        elif self.chance(0.08):
            counter = self.name("q")
            head = f"for {name}, {counter} in zip({iterable}, {self.range_of(0)}):"
        else:
            head = f"for {name} in {iterable}:"
        with self.block(head):
            if name not in self.scope.ints:
                self.scope.ints.append(name)
            if counter is not None:
                self.scope.ints.append(counter)
            self.loop_body(depth)
        if self.chance(0.06):
            with self.block("else:"):
                self.body(depth - 1, 1, 2)
        self.after_loop = True
        if self.chance(0.6):
            self.claim()

    def _if(self, depth: int) -> None:
        with self.block(f"if {self.condition()}:"):
            self.body(depth - 1, 1, 3)
        if self.chance(0.2):
            with self.block(f"elif {self.condition()}:"):
                self.body(depth - 1, 1, 2)
        if self.chance(0.5):
            with self.block("else:"):
                self.body(depth - 1, 1, 3)

    def _while(self, depth: int) -> None:
        name = self.name("t")
        self.line(f"{name} = {self.random.choice(('0', '0', '1', self.expression(0)))}")
        bound = self.variable() if self.chance(0.6) else f"min({self.expression(1)}, 12)"
        if not bound.startswith("min") and bound not in self.scope.fixed and bound.isidentifier():
            frozen = self.name("b")
            self.line(f"{frozen} = {bound}")
            bound = frozen
        down = self.chance(0.15)
        if down:
            self.line(f"{name}, {self.name('u')} = {bound}, {name}")
        extra = f" and {self.condition(0)}" if self.chance(0.2) else ""
        with self.block(f"while {name} > 0{extra}:" if down else f"while {name} < {bound}{extra}:"):
            step = self.positive()
            self.line(f"{name} {'-=' if down else '+='} {step}")
            self.scope.ints.append(name)
            self.scope.fixed |= {name, bound}
            self.loop_body(depth)
        self.scope.ints.append(name)

    def _leave(self, depth: int) -> None:
        with self.block(f"if {self.condition()}:"):
            if self.chance(0.3):
                self.body(0, 1, 1)
            self.line(self.random.choice(("break", "continue")))

    def _return(self, depth: int) -> None:
        with self.block(f"if {self.condition()}:"):
            self.line(f"return {self.expression(1)}")

    def _try(self, depth: int) -> None:
        name = self.random.choice(self.assignable() or [self.name("v")])
        kind = self.random.randrange(6)
        handler = "ValueError"
        with self.block("try:"):
            if self.chance(0.5):
                self.body(depth - 1, 1, 2)
            if kind == 0:
                self.line(f"assert {self.condition()}")
                handler = "AssertionError"
            elif kind == 1:
                self.line(f"{name} = {self.positive()} // {self.expression(1)}")
                handler = "ZeroDivisionError"
            elif kind == 2 and self.scope.lists:
                self.line(f"{name} = {self.a_list()}[{self.expression(1)}]")
                handler = "IndexError"
            elif kind == 3 and self.scope.dicts:
                self.line(f"{name} = {self.random.choice(self.scope.dicts)}[{self.random.choice(('a', 'z'))!r}]")
                handler = "KeyError"
            else:
                with self.block(f"if {self.condition()}:"):
                    self.line("raise ValueError('no')")
            if self.chance(0.4):
                self.body(depth - 1, 1, 2)
        handler = self.random.choice((handler, handler, handler, "Exception", "(ValueError, ArithmeticError)"))
        with self.block(f"except {handler}:"):
            self.line(f"{name} = {self.tamed(self.expression(1))}")
            self.body(depth - 1, 0, 1)
        if self.chance(0.15):
            with self.block("else:"):
                self.body(depth - 1, 1, 1)
        if self.chance(0.15):
            with self.block("finally:"):
                self.body(0, 1, 1)
        if name not in self.scope.ints:
            self.scope.ints.append(name)

    def helper(self) -> None:
        """A function at module level."""
        name = f"helper{len(self.helper_names) + 1}"
        saved = (self.lines, self.scope, self.indent, self.budget, self.claims, self.early_return)
        self.lines, self.scope, self.indent, self.budget = [], Scope(["a", "b"]), 1, 3
        claims_before = list(self.claims)
        self.body(1, 0, 2)
        if self.chance(0.3):
            with self.block(f"if {self.condition()}:"):
                self.line(f"return {self.expression(1)}")
        self.line(f"return ({self.expression(2)}) % {self.random.choice((7, 50, 200))}")
        default = f"={self.positive()}" if self.chance(0.3) else ""
        text = f"def {name}(a, b{default}):\n" + "\n".join(self.lines) + "\n"
        self.lines, self.scope, self.indent, self.budget, _, self.early_return = saved
        self.claims = [*claims_before, *self.claims[len(claims_before) :]]
        self.helpers.append(text)
        self.helper_names.append(name)
