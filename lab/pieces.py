"""The lines of a random kernel, and the ways in which it covers an axis by pieces."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: A statement about the piece from the first to the second of these expressions.
_Emit = Callable[[str, str], None]


class Lines:
    """The lines of a kernel, and the ways to cover an axis."""

    def __init__(self, source: random.Random) -> None:
        self.random = source
        self.lines: list[str] = []
        self._indent = 1
        self._names = 0
        #: How often something is made wrong.
        self.wrongness = source.choice((0.0, 0.06, 0.2))
        #: Indices of the loops around.
        self.indices: list[str] = []

    def chance(self, of: float) -> bool:
        return self.random.random() < of

    def tampered(self) -> bool:
        return self.chance(self.wrongness)

    def name(self, stem: str) -> str:
        self._names += 1
        return f"{stem}{self._names}"

    def line(self, text: str) -> None:
        self.lines.append("    " * self._indent + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.line(head)
        self._indent += 1
        yield
        self.line("pass")
        self._indent -= 1

    @contextmanager
    def loop(self, trips: str, ranger: str = "") -> Iterator[str]:
        index = self.name("i")
        numbers = f"{ranger or self.ranger()}({trips})"
        head = f"for {index} in {numbers}:"
        form = self.random.randrange(32)
        other = self.name("o")
        if form == 0:
            head = f"for {other}, {index} in enumerate({numbers}):"
        elif form == 1:
            head = f"for {other}, {index} in zip(range({trips}), {numbers}):"
        elif form == 2:
            head = f"for {index} in reversed({numbers}):"
        elif form == 3:
            head = f"for {index} in {self.random.choice(('list', 'tuple', 'sorted', 'iter'))}({numbers}):"
        elif form == 4:
            head = f"for {index} in [{other} for {other} in {numbers}]:"
        elif form == 5:
            with self.block(f"def numbers_{other}():"), self.block(f"for {other} in {numbers}:"):
                self.line(f"yield {other}")
            head = f"for {index} in numbers_{other}():"
        elif form == 6:
            self.line(f"{other} = {{}}")
        elif form in (8, 9):
            # The index is what the round before has left, or is counted in a tuple.
            self.line(f"{other} = (-1, None)")
        with self.block(head):
            self.indices.append(index)
            if form == 6:
                # State without a closed form: the loop is run iteration by iteration.
                self.line(f"{other}['last'] = 2 * {other}.get('last', 0) + 1")
            elif form in (8, 9):
                self.line(f"{other} = ({index if form == 8 else f'{other}[0] + 1'}, {other}[0])")
                with self.block(f"if {other}[1] >= {self.random.choice(('-1', '0', '2'))}:"):
                    self.line("pass")
            elif form == 7:
                with self.block(f"if {index} > {self.random.choice((1, 2, 5))}:"):
                    self.line(self.random.choice(("break", "break", "continue")))
            yield index
            self.indices.pop()

    def ranger(self) -> str:
        return self.random.choice(("range", "range", "nl.sequential_range"))

    def condition(self, n: str) -> str:
        """A condition that leaves some pieces out."""
        options = [f"{n} > 1", f"{n} % 2 == 0", f"{n} != 3", "R > C" if n == "R" else "C < 3"]
        for index in self.indices:
            options += [f"{index} > 0", f"{index} != 2", f"{index} % 2 == 0", f"{index} < {n} - 1"]
        return self.random.choice(options)

    def pieces(self, n: str, emit: _Emit) -> None:
        """Cover 0 to `n`, mostly."""
        kind = self.random.randrange(9)
        size = self.random.choice((2, 2, 3))
        if kind == 0:
            self._piece("0", n, n, emit)
        elif kind in (1, 2):
            trips = f"({n} + {size - 1 - self.tampered()}) // {size}"
            with self.loop(f"{n} // {size}" if self.tampered() else trips) as i:
                self._piece(f"{size} * {i}", f"min({n}, {size} * {i} + {size})", n, emit)
        elif kind == 3:
            with self.loop(f"{n} // {size}") as i:
                self._piece(f"{size} * {i}", f"{size} * {i} + {size}", n, emit)
            with self.block(f"if {n} % {size}:" if not self.tampered() else f"if {n} > {size}:"):
                self._piece(f"{n} // {size} * {size}", n, n, emit)
        elif kind == 4:
            with self.loop(f"{n} - 1" if self.tampered() else n) as i:
                self._piece(i, f"{i} + 1", n, emit)
        elif kind == 5:
            with self.loop(n) as i:
                self._piece(f"{n} - 1 - {i}", f"{n} - {i}", n, emit)
        elif kind == 6:
            half = f"{n} // 2" if self.tampered() else f"({n} + 1) // 2"
            self._piece("0", half, n, emit)
            with self.block(f"if {half} < {n}:"):
                self._piece(f"({n} + 1) // 2", n, n, emit)
        elif kind == 7:
            for first in (0, 1):
                with self.loop(f"{first}, {n}, 2", "range") as i:
                    self._piece(i, f"{i} + 1", n, emit)
        else:
            i = self.name("w")
            self.line(f"{i} = 0")
            with self.block(f"while {i} < {n}:"):
                self._piece(i, f"min({n}, {i} + {size})", n, emit)
                self.line(f"{i} += {self.random.choice((f'{size}', f'min({size}, {n} - {i})'))}")

    def _piece(self, first: str, last: str, n: str, emit: _Emit) -> None:
        a, b = self.name("a"), self.name("b")
        if self.tampered():
            first = self.random.choice((f"{first} + 1", f"max(0, {first} - 1)"))
        if self.tampered():
            last = self.random.choice((f"{last} - 1", f"min({n}, {last} + 1)"))
        self.line(f"{a}, {b} = {first}, {last}")
        with self.block(f"if 0 <= {a} < {b} <= {n}:"):
            if self.tampered():
                with self.block(f"if {self.condition(n)}:"):
                    emit(a, b)
            else:
                emit(a, b)
            self.disturb()

    def disturb(self) -> None:
        """Now and then, add something that is wrong."""
