"""Rewriting kernel source so that the run is informed of the integers that the kernel makes.

Symbolic integers tell the run themselves; plain ones are examined where the text of a function makes them. The source
of a symbolic run and that of a checked concrete run are rewritten in the same way, so that both see the same numbers:

    x + y, -x                   __nki__.binary("add", x, y), __nki__.unary("neg", x)
    f(x)                        __nki__.called(f(x))         (but for `hash`, `id`, and what is asked of the machine)
    x += y                      x = __nki__.binary("iadd", x, y)
    a[k] += y                   @1 = a; @2 = k; @1[@2] = __nki__.binary("iadd", @1[@2], y); del @1, @2
    4294967296                  __nki__.computed(4294967296) (a pattern of bits, as 0xffffffff, may have 32 of them)
    LIMIT, settings.limit       __nki__.stated(LIMIT)        (what was computed outside functions)
    x.__mul__, x.sum            __nki__.method(x.__mul__)
    f"…{x}…"                    __nki__.shown(f"…{x}…")      (and other text that is made outside functions: an address
                                                             in it may not be remembered)
    except …: body              except …: __nki__.handling(); body   (an exception of ours is not for the kernel)

The ranges that `for` statements run over are handed to the run, as the legacy API traces their bodies once:

    for x in range(n)                   for x in __nki__.ranged(range(n))
    for k, x in enumerate(range(n))     for k, x in enumerate(__nki__.ranged(range(n)))
    for x in found                      for x in __nki__.ranged(found)       (which may be a range)

What may join masks of the legacy API by `and` is handed to the run as well, where Python would ask for a truth value:

    f(mask=a and b), return a and b     … __nki__.conjunction(b) if __nki__.is_mask(a) else __nki__.no_mask() and b
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nkiverify.frontend.nodes import hook, load, placed, store
from nkiverify.frontend.seen import TEXT_METHODS, TEXTS
from nkiverify.frontend.slots import SLOTS
from nkiverify.frontend.source_names import child_nodes, fields_with_nodes
from nkiverify.frontend.trees import source
from nkiverify.symbolic.terms import INT32_MAX, INT32_MIN

#: Methods of `int`, and of NumPy's numbers and arrays, that compute integers.
ARITHMETIC_METHODS = (
    frozenset(
        f"__{prefix}{name}__"
        for name in ("add", "sub", "mul", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor", "truediv")
        for prefix in ("", "r", "i")
    )
    | SLOTS
    | {"sum", "prod", "cumsum", "cumprod", "dot", "trace"}
)

#: Functions and modules whose numbers are names for something, or asked of the machine: they count once the kernel
#: computes with them.
_TOKENS = frozenset({"hash", "id", "__hash__"})
_MACHINE = frozenset({"os", "random", "sys", "threading", "time", "uuid", "zlib"})

#: Operators by the names of their functions in `operator`.
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "matmul",
    ast.Div: "truediv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitOr: "or_",
    ast.BitXor: "xor",
    ast.BitAnd: "and_",
    ast.FloorDiv: "floordiv",
}
#: What is no integer whatever is in it.
_NO_INTEGER = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.JoinedStr, ast.Lambda, ast.ListComp, ast.Compare)
_UINT32_MAX = 2**32 - 1

#: Functions that run over their arguments as whoever runs over their result does.
_WRAPPING = frozenset(
    {"enumerate", "zip", "reversed", "map", "filter", "iter", "chain", "islice", "zip_longest", "product", "cycle"}
)
#: Conjunctions of more parts are left as they are: each part doubles what is written for the others.
_MOST_JOINED = 6
#: Functions of NKI that say themselves how often the body of a loop over their result is traced.
_OF_NKI = frozenset({"affine_range", "sequential_range", "static_range", "dynamic_range"})


def iterated(node: ast.expr, visit: Callable[[ast.expr], ast.expr]) -> ast.expr:
    """The expression that a `for` statement runs over, its parts rewritten by `visit`."""
    called = node.func if isinstance(node, ast.Call) else None
    name = called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""
    if isinstance(node, ast.Call) and name in _WRAPPING:
        node.func = visit(node.func)
        node.args = [iterated(one, visit) for one in node.args]
        for keyword in node.keywords:
            keyword.value = visit(keyword.value)
        return node
    found = visit(node)
    return found if name in _OF_NKI or isinstance(node, ast.Starred) else placed(hook("ranged", found), node)


def join_masks(nodes: Iterable[ast.AST]) -> None:
    """Hand conjunctions of comparisons that are given as a mask, bound to a name, or returned, to the run, in place:
    `nodes` are all of a tree."""
    for node in nodes:
        given = isinstance(node, ast.keyword) and node.arg == "mask"
        if (given or isinstance(node, ast.Assign | ast.Return)) and node.value is not None:  # type: ignore[attr-defined]
            node.value = _joined(node.value)  # type: ignore[attr-defined]


def _joined(node: ast.expr) -> ast.expr:
    """The conjunction of comparisons that `node` is, by the run where it is one of masks; `node` itself if it is none.
    Each part is computed as often as it was."""
    if isinstance(node, ast.IfExp):
        node.body, node.orelse = _joined(node.body), _joined(node.orelse)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
        node.left, node.right = _joined(node.left), _joined(node.right)
    parts = list(conjuncts(node))
    if not 1 < len(parts) <= _MOST_JOINED or not all(isinstance(one, ast.Compare) for one in parts):
        return node
    *before, found = map(copy.deepcopy, parts)
    for part in reversed(before):
        both = ast.BoolOp(ast.And(), [hook("no_mask"), copy.deepcopy(found)])
        found = placed(ast.IfExp(hook("is_mask", part), hook("conjunction", found), both), node)
    return found


def conjuncts(test: ast.expr) -> Iterator[ast.expr]:
    """The parts of `a and b` and of `a < x < b`, each of which can be asked by itself."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from conjuncts(value)
    elif isinstance(test, ast.Compare) and len(test.ops) > 1 and all(map(_pure, test.comparators[:-1])):
        left = test.left
        for operation, right in zip(test.ops, test.comparators, strict=True):
            yield placed(ast.Compare(left, [operation], [right]), test)
            left = right
    else:
        yield test


def _pure(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Constant) or (isinstance(node, ast.Attribute) and _pure(node.value))


class RangeLoops(ast.NodeTransformer):
    """Hands the ranges that loops run over to the run, and changes nothing else."""

    def visit_For(self, node: ast.For) -> ast.AST:
        node.iter = iterated(node.iter, self.visit)
        node.body = [self.visit(statement) for statement in node.body]
        node.orelse = [self.visit(statement) for statement in node.orelse]
        return node


class Watching(ast.NodeTransformer):
    """Hands the integers that functions of `file` make to the run. `nodes` are all of the tree that is visited."""

    def __init__(self, file: Path, text: str | None, nodes: Sequence[ast.AST]) -> None:
        self._file = file
        self._nodes = nodes
        self._visitors: dict[type[ast.AST], Callable[[Any], Any]] = {}
        self._text = text
        self._depth = 0
        self._count = 0
        self._callees: set[ast.expr] = set()
        #: Names bound to a number outside functions, which may be too large, and modules that may hold some.
        self._stated: frozenset[str] = frozenset()
        self._modules: frozenset[str] = frozenset()

    def visit(self, node: ast.AST) -> Any:
        """The node rewritten: as `ast.NodeTransformer` has it, which looks for the method each time."""
        kind = type(node)
        visitor = self._visitors.get(kind)
        if visitor is None:
            visitor = self._visitors[kind] = getattr(self, f"visit_{kind.__name__}", self.generic_visit)
        return visitor(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """The node itself, with what stands for its parts."""
        for name in fields_with_nodes(type(node)):
            before = getattr(node, name, None)
            if isinstance(before, list):
                after: list[Any] = []
                for part in before:
                    found = self.visit(part) if isinstance(part, ast.AST) else part
                    after.extend(found if isinstance(found, list) else [found])
                before[:] = after
            elif isinstance(before, ast.AST):
                found = self.visit(before)
                if found is not before:
                    setattr(node, name, found)
        return node

    def fresh(self, what: str) -> str:
        """A name that no program has."""
        self._count += 1
        return f"@{what}{self._count}"

    @contextmanager
    def within_function(self) -> Iterator[None]:
        """Enter the body of a function."""
        self._depth += 1
        yield
        self._depth -= 1

    # --- scopes ------------------------------------------------------------------------------------------------------

    def visit_Module(self, node: ast.Module) -> ast.AST:
        imported = [one for one in self._nodes if isinstance(one, ast.Import | ast.ImportFrom)]
        names = {alias.asname or alias.name.partition(".")[0] for one in imported for alias in one.names}
        self._modules = frozenset(names - _MACHINE)
        froms = {a.asname or a.name for one in imported if isinstance(one, ast.ImportFrom) for a in one.names}
        self._stated = frozenset(froms | set(self._bound_outside(node.body)) | set(self._defaults(self._nodes)))
        return self.generic_visit(node)

    def _bound_outside(self, statements: list[ast.stmt]) -> Iterator[str]:
        """Names bound outside functions to what may be an integer of more than 32 bits."""
        pending: list[ast.AST] = list(statements)
        while pending:
            part = pending.pop()
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                continue
            if isinstance(part, ast.Assign | ast.AnnAssign) and self._harmless(part.value):
                continue
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id
            pending.extend(child_nodes(part))

    def _defaults(self, nodes: Iterable[ast.AST]) -> Iterator[str]:
        """Parameters whose default may be an integer of more than 32 bits."""
        for node in nodes:
            if isinstance(node, ast.arguments):
                positional = [*node.posonlyargs, *node.args]
                parameters = [*positional[len(positional) - len(node.defaults) :], *node.kwonlyargs]
                pairs = zip(parameters, [*node.defaults, *node.kw_defaults], strict=True)
                yield from (one.arg for one, default in pairs if not self._harmless(default))

    def _harmless(self, value: ast.expr | None) -> bool:
        if isinstance(value, ast.Constant):
            return not self._too_large(value)
        return value is None or isinstance(value, _NO_INTEGER)

    def _in_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        node.decorator_list = [self.visit(expression) for expression in node.decorator_list]
        node.args = self.visit(node.args)
        with self.within_function():
            body: list[ast.stmt] = []
            for statement in node.body:
                replaced = self.visit(statement)
                body.extend(replaced if isinstance(replaced, list) else [replaced])
            node.body = body
        return node

    visit_FunctionDef = _in_function
    visit_AsyncFunctionDef = _in_function

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        node.args = self.visit(node.args)
        with self.within_function():
            node.body = self.visit(node.body)
        return node

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        if not self._depth:
            return self.generic_visit(node)
        place = node.iter
        iterable, node.iter = placed(hook("begun", iterated(place, self.visit)), place), ast.Constant(None)
        self.generic_visit(node)
        node.iter = iterable
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.generic_visit(node)
        if self._depth:
            node.body.insert(0, placed(ast.Expr(hook("handling")), node))
        return node

    # --- what makes integers -----------------------------------------------------------------------------------------

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not self._depth:
            return placed(hook("shown", node), node) if isinstance(node.op, ast.Mod) else node
        return placed(hook("binary", ast.Constant(_OPERATORS[type(node.op)]), node.left, node.right), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.op, ast.USub) and _is_least(node.operand):
            # A sign belongs to the number it is written before.
            return node
        self.generic_visit(node)
        if not self._depth or not isinstance(node.op, ast.USub | ast.Invert):
            return node
        name = "neg" if isinstance(node.op, ast.USub) else "invert"
        return placed(hook("unary", ast.Constant(name), node.operand), node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return placed(hook("computed", node), node) if self._depth and self._too_large(node) else node

    def _pattern(self, node: ast.MatchValue | ast.MatchMapping | ast.MatchClass) -> ast.AST:
        """A pattern is compared with: its values are no expressions of the kernel, its parts may be patterns."""
        for name, part in ast.iter_fields(node):
            if name in ("patterns", "kwd_patterns"):
                setattr(node, name, [self.visit(one) for one in part])
        return node

    visit_MatchValue = _pattern
    visit_MatchMapping = _pattern
    visit_MatchClass = _pattern

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        if not self._depth:
            return self.generic_visit(node)
        target = node.target
        node.value = self.visit(node.value)
        if isinstance(target, ast.Name):
            return placed(ast.Assign([target], _in_place(node, load(target.id))), node)
        return self._taken_apart(node, target)

    def _taken_apart(self, node: ast.AugAssign, target: ast.Attribute | ast.Subscript) -> list[ast.stmt]:
        """An augmented assignment to an attribute or entry step by step, in Python's order."""
        owner = self.fresh("owner")
        used = [owner]
        steps: list[ast.stmt] = [placed(ast.Assign([store(owner)], self.visit(target.value)), target)]
        reading: ast.expr
        writing: ast.expr
        if isinstance(target, ast.Subscript):
            key = self.fresh("key")
            used.append(key)
            steps.append(placed(ast.Assign([store(key)], self.visit(_as_value(target.slice))), target))
            reading = ast.Subscript(load(owner), load(key), ast.Load())
            writing = ast.Subscript(load(owner), load(key), ast.Store())
        else:
            reading = self.visit(placed(ast.Attribute(load(owner), target.attr, ast.Load()), target))
            writing = self.visit(placed(ast.Attribute(load(owner), target.attr, ast.Store()), target))
        computed = _in_place(node, placed(reading, target))
        steps.append(placed(ast.Assign([placed(writing, target)], computed), target))
        steps.append(placed(ast.Delete([ast.Name(name, ast.Del()) for name in used]), node))
        return steps

    def visit_Call(self, node: ast.Call) -> ast.AST:
        token, makes_text = _is_token(node.func), _makes_text(node.func)
        self._callees.add(node.func)
        node.func = self.callee(self.visit(node.func))
        node.args = [self.visit(one) for one in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        if not self._depth:
            return placed(hook("shown", node), node) if makes_text else node
        return node if token else placed(hook("called", node), node)

    def callee(self, function: ast.expr) -> ast.expr:
        """The function that is called, rewritten."""
        return function

    # --- what makes text ---------------------------------------------------------------------------------------------

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self.generic_visit(node)
        return placed(hook("shown", node), node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        node.value = self.visit(node.value)
        if node.format_spec is not None:
            # It has the form of an f-string, and is none.
            self.generic_visit(node.format_spec)
        return node

    # --- what was computed elsewhere ---------------------------------------------------------------------------------

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self._stated or not self._depth or not isinstance(node.ctx, ast.Load):
            return node
        return node if node in self._callees else placed(hook("stated", node), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        called = node in self._callees
        of_module = isinstance(node.value, ast.Name) and node.value.id in self._modules
        self._callees.add(node.value)
        node.value = self.visit(node.value)
        if self._depth and isinstance(node.ctx, ast.Load) and not called and (of_module or node.attr in self._stated):
            return placed(hook("stated", self.attribute(node)), node)
        return self.attribute(node)

    def attribute(self, node: ast.Attribute) -> ast.expr:
        """An attribute, its parts rewritten."""
        if isinstance(node.ctx, ast.Load) and node.attr in (ARITHMETIC_METHODS if self._depth else SLOTS):
            return placed(hook("method", node), node)
        return node

    def _too_large(self, node: ast.Constant) -> bool:
        """True if a literal is an integer beyond 32 bits."""
        if type(node.value) is not int or node.value <= INT32_MAX:
            return False
        if node.value > _UINT32_MAX:
            return True
        if self._text is None:
            self._text = source(self._file).decode(errors="replace")
        written = ast.get_source_segment(self._text, node) or ""
        return not written.lower().startswith(("0x", "0b", "0o"))


def _in_place(node: ast.AugAssign, value: ast.expr) -> ast.expr:
    """The result of an augmented assignment to `value`."""
    name = "i" + _OPERATORS[type(node.op)].removesuffix("_")
    return placed(hook("binary", ast.Constant(name), value, node.value), node)


def _is_least(node: ast.expr) -> bool:
    """True if `node` is 2**31, in one of the ways to write it, or a literal no larger."""
    if isinstance(node, ast.Constant):
        return type(node.value) is not int or node.value <= -INT32_MIN
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Pow | ast.LShift):
        return False
    parts = [part.value if isinstance(part, ast.Constant) else None for part in (node.left, node.right)]
    return (parts == [2, 31] and isinstance(node.op, ast.Pow)) or (parts == [1, 31] and isinstance(node.op, ast.LShift))


def _is_token(function: ast.expr) -> bool:
    """True if what is called gives numbers that are no quantities."""
    if isinstance(function, ast.Name):
        return function.id in _TOKENS
    if not isinstance(function, ast.Attribute):
        return False
    return function.attr in _TOKENS or (isinstance(function.value, ast.Name) and function.value.id in _MACHINE)


def _makes_text(function: ast.expr) -> bool:
    """True if what is called makes text of what it is given."""
    if isinstance(function, ast.Attribute):
        return function.attr in TEXT_METHODS
    return isinstance(function, ast.Name) and function.id in TEXTS


def _as_value(key: ast.expr) -> ast.expr:
    """The key of a subscript as an expression that can stand anywhere."""
    if isinstance(key, ast.Slice):
        parts = [part if part is not None else ast.Constant(None) for part in (key.lower, key.upper, key.step)]
        return placed(hook("slice", *parts), key)
    if isinstance(key, ast.Tuple):
        key.elts = [_as_value(part) for part in key.elts]
    return key
