"""Rewriting loops over `itertools.product` and `itertools.chain` as loops within one another, which a symbolic run can
follow whatever the lengths of what they run over:

    for x in product(a, b): body    @nest1 = __nki__.product_of(product, a, b)
                                    for @part1 in @nest1.level():
                                        for x in @nest1.level(@part1): body
    for x in chain(a, b): body      @nest1 = __nki__.chain_of(chain, a, b)
                                    for @part1 in @nest1:
                                        for x in @part1: body

A loop that is left by `break`, or has an `else`, stays as it is: these belong to all of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from nkiverify.frontend.nodes import hook, load, placed, store

#: The functions by the name that they are called by, and the hooks that say what the loops run over. Whether a function
#: is that of `itertools` is asked when it is called.
_NESTING = {"product": "product_of", "chain": "chain_of", "from_iterable": "chain_of"}


class NestedLoops(ast.NodeTransformer):
    """Rewrites the loops in functions, in place."""

    def __init__(self) -> None:
        self._depth = 0
        self._count = 0

    def _in_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1
        return node

    visit_FunctionDef = _in_function
    visit_AsyncFunctionDef = _in_function

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        call = node.iter
        if not self._depth or not isinstance(call, ast.Call) or node.orelse or any(_breaks(node.body)):
            return node
        name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
        several = len(call.args) > 1 or name == "from_iterable"
        if name not in _NESTING or not several or call.keywords or any(isinstance(a, ast.Starred) for a in call.args):
            return node
        self._count += 1
        nest = f"@nest{self._count}"
        arguments: list[ast.expr] = [placed(hook("ranged", one), one) for one in call.args]
        begin = placed(ast.Assign([store(nest)], hook(_NESTING[name], call.func, *arguments)), call)
        # Each loop has the place of its part: two loops of one place would be one.
        places: list[ast.AST] = [*call.args] if name == "product" else [call, node.target]
        parts = [f"@part{self._count}_{level}" for level in range(len(places) - 1)]
        body: list[ast.stmt] = node.body
        for level in reversed(range(len(places))):
            over: ast.expr = load(nest) if not level else load(parts[0])
            if name == "product":
                over = ast.Call(ast.Attribute(load(nest), "level", ast.Load()), [*map(load, parts[:level])], [])
            target = node.target if level == len(parts) else placed(store(parts[level]), places[level])
            body = [placed(ast.For(target, placed(over, places[level]), body, []), node)]
        return [begin, *body]


def _breaks(body: Iterable[ast.stmt]) -> Iterator[bool]:
    """True for each `break` that leaves the loop around these statements."""
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Break):
            yield True
        elif isinstance(node, ast.For | ast.AsyncFor | ast.While):
            pending.extend(node.orelse)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))
