"""Kernels about one thing: state that a loop carries, and exact claims about it in the loop and behind it.

Each state is a place that holds an int (a local, an attribute, an entry, a cell, …) and each claim is about its
distance from the line it would follow if the loop changed it evenly. A summary that is one step off shows at once.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from lab.statements import Writer

#: Classes the states use.
CLASSES = """\
class Box:
    def __init__(self, start):
        self.count = start
        self.inner = None

    def bump(self, by=1):
        self.count += by


class Shared:
    total = 0


@dataclass(frozen=True)
class Record:
    count: int
    other: int = 5

    def moved(self, by=1):
        return replace(self, count=self.count + by)


"""


@dataclass(frozen=True, slots=True)
class State:
    """Where an int is kept: `place` reads and writes it, and `step` renders a change by an amount."""

    place: str
    step: Callable[[str], str]
    assignable: bool = True


class Carried(Writer):
    """Writes one such kernel."""

    def __init__(self, source: random.Random) -> None:
        super().__init__(source)
        self.states: list[State] = []
        self.rates: dict[str, str] = {}

    def write(self) -> None:
        """All statements but the return."""
        for _ in range(self.random.choice((1, 1, 1, 2))):
            self.states.append(self._new_state())
        self._loop(depth=2)
        if self.chance(0.1):
            self._loop(depth=1)
        for state in self.states:
            self._claim_about(state, self.variable())

    def _new_state(self) -> State:
        start = self.random.choice(("0", "0", "1", "3", self.variable()))
        name = self.name("s")
        kind = self.random.randrange(18)
        if kind <= 2:
            self.line(f"{name} = {start}")
            return State(name, lambda by: f"{name} += {by}")
        if kind == 3:
            self.line(f"{name} = Box({start})")
            return State(f"{name}.count", lambda by: f"{name}.count += {by}")
        if kind == 4:
            self.line(f"{name} = Box({start})")
            return State(f"{name}.count", lambda by: f"{name}.bump({by})")
        if kind == 5:
            self.line(f"{name} = Box(0)")
            self.line(f"{name}.inner = Box({start})")
            return State(f"{name}.inner.count", lambda by: f"{name}.inner.count += {by}")
        if kind == 6:
            self.line(f"{name} = {{'a': {start}}}")
            return State(f"{name}['a']", lambda by: f"{name}['a'] += {by}")
        if kind == 7:
            self.line(f"{name} = [{start}, 0]")
            return State(f"{name}[0]", lambda by: f"{name}[0] += {by}")
        if kind == 8:
            self.line(f"{name} = []")
            return State(f"len({name})", lambda by: f"{name}.append({by})", assignable=False)
        if kind == 9:
            self.line(f"{name} = {start}")
            with self.block(f"def change_{name}(by):"):
                self.line(f"nonlocal {name}")
                self.line(f"{name} = {name} + by")
            return State(name, lambda by: f"change_{name}({by})")
        if kind == 10:
            self.line(f"{name} = ({start}, 5)")
            return State(f"{name}[0]", lambda by: f"{name} = ({name}[0] + {by}, 5)", assignable=False)
        if kind == 11:
            self.line(f"{name} = Record({start})")
            return State(f"{name}.count", lambda by: f"{name} = {name}.moved({by})", assignable=False)
        if kind == 12:
            # A record that each round makes itself, so that two names may have one.
            self.line(f"{name} = Box({start})")
            change = self.random.choice(("{0} = Box({0}.count + {1})", "{0} = Box({0}.count); {0}.bump({1})"))
            return State(f"{name}.count", lambda by: change.format(name, by))
        if kind in (13, 14):
            # What other names had in the rounds before.
            line = [name, *(self.name("s") for _ in range(self.random.choice((1, 1, 2))))]
            self.line(f"{', '.join(line)} = {', '.join([start] * len(line))}")
            handed = ", ".join(line[1:])
            return State(name, lambda by: f"{', '.join(line)} = {handed}, {line[-1]} + {by}", assignable=False)
        if kind == 15:
            self.line(f"{name} = {{'a': Record({start}), 'b': None}}")
            change = "{0}['b'], {0}['a'] = {0}['a'], {0}['a'].moved({1})"
            return State(f"{name}['a'].count", lambda by: change.format(name, by), assignable=False)
        if kind == 16:
            self.line(f"{name} = [[{start}], [{start}]]")
            change = "{0}[0], {0}[1] = {0}[1], [{0}[0][0] + {1}]"
            return State(f"{name}[0][0]", lambda by: change.format(name, by), assignable=False)
        self.line(f"Shared.total = {start}")
        return State("Shared.total", lambda by: f"Shared.total += {by}")

    def _loop(self, depth: int) -> None:
        index = self.name("i")
        bound = self.variable()
        start = self.random.choice(("0", "0", "0", "1", "2"))
        if self.chance(0.2):
            # What the index is behind a loop that may not run at all.
            self.line(f"{index} = -1")
            self.scope.ints.append(index)
        head = self.random.choice(
            (
                f"for {index} in range({bound}):",
                f"for {index} in range({bound}):",
                f"for {index} in range({bound}):",
                f"for {index} in range({start}, {bound}):",
                f"for {index} in range({start}, {bound}, {self.positive()}):",
                f"for {index} in range({bound} - 1, -1, -1):",
                f"for {index} in nl.affine_range({bound}):",
                f"for {index} in range({bound} + 1):",
                f"for {index}, {self.name('e')} in enumerate(range({bound}), 1):",
            )
        )
        known = index in self.scope.ints
        moves = ""
        if self.chance(0.35):
            head, moves = self._counted(index, bound, start)
        elif self.chance(0.25):
            head = self._drawn(index, bound)
        with self.block(head):
            if moves:
                self.line(moves)
            self.scope.ints.append(index)
            self.loops += 1
            self._rounds(index, depth)
            self.loops -= 1
        if self.chance(0.1):
            with self.block("else:"):
                self._change(index)
        self.after_loop = True
        if known:
            self.scope.ints.append(index)
            self.claim(self.random.choice((index, f"{index} - {bound}")))
        for state in self.states:
            if self.chance(0.7):
                self._claim_about(state, bound)

    def _counted(self, index: str, bound: str, start: str) -> tuple[str, str]:
        """The head of a `while` statement, and what moves its counter on."""
        by = self.positive()
        if self.chance(0.25):
            self.line(f"{index} = {bound}")
            return f"while {index} > {start}:", f"{index} -= {by}"
        self.line(f"{index} = {start}")
        test = self.random.choice(("{0} < {1}", "{0} < {1}", "{0} <= {1}", "{0} + {2} <= {1}", "not {0} >= {1}"))
        step = f"min({by}, {bound} - {index})" if self.chance(0.4) and test == "{0} < {1}" else by
        return f"while {test.format(index, bound, by)}:", f"{index} += {step}"

    def _drawn(self, index: str, bound: str) -> str:
        """The head of a statement that runs over a generator."""
        made = self.name("g")
        inner, by = self.name("j"), self.positive()
        counted = self.chance(0.5)
        shared = self.chance(0.2)
        with self.block(f"def {made}(n):"):
            if counted:
                self.line(f"{inner} = 0")
            with self.block(f"while {inner} < n:" if counted else f"for {inner} in range(n):"):
                if self.chance(0.1):
                    with self.block(f"if {inner} != {self.random.choice((0, 1, 2))}:"):
                        self.line(f"yield {inner}")
                else:
                    self.line(f"yield {inner}")
                if self.chance(0.15):
                    self.line(f"yield {inner} + {by}")
                if counted:
                    self.line(f"{inner} += {self.random.choice((by, f'min({by}, n - {inner})'))}")
                if shared:
                    self.line(f"Shared.total += {by}")
            if self.chance(0.2):
                self.line("yield n")
        if self.chance(0.15):
            return f"for {self.name('e')}, {index} in enumerate({made}({bound})):"
        return f"for {index} in {made}({bound}):"

    def _rounds(self, index: str, depth: int) -> None:
        """The body of a loop."""
        if self.chance(0.3):
            self._claim_about(self.random.choice(self.states), index)
        leaves = self.random.choice(("", "", "", "", "break", "break", "continue", "return 0"))
        if leaves and self.chance(0.5):
            self._leave_when(index, leaves)
            leaves = ""
        for _ in range(self.random.choice((1, 1, 1, 2))):
            self._change(index)
        if depth > 1 and self.chance(0.15):
            self._loop(depth - 1)
        if leaves:
            self._leave_when(index, leaves)
        if self.chance(0.2):
            self._change(index)
        if self.chance(0.3):
            self._claim_about(self.random.choice(self.states), index)

    def _leave_when(self, index: str, how: str) -> None:
        state = self.random.choice(self.states).place
        limit = self.random.choice(("1", "2", "3", self.variable(), f"{self.variable()} - 1", f"{self.variable()} - 2"))
        condition = self.random.choice((f"{index} == {limit}", f"{index} >= {limit}", f"{state} > {limit}"))
        with self.block(f"if {condition}:"):
            if self.chance(0.3):
                self._change(index)
            self.line(how)

    def _change(self, index: str) -> None:
        state = self.random.choice(self.states)
        if state.assignable and self.chance(0.15):
            other = self.random.choice(self.states).place
            place, limit = state.place, self.random.choice((2, 3, 5))
            change = self.random.choice(
                (
                    f"{place} = {index}",
                    f"{place} = {index} + {limit}",
                    f"{place} = {limit} - {place}",
                    f"{place} = min({place} + 1, {limit})",
                    f"{place} = ({place} + 1) % {limit}",
                    f"{place} = {other}",
                    f"{place} = max({place}, {index} - {limit})",
                )
            )
        else:
            by = self.random.choice(("1", "1", "1", "2", "3", "-1", index, self.variable()))
            self.rates[state.place] = by
            change = state.step(by)
        if self.chance(0.1):
            condition = self.random.choice((f"{index} % 2 == 0", f"{index} > 1", f"{index} == {self.variable()} - 1"))
            with self.block(f"if {condition}:"):
                self.line(change)
        else:
            self.line(change)

    def _claim_about(self, state: State, along: str) -> None:
        rate = self.rates.get(state.place, "1")
        distance = f"{state.place} - {rate} * {along}" if rate.lstrip("-").isdigit() else state.place
        self.claim(self.random.choice((distance, distance, state.place)))
