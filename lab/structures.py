"""Statements about lists, objects, dictionaries, closures and generators."""

from __future__ import annotations

from lab.expressions import Expressions


class Structures(Expressions):
    """Writes what makes, changes and runs over containers and objects."""

    def loop_body(self, depth: int) -> None:
        """The statements of a loop; what all statements are, a subclass knows."""
        raise NotImplementedError

    def body(self, depth: int, low: int = 1, high: int = 4) -> None:
        """Some statements."""
        raise NotImplementedError

    def tamed(self, text: str) -> str:
        """A right-hand side that cannot grow without end when it is carried round loops."""
        if "*" not in text and "sum" not in text and "(" not in text:
            return text
        if self.loops == 0 and self.chance(0.7):
            return text
        kind = self.random.randrange(3)
        if kind == 0:
            return f"({text}) % {self.random.choice((2, 3, 4, 5, 16))}"
        if kind == 1:
            return f"min({text}, {self.random.choice((3, 5, 20))})"
        return f"max(min({text}, {self.random.choice((6, 12, 40))}), -{self.random.choice((1, 4, 9))})"

    def new_list(self, depth: int) -> None:
        name = self.name("l")
        kind = self.random.randrange(8)
        if kind <= 1:
            value = "[]"
        elif kind == 2:
            value = f"[{self.expression(1)}, {self.expression(1)}]"
        elif kind <= 4:
            value = self.comprehension(1)
        elif kind == 5:
            value = f"[{self.expression(0)}] * {self.random.choice(('2', '3', self.variable()))}"
        elif kind == 6:
            value = f"list({self.range_of(0)})"
        elif self.scope.lists:
            other = self.a_list()
            value = self.random.choice(
                (
                    other,
                    f"{other}[:]",
                    f"{other} + [{self.expression(0)}]",
                    f"{other}[1:]",
                    f"sorted({other})",
                    f"list({other})",
                    f"{other}[{self.positive()}:]",
                    f"{other}[::-1]",
                    f"{other}[:-1]",
                )
            )
        else:
            value = f"[{self.expression(1)}]"
        self.line(f"{name} = {value}")
        self.scope.lists.append(name)

    def change_list(self, depth: int) -> None:
        name = self.a_list()
        kind = self.random.randrange(14)
        value = self.tamed(self.expression(1))
        if kind <= 6:
            self.line(f"{name}.append({value})")
        elif kind == 7:
            self.line(f"{name} += [{value}]")
        elif kind == 8:
            with self.block(f"if {name}:"):
                self.line(f"{name}[{self.random.choice(('0', '-1', f'{self.expression(0)} % len({name})'))}] = {value}")
        elif kind == 9:
            with self.block(f"if len({name}) > {self.positive()}:"):
                self.line(f"{name}.pop({self.random.choice(('', '0'))})")
        elif kind == 10:
            self.line(f"{name}.insert(0, {value})")
        elif kind == 11:
            self.line(f"{name}.extend([{value}, {self.expression(0)}])")
        elif kind == 12:
            self.line(f"{name} = [{value}]")
        else:
            self.line(f"{name}.reverse()")

    def over_list(self, depth: int) -> None:
        if not self.scope.lists:
            self.new_list(depth)
        name, source = self.name("e"), self.a_list()
        counter = self.name("k")
        head = self.random.choice(
            (
                f"for {name} in {source}:",
                f"for {counter}, {name} in enumerate({source}):",
                f"for {name}, {counter} in zip({source}, {source}):",
                f"for {name}, {counter} in zip({source}, {source}[1:]):",
            )
        )
        with self.block(head):
            self.scope.ints.append(name)
            if counter in head:
                self.scope.ints.append(counter)
            before = list(self.scope.lists)
            # A list that grows while a loop runs over it does not end.
            self.scope.lists = []
            self.loop_body(depth)
            self.scope.lists = before

    def new_object(self, depth: int) -> None:
        if not self.classes:
            self._make_class()
        name = self.name("o")
        if self.scope.objects and self.chance(0.2):
            self.line(f"{name} = {self.random.choice(self.scope.objects)}")
        else:
            self.line(f"{name} = {self.random.choice(self.classes)}({self.expression(1)})")
        self.scope.objects.append(name)

    def _make_class(self) -> None:
        name = f"State{len(self.classes) + 1}"
        self.classes.append(name)
        if self.chance(0.4):
            head = f"@dataclass\nclass {name}:\n    size: int\n    count: int = 0\n"
        else:
            slots = "    __slots__ = ('size', 'count')\n" if self.chance(0.3) else ""
            base = "(nl.NKIObject)" if not slots and self.chance(0.3) else ""
            start = f"        self.size = size\n        self.count = {self.constant()}\n"
            head = f"class {name}{base}:\n{slots}    def __init__(self, size):\n{start}"
        update = self.random.choice(
            (
                "self.count += 1",
                "self.count = min(self.count + by, 9)",
                "self.count = (self.count + by) % 5",
                "self.count = by",
            )
        )
        self.helpers.append(
            f"{head}\n    def bump(self, by):\n        {update}\n        return self.count\n\n"
            f"    @property\n    def total(self):\n        return self.size + self.count\n\n"
            f"    def scaled(self, factor):\n        return factor * self.count + self.size % 4\n"
        )

    def change_object(self, depth: int) -> None:
        name = self.random.choice(self.scope.objects)
        self.line(
            self.random.choice(
                (
                    f"{name}.count += 1",
                    f"{name}.bump({self.expression(1)})",
                    f"{name}.size = {self.tamed(self.expression(1))}",
                    f"{name}.count += {self.positive()}",
                    f"{name}.size -= 1",
                )
            )
        )

    def new_dict(self, depth: int) -> None:
        name = self.name("d")
        self.line(f"{name} = {{'a': {self.expression(1)}, 'b': {self.expression(1)}}}")
        self.scope.dicts.append(name)

    def change_dict(self, depth: int) -> None:
        name = self.random.choice(self.scope.dicts)
        self.line(
            self.random.choice(
                (
                    f"{name}['a'] += 1",
                    f"{name}['b'] = {self.tamed(self.expression(1))}",
                    f"{name}['c'] = {self.expression(0)}",
                    f"{name}['a'], {name}['b'] = {name}['b'], {name}['a']",
                    f"{name}.update(a={self.expression(0)})",
                    f"{name}['b'] += {self.positive()}",
                )
            )
        )

    def closure(self, depth: int) -> None:
        name, parameter = self.name("f"), self.name("x")
        candidates = self.assignable()
        if candidates and self.chance(0.4):
            shared = self.random.choice(candidates)
            with self.block(f"def {name}({parameter}):"):
                self.line(f"nonlocal {shared}")
                self.line(self.random.choice((f"{shared} += 1", f"{shared} = ({shared} + {parameter}) % 7")))
                self.line(f"return {shared} + {parameter}")
        elif self.chance(0.5):
            saved = self.scope.copy()
            self.scope.ints.append(parameter)
            self.scope.closures = []
            value = self.expression(1)
            self.scope = saved
            self.line(f"{name} = lambda {parameter}: {value}")
        else:
            saved = self.scope.copy()
            with self.block(f"def {name}({parameter}, scale={self.positive()}):"):
                self.scope.ints.append(parameter)
                self.scope.closures = []
                value = self.expression(1)
                self.line(f"return scale * {value} % 50")
            self.scope = saved
        self.scope.closures.append(name)

    def generator(self, depth: int) -> None:
        name, inner = self.name("g"), self.name("y")
        saved = self.scope.copy()
        with self.block(f"def {name}(limit):"), self.block(f"for {inner} in range(limit):"):
            self.scope.ints.append(inner)
            if self.chance(0.3):
                with self.block(f"if {inner} % 2 == 1:"):
                    self.line("continue")
            self.line(f"yield {self.random.choice((inner, f'{inner} + 1', f'2 * {inner}'))}")
        self.scope = saved
        element = self.name("e")
        with self.block(f"for {element} in {name}({self.variable()}):"):
            self.scope.ints.append(element)
            self.loop_body(depth)
