"""The surroundings of a place of a kernel: the names that mean something there, and the loops around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nkiverify.foundation.dataclass import dataclass
from nkiverify.products.repair.kernel_source import KernelSource

#: Loops over tiles.
_RANGES = frozenset({"range", "affine_range", "sequential_range", "static_range", "dynamic_range", "fori_loop"})
#: Calls that allocate.
ALLOCATIONS = frozenset({"ndarray", "zeros", "ones", "full", "empty", "zeros_like", "load", "copy"})


@dataclass(frozen=True, slots=True)
class TileLoop:
    """A loop over tiles: its variable, and where it is said how much there is, the text of the `whole` extent and
    that of one `tile`. `strided`: the variable is the first element, not the number of the tile."""

    variable: str
    whole: str = ""
    tile: str = ""
    strided: bool = False

    @property
    def left(self) -> str:
        """The elements from the tile on; empty where it is not known."""
        if not self.whole:
            return ""
        return f"{self.whole} - {self.variable}" + ("" if self.strided else f" * {self.tile}")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The surroundings of a statement: loops around it, the innermost last, and names by what they are."""

    source: KernelSource
    function: ast.FunctionDef
    loops: tuple[TileLoop, ...]
    #: Integers that are written down, as `TILE_K = 128`, and parameters with one.
    constants: tuple[str, ...]
    #: Extents that are unpacked from shapes.
    extents: tuple[str, ...]
    #: Other integers that the function computes.
    sizes: tuple[str, ...]
    tensors: tuple[str, ...]
    #: Numbers that stand in the function.
    numbers: tuple[int, ...]
    dtypes: tuple[str, ...]

    @property
    def indices(self) -> tuple[str, ...]:
        """Loop variables."""
        return tuple(one.variable for one in self.loops)

    def like(self, name: str) -> tuple[str, ...]:
        """The other names of the kind of a name, then integers of other kinds."""
        integers = (self.constants, self.extents, self.sizes, self.indices)
        for kind in (*integers, self.tensors):
            if name in kind:
                others = (each for other in integers if other is not kind for each in other if kind is not self.tensors)
                return tuple(dict.fromkeys(one for one in (*kind, *others) if one != name))
        return ()

    def is_near(self, name: str, other: str) -> bool:
        """True if two names are of one kind."""
        kinds = (self.constants, self.extents, self.sizes, self.indices, self.tensors)
        return any(name in kind and other in kind for kind in kinds)


#: Letters that the name of a module of operations has at most, as kernels write them: `nl`, `nisa`.
_SHORT = 5


def called(node: ast.AST) -> str:
    """The last name of the function that a call calls; empty for anything else."""
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def surroundings(source: KernelSource, function: ast.FunctionDef) -> Iterator[tuple[ast.stmt, Surroundings]]:
    """Each statement of a function, the outer ones first, with its surroundings."""
    names = _names(source, function)

    def within(body: list[ast.stmt], loops: tuple[TileLoop, ...]) -> Iterator[tuple[ast.stmt, Surroundings]]:
        for statement in body:
            yield statement, Surroundings(source, function, loops, **names)  # type: ignore[arg-type]
            inner = loops
            if isinstance(statement, ast.For) and isinstance(statement.target, ast.Name):
                inner = (*loops, tile_loop(source, statement))
            for field in ("body", "orelse", "finalbody"):
                yield from within(getattr(statement, field, []), inner)

    yield from within(function.body, ())


def tile_loop(source: KernelSource, loop: ast.For) -> TileLoop:
    """A loop whose variable is a name, with what its range tells."""
    assert isinstance(loop.target, ast.Name)
    variable, call = loop.target.id, loop.iter
    if called(call) not in _RANGES or not isinstance(call, ast.Call) or not call.args:
        return TileLoop(variable)
    if len(call.args) == 3:
        return TileLoop(variable, source.of(call.args[1]), source.of(call.args[2]), strided=True)
    whole, tile = divided(source, call.args[-1])
    return TileLoop(variable, whole, tile)


def divided(source: KernelSource, count: ast.expr) -> tuple[str, str]:
    """The whole and the part that a number of parts is computed from: `n // t`, `(n + t - 1) // t`, `-(-n // t)`,
    `math.ceil(n / t)`; empty texts where it is none of these."""
    if isinstance(count, ast.UnaryOp) and isinstance(count.op, ast.USub):
        inner = count.operand
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.FloorDiv):
            negated = inner.left.operand if isinstance(inner.left, ast.UnaryOp) else inner.left
            return source.of(negated), source.of(inner.right)
    if called(count) in ("ceil", "floor") and isinstance(count, ast.Call) and len(count.args) == 1:
        count = count.args[0]
    elif called(count) in ("div_ceil", "cdiv", "ceil_div") and isinstance(count, ast.Call) and len(count.args) == 2:
        return source.of(count.args[0]), source.of(count.args[1])
    if isinstance(count, ast.BinOp) and isinstance(count.op, ast.FloorDiv | ast.Div):
        return source.of(rounded_up(count) or count.left), source.of(count.right)
    return "", ""


def rounded_up(division: ast.BinOp) -> ast.expr | None:
    """The `n` of `(n + t - 1) // t`, or with the number that `t - 1` is; None where the division is none of these."""
    left = division.left
    if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Sub) and isinstance(left.right, ast.Constant):
        added = left.left
        if isinstance(added, ast.BinOp) and isinstance(added.op, ast.Add) and left.right.value == 1:
            return added.left if ast.dump(added.right) == ast.dump(division.right) else None
    one, two = (left.right, division.right) if isinstance(left, ast.BinOp) else (left, left)
    if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add) and _number(two) - _number(one) == 1:
        return left.left
    return None


def _number(node: ast.expr) -> int:
    """The number that is written, or 0."""
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else 0


def _names(source: KernelSource, function: ast.FunctionDef) -> dict[str, tuple[object, ...]]:
    constants: dict[str, None] = {}
    extents: dict[str, None] = {}
    sizes: dict[str, None] = {}
    tensors: dict[str, None] = {}
    arguments = function.args
    given = [*arguments.posonlyargs, *arguments.args]
    defaults = dict(zip(reversed(given), reversed(arguments.defaults), strict=False))
    defaults |= {one: value for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value}
    for one in (*given, *arguments.kwonlyargs):
        number = isinstance(defaults.get(one), ast.Constant) and type(defaults[one].value) is int  # type: ignore[attr-defined]
        if number:
            constants[one.arg] = None
        elif one not in defaults:
            tensors[one.arg] = None
    for statement in (*source.tree.body, *(node for node in ast.walk(function) if isinstance(node, ast.Assign))):
        if not isinstance(statement, ast.Assign):
            continue
        value = statement.value
        for target in statement.targets:
            names = [one.id for one in ast.walk(target) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
            if _is_shape(value):
                extents |= dict.fromkeys(names)
            elif _is_number(value):
                constants |= dict.fromkeys(names)
            elif called(value) in ALLOCATIONS or (isinstance(value, ast.Call) and _is_operation(value)):
                tensors |= dict.fromkeys(names)
            elif _is_size(value):
                sizes |= dict.fromkeys(names)
    nodes = [node for statement in function.body for node in ast.walk(statement)]
    numbers = {node.value for node in nodes if isinstance(node, ast.Constant) and type(node.value) is int}
    dtypes = {source.of(node) for node in nodes if isinstance(node, ast.Attribute) and _is_dtype(node)}
    return {
        "constants": tuple(constants),
        "extents": tuple(one for one in extents if one not in constants),
        "sizes": tuple(one for one in sizes if one not in constants and one not in extents),
        "tensors": tuple(one for one in tensors if one not in sizes and one not in constants),
        "numbers": tuple(sorted(numbers)),
        "dtypes": tuple(sorted(dtypes)),
    }


def _is_shape(value: ast.expr) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr == "shape" for part in ast.walk(value)) and not any(
        isinstance(part, ast.Call) for part in ast.walk(value)
    )


def _is_number(value: ast.expr) -> bool:
    if isinstance(value, ast.Attribute):
        # `nl.tile_size.pmax` and its kin.
        return "tile_size" in ast.dump(value)
    return isinstance(value, ast.Constant) and type(value.value) is int


def _is_size(value: ast.expr) -> bool:
    """True if a value is made of arithmetic on names and numbers only."""
    parts = (ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.operator, ast.unaryop, ast.expr_context)
    calls = [part for part in ast.walk(value) if isinstance(part, ast.Call)]
    if any(
        called(one) not in ("min", "max", "ceil", "program_id", "num_programs", "cdiv", "div_ceil") for one in calls
    ):
        return False
    plain = isinstance(value, ast.BinOp | ast.UnaryOp | ast.Name) or bool(calls)
    return plain and all(isinstance(part, (*parts, ast.Call, ast.Attribute)) for part in ast.walk(value))


def _is_operation(value: ast.Call) -> bool:
    return (
        isinstance(value.func, ast.Attribute)
        and isinstance(value.func.value, ast.Name)
        and len(value.func.value.id) <= _SHORT
    )


def _is_dtype(node: ast.Attribute) -> bool:
    return node.attr == "dtype" or node.attr.rstrip("0123456789_e") in ("float", "bfloat", "int", "uint", "float8")
