"""The use of local names in a piece of kernel source, read off its syntax tree.

Everything here errs on the safe side: a name is said to be bound before it is read only if it is on every path.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import field, replace
from math import inf

from nkiverify.foundation.dataclass import dataclass

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


#: Fields that hold texts and numbers, or a node that only says how another is meant.
_NO_PARTS = frozenset(
    {"ctx", "op", "ops", "id", "attr", "arg", "kind", "type_comment", "module", "level", "conversion", "is_async"}
)


#: The other fields of the classes met.
_parts: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: ()}


def fields_with_nodes(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields in which a class of nodes may hold others, but for such as `Load` and `Add`."""
    names = _parts.get(kind)
    if names is None:
        names = _parts[kind] = tuple(name for name in kind._fields if name not in _NO_PARTS)
    return names


def child_nodes(node: ast.AST) -> list[ast.AST]:
    """The nodes that `node` consists of, without such as `Load` and `Add`; several times faster than
    `ast.iter_child_nodes`, on which loading depends."""
    found: list[ast.AST] = []
    for name in fields_with_nodes(type(node)):
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):
            found += [part for part in value if isinstance(part, ast.AST)]
    return found


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """`node` and all nodes in it, in no order."""
    pending = [node]
    while pending:
        part = pending.pop()
        yield part
        pending.extend(child_nodes(part))


def walk_scope(nodes: list[ast.stmt] | list[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of a scope, without the bodies of functions and classes nested in it."""
    pending: list[ast.AST] = list(nodes)
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, _SCOPES):
            continue
        pending.extend(child_nodes(node))


@dataclass(frozen=True, slots=True)
class UsedNames:
    """The names that statements of one scope use, and what else is asked of each function and each loop: all of it
    found in one walk. Functions and classes within are scopes of their own."""

    #: Those that are bound or deleted, but for the targets of comprehensions.
    stored: set[str] = field(default_factory=set)
    #: How often each is read, or deleted; functions and classes within included.
    read: Counter[str] = field(default_factory=Counter)
    #: Those on which `append` is called.
    appended: set[str] = field(default_factory=set)
    #: Those that are said to belong to a scope around.
    shared: set[str] = field(default_factory=set)
    yields: bool = False

    @staticmethod
    def of(body: list[ast.stmt]) -> UsedNames:
        """The names that the statements use."""
        found = UsedNames()
        stored, read = found.stored, found.read
        yields = False
        pending: list[ast.AST] = list(body)
        while pending:
            node = pending.pop()
            if isinstance(node, ast.Name):
                context = type(node.ctx)
                if context is not ast.Load:
                    stored.add(node.id)
                if context is not ast.Store:
                    read[node.id] += 1
            elif type(node) not in _SPECIAL:
                pending += child_nodes(node)
            elif isinstance(node, _SCOPES):
                if not isinstance(node, ast.Lambda):
                    stored.add(node.name)
                read.update(_read_in(node))
            elif isinstance(node, ast.comprehension):
                read.update(_read_in(node.target))
                pending += (node.iter, *node.ifs)
            else:
                yields = yields or isinstance(node, ast.Yield | ast.YieldFrom)
                if isinstance(node, ast.Call):
                    function = node.func
                    if isinstance(function, ast.Attribute) and function.attr == "append":
                        found.appended.update([function.value.id] if isinstance(function.value, ast.Name) else [])
                elif type(node) in _NAMING:
                    (found.shared if isinstance(node, ast.Global | ast.Nonlocal) else stored).update(_named_by(node))
                pending += child_nodes(node)
        return UsedNames(stored, read, found.appended, found.shared, yields)


def deletes(body: list[ast.stmt]) -> bool:
    """True if the body unbinds a local name."""
    return any(isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del) for node in walk_scope(body))


#: What holds names as texts.
_NAMING = frozenset(
    {
        *(ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping),
        *(ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal),
    }
)


#: What is more than the nodes in it.
_SPECIAL = frozenset({*_SCOPES, *_NAMING, ast.comprehension, ast.Yield, ast.YieldFrom, ast.Call})


def _named_by(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.Global | ast.Nonlocal):
        return node.names
    name = node.rest if isinstance(node, ast.MatchMapping) else getattr(node, "name", None)
    return [name] if name else []


def _read_in(node: ast.AST) -> Iterator[str]:
    """The names that are read or deleted in `node`, each as often as that is."""
    for part in walk(node):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Store):
            yield part.id


def _loaded(node: ast.AST) -> set[str]:
    found: set[str] = set()
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Name):
            if isinstance(part.ctx, ast.Load):
                found.add(part.id)
        else:
            pending += child_nodes(part)
    return found


def read_before_written(loop: ast.For | ast.While, names: set[str]) -> set[str]:
    """Those of `names` that an iteration may read, change in part, or leave as they were, before binding them
    itself; what a `while` statement tests is read by each."""
    carried = _loaded(loop.test) if isinstance(loop, ast.While) else set()
    definite = target_names(loop.target) if isinstance(loop, ast.For) else set()
    _scan(loop.body, definite, carried)
    # A name bound under a condition only keeps its old value otherwise: that is carried state.
    return (carried | (names - definite)) & names


def read_first(body: list[ast.stmt]) -> set[str]:
    """Names that statements may read before they have bound them."""
    carried: set[str] = set()
    _scan(body, set(), carried)
    return carried


def last_reads(body: list[ast.stmt]) -> dict[str, tuple[float, int]]:
    """Where each name is read or deleted last, by line and column: what functions within read they may read at any
    time."""
    found: dict[str, tuple[float, int]] = {}
    for node in walk_scope(body):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            found[node.id] = max(found.get(node.id, (0, 0)), (node.lineno, node.col_offset))
        elif isinstance(node, _SCOPES):
            found.update((name, (inf, 0)) for name in _read_in(node))
    return found


def _scan(body: list[ast.stmt], definite: set[str], carried: set[str]) -> None:
    """Run through statements in order: `definite` grows by names bound for sure, `carried` by names read before."""
    for statement in body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            if statement.value is None:
                continue
            carried |= _loaded(statement.value) - definite
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in targets:
                carried |= _loaded(target) - definite
                definite |= target_names(target)
        elif isinstance(statement, ast.For):
            carried |= _loaded(statement.iter) - definite
            inner = definite | target_names(statement.target)
            _scan(statement.body, inner, carried)
            _scan(statement.orelse, set(definite), carried)
        elif isinstance(statement, ast.If):
            carried |= _loaded(statement.test) - definite
            then, otherwise = set(definite), set(definite)
            _scan(statement.body, then, carried)
            _scan(statement.orelse, otherwise, carried)
            if _always_leaves(statement.body):
                then = otherwise
            elif _always_leaves(statement.orelse):
                otherwise = then
            definite |= then & otherwise
        elif isinstance(statement, ast.With):
            for item in statement.items:
                carried |= _loaded(item.context_expr) - definite
                if item.optional_vars is not None:
                    definite |= target_names(item.optional_vars)
            _scan(statement.body, definite, carried)
        elif isinstance(statement, ast.FunctionDef):
            carried |= _loaded(statement) - definite
            definite.add(statement.name)
        elif isinstance(statement, ast.AugAssign):
            carried |= (_loaded(statement.value) | target_names(statement.target)) - definite
        else:
            carried |= _loaded(statement) - definite


def _always_leaves(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Continue | ast.Raise)


def target_names(target: ast.expr) -> set[str]:
    """The names that an assignment to `target` binds."""
    return {part.id for part in walk(target) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}


def leaves_early(body: list[ast.stmt]) -> bool:
    """True if the statements may leave the function or an iteration."""
    return any(isinstance(node, ast.Return | ast.Break | ast.Continue) for node in walk_scope(body))


#: The statements of a `while` that only computes numbers, what they consist of, and the functions that they may call.
_COMPUTING = (ast.Assign, ast.AugAssign, ast.If, ast.Pass, ast.Break, ast.Continue)
_COMPUTED = (ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.BoolOp)
_COMPUTED_BY_CASES = (ast.Compare, ast.IfExp)
_OF_NUMBERS = frozenset({"abs", "max", "min"})


def computed_by(loop: ast.While) -> dict[str, int]:
    """The names that a `while` statement assigns, where numbers for them are all it computes; none where it may do
    more. Each with the number that all it does is to take away from it; 1 where it does something else."""
    parts = list(walk_scope([loop.test, *loop.body]))
    targets = sorted({part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)})
    called = [part.func for part in parts if isinstance(part, ast.Call) and not part.keywords]
    plain = (*_COMPUTING, *_COMPUTED, *_COMPUTED_BY_CASES)
    for part in parts:
        known = any(part.func is one for one in called) if isinstance(part, ast.Call) else isinstance(part, plain)
        if not known or isinstance(getattr(part, "ctx", None), ast.Del):
            return {}
        if isinstance(part, ast.Attribute | ast.Subscript) and not isinstance(part.ctx, ast.Load):
            return {}
    if not all(isinstance(one, ast.Name) and one.id in _OF_NUMBERS for one in called):
        return {}
    return {target: _taken_away(parts, target) for target in targets}


def _taken_away(parts: list[ast.AST], name: str) -> int:
    """The number that all statements among `parts` that assign a name take away from it; 1 where there is none."""
    found: set[object] = set()
    for part in parts:
        if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name) and part.target.id == name:
            number = part.value.value if isinstance(part.value, ast.Constant) else None
            found.add(number if isinstance(part.op, ast.Sub) else None)
        elif isinstance(part, ast.Assign) and any(isinstance(one, ast.Name) and one.id == name for one in part.targets):
            found.add(None)
    taken = found.pop() if len(found) == 1 else None
    return taken if isinstance(taken, int) and taken > 0 and taken is not True else 1


@dataclass(frozen=True, slots=True)
class LoopNames:
    """The local names of a loop statement: those that it binds, those that its body binds before it reads them, those
    that are read after it, and those to which it appends."""

    bound: tuple[str, ...] = ()
    temporaries: tuple[str, ...] = ()
    live: tuple[str, ...] = ()
    grown: tuple[str, ...] = ()
    #: Whether the body may be run once for all iterations.
    summarise: bool = False
    #: Whether the function is a generator.
    drawn: bool = False

    def with_prefixed(self, prefix: str, others: LoopNames) -> LoopNames:
        """These names with those of another statement, which have a prefix."""

        def joined(own: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
            return (*own, *(prefix + name for name in more))

        return replace(
            self,
            bound=joined(self.bound, others.bound),
            temporaries=joined(self.temporaries, others.temporaries),
            live=joined(self.live, others.live),
            grown=joined(self.grown, others.grown),
        )
