"""Rewriting kernel source so that a run can follow its loops, lists, asserts and handlers.

What is rewritten, inside functions only; `@…` are names no program can contain:

    for x in it: body           @loop1 = __nki__.loop(it, …)
                                for @item1 in @loop1:
                                    <put local names as this pass wants them>
                                    try: x = @item1; body
                                    except BaseException as @error1:
                                        if not @loop1.absorb(@error1): raise
                                else: <put local names as they are after the loop>
    break, return in a loop     @loop1.leave(); break
    while c: body               @while1 = __nki__.while_loop();  while @while1.test(c): body
    [a, b]                      __nki__.list((a, b))
    [e for x in it]             __nki__.finish(__nki__.start(…), [e for x in __nki__.items(it)])
    assert c, m                 __nki__.check(c, lambda: m)    (one for each part of a conjunction)
    try: body except …          try: with __nki__.trying(): body
                                except …: __nki__.handling(); …
    finally: body               finally: __nki__.passing(); body
    with c: body                with c: with __nki__.trying(): body
    f"…{x}…"                    __nki__.text("…", (x, …), "…")
    int(x), type(x), …          __nki__.type_call(int)(x)
    x is y                      __nki__.same(x, y)    (but for `is None`)
    x + y                       __nki__.computed(x + y)
    x.a = y, del x.a            __nki__.storing(x, "a").a = y
    x.length                    __nki__.read(x, "length")    (names that only symbolic values have)
    "…".format(x)               __nki__.formatting("…".format)(x)

Every new node has the position of the one it stands for: line numbers, tracebacks and columns stay the user's.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from nkiverify.frontend.attributes import OWN_NAMES
from nkiverify.frontend.source_names import (
    appended_names,
    child_nodes,
    deletes,
    leaves_early,
    loaded_outside,
    read_before_written,
    stored_names,
    walk_scope,
)

#: Types whose calls are redirected.
_TYPES = frozenset({"int", "float", "bool", "list", "str", "type"})

#: Attributes that lead to state no snapshot holds.
_INSPECTED = frozenset({"__annotations__", "__dict__", "__subclasses__"})
#: Functions of libraries that kernel code gets in another form, by their module.
_REPLACED = {
    "builtins": ("type", "isinstance", "id", "getattr", "hasattr", "setattr", "delattr", "vars"),
    "operator": ("is_", "is_not", "attrgetter"),
    "weakref": (
        *("ref", "proxy", "finalize", "ReferenceType", "ProxyType", "CallableProxyType"),
        *("WeakKeyDictionary", "WeakValueDictionary", "WeakSet", "WeakMethod"),
    ),
}
_REPLACED_NAMES = frozenset(name for names in _REPLACED.values() for name in names)
_FORMATTING = frozenset({"format", "format_map"})

HOOKS = "__nki__"

_Node = TypeVar("_Node", bound=ast.AST)


class Rewriting(enum.Enum):
    """How much of a kernel's source is rewritten before it runs."""

    #: Nothing: the kernel as it is.
    NONE = "none"
    #: Only that results of arithmetic are looked at, for a concrete run that is to see integers beyond 32 bits.
    ARITHMETIC = "arithmetic"
    #: Everything a symbolic run needs.
    FULL = "full"

    def apply(self, tree: ast.Module) -> ast.Module:
        """The module rewritten so. `tree` is changed in place."""
        if self is Rewriting.FULL:
            return instrument(tree)
        if self is Rewriting.ARITHMETIC:
            _Arithmetic().visit(tree)
            ast.fix_missing_locations(tree)
        return tree


def instrument(tree: ast.Module) -> ast.Module:
    """The module rewritten. `tree` is changed in place."""
    _Rewriter().visit(tree)
    ast.fix_missing_locations(tree)
    return tree


@dataclass(slots=True)
class _Function:
    """What the rewriter knows of the function it is in."""

    generator: bool = False
    shared_names: frozenset[str] = frozenset()
    node: ast.AST | None = None
    #: Names of the loop variables around the present statement, innermost last; None for a `while`.
    loops: list[str | None] = field(default_factory=list)


class _Arithmetic(ast.NodeTransformer):
    """Hands results of arithmetic in functions to `__nki__.computed`."""

    _inside = False

    def _in_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        outer, self._inside = self._inside, True
        self.generic_visit(node)
        self._inside = outer
        return node

    visit_FunctionDef = _in_function
    visit_AsyncFunctionDef = _in_function

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _watched(node) if self._inside else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        return _watched_assignment(node) if self._inside else node


class _Rewriter(ast.NodeTransformer):
    def __init__(self) -> None:
        self._function: _Function | None = None
        self._count = 0

    # --- scopes ------------------------------------------------------------------------------------------------------

    def _in_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        # Decorators, defaults and annotations belong to the surrounding scope.
        node.decorator_list = [self.visit(expression) for expression in node.decorator_list]
        node.args = self.visit(node.args)
        outer = self._function
        shared = frozenset(
            name for part in walk_scope(node.body) if isinstance(part, ast.Global | ast.Nonlocal) for name in part.names
        )
        generator = any(isinstance(part, ast.Yield | ast.YieldFrom) for part in walk_scope(node.body))
        self._function = _Function(generator, shared, node)
        node.body = self._statements(node.body)
        self._function = outer
        return node

    visit_FunctionDef = _in_function
    visit_AsyncFunctionDef = _in_function

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list = [self.visit(expression) for expression in node.decorator_list]
        node.bases = [base if isinstance(base, ast.Name) else self.visit(base) for base in node.bases]
        outer, self._function = self._function, None
        node.body = self._statements(node.body)
        self._function = outer
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        node.args = self.visit(node.args)
        outer = self._function
        self._function = _Function(node=node)
        node.body = self.visit(node.body)
        self._function = outer
        return node

    def _statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in body:
            replaced = self.visit(statement)
            result.extend(replaced if isinstance(replaced, list) else [replaced])
        return result

    def _fresh(self, what: str) -> str:
        self._count += 1
        return f"@{what}{self._count}"

    # --- loops -------------------------------------------------------------------------------------------------------

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        function = self._function
        if function is None:
            return self.generic_visit(node)
        names = sorted(stored_names([node.target, *node.body]) - function.shared_names)
        temporaries = sorted(set(names) - read_before_written(node, set(names)))
        assert function.node is not None
        live = sorted(set(names) & loaded_outside(function.node, node))
        grown = sorted(appended_names(node.body))
        loop, item, error = self._fresh("loop"), self._fresh("item"), self._fresh("error")
        iterable = self.visit(node.iter)
        target = self.visit(node.target)
        function.loops.append(loop)
        body = self._statements(node.body)
        function.loops.pop()
        otherwise = self._statements(node.orelse)
        call = _hook(
            "loop",
            iterable,
            _names(names),
            _names(temporaries),
            _names(live),
            _names(grown),
            ast.Constant(node.target.id if isinstance(node.target, ast.Name) else "i"),
            ast.Constant(not function.generator and not deletes(node.body)),
            ast.Constant(function.generator),
        )
        start = ast.Assign([_store(loop)], call)
        assign = ast.Assign([target], _load(item))
        absorb = ast.Call(ast.Attribute(_load(loop), "absorb", ast.Load()), [_load(error)], [])
        handler = ast.ExceptHandler(
            ast.Attribute(_load(HOOKS), "BaseException", ast.Load()),
            error,
            [ast.If(ast.UnaryOp(ast.Not(), absorb), [ast.Raise(None, None)], [])],
        )
        guarded = ast.Try([assign, *body], [handler], [], [])
        restore = self._restore(loop, names)
        new = ast.For(_store(item), _load(loop), [*restore, guarded], [*self._restore(loop, names), *otherwise])
        return [_placed(start, node.iter), _placed(new, node, node.target)]

    def _restore(self, loop: str, names: list[str]) -> list[ast.stmt]:
        if not names:
            return []
        statements: list[ast.stmt] = []
        for name in names:
            has = ast.Call(ast.Attribute(_load(loop), "has", ast.Load()), [ast.Constant(name)], [])
            value = ast.Call(ast.Attribute(_load(loop), "get", ast.Load()), [ast.Constant(name)], [])
            statements.append(ast.Assign([_store(name)], value))
            statements.append(ast.If(ast.UnaryOp(ast.Not(), has), [ast.Delete([ast.Name(name, ast.Del())])], []))
        return [ast.If(ast.Attribute(_load(loop), "restoring", ast.Load()), statements, [])]

    def visit_While(self, node: ast.While) -> ast.AST | list[ast.stmt]:
        function = self._function
        if function is None:
            return self.generic_visit(node)
        loop = self._fresh("while")
        test = ast.Call(ast.Attribute(_load(loop), "test", ast.Load()), [self.visit(node.test)], [])
        function.loops.append(None)
        body = self._statements(node.body)
        function.loops.pop()
        start = ast.Assign([_store(loop)], _hook("while_loop"))
        new = ast.While(_placed(test, node.test), body, self._statements(node.orelse))
        return [_placed(start, node.test), _placed(new, node)]

    def visit_Break(self, node: ast.Break) -> ast.AST | list[ast.stmt]:
        loop = self._function.loops[-1] if self._function is not None and self._function.loops else None
        return [_placed(_leave(loop), node), node] if loop is not None else node

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        loops = [loop for loop in (self._function.loops if self._function is not None else []) if loop is not None]
        return [*(_placed(_leave(loop), node) for loop in reversed(loops)), node]

    # --- lists -------------------------------------------------------------------------------------------------------

    def visit_List(self, node: ast.List) -> ast.AST:
        self.generic_visit(node)
        if self._function is None or not isinstance(node.ctx, ast.Load):
            return node
        return _placed(_hook("list", ast.Tuple(node.elts, ast.Load())), node)

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        if self._function is None:
            return self.generic_visit(node)
        binds = any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))
        simple = len(node.generators) == 1 and not node.generators[0].ifs and not binds
        self._comprehension(node)
        start = _hook("start", ast.Constant(simple))
        return _placed(_hook("finish", start, node), node)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> ast.AST:
        first = True
        for generator in node.generators:
            generator.target = self.visit(generator.target)
            generator.ifs = [self.visit(test) for test in generator.ifs]
            hook = "items" if first and isinstance(node, ast.ListComp) else "elements"
            generator.iter = _placed(_hook(hook, self.visit(generator.iter)), generator.iter)
            first = False
        if isinstance(node, ast.DictComp):
            node.key, node.value = self.visit(node.key), self.visit(node.value)
        else:
            node.elt = self.visit(node.elt)
        return node

    def _other_comprehension(self, node: ast.SetComp | ast.DictComp | ast.GeneratorExp) -> ast.AST:
        return self.generic_visit(node) if self._function is None else self._comprehension(node)

    visit_SetComp = _other_comprehension
    visit_DictComp = _other_comprehension
    visit_GeneratorExp = _other_comprehension

    # --- asserts, handlers, text, types ------------------------------------------------------------------------------

    def visit_Assert(self, node: ast.Assert) -> ast.AST | list[ast.stmt]:
        if self._function is None:
            return self.generic_visit(node)
        message = self.visit(node.msg) if node.msg is not None else ast.Constant(None)
        thunk = ast.Lambda(ast.arguments([], [], None, [], [], None, []), message)
        checks: list[ast.stmt] = []
        for part in _conjuncts(node.test):
            check = ast.Expr(_placed(_hook("check", self.visit(part), _placed(thunk, node)), part))
            checks.append(_placed(check, part))
        return checks

    def visit_Try(self, node: ast.Try) -> ast.AST:
        body, handlers = self._statements(node.body), node.handlers
        if self._function is not None and (handlers or leaves_early(node.finalbody)):
            guard = ast.With([ast.withitem(_hook("trying"), None)], body)
            body = [_placed(guard, node.body[0])]
        node.body = body
        for handler in handlers:
            if handler.type is not None:
                handler.type = self.visit(handler.type)
            note: list[ast.stmt] = []
            if self._function is not None:
                note = [_placed(ast.Expr(_hook("handling")), handler)]
            handler.body = [*note, *self._statements(handler.body)]
        node.orelse = self._statements(node.orelse)
        finalbody = self._statements(node.finalbody)
        if self._function is not None and finalbody:
            # A `return` or `continue` in it drops the exception in flight.
            finalbody.insert(0, _placed(ast.Expr(_hook("passing")), finalbody[0]))
        node.finalbody = finalbody
        return node

    def visit_With(self, node: ast.With) -> ast.AST:
        for item in node.items:
            item.context_expr = self.visit(item.context_expr)
            if item.optional_vars is not None:
                item.optional_vars = self.visit(item.optional_vars)
        node.body = self._statements(node.body)
        if self._function is not None:
            # The context manager may swallow what the body raises.
            node.body = [_placed(ast.With([ast.withitem(_hook("trying"), None)], node.body), node.body[0])]
        return node

    def visit_TryStar(self, node: ast.AST) -> ast.AST:
        return self.visit_Try(node)  # type: ignore[arg-type]

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        if self._function is None:
            return self.generic_visit(node)
        parts: list[ast.expr] = []
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                spec = self.visit(value.format_spec) if value.format_spec is not None else ast.Constant("")
                shown = [self.visit(value.value), ast.Constant(value.conversion), spec]
                parts.append(_placed(ast.Tuple(shown, ast.Load()), node))
            else:
                parts.append(value)
        return _placed(_hook("text", *parts), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _watched(node) if self._function is not None else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        return _watched_assignment(node) if self._function is not None else node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        # `type` as a value would tell symbolic values from those they stand for.
        if node.id == "type" and isinstance(node.ctx, ast.Load):
            return _placed(_hook("type_call", node), node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if self._function is None:
            return node
        if not isinstance(node.ctx, ast.Load):
            node.value = _placed(_hook("storing", node.value, ast.Constant(node.attr)), node.value)
        elif node.attr in OWN_NAMES:
            return _placed(_hook("read", node.value, ast.Constant(node.attr)), node)
        elif node.attr in _INSPECTED:
            node.value = _placed(_hook("inspecting", node.value, ast.Constant(node.attr)), node.value)
        elif node.attr in _REPLACED_NAMES:
            return _placed(_hook("replaced", node), node)
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | list[ast.stmt]:
        replaced = _REPLACED.get(node.module or "", ())
        names = [alias.asname or alias.name for alias in node.names if alias.name in replaced]
        if replaced and node.names[0].name == "*":
            names.extend(replaced)
        return [node, *(_placed(ast.Assign([_store(name)], _hook("replaced", _load(name))), node) for name in names)]

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        operands = [node.left, *node.comparators]
        if (
            self._function is None
            or len(node.ops) != 1
            or not isinstance(node.ops[0], ast.Is | ast.IsNot)
            or any(isinstance(part, ast.Constant) and part.value is None for part in operands)
        ):
            return node
        test: ast.expr = _hook("same", *operands)
        if isinstance(node.ops[0], ast.IsNot):
            test = ast.UnaryOp(ast.Not(), test)
        return _placed(test, node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if self._function is not None and isinstance(node.func, ast.Name) and node.func.id in _TYPES:
            node.func = _placed(_hook("type_call", node.func), node.func)
        elif self._function is not None and isinstance(node.func, ast.Attribute) and node.func.attr in _FORMATTING:
            node.func = _placed(_hook("formatting", node.func), node.func)
        return node


# --- building nodes ---------------------------------------------------------------------------------------------------


def _watched(node: ast.BinOp) -> ast.AST:
    """An arithmetic expression whose result, if it is a plain int, is checked for 32 bits."""
    return _placed(_hook("computed", node), node)


def _watched_assignment(node: ast.AugAssign) -> list[ast.stmt]:
    if not isinstance(node.target, ast.Name):
        return [node]
    return [node, _placed(ast.Expr(_hook("computed", _load(node.target.id))), node)]


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _store(name: str) -> ast.expr:
    return ast.Name(name, ast.Store())


def _names(names: list[str]) -> ast.expr:
    return ast.Tuple([ast.Constant(name) for name in names], ast.Load())


def _hook(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(_load(HOOKS), name, ast.Load()), list(arguments), [])


def _leave(loop: str) -> ast.stmt:
    return ast.Expr(ast.Call(ast.Attribute(_load(loop), "leave", ast.Load()), [], []))


def _placed(node: _Node, place: ast.AST, end: ast.AST | None = None) -> _Node:
    """Give `node`, and what in it has no position yet, the position of `place`."""
    ast.copy_location(node, place)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        # A call of an attribute that spans lines counts as being where the attribute ends.
        ast.copy_location(node.func, place)
        node.func.end_lineno, node.func.end_col_offset = node.func.lineno, node.func.col_offset
    if end is not None:
        node.end_lineno, node.end_col_offset = end.end_lineno, end.end_col_offset  # type: ignore[attr-defined]
    _place_within(node)
    return node


def _place_within(node: ast.AST) -> None:
    """Give the new nodes within `node`, which has a position, that position. Where a part has one of its own, its
    parts have got theirs."""
    pending = [(node, child) for child in child_nodes(node)]
    while pending:
        parent, child = pending.pop()
        if "lineno" in child._attributes:
            if hasattr(child, "lineno"):
                continue
            ast.copy_location(child, parent)
            owner = child
        else:
            owner = parent
        pending.extend((owner, part) for part in child_nodes(child))


def _conjuncts(test: ast.expr) -> Iterator[ast.expr]:
    """`a and b` and `a < x < b` in parts: an assert of all of them is one assert after another."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from _conjuncts(value)
    elif isinstance(test, ast.Compare) and len(test.ops) > 1 and all(map(_pure, test.comparators[:-1])):
        left = test.left
        for operation, right in zip(test.ops, test.comparators, strict=True):
            yield _placed(ast.Compare(left, [operation], [right]), test)
            left = right
    else:
        yield test


def _pure(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Constant) or (isinstance(node, ast.Attribute) and _pure(node.value))
