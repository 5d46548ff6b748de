"""A kernel with holes, and filling them: with the tightest claims that hold, or claims that just fail somewhere.

`__claim__(k, e)` stands for an assert about `e`, `PAD_k` for a number that makes a tensor large enough for what is read
from it, and `__fit__(k, e)` says how large. A draft is run on ordinary ints first, to see the values in the holes.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Mapping
from dataclasses import dataclass

from lab.subject import Axis, Subject

#: What a `PAD_k` is in a draft: no read fails.
DRAFT_PAD = 4096

#: Values larger than this make no useful claim.
LARGEST = 10**7


@dataclass(slots=True)
class Draft:
    """A kernel with holes."""

    kernel: str
    axes: tuple[Axis, ...]
    arguments: tuple[str, ...]
    assumptions: tuple[str, ...]
    returns_int: bool
    claims: tuple[int, ...]
    in_loops: frozenset[int]
    pads: tuple[int, ...]
    unwind: int

    def probing(self) -> Subject:
        """The draft as it is run on ordinary ints."""
        values = "".join(f"PAD_{pad} = {DRAFT_PAD}\n" for pad in self.pads)
        imports = "from lab.probes import note as __claim__\n__fit__ = __claim__\n"
        return Subject(imports + values + self.kernel, self._harness("_note(-1, result)"), self.axes, self.unwind)

    def _harness(self, claim: str) -> str:
        lines = ["def target(v: Verification) -> None:"]
        for axis in self.axes:
            multiple = f", multiple_of={axis.multiple_of}" if axis.multiple_of != 1 else ""
            lines.append(f"    {axis.name} = v.dim({axis.name!r}, {axis.low}, {axis.high}{multiple})")
        lines.extend(f"    v.assume({text})" for text in self.assumptions)
        lines.append(f"    result = v.call({', '.join(self.arguments)})")
        if self.returns_int and claim.startswith("_note"):
            lines.insert(0, "from lab.probes import note as _note")
        if self.returns_int and claim:
            lines.append(f"    {claim}")
        return "\n".join(lines) + "\n"

    def finish(self, noted: Mapping[int, set[int]], source: random.Random) -> Subject:
        """The kernel with its holes filled, given the values seen in them."""
        # Faults hide in loops rather than before them.
        hidden = sorted(place for place in noted if place in self.in_loops)
        candidates = hidden if hidden and source.random() < 0.7 else sorted(noted)
        wrong = {source.choice(candidates)} if candidates and source.random() < 0.5 else set()
        # Of a wide domain only some values have been seen: what most of them satisfy, others will not.
        narrow = any(axis.high > axis.values[-1] for axis in self.axes)
        tests = {
            place: _test(noted[place], place in wrong, source)
            for place in (*self.claims, -1)
            if noted.get(place)
            and max(map(abs, noted[place])) <= LARGEST
            and not (narrow and len(noted[place]) > 2 and source.random() < 0.8)
        }
        pads = {pad: max(noted.get(pad, {0})) - (pad in wrong) for pad in self.pads}
        tree = _Filling(tests, pads).visit(ast.parse(self.kernel))
        kernel = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        claim = f"v.claim({tests[-1].format('result')}, 'result')" if -1 in tests else ""
        return Subject(kernel, self._harness(claim), self.axes, self.unwind)


def _test(seen: set[int], wrong: bool, source: random.Random) -> str:
    """A condition on `{}` that all values seen satisfy; if `wrong`, all but some."""
    low, high = min(seen), max(seen)
    kind = source.randrange(6)
    if kind <= 1:
        return f"{{}} <= {high - wrong}"
    if kind == 2:
        return f"{{}} >= {low + wrong}"
    if kind == 3:
        return f"{low + wrong} <= {{}} <= {high}" if source.random() < 0.5 else f"{low} <= {{}} < {high + 1 - wrong}"
    if kind == 4:
        if wrong:
            return f"{{}} != {source.choice(sorted(seen))}"
        missing = sorted(set(range(low - 1, min(high, low + 60) + 2)) - seen)
        return f"{{}} != {source.choice(missing)}"
    if len(seen) <= 4:
        shown = sorted(seen)
        if wrong:
            shown.remove(source.choice(shown))
        if shown:
            return " or ".join(f"{{0}} == {value}" for value in shown)
    return f"{{}} <= {high - wrong}"


class _Filling(ast.NodeTransformer):
    def __init__(self, tests: Mapping[int, str], pads: Mapping[int, int]) -> None:
        self._tests = tests
        self._pads = pads

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.generic_visit(node)
        call = node.value
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            return node
        if call.func.id == "__fit__":
            return ast.Pass()
        if call.func.id != "__claim__":
            return node
        place = call.args[0]
        assert isinstance(place, ast.Constant) and isinstance(place.value, int)
        test = self._tests.get(place.value)
        if test is None:
            return ast.Pass()
        value = f"({ast.unparse(call.args[1])})"
        message = f", f'place {place.value}: {{{ast.unparse(call.args[1])}}}'" if place.value % 5 == 0 else ""
        if "'" in ast.unparse(call.args[1]):
            message = ""
        return ast.parse(f"assert {test.format(value)}{message}").body[0]

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id.startswith("PAD_"):
            return ast.Constant(self._pads[int(node.id[4:])])
        return node
