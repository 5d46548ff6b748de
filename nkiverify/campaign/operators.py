"""Mutation operators of the NKI field: the mistakes people make in kernels, one at a time.

An operator looks at one node and gives the nodes that could stand there by mistake. Mutants are made in the functions a
kernel reaches within its module; module-level constants are left alone, their uses are mutated one by one.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed kernel module. `change` says what became what."""

    operator: str
    line: int
    change: str
    source: str


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """A place that an operator can change, in a module that has not been written out yet."""

    operator: str
    node: ast.AST
    changed: ast.AST
    tree: ast.Module

    def mutant(self) -> Mutant:
        """The changed module."""
        mutated = _Replacing(self.node, self.changed).visit(copy.deepcopy(self.tree))
        before = ast.unparse(self.node).split("\n")[0]
        after = ast.unparse(ast.fix_missing_locations(self.changed)).split("\n")[0]
        text = ast.unparse(ast.fix_missing_locations(mutated)) + "\n"
        return Mutant(self.operator, getattr(self.node, "lineno", 0), f"{before} → {after}", text)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an operator may know of the place: the constants of the module, the loop variables of the function."""

    constants: tuple[str, ...]
    indices: tuple[str, ...]


Operator = Callable[[ast.AST, Surroundings], Iterator[ast.AST]]

#: Buffers and dtypes that are taken for one another.
_BUFFERS = {"sbuf": "psum", "psum": "sbuf", "shared_hbm": "sbuf", "hbm": "sbuf", "private_hbm": "sbuf"}
_DTYPES = {"float32": "bfloat16", "bfloat16": "float32", "float16": "float32", "int8": "int32", "int32": "int8"}

#: Pairs of operands that are exchanged.
_PAIRS = (("stationary", "moving"), ("data1", "data2"), ("dst", "src"), ("lhsT", "rhs"))

#: Instructions whose result has to be somewhere.
_RANGES = ("range", "affine_range", "sequential_range", "static_range")


def _plus(node: ast.expr, amount: int) -> ast.expr:
    return ast.BinOp(copy.deepcopy(node), ast.Add() if amount > 0 else ast.Sub(), ast.Constant(abs(amount)))


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _slice_bound(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if isinstance(node, ast.Slice):
        for name in ("lower", "upper"):
            if getattr(node, name) is not None:
                for amount in (1, -1):
                    changed = copy.deepcopy(node)
                    setattr(changed, name, _plus(getattr(node, name), amount))
                    yield changed
    elif _called(node) == "ds":
        assert isinstance(node, ast.Call)
        for position in range(len(node.args)):
            for amount in (1, -1):
                changed_call = copy.deepcopy(node)
                changed_call.args[position] = _plus(node.args[position], amount)
                yield changed_call


def _stride(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for amount in (1, -1):
            yield ast.BinOp(copy.deepcopy(node.left), ast.Mult(), _plus(node.right, amount))


def _constants(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in around.constants:
        for other in around.constants:
            if other != node.id:
                yield ast.Name(other, ast.Load())


def _operands(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if not isinstance(node, ast.Call):
        return
    keywords = {keyword.arg: position for position, keyword in enumerate(node.keywords)}
    for one, two in _PAIRS:
        if one in keywords and two in keywords:
            changed = copy.deepcopy(node)
            changed.keywords[keywords[one]].value = copy.deepcopy(node.keywords[keywords[two]].value)
            changed.keywords[keywords[two]].value = copy.deepcopy(node.keywords[keywords[one]].value)
            yield changed
    if len(node.args) == 2 and _called(node) in ("nc_matmul", "matmul", "subtract", "divide"):
        changed = copy.deepcopy(node)
        changed.args.reverse()
        yield changed


def _axes(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if not isinstance(node, ast.Tuple) or not isinstance(node.ctx, ast.Load):
        return
    for position in range(len(node.elts) - 1):
        if ast.dump(node.elts[position]) != ast.dump(node.elts[position + 1]):
            changed = copy.deepcopy(node)
            changed.elts[position : position + 2] = changed.elts[position : position + 2][::-1]
            yield changed


def _mask_dropped(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if isinstance(node, ast.Call) and any(keyword.arg == "mask" for keyword in node.keywords):
        changed = copy.deepcopy(node)
        changed.keywords = [keyword for keyword in changed.keywords if keyword.arg != "mask"]
        yield changed


def _mask_changed(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if not isinstance(node, ast.Call):
        return
    for place, keyword in enumerate(node.keywords):
        if keyword.arg != "mask":
            continue
        comparisons = [n for n in ast.walk(keyword.value) if isinstance(n, ast.Compare)]
        for position, comparison in enumerate(comparisons):
            for amount in (1, -1):
                changed = copy.deepcopy(node)
                inside = [n for n in ast.walk(changed.keywords[place].value) if isinstance(n, ast.Compare)]
                inside[position].comparators[0] = _plus(comparison.comparators[0], amount)
                yield changed


def _dtype(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in _DTYPES:
        yield ast.Attribute(copy.deepcopy(node.value), _DTYPES[node.attr], ast.Load())


def _buffer(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in _BUFFERS:
        yield ast.Attribute(copy.deepcopy(node.value), _BUFFERS[node.attr], ast.Load())


def _flag(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if isinstance(node, ast.Call):
        for position, keyword in enumerate(node.keywords):
            if isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, bool):
                changed = copy.deepcopy(node)
                changed.keywords[position].value = ast.Constant(not keyword.value.value)
                yield changed


def _left_out(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield ast.Pass()


def _loop_range(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if isinstance(node, ast.For) and _called(node.iter) in _RANGES:
        call = node.iter
        assert isinstance(call, ast.Call)
        position = 0 if len(call.args) == 1 else 1
        for amount in (1, -1):
            changed = copy.deepcopy(node)
            assert isinstance(changed.iter, ast.Call)
            changed.iter.args[position] = _plus(call.args[position], amount)
            yield changed


def _neighbour(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in around.indices:
        place = around.indices.index(node.id)
        for other in (place - 1, place + 1):
            if 0 <= other < len(around.indices):
                yield ast.Name(around.indices[other], ast.Load())


def _precondition(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if isinstance(node, ast.Assert):
        yield ast.Pass()


def _rounding(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
        up = ast.BinOp(ast.UnaryOp(ast.USub(), copy.deepcopy(node.left)), ast.FloorDiv(), copy.deepcopy(node.right))
        yield ast.UnaryOp(ast.USub(), up)
    elif _called(node) == "ceil":
        yield ast.Call(ast.Attribute(ast.Name("math", ast.Load()), "floor", ast.Load()), copy.deepcopy(node.args), [])  # type: ignore[attr-defined]


def _comparison(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    swaps: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
    if isinstance(node, ast.Compare) and type(node.ops[0]) in swaps:
        changed = copy.deepcopy(node)
        changed.ops[0] = swaps[type(node.ops[0])]()
        yield changed


def _extreme(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
        for argument in node.args:
            yield copy.deepcopy(argument)


OPERATORS: dict[str, Operator] = {
    "slice bound ± 1": _slice_bound,
    "stride ± 1": _stride,
    "constants exchanged": _constants,
    "operands exchanged": _operands,
    "axes exchanged": _axes,
    "mask dropped": _mask_dropped,
    "mask ± 1": _mask_changed,
    "dtype": _dtype,
    "buffer": _buffer,
    "flag inverted": _flag,
    "call left out": _left_out,
    "loop range ± 1": _loop_range,
    "index of a neighbour": _neighbour,
    "precondition removed": _precondition,
    "rounding": _rounding,
    "comparison": _comparison,
    "min or max dropped": _extreme,
}


def sites(source: str, kernel: str) -> Iterator[Site]:
    """All mutants of the functions that `kernel` reaches in the module `source`, as places."""
    tree = ast.parse(source)
    constants = tuple(
        target.id
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
        and isinstance(statement.value, ast.Constant)
        and type(statement.value.value) is int
    )
    for function in _reached(tree, kernel):
        around = Surroundings(constants, _indices(function))
        for node in ast.walk(function):
            if node is function or isinstance(node, ast.arguments):
                continue
            for operator, apply in OPERATORS.items():
                for changed in apply(node, around):
                    yield Site(operator, node, changed, tree)


class _Replacing(ast.NodeTransformer):
    """Replaces, in a copy of the tree, the node at the place of `node`."""

    def __init__(self, node: ast.AST, changed: ast.AST) -> None:
        self._key = _key(node)
        self._changed = changed

    def visit(self, node: ast.AST) -> ast.AST:
        if _key(node) == self._key and not isinstance(node, ast.Module):
            return self._changed
        return self.generic_visit(node)


def _key(node: ast.AST) -> tuple[object, ...]:
    names = ("lineno", "col_offset", "end_lineno", "end_col_offset")
    return (type(node), *(getattr(node, name, None) for name in names))


def _reached(tree: ast.Module, kernel: str) -> list[ast.FunctionDef]:
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    reached: dict[str, ast.FunctionDef] = {}
    waiting = [kernel]
    while waiting:
        name = waiting.pop()
        if name in functions and name not in reached:
            reached[name] = functions[name]
            waiting.extend(node.id for node in ast.walk(functions[name]) if isinstance(node, ast.Name))
    return list(reached.values())


def _indices(function: ast.FunctionDef) -> tuple[str, ...]:
    found = [
        node.target.id for node in ast.walk(function) if isinstance(node, ast.For) and isinstance(node.target, ast.Name)
    ]
    return tuple(dict.fromkeys(found))
