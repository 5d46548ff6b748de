"""Mutation operators of the NKI field: the mistakes people make in kernels, one at a time.

An operator looks at one node and gives the nodes that could stand there by mistake. Mutants are made in the functions a
kernel reaches within its module; module-level constants are left alone, their uses are mutated one by one.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import cast


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed kernel module. `change` says what became what."""

    operator: str
    line: int
    change: str
    source: str


@dataclass(frozen=True, slots=True, eq=False)
class MutationPoint:
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
    """The surroundings of a place, as an operator may know them: constants of the module and of the function, its loop
    variables."""

    constants: tuple[str, ...]
    indices: tuple[str, ...]


Operator = Callable[[ast.AST, Surroundings], Iterator[ast.AST]]

#: Buffers and dtypes that are taken for one another.
_BUFFERS = {"sbuf": "psum", "psum": "sbuf", "shared_hbm": "sbuf", "hbm": "sbuf", "private_hbm": "sbuf"}
_DTYPES = {"float32": "bfloat16", "bfloat16": "float32", "float16": "float32", "int8": "int32", "int32": "int8"}

#: Pairs of operands that are exchanged.
_PAIRS = (("stationary", "moving"), ("data1", "data2"), ("dst", "src"), ("lhsT", "rhs"))

#: Calls whose neighbouring operands are taken for one another when they are given by position.
_ORDERED = frozenset(
    ("nc_matmul", "matmul", "subtract", "divide", "tensor_tensor", "tensor_copy", "dma_copy", "store", "copy")
)

#: Calls that allocate, by the position of what they are filled with, if they are.
_ALLOCATIONS = {"ndarray": None, "zeros": 0, "ones": 0, "full": 1}

#: How axes are called where they are named by number.
_AXES = ("axis", "axes")

#: Loops.
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


def _is_pattern(node: ast.AST) -> bool:
    """True if this is an access pattern: a list of [stride, count]."""
    pairs = node.elts if isinstance(node, ast.List) else []
    return len(pairs) > 1 and all(isinstance(one, ast.List) and len(one.elts) == 2 for one in pairs)


def _shifted(sequence: ast.Tuple | ast.List, positions: Iterable[int]) -> Iterator[ast.AST]:
    for position in positions:
        for amount in (1, -1):
            changed = copy.deepcopy(sequence)
            changed.elts[position] = _plus(sequence.elts[position], amount)
            yield changed


def _shifted_pairs(pattern: ast.AST, position: int) -> Iterator[ast.AST]:
    """An access pattern with one stride (`position` 0) or count (1) off by one."""
    assert isinstance(pattern, ast.List)
    for place, pair in enumerate(pattern.elts):
        assert isinstance(pair, ast.List)
        for one in _shifted(pair, (position,)):
            changed = copy.deepcopy(pattern)
            changed.elts[place] = one  # type: ignore[call-overload]
            yield changed


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
    elif isinstance(node, ast.Slice) and node.step is not None:
        for amount in (1, -1):
            changed = copy.deepcopy(node)
            changed.step = _plus(node.step, amount)
            yield changed
    elif _is_pattern(node):
        yield from _shifted_pairs(node, 0)


def _extent(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if _is_pattern(node):
        yield from _shifted_pairs(node, 1)
    elif isinstance(node, ast.Call) and node.args:
        first = node.args[0]
        if _called(node) == "arange":
            shifted: Iterator[ast.AST] = (_plus(first, amount) for amount in (1, -1))
        elif _called(node) in _ALLOCATIONS and isinstance(first, ast.Tuple | ast.List):
            shifted = _shifted(first, range(len(first.elts)))
        else:
            return
        for one in shifted:
            changed = copy.deepcopy(node)
            changed.args[0] = one  # type: ignore[call-overload]
            yield changed


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
    if _called(node) in _ORDERED:
        for position in range(len(node.args) - 1):
            changed = copy.deepcopy(node)
            changed.args[position : position + 2] = changed.args[position : position + 2][::-1]
            yield changed


def _axes(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if isinstance(node, ast.Call):
        yield from _other_axis(node)
    if not (isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load)) and not _is_pattern(node):
        return
    assert isinstance(node, ast.Tuple | ast.List)
    for position in range(len(node.elts) - 1):
        if ast.dump(node.elts[position]) != ast.dump(node.elts[position + 1]):
            changed = copy.deepcopy(node)
            changed.elts[position : position + 2] = changed.elts[position : position + 2][::-1]
            yield changed


def _other_axis(call: ast.Call) -> Iterator[ast.AST]:
    """The call with an axis that is named by its number off by one."""
    for place, keyword in enumerate(call.keywords):
        if keyword.arg not in _AXES:
            continue
        for number in (one for one in ast.walk(keyword.value) if isinstance(one, ast.Constant)):
            if type(number.value) is not int:
                continue
            for axis in (number.value - 1, number.value + 1):
                if axis >= 0:
                    changed = copy.deepcopy(call)
                    named = changed.keywords[place]
                    named.value = cast(ast.expr, _Replacing(number, ast.Constant(axis)).visit(named.value))
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


def _accumulation(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if isinstance(node, ast.AugAssign):
        yield ast.Assign([copy.deepcopy(node.target)], copy.deepcopy(node.value))


def _left_out(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield ast.Pass()
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        if any(isinstance(part, ast.Call) for part in ast.walk(node.value)):
            yield ast.Pass()
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
        yield ast.Pass()
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        filled = _ALLOCATIONS.get(node.func.attr)
        if filled is not None:
            # Allocated, but filled with nothing.
            changed = copy.deepcopy(node)
            assert isinstance(changed.func, ast.Attribute)
            changed.func.attr = "ndarray"
            if filled:
                del changed.args[filled : filled + 1]
            yield changed


def _loop_range(node: ast.AST, around: Surroundings) -> Iterator[ast.AST]:
    if isinstance(node, ast.For) and _called(node.iter) in _RANGES:
        call = node.iter
        assert isinstance(call, ast.Call)
        for position in range(min(2, len(call.args))):
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
    guard = isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], ast.Raise)
    if guard or isinstance(node, ast.Assert):
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
    "extent ± 1": _extent,
    "stride ± 1": _stride,
    "constants exchanged": _constants,
    "operands exchanged": _operands,
    "axes exchanged": _axes,
    "mask dropped": _mask_dropped,
    "mask ± 1": _mask_changed,
    "dtype": _dtype,
    "buffer": _buffer,
    "flag inverted": _flag,
    "accumulation left out": _accumulation,
    "call left out": _left_out,
    "loop range ± 1": _loop_range,
    "index of a neighbour": _neighbour,
    "precondition removed": _precondition,
    "rounding": _rounding,
    "comparison": _comparison,
    "min or max dropped": _extreme,
}


def sites(source: str, kernel: str) -> Iterator[MutationPoint]:
    """All mutants of the functions that `kernel` reaches in the module `source`, as places."""
    tree = ast.parse(source)
    constants = _constants_of(tree.body)
    for function in _reached(tree, kernel):
        inner = [statement for statement in ast.walk(function) if isinstance(statement, ast.stmt)]
        around = Surroundings(tuple(dict.fromkeys((*constants, *_constants_of(inner)))), _indices(function))
        for node in ast.walk(function):
            if node is function or isinstance(node, ast.arguments):
                continue
            for operator, apply in OPERATORS.items():
                for changed in apply(node, around):
                    yield MutationPoint(operator, node, changed, tree)


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


def _constants_of(statements: Iterable[ast.stmt]) -> tuple[str, ...]:
    """Names that statements set to a whole number, or to a size that the language names (`nl.tile_size.pmax`)."""
    return tuple(
        target.id
        for statement in statements
        if isinstance(statement, ast.Assign) and _is_constant(statement.value)
        for target in statement.targets
        if isinstance(target, ast.Name)
    )


def _is_constant(value: ast.expr) -> bool:
    if isinstance(value, ast.Constant):
        return type(value.value) is int
    return isinstance(value, ast.Attribute) and "tile_size" in ast.unparse(value)


def _reached(tree: ast.Module, kernel: str) -> list[ast.FunctionDef | ast.ClassDef]:
    """The functions and classes at the top of the module that a kernel leads to, itself first."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    reached: dict[str, ast.FunctionDef | ast.ClassDef] = {}
    waiting = [kernel]
    while waiting:
        name = waiting.pop()
        if name in functions and name not in reached:
            reached[name] = functions[name]
            waiting.extend(node.id for node in ast.walk(functions[name]) if isinstance(node, ast.Name))
    return list(reached.values())


def _indices(function: ast.AST) -> tuple[str, ...]:
    found = [
        node.target.id for node in ast.walk(function) if isinstance(node, ast.For) and isinstance(node.target, ast.Name)
    ]
    return tuple(dict.fromkeys(found))
