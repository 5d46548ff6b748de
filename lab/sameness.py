"""Kernels about what loops keep of each iteration, and about values that are equal and not the same.

A list keeps what each iteration makes, with its number somewhere inside; what two elements tell is claimed. Or a loop
replaces a value by one that `==`, or a look at its parts, takes for the same; what tells them apart is claimed.
"""

from __future__ import annotations

import random

from lab.statements import Writer

#: Classes and functions the kernels use.
HELPERS = """\
class Node:
    def __init__(self, count):
        self.count = count


class Size(int):
    pass


def size(mark):
    made = Size(3)
    made.mark = mark
    return made


"""

#: What an iteration makes, and what an element tells of it.
_MADE = (
    ("slice({i}, {i} + {c})", "{x}.stop"),
    ("slice({c} * {i}, None)", "{x}.start"),
    ("({c}, slice(0, {i}))", "{x}[1].stop"),
    ("lambda k={i}: k", "{x}()"),
    ("lambda *, k={i} + {c}: k", "{x}()"),
    ("property(lambda self, k={i}: k)", "{x}.fget(0)"),
    ("type('Own', (), dict(count={i}))", "{x}.count"),
    ("range({i}, {i} + {c})", "{x}.stop"),
    ("dict(a={i})", "{x}['a']"),
    ("[{i}, {c}]", "{x}[0]"),
    ("Node({i})", "{x}.count"),
    ("(Node({i} + {c}), {c})", "{x}[0].count"),
    ("first if {i} % 2 else Node({c})", "int({x} is first)"),
    ("Node({c}) if {i} == {c} else first", "int({x} is first)"),
    ("first", "int({x} is first)"),
    ("(first, Node({i}))", "{x}[0].count + {x}[1].count"),
    ("lambda: {c}", "{x}()"),
    ("iter([{i}, {c}])", "next({x})"),
)

#: What tells whether two elements are one object, or equal.
_COMPARED = (
    "int({x} == {y})",
    "int({x} is {y})",
    "int({x} in [{y}])",
    "[{y}, {y}].count({x})",
    "len({{{x}: 1, {y}: 2}})",
)

#: What is there before a loop, what an iteration replaces it by, and what tells the two apart.
_REPLACED = (
    ("0.0", "-0.0", "int(math.copysign(1, {x}))"),
    ("complex(0.0, 0.0)", "complex(0.0, -0.0)", "int(math.copysign(1, {x}.imag))"),
    ("range(0, 3, 2)", "range(0, 4, 2)", "{x}.stop"),
    ("range(0)", "range(3, 3)", "{x}.start"),
    ("slice(0, 1)", "slice(False, True)", "int(type({x}.stop) is bool)"),
    ("{1: 5}", "{True: 5}", "int(type(list({x})[0]) is bool)"),
    ("{(1, 2): 5}", "{(1.0, 2): 5}", "int(type(list({x})[0][0]) is float)"),
    ("size(0)", "size(1)", "{x}.mark"),
    ("Size(3)", "3", "int(isinstance({x}, Size))"),
    ("True", "1", "int({x} is True)"),
    ("first", "Node(1)", "int({x} is first)"),
    ("[1]", "[1]", "int({x} is start)"),
    ("dict(a=1)", "dict(a=1)", "int({x} is start)"),
)

_HOLDERS = (
    ("x = {}", "x"),
    ("box = [{}]", "box[0]"),
    ("box = dict(part={})", "box['part']"),
    ("box = Node({})", "box.count"),
)


class Sameness(Writer):
    """Writes one such kernel."""

    def __init__(self, source: random.Random) -> None:
        super().__init__(source)
        self._bound = ""

    def write(self) -> None:
        """All statements but the return."""
        self._bound = self.variable()
        self.line("first = Node(1)")
        if self.chance(0.5):
            self._kept()
        else:
            self._replaced()

    def _kept(self) -> None:
        made, told = self.random.choice(_MADE)
        made = made.format(i="i", c=self.positive())
        head = f"i in range({self._bound})"
        if self.chance(0.4):
            self.line(f"kept = [{made} for {head}]")
        else:
            self.line("kept = []")
            with self.block(f"for {head}:"):
                if self.chance(0.3):
                    self.line(f"last = {made}")
                    made = "last"
                self.line(f"kept.append({made})")
        least = self.random.choice((0, 1, 2))
        with self.block(f"if {self._bound} > {least}:"):
            places = [f"kept[{at}]" for at in ("0", "-1", str(least), f"{self._bound} - 1")]
            if made == "last" and self.chance(0.5):
                places = ["last", self.random.choice(places)]
            self.after_loop = True
            if self.chance(0.3):
                one, two = self.random.choice(places), self.random.choice(places)
                self.claim(self.random.choice(_COMPARED).format(x=one, y=two))
                return
            one, two = (told.format(x=place) for place in self.random.sample(places, 2))
            self.claim(self.random.choice((one, f"{one} - {two}", f"{one} - {two}")))

    def _replaced(self) -> None:
        before, then, told = self.random.choice(_REPLACED)
        binding, place = self.random.choice(_HOLDERS)
        self.line(f"start = {before}")
        self.line(binding.format("start"))
        told = told.replace("{x}", place)
        with self.block(f"for i in range({self._bound}):"):
            self.loops += 1
            if self.chance(0.7):
                self.claim(told)
            with self.block(self.random.choice(("if True:", "if True:", "if i == 1:", "if i % 2:"))):
                self.line(f"{place} = {then}")
            self.loops -= 1
        self.after_loop = True
        self.claim(told)
