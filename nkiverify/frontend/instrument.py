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
    while c: body               @while1 = __nki__.while_loop(…)
                                while @while1.goes_on():
                                    <put local names as this pass wants them>
                                    try:
                                        if @while1.testing and not @while1.test(c): continue
                                        body
                                    except BaseException as @error1:
                                        if not @while1.absorb(@error1): raise
                                else: <put local names as they are after the loop>
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
    case True: body             case @matched1 if __nki__.same(@matched1, True): body
    if x > a.b: a.b = x         @kept1 = __nki__.extreme(x > a.b, x, True, a, "b")
                                if @kept1.test: a.b = @kept1.value    (and so with <, and of a name)
    for x in product(a, b)      loops within one another, as `frontend.nested_loops` says
    for x in range(n)           its range handed to the run, as `frontend.watched_integers` says
    x + y, -x, f(x), x += y, …  examined for 32 bits, as `frontend.watched_integers` says
    x.a = y, del x.a            __nki__.storing(x, "a").a = y
    x.length                    __nki__.read(x, "length")    (names that only symbolic values have)
    x.__class__                 __nki__.class_of(x)
    "…".format(x)               __nki__.formatting("…".format)(x)

Every new node has the position of the one it stands for: line numbers, tracebacks and columns stay the user's.
"""

from __future__ import annotations

import ast
import copy
import enum
from collections.abc import Sequence
from dataclasses import field
from math import inf
from pathlib import Path

from nkiverify.foundation.dataclass import dataclass
from nkiverify.frontend.attributes import OWN_NAMES
from nkiverify.frontend.nested_loops import NestedLoops
from nkiverify.frontend.nodes import HOOKS, hook, load, placed, store
from nkiverify.frontend.refused import ATTRIBUTES
from nkiverify.frontend.source_names import (
    UsedNames,
    child_nodes,
    computed_by,
    deletes,
    last_reads,
    leaves_early,
    read_before_written,
    read_first,
    target_names,
    walk,
)
from nkiverify.frontend.watched_integers import RangeLoops, Watching, conjuncts, iterated, join_masks

#: How many blocks within one another an `if` statement may add to: CPython compiles twenty.
_MOST_NESTED = 14
#: Types whose calls are redirected.
_TYPES = frozenset({"int", "float", "bool", "list", "tuple", "str", "type"})

#: Functions of libraries that kernel code gets in another form, by their module.
_REPLACED = {
    "builtins": (
        *("type", "isinstance", "id", "dir", "getattr", "hasattr", "setattr", "delattr"),
        *("compile", "eval", "exec", "globals", "locals", "vars"),
        *("range", "enumerate", "zip", "map", "filter", "reversed"),
    ),
    "operator": ("is_", "is_not", "attrgetter", "methodcaller"),
}
_REPLACED_NAMES = frozenset(name for names in _REPLACED.values() for name in names) | {"__setattr__", "__delattr__"}
_FORMATTING = frozenset({"format", "format_map"})


class Rewriting(enum.Enum):
    """How much of a kernel's source is rewritten before it runs."""

    #: Nothing: the kernel as it is.
    NONE = "none"
    #: Only that ranges of loops are handed to the run: a kernel of the legacy API, otherwise as it is.
    RANGES = "ranges"
    #: Only that results of arithmetic are examined, for a concrete run that is to see integers beyond 32 bits.
    ARITHMETIC = "arithmetic"
    #: Everything a symbolic run needs.
    FULL = "full"

    def apply(
        self, tree: ast.Module, file: Path, text: str | None = None, nodes: Sequence[ast.AST] | None = None
    ) -> ast.Module:
        """The module of `file` rewritten so, or what code of it executes as `text`. `tree` is changed in place; `nodes`
        are all in it, where they are known already."""
        if self is not Rewriting.NONE:
            nodes = list(walk(tree)) if nodes is None else nodes
            join_masks(nodes)
            if self is Rewriting.FULL:
                NestedLoops().visit(tree)
            if self is Rewriting.RANGES:
                RangeLoops().visit(tree)
            else:
                (_Rewriter if self is Rewriting.FULL else Watching)(file, text, nodes).visit(tree)
        return tree


@dataclass(slots=True)
class _Function:
    """The facts about the function that the rewriter is in."""

    generator: bool = False
    shared_names: frozenset[str] = frozenset()
    #: Where it reads each name last.
    last_reads: dict[str, tuple[float, int]] = field(default_factory=dict)
    #: The blocks around the present statement, each with how many of its statements have been met.
    blocks: list[tuple[list[ast.stmt], int]] = field(default_factory=list)
    #: The names that an iteration of each loop around the present statement may read before it binds them.
    read_first: list[set[str]] = field(default_factory=list)
    #: How many blocks of loops, and of arms that are loops, are around the present statement.
    nesting: int = 0
    #: Names of the loop variables around the present statement, innermost last.
    loops: list[str] = field(default_factory=list)

    def read_after(self, names: set[str], statement: ast.stmt, body: list[ast.stmt]) -> set[str]:
        """Those of `names` that may be read after `body`, of a `statement`, and before they are bound again."""
        end = (body[-1].end_lineno or 0, body[-1].end_col_offset or 0)
        found = names & set().union(*self.read_first)
        later = {name for name in names - found if self.last_reads.get(name, (0, 0)) > end}
        if later and self._is_within_blocks(statement):
            blocks = [block[met:] for block, met in self.blocks]
            rest = set().union(*map(read_first, [*blocks, _otherwise(statement)]))
            later = {name for name in later if name in rest or self.last_reads[name][0] == inf}
        return found | later

    def _is_within_blocks(self, statement: ast.stmt) -> bool:
        """True if all that comes after a statement is in `blocks`."""
        present = [block[met - 1] for block, met in self.blocks]
        within = all(
            isinstance(one, ast.For | ast.While | ast.If) and block in (one.body, one.orelse)
            for one, (block, _) in zip(present, self.blocks[1:], strict=False)
        )
        return bool(present) and present[-1] is statement and within


class _Rewriter(Watching, ast.NodeTransformer):
    def __init__(self, file: Path, text: str | None, nodes: Sequence[ast.AST]) -> None:
        super().__init__(file, text, nodes)
        self._function: _Function | None = None

    # --- scopes ------------------------------------------------------------------------------------------------------

    def _in_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        # Decorators, defaults and annotations belong to the surrounding scope.
        node.decorator_list = [self.visit(expression) for expression in node.decorator_list]
        node.args = self.visit(node.args)
        outer = self._function
        used = UsedNames.of(node.body)
        self._function = _Function(used.yields, frozenset(used.shared), last_reads(node.body))
        with self.within_function():
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
        self._function = _Function()
        with self.within_function():
            node.body = self.visit(node.body)
        self._function = outer
        return node

    def _statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        # As they are written: those that come are not yet rewritten.
        written = list(body)
        for number, statement in enumerate(written, 1):
            if self._function is not None:
                self._function.blocks.append((written, number))
            replaced = self.visit(statement)
            if self._function is not None:
                self._function.blocks.pop()
            result.extend(replaced if isinstance(replaced, list) else [replaced])
        return result

    # --- loops -------------------------------------------------------------------------------------------------------

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        function = self._function
        if function is None:
            return self.generic_visit(node)
        # As the kernel is written: loops within, rewritten, read and unbind more.
        used, unbinds = UsedNames.of(node.body), deletes(node.body)
        bound = (used.stored | target_names(node.target)) - function.shared_names
        names, grown = sorted(bound), sorted(used.appended)
        temporaries = sorted(bound - read_before_written(node, bound))
        # Those that may have the value that the loop left where they are read.
        live = sorted(function.read_after(bound, node, node.body))
        loop, item, error = self.fresh("loop"), self.fresh("item"), self.fresh("error")
        iterable = iterated(node.iter, self.visit)
        target = self.visit(node.target)
        function.loops.append(loop)
        function.read_first.append(read_first(node.body))
        function.nesting += 2
        body = self._statements(node.body)
        function.nesting -= 2
        function.read_first.pop()
        function.loops.pop()
        otherwise = self._statements(node.orelse)
        call = hook(
            "loop",
            iterable,
            _names(names),
            _names(temporaries),
            _names(live),
            _names(grown),
            ast.Constant(node.target.id if isinstance(node.target, ast.Name) else "i"),
            ast.Constant(not unbinds),
            ast.Constant(function.generator),
        )
        start = ast.Assign([store(loop)], call)
        assign = ast.Assign([target], load(item))
        guarded = _guarded(loop, error, [assign, *body])
        restore = self._restore(loop, names)
        new = ast.For(store(item), load(loop), [*restore, guarded], [*self._restore(loop, names), *otherwise])
        return [placed(start, node.iter), placed(new, node, node.target)]

    def _restore(self, loop: str, names: list[str]) -> list[ast.stmt]:
        if not names:
            return []
        statements: list[ast.stmt] = []
        for name in names:
            has = ast.Call(ast.Attribute(load(loop), "has", ast.Load()), [ast.Constant(name)], [])
            value = ast.Call(ast.Attribute(load(loop), "get", ast.Load()), [ast.Constant(name)], [])
            statements.append(ast.Assign([store(name)], value))
            statements.append(ast.If(ast.UnaryOp(ast.Not(), has), [ast.Delete([ast.Name(name, ast.Del())])], []))
        return [ast.If(ast.Attribute(load(loop), "restoring", ast.Load()), statements, [])]

    def visit_While(self, node: ast.While) -> ast.AST | list[ast.stmt]:
        function = self._function
        if function is None:
            return self.generic_visit(node)
        place = node.test
        shorter, ends = _without_not(node)
        node, ends = (node, False) if computed_by(shorter) else (shorter, ends)
        computed, unbinds = computed_by(node), deletes(node.body)
        used = UsedNames.of([placed(ast.Expr(node.test), node), *node.body])
        bound = used.stored - function.shared_names
        names, grown = sorted(bound), sorted(used.appended)
        temporaries = sorted(bound - read_before_written(node, bound))
        live = sorted(function.read_after(bound, node, node.body))
        searched = [] if function.shared_names & computed.keys() else list(computed)
        binds = any(isinstance(part, ast.NamedExpr) for part in walk(node.test))
        loop, error = self.fresh("while"), self.fresh("error")
        test = "test_of_break" if ends else "test"
        tested = ast.Call(ast.Attribute(load(loop), test, ast.Load()), [self.visit(node.test)], [])
        function.loops.append(loop)
        function.read_first.append(read_first([ast.Expr(node.test), *node.body]))
        function.nesting += 2
        body = self._statements(node.body)
        function.nesting -= 2
        function.read_first.pop()
        function.loops.pop()
        otherwise = self._statements(node.orelse)
        call = hook(
            "while_loop",
            _names(names),
            _names(temporaries),
            _names(live),
            _names(grown),
            ast.Constant(not unbinds and not binds),
            ast.Constant(function.generator),
            _names(searched),
            ast.Tuple([ast.Constant(computed[name]) for name in searched], ast.Load()),
        )
        start = ast.Assign([store(loop)], call)
        leaves = ast.If(ast.UnaryOp(ast.Not(), placed(tested, node.test)), [ast.Continue()], [])
        testing = ast.If(ast.Attribute(load(loop), "testing", ast.Load()), [leaves], [])
        guarded = _guarded(loop, error, [placed(testing, node.test), *body])
        goes_on = ast.Call(ast.Attribute(load(loop), "goes_on", ast.Load()), [], [])
        new = ast.While(goes_on, [*self._restore(loop, names), guarded], [*self._restore(loop, names), *otherwise])
        return [placed(start, place), placed(new, node, place)]

    def visit_Break(self, node: ast.Break) -> ast.AST | list[ast.stmt]:
        loop = self._function.loops[-1] if self._function is not None and self._function.loops else None
        return [placed(_leave(loop), node), node] if loop is not None else node

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        loops = self._function.loops if self._function is not None else []
        return [*(placed(_leave(loop), node) for loop in reversed(loops)), node]

    # --- the greatest and the least ----------------------------------------------------------------------------------

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        if self._function is None:
            return self.generic_visit(node)
        kept = _kept(node)
        if kept is None:
            arms = self._arms(node, self._function)
            if arms is not None:
                return arms
            node.test = self.visit(node.test)
            node.body, node.orelse = self._statements(node.body), self._statements(node.orelse)
            return node
        value, target, greatest = kept
        if isinstance(target, ast.Name):
            place: list[ast.expr] = [load(target.id)]
        else:
            assert isinstance(target.value, ast.Name)
            place = [load(target.value.id), ast.Constant(target.attr)]
        name = self.fresh("kept")
        test = self.visit(node.test)
        found = hook("extreme", test, load(value), ast.Constant(greatest), *place)
        assigned = ast.Assign([self.visit(target)], ast.Attribute(load(name), "value", ast.Load()))
        chosen = ast.If(ast.Attribute(load(name), "test", ast.Load()), [placed(assigned, node.body[0])], [])
        return [placed(ast.Assign([store(name)], found), node.test), placed(chosen, node)]

    def _arms(self, node: ast.If, function: _Function) -> list[ast.stmt] | None:
        """An `if` whose arms leave no name as two loops, each of one iteration or none; None where it is to stay."""
        body = [*node.body, *node.orelse]
        if function.generator or leaves_early(body) or deletes(body):
            return None
        used = UsedNames.of(body)
        bound = used.stored - function.shared_names
        if used.yields or used.stored & function.shared_names or bound & read_first(body):
            return None
        if function.read_after(bound, node, body) or function.nesting + _nesting([node]) > _MOST_NESTED:
            return None
        names, grown = sorted(bound), sorted(used.appended)
        arms = self.fresh("arms")
        call = hook("arms", self.visit(node.test), _names(names), _names(grown))
        found: list[ast.stmt] = [placed(ast.Assign([store(arms)], call), node.test)]
        for which, statements in (("then", node.body), ("orelse", node.orelse)):
            if not statements:
                continue
            loop, item, error = self.fresh("arm"), self.fresh("item"), self.fresh("error")
            arm = ast.Assign([store(loop)], ast.Attribute(load(arms), which, ast.Load()))
            function.nesting += 2
            guarded = _guarded(loop, error, self._statements(statements))
            function.nesting -= 2
            taken = ast.For(store(item), load(loop), [*self._restore(loop, names), guarded], self._restore(loop, names))
            found += [placed(arm, node.test), placed(taken, node, node.test)]
        return found

    # --- lists -------------------------------------------------------------------------------------------------------

    def visit_List(self, node: ast.List) -> ast.AST:
        self.generic_visit(node)
        if self._function is None or not isinstance(node.ctx, ast.Load):
            return node
        return placed(hook("list", ast.Tuple(node.elts, ast.Load())), node)

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        if self._function is None:
            return self.generic_visit(node)
        binds = any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))
        simple = len(node.generators) == 1 and not node.generators[0].ifs and not binds
        self._comprehension(node)
        start = hook("start", ast.Constant(simple))
        return placed(hook("finish", start, node), node)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> ast.AST:
        first = True
        for generator in node.generators:
            generator.target = self.visit(generator.target)
            generator.ifs = [self.visit(test) for test in generator.ifs]
            iterating = "items" if first and isinstance(node, ast.ListComp) else "elements"
            generator.iter = placed(hook(iterating, self.visit(generator.iter)), generator.iter)
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
        message: list[ast.expr] = []
        if node.msg is not None:
            thunk = ast.Lambda(ast.arguments([], [], None, [], [], None, []), self.visit(node.msg))
            message.append(placed(thunk, node))
        checks: list[ast.stmt] = []
        for part in conjuncts(node.test):
            checks.append(placed(ast.Expr(placed(hook("check", self.visit(part), *message), part)), part))
        return checks

    def visit_Try(self, node: ast.Try) -> ast.AST:
        body, handlers = self._statements(node.body), node.handlers
        if self._function is not None and (handlers or leaves_early(node.finalbody)):
            guard = ast.With([ast.withitem(hook("trying"), None)], body)
            body = [placed(guard, node.body[0])]
        node.body = body
        for handler in handlers:
            if handler.type is not None:
                handler.type = self.visit(handler.type)
            note: list[ast.stmt] = []
            if self._function is not None:
                note = [placed(ast.Expr(hook("handling")), handler)]
            handler.body = [*note, *self._statements(handler.body)]
        node.orelse = self._statements(node.orelse)
        finalbody = self._statements(node.finalbody)
        if self._function is not None and finalbody:
            # A `return` or `continue` in it drops the exception in flight.
            finalbody.insert(0, placed(ast.Expr(hook("passing")), finalbody[0]))
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
            node.body = [placed(ast.With([ast.withitem(hook("trying"), None)], node.body), node.body[0])]
        return node

    def visit_TryStar(self, node: ast.AST) -> ast.AST:
        return self.visit_Try(node)  # type: ignore[arg-type]

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        if self._function is None:
            return super().visit_JoinedStr(node)
        parts: list[ast.expr] = []
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                spec = self.visit(value.format_spec) if value.format_spec is not None else ast.Constant("")
                shown = [self.visit(value.value), ast.Constant(value.conversion), spec]
                parts.append(placed(ast.Tuple(shown, ast.Load()), node))
            else:
                parts.append(value)
        return placed(hook("text", *parts), node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        # `type` as a value would tell symbolic values from those they stand for.
        if node.id == "type" and isinstance(node.ctx, ast.Load):
            return placed(hook("type_call", node), node)
        return super().visit_Name(node)

    def attribute(self, node: ast.Attribute) -> ast.expr:
        if self._function is None:
            if isinstance(node.ctx, ast.Load) and node.attr in ("compile", "eval", "exec"):
                return placed(hook("replaced", node), node)
            if isinstance(node.ctx, ast.Load) and node.attr in ATTRIBUTES:
                return placed(hook("reading", node.value, ast.Constant(node.attr)), node)
            return super().attribute(node)
        if not isinstance(node.ctx, ast.Load):
            node.value = placed(hook("storing", node.value, ast.Constant(node.attr)), node.value)
        elif node.attr == "__class__":
            return placed(hook("class_of", node.value), node)
        elif node.attr in OWN_NAMES:
            return placed(hook("read", node.value, ast.Constant(node.attr)), node)
        elif node.attr in ATTRIBUTES:
            return placed(hook("reading", node.value, ast.Constant(node.attr)), node)
        elif node.attr in _REPLACED_NAMES:
            return placed(hook("replaced", node), node)
        return super().attribute(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | list[ast.stmt]:
        replaced = _REPLACED.get(node.module or "", ())
        names = [alias.asname or alias.name for alias in node.names if alias.name in replaced]
        if replaced and node.names[0].name == "*":
            names.extend(replaced)
        return [node, *(placed(ast.Assign([store(name)], hook("replaced", load(name))), node) for name in names)]

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        identities = any(isinstance(one, ast.Is | ast.IsNot) for one in node.ops)
        if identities and len(node.ops) > 1 and self._function is not None:
            parts = list(conjuncts(node))
            if len(parts) == 1:
                self.generic_visit(node)
                return placed(ast.BoolOp(ast.And(), [hook("chained"), node]), node)
            both: ast.AST = self.visit(placed(ast.BoolOp(ast.And(), parts), node))
            return both
        self.generic_visit(node)
        operands = [node.left, *node.comparators]
        if (
            self._function is None
            or len(node.ops) != 1
            or not isinstance(node.ops[0], ast.Is | ast.IsNot)
            or any(isinstance(part, ast.Constant) and part.value is None for part in operands)
        ):
            return node
        test: ast.expr = hook("same", *operands)
        if isinstance(node.ops[0], ast.IsNot):
            test = ast.UnaryOp(ast.Not(), test)
        return placed(test, node)

    def visit_Match(self, node: ast.Match) -> ast.AST | list[ast.AST]:
        """The patterns `True` and `False` ask which object it is, as `is` does: guards ask it of truth values that are
        symbolic."""
        if self._function is None:
            return self.generic_visit(node)
        marks: list[str] = []
        node.cases = [one for case in node.cases for one in self._with_identities(case, marks)]
        begun = [placed(ast.Assign([store(mark)], ast.Constant(False)), node.subject) for mark in marks]
        return [*begun, self.generic_visit(node)]

    def _with_identities(self, case: ast.match_case, marks: list[str]) -> list[ast.match_case]:
        alone = _alternatives(case.pattern)
        if len(alone) > 1:
            cases = [copy.deepcopy(ast.match_case(one, case.guard, case.body)) for one in alone]
            if case.guard is not None:
                # It is asked with what the first alternative that matches has bound, and for no other one.
                marks.append(self.fresh("matched"))
                for each in cases:
                    first = ast.UnaryOp(ast.Not(), load(marks[-1]))
                    marked = ast.NamedExpr(ast.Name(marks[-1], ast.Store()), ast.Constant(True))
                    guards = [first, marked, *filter(None, [each.guard])]
                    each.guard = placed(ast.BoolOp(ast.And(), guards), case.guard)
            return [found for each in cases for found in self._with_identities(each, marks)]
        asked: list[ast.expr] = []
        for one in _truth_values(case.pattern):
            name = self.fresh("matched")
            asked.append(placed(ast.Compare(load(name), [ast.Is()], [ast.Constant(one.value)]), one))
            case.pattern = _replaced(case.pattern, one, ast.copy_location(ast.MatchAs(None, name), one))
        if asked:
            guards = [*asked, *([case.guard] if case.guard is not None else [])]
            case.guard = placed(ast.BoolOp(ast.And(), guards), asked[0]) if len(guards) > 1 else guards[0]
        return [case]

    def callee(self, function: ast.expr) -> ast.expr:
        if self._function is not None and isinstance(function, ast.Name) and function.id in _TYPES:
            return placed(hook("type_call", function), function)
        if self._function is not None and isinstance(function, ast.Attribute) and function.attr in _FORMATTING:
            return placed(hook("formatting", function), function)
        return function


def _alternatives(pattern: ast.pattern) -> list[ast.pattern]:
    """The patterns that one stands for, in order: `True` and `False` are no part of an alternative in any of them."""
    if not _truth_values(pattern):
        return [pattern]
    if isinstance(pattern, ast.MatchOr):
        return [found for one in pattern.patterns for found in _alternatives(one)]
    for part in _parts(pattern):
        several = _alternatives(part)
        if len(several) > 1:
            return [found for one in several for found in _alternatives(_replaced(pattern, part, one))]
    return [pattern]


def _parts(pattern: ast.pattern) -> list[ast.pattern]:
    return [one for one in ast.iter_child_nodes(pattern) if isinstance(one, ast.pattern)]


def _truth_values(pattern: ast.pattern) -> list[ast.MatchSingleton]:
    """The patterns `True` and `False` in a pattern."""
    if isinstance(pattern, ast.MatchSingleton):
        return [pattern] if pattern.value is not None else []
    return [found for one in _parts(pattern) for found in _truth_values(one)]


def _replaced(pattern: ast.pattern, old: ast.pattern, new: ast.pattern) -> ast.pattern:
    """`pattern` with another one in place of `old`, which is it or in it."""
    if pattern is old:
        return new
    made = {id(part): _replaced(part, old, new) for part in _parts(pattern)}
    if all(made[id(part)] is part for part in _parts(pattern)):
        return pattern
    found = copy.copy(pattern)
    for name, value in ast.iter_fields(pattern):
        is_list = isinstance(value, list)
        setattr(found, name, [made.get(id(one), one) for one in value] if is_list else made.get(id(value), value))
    return found


def _names(names: list[str]) -> ast.expr:
    return ast.Tuple([ast.Constant(name) for name in names], ast.Load())


def _without_not(node: ast.While) -> tuple[ast.While, bool]:
    """The same statement with the test `c` for `not c`, and for `while True:` that begins with `if c: break`; and
    whether it ends where that holds."""
    ends = False
    match node:
        case ast.While(ast.Constant(True), [ast.If(test, [ast.Break()], []), *body], []) if body:
            node, ends = ast.copy_location(ast.While(test, body, []), node), True
    test = node.test
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, ends = test.operand, not ends
    return (node if test is node.test else ast.copy_location(ast.While(test, node.body, node.orelse), node)), ends


def _kept(node: ast.If) -> tuple[str, ast.Name | ast.Attribute, bool] | None:
    """The name whose value `if x > place: place = x` puts in a place where that is greater, the place, a name or an
    attribute of what a name stands for, and True; False for the least of the two; None of any other statement."""
    match node:
        case ast.If(ast.Compare(left, [operation], [right]), [ast.Assign([target], ast.Name(value))], []):
            greater = {ast.Gt: True, ast.GtE: True, ast.Lt: False, ast.LtE: False}.get(type(operation))
        case _:
            return None
    if isinstance(right, ast.Name) and right.id == value:
        left, right, greater = right, left, None if greater is None else not greater
    if greater is None or not (isinstance(left, ast.Name) and left.id == value):
        return None
    match target, right:
        case ast.Name(one), ast.Name(two) if one == two:
            return value, target, greater
        case ast.Attribute(ast.Name(one), part), ast.Attribute(ast.Name(two), other) if (one, part) == (two, other):
            return value, target, greater
    return None


def _guarded(loop: str, error: str, body: list[ast.stmt]) -> ast.stmt:
    """The body of a loop, which is asked whether an exception ends more than a path through it."""
    absorb = ast.Call(ast.Attribute(load(loop), "absorb", ast.Load()), [load(error)], [])
    raised = ast.If(ast.UnaryOp(ast.Not(), absorb), [ast.Raise(None, None)], [])
    handler = ast.ExceptHandler(ast.Attribute(load(HOOKS), "BaseException", ast.Load()), error, [raised])
    return ast.Try(body, [handler], [], [])


def _nesting(body: list[ast.stmt]) -> int:
    """How many blocks that CPython counts are within one another in statements, loops as they are rewritten; for an
    `if` statement as many as for a loop."""
    most = 0
    for one in body:
        own = 2 if isinstance(one, ast.For | ast.While | ast.If | ast.Try | ast.With) else 0
        inner: list[ast.stmt] = [part for part in child_nodes(one) if isinstance(part, ast.stmt)]
        inner += [part for handler in getattr(one, "handlers", ()) for part in handler.body]
        most = max(most, own + _nesting(inner))
    return most


def _otherwise(statement: ast.stmt) -> list[ast.stmt]:
    return statement.orelse if isinstance(statement, ast.For | ast.While) else []


def _leave(loop: str) -> ast.stmt:
    return ast.Expr(ast.Call(ast.Attribute(load(loop), "leave", ast.Load()), [], []))
